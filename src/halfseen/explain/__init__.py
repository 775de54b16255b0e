"""Explanations of a fitted model: what moved a prediction, what hangs together, what does not fit.

- :func:`explain_rows` - which observed entries moved the predictions of a row
- :func:`importance` - which features the predictions of a table rest on
- :func:`couplings` - how strongly columns hang together
- :func:`unusual_rows`, :func:`reference_rows` - rows that are improbable, and the entries at fault
- :func:`hidden_units` - what the hidden units of an RBM respond to

Every result has a method `table`, a list of dictionaries for a data frame. None of this is about
causes: it is what the model uses to predict.
"""

from halfseen.explain.columns import Couplings, Importance, couplings, importance
from halfseen.explain.deletion import EntryEffect, ExplainedPrediction, Explanations, explain_rows
from halfseen.explain.unusual import Reference, SurprisingEntry, UnusualRow, UnusualRows
from halfseen.explain.unusual import reference_rows as reference_rows
from halfseen.explain.unusual import unusual_rows as unusual_rows
from halfseen.explain.weights import ActiveRow, HiddenUnit, HiddenUnits, Response, hidden_units

__all__ = [
    "ActiveRow",
    "Couplings",
    "EntryEffect",
    "ExplainedPrediction",
    "Explanations",
    "HiddenUnit",
    "HiddenUnits",
    "Importance",
    "Reference",
    "Response",
    "SurprisingEntry",
    "UnusualRow",
    "UnusualRows",
    "couplings",
    "explain_rows",
    "hidden_units",
    "importance",
    "reference_rows",
    "unusual_rows",
]

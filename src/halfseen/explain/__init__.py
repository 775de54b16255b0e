"""Explanations of a fitted model: what moved a prediction, what hangs together, what does not fit.

Every result has a method `table`, a list of dictionaries for a data frame. None of this is about
causes: it is what the model uses to predict.
"""

from halfseen.explain.columns import Couplings as Couplings
from halfseen.explain.columns import Importance as Importance
from halfseen.explain.columns import couplings as couplings
from halfseen.explain.columns import importance as importance
from halfseen.explain.deletion import EntryEffect as EntryEffect
from halfseen.explain.deletion import ExplainedPrediction as ExplainedPrediction
from halfseen.explain.deletion import Explanations as Explanations
from halfseen.explain.deletion import explain_rows as explain_rows
from halfseen.explain.unusual import Reference as Reference
from halfseen.explain.unusual import SurprisingEntry as SurprisingEntry
from halfseen.explain.unusual import UnusualRow as UnusualRow
from halfseen.explain.unusual import UnusualRows as UnusualRows
from halfseen.explain.unusual import reference_rows as reference_rows
from halfseen.explain.unusual import unusual_rows as unusual_rows
from halfseen.explain.weights import ActiveRow as ActiveRow
from halfseen.explain.weights import HiddenUnit as HiddenUnit
from halfseen.explain.weights import HiddenUnits as HiddenUnits
from halfseen.explain.weights import Response as Response
from halfseen.explain.weights import hidden_units as hidden_units

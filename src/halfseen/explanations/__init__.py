"""Explanations from a fitted model: why it said so, what it learned, what does not fit.

For rows: :func:`explain_row` and :func:`explain_rows` (which observed entries pushed which answer,
which hidden units took part, which typical patterns are near) and :func:`unusual_rows`. For the
model: :func:`couplings`, :func:`hidden_units`, :func:`typical_patterns`.

Every result is the same whenever it is asked for, and depends on no other row.
"""

from halfseen.explanations.answer import Answer as Answer
from halfseen.explanations.coupling import Coupling as Coupling
from halfseen.explanations.couplings import Couplings as Couplings
from halfseen.explanations.couplings import couplings as couplings
from halfseen.explanations.explain_row import explain_row as explain_row
from halfseen.explanations.explain_rows import explain_rows as explain_rows
from halfseen.explanations.hidden_unit_part import ColumnPush as ColumnPush
from halfseen.explanations.hidden_unit_part import HiddenUnitPart as HiddenUnitPart
from halfseen.explanations.hidden_units import HiddenUnitSummary as HiddenUnitSummary
from halfseen.explanations.hidden_units import UnitWeight as UnitWeight
from halfseen.explanations.hidden_units import hidden_units as hidden_units
from halfseen.explanations.influence import Influence as Influence
from halfseen.explanations.row_explanation import RowExplanation as RowExplanation
from halfseen.explanations.surprising_entry import SurprisingEntry as SurprisingEntry
from halfseen.explanations.typical_pattern import NearestPattern as NearestPattern
from halfseen.explanations.typical_pattern import PatternValue as PatternValue
from halfseen.explanations.typical_pattern import TypicalPattern as TypicalPattern
from halfseen.explanations.typical_patterns import typical_patterns as typical_patterns
from halfseen.explanations.unusual_row import UnusualRow as UnusualRow
from halfseen.explanations.unusual_rows import unusual_rows as unusual_rows
from halfseen.explanations.usual_log_probability import UsualLogProbability as UsualLogProbability
from halfseen.explanations.usual_log_probability import (
    usual_log_probability as usual_log_probability,
)

__all__ = [
    "Answer",
    "ColumnPush",
    "Coupling",
    "Couplings",
    "HiddenUnitPart",
    "HiddenUnitSummary",
    "Influence",
    "NearestPattern",
    "PatternValue",
    "RowExplanation",
    "SurprisingEntry",
    "TypicalPattern",
    "UnitWeight",
    "UnusualRow",
    "UsualLogProbability",
    "couplings",
    "explain_row",
    "explain_rows",
    "hidden_units",
    "typical_patterns",
    "unusual_rows",
    "usual_log_probability",
]

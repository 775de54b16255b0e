"""What is in a table: its columns, its holes, its labels, and what its owner should look at.

`inspect_table` reads a table of any length in batches and bounded memory and gives a
`TableSummary`. Nothing here trains a machine.
"""

from halfseen.inspection.column_summary import CategoryCount as CategoryCount
from halfseen.inspection.column_summary import ColumnSummary as ColumnSummary
from halfseen.inspection.column_summary import NumberSummary as NumberSummary
from halfseen.inspection.inspect_table import inspect_table as inspect_table
from halfseen.inspection.label_coverage import LabelCoverage as LabelCoverage
from halfseen.inspection.pattern import Pattern as Pattern
from halfseen.inspection.randomness_test import ColumnRandomness as ColumnRandomness
from halfseen.inspection.randomness_test import CoMissingness as CoMissingness
from halfseen.inspection.randomness_test import LittleTest as LittleTest
from halfseen.inspection.randomness_test import RandomnessTest as RandomnessTest
from halfseen.inspection.table_accumulator import TableAccumulator as TableAccumulator
from halfseen.inspection.table_summary import TableSummary as TableSummary
from halfseen.inspection.table_warning import TableWarning as TableWarning

__all__ = [
    "CategoryCount",
    "CoMissingness",
    "ColumnRandomness",
    "ColumnSummary",
    "LabelCoverage",
    "LittleTest",
    "NumberSummary",
    "Pattern",
    "RandomnessTest",
    "TableAccumulator",
    "TableSummary",
    "TableWarning",
    "inspect_table",
]

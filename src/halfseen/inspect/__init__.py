"""What is in a table: columns, missing values, and what to look at before a model is fitted."""

from halfseen.inspect.columns import ColumnSummary as ColumnSummary
from halfseen.inspect.missingness import holm as holm
from halfseen.inspect.table import Inspection as Inspection
from halfseen.inspect.table import inspect_table as inspect_table

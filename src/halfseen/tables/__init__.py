"""What a column is; a table and its visible matrix beside `observed`.

A table with holes and a target with holes are read (`read_table`, `read_target`), their columns
are learned (`learn_columns`, `learn_target_columns`), and a `Schema` turns both into one visible
matrix beside `observed` and back (`fill_table`).
"""

from halfseen.tables.aligned_zeros import aligned_zeros as aligned_zeros
from halfseen.tables.column import Column as Column
from halfseen.tables.encoded import Encoded as Encoded
from halfseen.tables.encoded import EncodedTable as EncodedTable
from halfseen.tables.encoded_on_demand import encode_table as encode_table
from halfseen.tables.fill_table import fill_table as fill_table
from halfseen.tables.fill_target import fill_target as fill_target
from halfseen.tables.learn_columns import learn_columns as learn_columns
from halfseen.tables.learn_target_columns import learn_target_columns as learn_target_columns
from halfseen.tables.raw_column import RawColumn as RawColumn
from halfseen.tables.read_table import read_table as read_table
from halfseen.tables.read_target import read_target as read_target
from halfseen.tables.schema import Schema as Schema
from halfseen.tables.table import Table as Table
from halfseen.tables.target import Target as Target

__all__ = [
    "Column",
    "Encoded",
    "EncodedTable",
    "RawColumn",
    "Schema",
    "Table",
    "Target",
    "aligned_zeros",
    "encode_table",
    "fill_table",
    "fill_target",
    "learn_columns",
    "learn_target_columns",
    "read_table",
    "read_target",
]

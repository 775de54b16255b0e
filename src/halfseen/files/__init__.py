"""Table files: read in bounded batches, written back filled, observed bytes untouched.

`open_table` scans a CSV, TSV, Parquet or Arrow file once and says what each column is.
The `TableFile` it gives hands out batches and samples of rows. `write_filled` copies the file and
replaces its holes, and nothing but its holes. `write_table` writes a new file.
"""

try:
    import pyarrow as _pyarrow  # noqa: F401
except ImportError as error:
    raise ImportError('Reading table files needs pyarrow: pip install "halfseen[cli]".') from error

from halfseen.files.column_role import ColumnRole as ColumnRole
from halfseen.files.file_column import FileColumn as FileColumn
from halfseen.files.filled_counts import FilledColumn as FilledColumn
from halfseen.files.filled_counts import FilledCounts as FilledCounts
from halfseen.files.missing_marks import DEFAULT_MISSING_MARKS as DEFAULT_MISSING_MARKS
from halfseen.files.open_table import open_table as open_table
from halfseen.files.table_file import TableFile as TableFile
from halfseen.files.table_file_error import TableFileError as TableFileError
from halfseen.files.write_filled import write_filled as write_filled
from halfseen.files.write_table import write_table as write_table

__all__ = [
    "DEFAULT_MISSING_MARKS",
    "ColumnRole",
    "FileColumn",
    "FilledColumn",
    "FilledCounts",
    "TableFile",
    "TableFileError",
    "open_table",
    "write_filled",
    "write_table",
]

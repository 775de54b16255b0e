"""Table files: CSV, TSV, Parquet, Arrow and Excel, read in batches and written without a loss."""

from halfseen.files.cells import MISSING_MARKS as MISSING_MARKS
from halfseen.files.source import TableFileError as TableFileError
from halfseen.files.source import TableWriteError as TableWriteError
from halfseen.files.tables import Batch as Batch
from halfseen.files.tables import RowSample as RowSample
from halfseen.files.tables import TableFile as TableFile
from halfseen.files.tables import open_table as open_table
from halfseen.files.writing import open_output as open_output
from halfseen.files.writing import output_format as output_format
from halfseen.files.writing import table_writer as table_writer

"""Models where the rows are: on Dask, on Spark, and on folders of Parquet files.

- :func:`complete` - a data frame with its missing cells filled, all its columns kept: for pandas,
  polars, Arrow, DuckDB, and whatever else hands over one piece of a table after the other
- :mod:`halfseen.engines.dask` - predictions and fits of Dask data frames
- :mod:`halfseen.engines.spark` - the same of Spark data frames
- :mod:`halfseen.engines.folder` - a folder of Parquet files into another, file by file
"""

from halfseen.engines.parts import complete as complete

__all__ = ["complete"]

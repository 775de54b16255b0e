"""Generated telemetry, written to a Parquet file."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from halfseen.experiments.telemetry import Telemetry, TelemetryHoles, telemetry_batches
from halfseen.storage import write_beside


def write_telemetry(
    path: str | os.PathLike[str],
    n_rows: int,
    n_columns: int = 100,
    seed: int = 0,
    *,
    n_labels: int = 6,
    n_customers: int = 40,
    holes: TelemetryHoles | None = None,
    batch_rows: int = 65_536,
) -> None:
    """Write telemetry with its holes to a Parquet file, in bounded memory.

    The first columns are "device", an identifier, and "customer", a category; then features and
    labels follow. Alert counts are int32, flags and labels int8, the rest float32; holes are nulls.

    Parameters
    ----------
    path : str or path-like
        The file to create or replace; it is put in place once it is complete.
    n_rows, n_columns, seed, n_labels, n_customers, holes
        As for `telemetry`.
    batch_rows : int, default 65536
        Rows of each row group but the last.

    Raises
    ------
    ImportError
        pyarrow is not installed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pyarrow.parquet as pq
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "devices.parquet")
    ...     write_telemetry(path, 300, n_columns=10)
    ...     table = pq.read_table(path)
    >>> table.num_rows, table.num_columns, table.column_names[:3]
    (300, 18, ['device', 'customer', 'load'])
    """
    try:
        pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError('Writing Parquet needs pyarrow: pip install "halfseen[cli]".') from error
    batches = telemetry_batches(
        n_rows,
        n_columns,
        n_labels,
        seed,
        n_customers=n_customers,
        holes=holes,
        batch_rows=batch_rows,
    )
    write_beside(path, _pieces((_arrow_table(batch, pa) for batch in batches), pq))


class _Pieces(io.RawIOBase):
    """A file that is handed on piece by piece while it is written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, part: Any) -> int:
        data = bytes(part)
        self._parts.append(data)
        self._size += len(data)
        return len(data)

    def taken(self) -> bytes:
        """What was written since the last time."""
        data = b"".join(self._parts)
        self._parts = []
        return data


def _pieces(tables: Iterator[Any], pq: Any) -> Iterator[bytes]:
    """The bytes of a Parquet file with one row group per table."""
    sink, first = _Pieces(), next(tables)
    with pq.ParquetWriter(sink, first.schema) as writer:
        writer.write_table(first)
        yield sink.taken()
        for table in tables:
            writer.write_table(table)
            yield sink.taken()
    yield sink.taken()


def _arrow_table(batch: Telemetry, pa: Any) -> Any:
    rows = range(batch.first_row, batch.first_row + len(batch.X))
    columns = {
        "device": pa.array([f"d{row:09d}" for row in rows], pa.string()),
        "customer": pa.array([f"customer {c:03d}" for c in batch.customer.tolist()], pa.string()),
    }
    for values, observed, names in (
        (batch.X, batch.observed_X, batch.names),
        (batch.y, batch.observed_y, batch.label_names),
    ):
        for j, name in enumerate(names):
            columns[name] = pa.array(values[:, j].astype(_dtype(name)), mask=~observed[:, j])
    return pa.table(columns)


def _dtype(name: str) -> type[np.generic]:
    kind = name.partition("_")[0]
    if kind == "alert":
        return np.int32
    return np.int8 if kind in ("flag", "threat") else np.float32

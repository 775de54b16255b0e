"""A large Parquet file through ``halfseen complete``: memory, rate, and beside a plain copy.

``python benchmarks/large_files.py --rows 10_000_000`` writes a file of 100 columns of which a fifth
is missing, fits a model to a sample of it, completes a quarter of the rows and then all of them,
and copies the file by reading and writing it with pyarrow. Each step is a process of its own: peak
memory, seconds and seconds of processors are those that the system counted for it. Memory should
be that of the quarter; the rates per processor, unlike those per second, hold on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N_NUMBERS, N_CATEGORIES, N_LABELS = 85, 10, 5
MISSING = 0.2
BLOCK = 50_000  # rows that are written at a time
COPY = """
import sys
import pyarrow.parquet as pq
with pq.ParquetFile(sys.argv[1]) as file, pq.ParquetWriter(sys.argv[2], file.schema_arrow) as out:
    for batch in file.iter_batches(16_384):
        out.write_batch(batch)
"""


def block(random: np.random.Generator, n_rows: int) -> pa.Table:
    """Rows in which ten hidden causes move all columns."""
    causes = random.normal(size=(n_rows, 10))
    weights = np.random.default_rng(0).normal(size=(10, N_NUMBERS + N_CATEGORIES + N_LABELS))
    values = causes @ weights + random.normal(size=(n_rows, weights.shape[1]))
    hidden = random.random(values.shape) < MISSING
    columns: dict[str, pa.Array] = {}
    for j in range(values.shape[1]):
        if j < N_NUMBERS:
            columns[f"number_{j}"] = pa.array(np.round(values[:, j], 3), mask=hidden[:, j])
        elif j < N_NUMBERS + N_CATEGORIES:
            codes = np.digitize(values[:, j], (-3, 0, 3))
            words = np.array(["low", "mid", "high", "top"], dtype=object)[codes]
            columns[f"kind_{j}"] = pa.array(words, pa.string(), mask=hidden[:, j])
        else:
            columns[f"label_{j}"] = pa.array((values[:, j] > 2).astype(int), mask=hidden[:, j])
    return pa.table(columns)


def write(path: Path, n_rows: int) -> None:
    """A file of so many rows; a shorter one holds the first rows of a longer one."""
    schema = block(np.random.default_rng(1), 1).schema
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, n_rows, BLOCK):
            random = np.random.default_rng([1, first])
            writer.write_table(block(random, BLOCK).slice(0, min(BLOCK, n_rows - first)))


def run(what: str, n_rows: int, *words: Any) -> dict[str, Any]:
    """Run a process to its end; gives and shows its memory and times."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, *map(str, words)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds, cpu = time.perf_counter() - began, used.ru_utime + used.ru_stime
    if status:
        sys.exit(f"{what} ended with status {status}")
    megabytes = used.ru_maxrss / 1024
    print(
        f"{what:28} {n_rows:12,} rows {seconds:9.1f} s {cpu:9.1f} s of processors "
        f"{n_rows / cpu:10,.0f} rows/s each {megabytes:8,.0f} MB",
        flush=True,
    )
    return {"what": what, "rows": n_rows, "seconds": seconds, "cpu_seconds": cpu,
            "megabytes": megabytes}  # fmt: skip


def main() -> None:
    """Write, fit, complete, copy."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="folder for the files, instead of a temporary")
    parser.add_argument("--json", type=Path, help="file for the figures")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as temporary:
        folder = Path(temporary)
        small, large = folder / "small.parquet", folder / "large.parquet"
        model, out = folder / "model.safetensors", folder / "out.parquet"
        quarter = asked.rows // 4
        write(small, quarter)
        write(large, asked.rows)
        fit = ("-m", "halfseen", "fit", small, "-l", "label_*", "--max-rows", 2_000)
        complete = ("-m", "halfseen", "complete")
        found = [
            run("fit to a sample", 2_000, *fit, "--effort", "fast", "-o", model, "-q"),
            run("complete a quarter", quarter, *complete, small, model, "-o", out, "-q"),
            run("complete", asked.rows, *complete, large, model, "-o", out, "-q"),
            run("read and write", asked.rows, "-c", COPY, large, folder / "copy.parquet"),
        ]  # fmt: skip
        before, after = pq.ParquetFile(large), pq.ParquetFile(out)
        assert after.metadata.num_rows == before.metadata.num_rows
        first = next(after.iter_batches(1000))
        assert not sum(column.null_count for column in first.columns)
    _, of_quarter, whole, copy = found
    memory = whole["megabytes"] / of_quarter["megabytes"]
    rate = (asked.rows - quarter) / (whole["cpu_seconds"] - of_quarter["cpu_seconds"])
    times = whole["cpu_seconds"] / copy["cpu_seconds"]
    print(f"Memory of all rows beside that of a quarter: {memory:.2f}.")
    print(f"Without what starting takes: {rate:,.0f} rows/s of a processor.")
    print(f"Completing takes {times:.0f} times the processor time of reading and writing.")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

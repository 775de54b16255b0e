"""How fast, and in how much memory, a long table is completed.

Run with ``python benchmarks/complete_throughput.py --rows 10000000``. Telemetry of that many rows
and 100 columns with holes is written to a Parquet file, a model is fitted to a sample of it, and
``halfseen complete`` fills the file. In the same run stand the plain reading and writing of the
same file, and the matrix products that the model needs at the speed of the machine's own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from halfseen import load
from halfseen.experiments.write_telemetry import write_telemetry

N_COLUMNS = 100


def timed(words: list[str]) -> tuple[float, float]:
    """Run a command of halfseen; its seconds on the wall, and its largest memory in GB."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "halfseen", *words])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"halfseen {' '.join(words)} ended with status {status}")
    return time.perf_counter() - began, usage.ru_maxrss * 1024 / 1e9


def copied(source: Path, destination: Path) -> float:
    """Seconds to read the file and write it again, batch by batch."""
    began = time.perf_counter()
    file = pq.ParquetFile(source)
    with pq.ParquetWriter(destination, file.schema_arrow) as writer:
        for batch in file.iter_batches(65_536):
            writer.write_batch(batch)
    return time.perf_counter() - began


def matrix_speed() -> float:
    """Operations per second of a product of square matrices, the best of five."""
    matrix = np.random.default_rng(0).random((3000, 3000), np.float32)
    best = np.inf
    for _ in range(5):
        began = time.perf_counter()
        matrix @ matrix
        best = min(best, time.perf_counter() - began)
    return 2 * len(matrix) ** 3 / best


def operations_per_row(model: Any) -> float:
    """Of the matrix products of all members: sweeps, and the search of the prior."""
    ensemble = model.prediction_.ensemble
    shape = ensemble.shape
    units, n_visible = shape.columns.wide.n_units, shape.columns.wide.layer.n_visible
    sweeps = 4.0 * units * shape.n_hidden * shape.n_sweeps
    n_own = n_visible if ensemble.prior_covariance.shape[2] else 2 * ensemble.prior_loading.shape[2]
    search = 2.0 * n_visible * n_own * (shape.n_search_steps + 1)
    return len(ensemble.weights) * (sweeps + search)


def main() -> None:
    """Generate, fit, complete, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the files go, and stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        table, model = folder / "telemetry.parquet", folder / "model.safetensors"
        if not table.exists():
            write_telemetry(table, options.rows, N_COLUMNS)
        size = table.stat().st_size / 1e9
        print(
            f"{options.rows:,} rows of {N_COLUMNS} features and 6 labels, {size:.2f} GB", flush=True
        )
        if not model.exists():
            words = [
                "fit",
                str(table),
                "--labels",
                "threat_*",
                "--effort",
                "fast",
                "-o",
                str(model),
            ]
            seconds, memory = timed([*words, "--no-companion", "--max-rows", "20000", "--quiet"])
            print(f"fit to 20,000 rows: {seconds:.0f} s, {memory:.2f} GB at most", flush=True)
        filled = folder / "filled.parquet"
        seconds, memory = timed(["complete", str(table), str(model), "-o", str(filled), "--quiet"])
        plain = copied(table, folder / "copy.parquet")
        speed = matrix_speed()
        at_limit = options.rows * operations_per_row(load(model)) / speed
        print(f"complete: {seconds:.0f} s, {options.rows / seconds:,.0f} rows/s, "
              f"{memory:.2f} GB at most")  # fmt: skip
        print(f"  {seconds / plain:.1f} times the plain reading and writing ({plain:.0f} s)")
        print(f"  {100 * at_limit / seconds:.0f} % of it are the model's matrix products at this "
              f"machine's speed ({speed / 1e9:.0f} GFLOP/s)")  # fmt: skip


if __name__ == "__main__":
    main()

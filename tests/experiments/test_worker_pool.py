from __future__ import annotations

from pathlib import Path

import pytest

from experiments.bad_workers import die, sleep
from halfseen.experiments import worker_pool
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_worker import Job
from halfseen.experiments.plan import Limits
from halfseen.experiments.worker_pool import WorkerPool

CELL = Cell(
    "digits", "transductive", "at_random", "at_random", 0.5, 0.5, None, "column_prior",
    limits=Limits(seconds=0.05),
)  # fmt: skip


@pytest.mark.parametrize(
    ("work", "why", "is_late"),
    [(sleep, "took longer than 0.05 s", True), (die, "its process ended with code 0", False)],
)
def test_a_worker_dies_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: object, why: str, is_late: bool
) -> None:
    monkeypatch.setattr(worker_pool, "work", work)
    limit = 0.05 if is_late else 60.0
    job = Job("run", Cell(**{**vars(CELL), "limits": Limits(seconds=limit)}))
    pool = WorkerPool(1, tmp_path)
    pool.begin(job)
    assert pool.n_idle == 0
    ended = []
    while not ended:
        ended = pool.ended()
    pool.close()
    assert (ended[0].job, ended[0].result, ended[0].why, ended[0].is_late) == (
        job, None, why, is_late,
    )  # fmt: skip
    assert pool.n_idle == 1

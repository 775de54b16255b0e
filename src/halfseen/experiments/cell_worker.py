"""A process that runs one cell after the other, until nobody asks for more."""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Literal, NamedTuple

from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_tuning import TunedSettings, read_tuning, tune_cell, write_tuning
from halfseen.experiments.record import Record, write_record
from halfseen.experiments.run_cell import run_cell

MESSAGES = "messages.log"  # what methods print, within a run folder


class Job(NamedTuple):
    """What a worker is asked for: settings of a cell and all its realisations, or its result."""

    kind: Literal["tune", "run"]
    cell: Cell

    @property
    def name(self) -> str:
        """How it is called while it runs."""
        return f"{self.cell.series} (tuning)" if self.kind == "tune" else self.cell.key


def work(connection: Connection, run: Path) -> None:
    """Do jobs that come through a connection, and say what came of each.

    Parameters
    ----------
    connection : Connection
        Jobs come in; a `Record`, or `TunedSettings`, goes out for each once it is on disk.
    run : Path
        The run folder.
    """
    # Ctrl-C reaches the whole group of processes; the one that started us decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _write_messages_to(run / MESSAGES)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        connection.send(done(job, run))


def done(job: Job, run: Path) -> Record | TunedSettings:
    """Do one job, and write what came of it into the run folder.

    Parameters
    ----------
    job : Job
        What to do.
    run : Path
        The run folder.

    Returns
    -------
    Record or TunedSettings
    """
    if job.kind == "run":
        record = run_cell(job.cell, read_tuning(run, job.cell), run)
        write_record(run, record)
        return record
    try:
        tuned = tune_cell(job.cell)
    except Exception as error:
        tuned = TunedSettings(why=f"not tuned: {type(error).__name__}: {error}")
    write_tuning(run, job.cell, tuned)
    return tuned


def _write_messages_to(path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)

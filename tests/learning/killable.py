"""A training for a process of its own, that may be killed at any moment.

``python -m learning.killable CHECKPOINT RESULT PAUSE`` trains with a checkpoint after every epoch,
from which it goes on if there is one, and writes its parameters to RESULT.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from halfseen.learning.checkpoint import Checkpoint
from halfseen.learning.history import EpochRecord
from halfseen.learning.trainer import Trainer, TrainingResult
from learning.small import PERSISTENT_PLAN, small_table

PLAN = replace(PERSISTENT_PLAN, n_epochs=40)


def train(checkpoint: Checkpoint | None, pause: float) -> TrainingResult:
    """The training, with a pause after every epoch."""

    def wait(record: EpochRecord) -> None:
        time.sleep(pause)

    return Trainer(PLAN, None, checkpoint, (wait,)).train(*small_table())


if __name__ == "__main__":
    path, result_path, pause = sys.argv[1:]
    result = train(Checkpoint(path, every=1, resume=True), float(pause))
    with Path(result_path).open("wb") as file:
        np.savez(file, *result.machines, seconds=result.history["seconds"])

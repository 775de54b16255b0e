"""Checkpoints of training, from which a fit goes on as if it had never been interrupted."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.learning.history import History
from halfseen.learning.loop_state import LoopState
from halfseen.learning.row_source import RowSource
from halfseen.storage import read_sealed, write_sealed

KIND = "checkpoint"
VERSION = 3  # of what stands in the file, and of the random numbers that follow it


class Checkpoint:
    """A file that holds the state of one particular fit.

    Parameters
    ----------
    path : path-like
        The file.
    every : int
        Epochs from one writing to the next.
    resume : bool
        Whether to go on from the file, if it is there.
    """

    def __init__(self, path: str | PathLike[str], every: int, resume: bool) -> None:
        self.path = Path(path)
        self.every = every
        self.resume = resume

    def is_due(self, epoch: int) -> bool:
        """Whether the file is to be written after this epoch."""
        return (epoch + 1) % self.every == 0

    def write(self, loop: LoopState, history: History, fingerprint: str) -> None:
        """Write beside, then rename: a kill at any moment leaves a whole file."""
        leaves = jax.tree.leaves(loop)
        write_sealed(
            self.path,
            kind=KIND,
            version=VERSION,
            document={"fingerprint": fingerprint, "history": history.to_document()},
            arrays={f"leaf_{index:03d}": np.asarray(leaf) for index, leaf in enumerate(leaves)},
        )

    def read(self, like: LoopState, fingerprint: str) -> tuple[LoopState, History] | None:
        """The state in the file, or None if there is nothing to resume.

        Raises
        ------
        ValueError
            If the file belongs to a fit of other data or settings, or is damaged.
        """
        if not self.resume or not self.path.exists():
            return None
        sealed = read_sealed(self.path, kind=KIND, newest_version=VERSION)
        expected, structure = jax.tree.flatten(like)
        leaves = [sealed.arrays[name] for name in sorted(sealed.arrays)]
        same_shapes = [leaf.shape for leaf in leaves] == [leaf.shape for leaf in expected]
        if sealed.document.get("fingerprint") != fingerprint or not same_shapes:
            raise ValueError(
                f"checkpoint {self.path} belongs to a fit of other data or other settings, or of "
                "another version of halfseen; give the same data and settings, or remove the file, "
                "or set resume=False"
            )
        placed = [
            leaf if isinstance(place, np.ndarray) else jnp.asarray(leaf)
            for leaf, place in zip(leaves, expected, strict=True)
        ]
        loop: LoopState = jax.tree.unflatten(structure, placed)
        return loop, History.from_document(sealed.document["history"])


def fingerprint_of(source: RowSource, settings: Any) -> str:
    """A digest of the data (not of what stands behind missing entries) and of the settings."""
    digest = hashlib.sha256(repr((VERSION, settings)).encode())
    digest.update(repr(source.shape).encode())
    for visible, observed in source.parts():
        digest.update(np.where(observed, visible, np.float32(0)).tobytes())
    for _, observed in source.parts():
        digest.update(np.packbits(observed).tobytes())
    return digest.hexdigest()

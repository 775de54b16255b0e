"""A model file, opened for a command."""

from __future__ import annotations

from typing import Any

from halfseen.cli.problem import Problem
from halfseen.cli.terminal import Terminal


def loaded_model(path: str, terminal: Terminal) -> Any:
    """Load a model, or say what is wrong with its file.

    Parameters
    ----------
    path : str
        A file that ``halfseen fit`` wrote.
    terminal : Terminal
        Where to show that this lasts.

    Returns
    -------
    HalfseenClassifier or HalfseenImputer

    Raises
    ------
    Problem
        There is no such file, or it is damaged or something else.
    """
    from halfseen.estimators import load
    from halfseen.storage import SealError

    try:
        with terminal.watching("loading the model"):
            return load(path)
    except SealError as error:
        raise Problem(
            f"{error}.", "Pass a model that 'halfseen fit' wrote, and the table before it."
        ) from error
    except OSError as error:
        raise Problem(
            f"Cannot read the model {path!r}: {error.strerror}.",
            "Make one first: halfseen fit TABLE -o MODEL.",
        ) from error

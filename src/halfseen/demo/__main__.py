"""``python -m halfseen.demo``: half of the digits hidden, found again, scored and drawn."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from halfseen.demo.demonstration import demonstrate
from halfseen.demo.hidden_digits import LEARNING_ROWS

_PICTURE_NAME = "digits.png"
_STOPPED = "\nStopped.\n"
_STOPPED_BY_USER = 130
_STANDARD_ERROR = 2
_LARGEST_SEED = 2**32 - 1


def main(
    arguments: Sequence[str] | None = None,
    *,
    rows: slice = LEARNING_ROWS,
    n_epochs: int | str = "auto",
) -> int:
    """Run the demo as the command line says.

    Parameters
    ----------
    arguments : sequence of str, or None for those of the process
        The words after ``python -m halfseen.demo``.
    rows : slice, default=LEARNING_ROWS
        The digits to learn from.
    n_epochs : int or "auto", default="auto"
        The most epochs to train.

    Returns
    -------
    int
        The exit code: 0, or 130 when stopped by Ctrl-C.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    folder: Path = options.output
    try:
        # Before anything is computed, so that nobody waits for a picture that cannot be written.
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        parser.error(
            f"cannot make the folder {folder} ({refused.strerror}); name another: --output"
        )
    try:
        demonstrate(folder / _PICTURE_NAME, seed=options.seed, rows=rows, n_epochs=n_epochs)
    except KeyboardInterrupt:
        sys.stderr.write(_STOPPED)
        return _STOPPED_BY_USER
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m halfseen.demo",
        description="Half of the pixels and half of the labels of scikit-learn's digits are "
        "hidden at random. halfseen and four other methods are asked for them, and are scored on "
        "the hidden entries. Then other digits are drawn: complete, with 50 % and 80 % of their "
        "pixels hidden, and as halfseen restores them. On two free cores it takes less than a "
        "minute. It needs no network, and for the picture matplotlib: pip install "
        "'halfseen[report]'.",
        epilog="Examples: 'python -m halfseen.demo' writes demo_output/digits.png; "
        "'python -m halfseen.demo --seed 1 --output elsewhere' hides other entries and writes "
        "elsewhere/digits.png.",
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        type=Path,
        default=Path("demo_output"),
        help=f"folder for the picture {_PICTURE_NAME}, made if it is not there "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=_seed,
        default=0,
        help="whole number that decides what is hidden and how models start; another seed gives "
        "other numbers, the same seed the same (default: %(default)s)",
    )
    return parser


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > _LARGEST_SEED:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number from 0 to {_LARGEST_SEED}"
        )
    return int(text)


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End the process from within the handler of Ctrl-C.

    A KeyboardInterrupt is lost where it is raised within a callback of a library, such as one of
    the collector of garbage, and the demo would go on. Besides, the step that is interrupted may
    still be computed by other threads; taking the interpreter apart under them can crash it.
    """
    try:
        os.write(_STANDARD_ERROR, _STOPPED.encode())
    finally:
        os._exit(_STOPPED_BY_USER)


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background of a script
        signal.signal(signal.SIGINT, _leave)
    sys.exit(main())

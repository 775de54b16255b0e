"""The demonstration from end to end."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from halfseen.demo.halfseen_answer import halfseen_answer
from halfseen.demo.hidden_digits import LEARNING_ROWS, PICTURED_ROWS, HiddenDigits, hide_digits
from halfseen.demo.hidden_scores import score_hidden
from halfseen.demo.restored_digits import Block, draw_restored_digits
from halfseen.demo.result_table import Result, format_table
from halfseen.demo.rival_pipelines import RIVALS
from halfseen.estimators import HalfseenClassifier

HIDDEN_SHARE = 0.5
LARGER_HIDDEN_SHARE = 0.8
_CAPTION = (
    "Hidden pixels are orange. These digits were no part of the training, in which half of the "
    "pixels and labels of other digits were hidden."
)


def demonstrate(
    picture: Path, *, seed: int, rows: slice = LEARNING_ROWS, n_epochs: int | str = "auto"
) -> None:
    """Hide half of the digits, ask every method for it, print the scores, draw the picture.

    Results go to standard output, progress to standard error. Without matplotlib there is one
    sentence instead of the picture.

    Parameters
    ----------
    picture : Path
        The PNG file to write; its folder must exist.
    seed : int
        Decides what is hidden, and the randomness of all methods.
    rows : slice, default=LEARNING_ROWS
        The digits to learn from.
    n_epochs : int or "auto", default="auto"
        The most epochs to train.

    Examples
    --------
    >>> from pathlib import Path
    >>> demonstrate(Path("digits.png"), seed=0)  # doctest: +SKIP
    """
    digits = hide_digits(rows, HIDDEN_SHARE, seed=seed)
    print(_question(digits), flush=True)
    results = []
    for rival in RIVALS:
        _say(f"{rival.name} ...")
        start = time.perf_counter()
        answer = rival.answer(digits, seed)
        seconds = time.perf_counter() - start
        results.append(Result(rival.name, score_hidden(digits, answer), seconds))
    _say("halfseen ...")
    start = time.perf_counter()
    fitted = halfseen_answer(digits, seed, n_epochs)
    seconds = time.perf_counter() - start
    results.append(Result("halfseen", score_hidden(digits, fitted.answer), seconds))
    print(f"\n{format_table(results)}\n\n{_legend()}\n", flush=True)
    try:
        draw_restored_digits(_blocks(fitted.model, seed), _CAPTION, picture)
    except ImportError as absent:
        _say(str(absent))
    else:
        print(f"The picture is in {picture}")


def _question(digits: HiddenDigits) -> str:
    n_pixels, n_labels = (~digits.observed_pixels).sum(), (~digits.observed_labels).sum()
    return (
        f"{len(digits.labels)} digits of 8 x 8 pixels. Hidden at random: {n_pixels} of "
        f"{digits.pixels.size} pixels and {n_labels} of {digits.labels.size} labels."
    )


def _legend() -> str:
    return (
        "All scores are of hidden entries only. AUC is the mean over the ten digits, each against\n"
        "the rest. RMSE is of pixels, in grey levels from 0 to 16. The time of halfseen includes\n"
        "compilation; the others run on one thread. This is one seed: another one (--seed) gives\n"
        "other numbers, and methods that are close may change places."
    )


def _blocks(model: HalfseenClassifier, seed: int) -> list[Block]:
    less, more = (
        hide_digits(PICTURED_ROWS, share, seed=seed)
        for share in (HIDDEN_SHARE, LARGER_HIDDEN_SHARE)
    )
    return [
        Block("complete", less.pixels),
        Block(f"{HIDDEN_SHARE:.0%} hidden", less.X),
        Block(f"{LARGER_HIDDEN_SHARE:.0%} hidden", more.X),
        Block(f"restored, {HIDDEN_SHARE:.0%} were hidden", model.transform(less.X)),
        Block(f"restored, {LARGER_HIDDEN_SHARE:.0%} were hidden", model.transform(more.X)),
    ]


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)

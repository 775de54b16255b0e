"""The table that the demo prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from halfseen.demo.hidden_scores import HiddenScores

_HEADINGS = ("", "accuracy", "AUC", "RMSE", "seconds")
_BETWEEN = "   "


class Result(NamedTuple):
    """One line of the table.

    Attributes
    ----------
    method : str
        Its name.
    scores : HiddenScores
        On the hidden entries.
    seconds : float
        From the table with holes to the answer.

    Examples
    --------
    >>> Result("guess", HiddenScores(0.1, 0.5, None), 0.2).method
    'guess'
    """

    method: str
    scores: HiddenScores
    seconds: float


def format_table(results: Sequence[Result]) -> str:
    """The results as text, names to the left, numbers in line to the right.

    Parameters
    ----------
    results : sequence of Result
        In the order of the lines.

    Returns
    -------
    str
        Without a line feed at the end; a dash where a method does not fill pixels.

    Examples
    --------
    >>> print(format_table([
    ...     Result("guess", HiddenScores(0.1, 0.5, None), 0.04),
    ...     Result("think", HiddenScores(0.912, 0.99, 3.14), 12.3),
    ... ]))  # doctest: -NORMALIZE_WHITESPACE
            accuracy     AUC   RMSE   seconds
    -----------------------------------------
    guess      0.100   0.500      -       0.0
    think      0.912   0.990   3.14      12.3
    """
    lines = [_HEADINGS, *(_cells(result) for result in results)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(_HEADINGS))]
    texts = [_aligned(line, widths) for line in lines]
    rule = "-" * (sum(widths) + len(_BETWEEN) * (len(widths) - 1))
    return "\n".join([texts[0], rule, *texts[1:]])


def _cells(result: Result) -> tuple[str, ...]:
    scores = result.scores
    return (
        result.method,
        f"{scores.accuracy:.3f}",
        f"{scores.averaged_auc:.3f}",
        "-" if scores.rmse is None else f"{scores.rmse:.2f}",
        f"{result.seconds:.1f}",
    )


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    name, *numbers = cells
    name_width, *number_widths = widths
    columns = (number.rjust(width) for number, width in zip(numbers, number_widths, strict=True))
    return _BETWEEN.join([name.ljust(name_width), *columns])

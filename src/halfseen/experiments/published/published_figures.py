"""Every number of the paper's tables."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from halfseen.experiments.published.published_figure import PublishedFigure


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Every number of the paper's tables, in their order.

    Returns
    -------
    tuple of PublishedFigure

    Examples
    --------
    >>> figures = published_figures()
    >>> len(figures), sorted({figure.data_set for figure in figures})
    (279, ['eventcat', 'mnist', 'pendigits', 'scene'])
    >>> [figure.mean for figure in figures
    ...     if figure.data_set == "scene" and figure.method == "CLE" and figure.score == "rmse"]
    [0.13, 0.13, 0.131, 0.129, 0.129, 0.128]
    """
    text = (files("halfseen.experiments.published") / "figures.toml").read_text(encoding="utf-8")
    return tuple(figure for table in tomllib.loads(text)["table"] for figure in _figures(table))


def published_figure(
    task: str, data_set: str, method: str, feature_rate: float, label_rate: float, score: str
) -> PublishedFigure | None:
    """The published number for one cell and score, if there is one; the method by our name.

    Examples
    --------
    >>> found = published_figure("inductive", "pendigits", "halfseen_paper", 0.5, 0.8, "accuracy")
    >>> found.where, found.mean
    ('Table 4', 0.66)
    >>> published_figure("inductive", "yeast", "cle", 0.5, 0.8, "micro_auc") is None
    True
    """
    return _by_cell().get((task, data_set, method, feature_rate, label_rate, score))


@cache
def _by_cell() -> dict[tuple[str, str, str, float, float, str], PublishedFigure]:
    return {
        (
            figure.task,
            figure.data_set,
            figure.our_method,
            figure.feature_rate,
            figure.label_rate,
            figure.score,
        ): figure
        for figure in published_figures()
    }


def _figures(table: dict[str, Any]) -> Iterator[PublishedFigure]:
    for row in table["rows"]:
        for score, means in zip(table["scores"], row["values"], strict=True):
            for label_rate, mean in zip(table["label_rates"], means, strict=True):
                yield PublishedFigure(
                    table["where"],
                    table["task"],
                    table["data_set"],
                    row["method"],
                    row["feature_rate"],
                    label_rate,
                    score,
                    mean,
                    note=row.get("notes", {}).get(score, ""),
                )

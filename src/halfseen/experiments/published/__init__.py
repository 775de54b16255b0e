"""The paper's figures as data, and what is known to be wrong with them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Literal

__all__ = [
    "KNOWN_INCONSISTENCIES",
    "OUR_NAMES",
    "Inconsistency",
    "PublishedFigure",
    "published_figure",
    "published_figures",
]

OUR_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"RBM-MO": "rbm_mo", "CLE": "cle", "NoisyIMC": "noisy_imc", "MC-1": "mc1"}
)


@dataclass(frozen=True)
class PublishedFigure:
    """One number of the paper's tables, in the words of our records.

    >>> cell = ("Table 1", "transductive", "mnist", "MC-1", 0.5, 0.3)
    >>> PublishedFigure(*cell, "rmse", 0.334).our_method
    'mc1'
    """

    where: str  # such as "Table 1"
    task: Literal["transductive", "inductive"]
    data_set: str  # "eventcat" is none that can be loaded
    method: str  # the paper's name
    feature_rate: float  # q_fea, as a share from 0 to 1
    label_rate: float  # q_ml or q_mc
    score: str
    mean: float  # over ten realisations
    std: float | None = None  # which the paper does not print
    note: str = ""  # what to know before comparing

    @property
    def our_method(self) -> str:
        """Name of the method in our records."""
        return OUR_NAMES[self.method]


@dataclass(frozen=True)
class Inconsistency:
    """Something in the published numbers that does not fit, or is not told.

    >>> print(Inconsistency("units", ("Table 1",), "No units", "None are given.", "Raw units."))
    No units. None are given. Here: Raw units.
    """

    key: str
    where: tuple[str, ...]  # tables and figures that it concerns
    title: str
    text: str  # what does not fit
    ours: str  # what is done here instead

    def __str__(self) -> str:
        return f"{self.title}. {self.text} Here: {self.ours}"


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Every number of the paper's tables, in their order.

    >>> figures = published_figures()
    >>> len(figures), sorted({figure.data_set for figure in figures})
    (279, ['eventcat', 'mnist', 'pendigits', 'scene'])
    """
    return tuple(figure for table in _read("figures")["table"] for figure in _figures(table))


def published_figure(
    task: str, data_set: str, method: str, feature_rate: float, label_rate: float, score: str
) -> PublishedFigure | None:
    """The published number for one cell and score, if there is one; the method by our name.

    >>> found = published_figure("inductive", "pendigits", "rbm_mo", 0.5, 0.8, "accuracy")
    >>> found.where, found.mean
    ('Table 4', 0.66)
    """
    return _by_cell().get((task, data_set, method, feature_rate, label_rate, score))


@cache
def _by_cell() -> dict[tuple[str, str, str, float, float, str], PublishedFigure]:
    return {
        (one.task, one.data_set, one.our_method, one.feature_rate, one.label_rate, one.score): one
        for one in published_figures()
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


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__name__) / f"{name}.toml").read_text(encoding="utf-8"))


KNOWN_INCONSISTENCIES: Final = tuple(
    Inconsistency(**{**one, "where": tuple(one["where"])})
    for one in _read("inconsistencies")["inconsistency"]
)

"""The paper's figures as data, and what is known to be wrong with them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple

__all__ = [
    "OUR_NAMES",
    "Inconsistency",
    "PublishedFigure",
    "inconsistencies",
    "published_figures",
]

OUR_NAMES: Final = {"RBM-MO": "rbm_mo", "CLE": "cle", "NoisyIMC": "noisy_imc", "MC-1": "mc1"}


class PublishedFigure(NamedTuple):
    """One number of the paper's tables, a mean over ten realisations without a spread."""

    where: str  # such as "Table 1"
    task: Literal["transductive", "inductive"]
    data_set: str  # "eventcat" is none that can be loaded
    method: str  # the paper's name
    feature_rate: float  # q_fea, as a share from 0 to 1
    label_rate: float  # q_ml or q_mc
    score: str
    mean: float
    note: str = ""  # what to know before comparing

    @property
    def rates(self) -> tuple[float, float]:
        """Shares hidden of features and of labels."""
        return self.feature_rate, self.label_rate

    @property
    def our_method(self) -> str:
        """Name of the method in our records."""
        return OUR_NAMES[self.method]


class Inconsistency(NamedTuple):
    """Something in the published numbers that does not fit, or is not told."""

    key: str
    where: tuple[str, ...]  # tables and figures that it concerns
    title: str
    text: str  # what does not fit
    ours: str  # what is done here instead


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Every number of the paper's tables, in their order.

    >>> figures = published_figures()
    >>> len(figures), sorted({figure.data_set for figure in figures})
    (279, ['eventcat', 'mnist', 'pendigits', 'scene'])
    """
    return tuple(
        PublishedFigure(
            table["where"], table["task"], table["data_set"], row["method"], row["feature_rate"],
            label_rate, score, mean, row.get("notes", {}).get(score, ""),
        )
        for table in _read("figures")["table"]
        for row in table["rows"]
        for score, means in zip(table["scores"], row["values"], strict=True)
        for label_rate, mean in zip(table["label_rates"], means, strict=True)
    )  # fmt: skip


def inconsistencies() -> tuple[Inconsistency, ...]:
    """What the published figures cannot be compared with as they stand."""
    found = _read("inconsistencies")["inconsistency"]
    return tuple(Inconsistency(**{**one, "where": tuple(one["where"])}) for one in found)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__name__) / f"{name}.toml").read_text(encoding="utf-8"))

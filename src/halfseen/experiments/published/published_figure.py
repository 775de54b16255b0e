"""One number of the paper's tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

OUR_NAMES: Mapping[str, str] = MappingProxyType(
    {"RBM-MO": "halfseen_paper", "CLE": "cle", "NoisyIMC": "noisy_imc", "MC-1": "mc1"}
)


@dataclass(frozen=True)
class PublishedFigure:
    """One number of the paper's tables, in the words of our records.

    Attributes
    ----------
    where : str
        Such as "Table 1".
    task : {"transductive", "inductive"}
        Whether rows were fitted with their holes, or new.
    data_set : str
        Name of a data set; "eventcat" is none that can be loaded.
    method : str
        The paper's name of the method; ``our_method`` is the one it has here.
    feature_rate, label_rate : float
        q_fea, and q_ml or q_mc, as shares from 0 to 1.
    score : str
        Name of the score, as in the records.
    mean : float
        Over ten realisations.
    std : float or None
        Over ten realisations; None where the paper does not print it, which is everywhere.
    note : str
        What to know before comparing; "" if nothing.

    Examples
    --------
    >>> cell = ("Table 1", "transductive", "mnist", "MC-1", 0.5, 0.3)
    >>> figure = PublishedFigure(*cell, "rmse", 0.334)
    >>> figure.our_method, figure.std
    ('mc1', None)
    """

    where: str
    task: Literal["transductive", "inductive"]
    data_set: str
    method: str
    feature_rate: float
    label_rate: float
    score: str
    mean: float
    std: float | None = None
    note: str = ""

    @property
    def our_method(self) -> str:
        """Name of the method in our records."""
        return OUR_NAMES[self.method]

"""Why some published numbers cannot be compared with as they stand."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Inconsistency:
    """Something in the published numbers that does not fit, or is not told.

    Attributes
    ----------
    key : str
        Short name.
    where : tuple of str
        Tables and figures that it concerns, such as "Table 1".
    title : str
        In one line.
    text : str
        What does not fit.
    ours : str
        What is done here instead.

    Examples
    --------
    >>> print(Inconsistency("units", ("Table 1",), "No units", "None are given.", "Raw units."))
    No units. None are given. Here: Raw units.
    """

    key: str
    where: tuple[str, ...]
    title: str
    text: str
    ours: str

    def __str__(self) -> str:
        return f"{self.title}. {self.text} Here: {self.ours}"


def _read() -> tuple[Inconsistency, ...]:
    folder = files("halfseen.experiments.published")
    text = (folder / "inconsistencies.toml").read_text(encoding="utf-8")
    return tuple(
        Inconsistency(one["key"], tuple(one["where"]), one["title"], one["text"], one["ours"])
        for one in tomllib.loads(text)["inconsistency"]
    )


KNOWN_INCONSISTENCIES: tuple[Inconsistency, ...] = _read()

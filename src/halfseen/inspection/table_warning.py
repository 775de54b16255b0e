"""Something in a table that its owner should look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WarningKind = Literal[
    "leak",
    "no labels",
    "one class",
    "identifier",
    "free text",
    "missing mark",
    "infinite",
    "many categories",
    "constant",
    "nearly empty",
    "duplicate",
    "empty rows",
]


@dataclass(frozen=True)
class TableWarning:
    """Something in a table that its owner should look at.

    Attributes
    ----------
    column : str or None
        The column it is about; None if it is about the rows.
    kind : str
        One of "leak", "no labels", "one class", "identifier", "free text", "missing mark",
        "infinite", "many categories", "constant", "nearly empty", "duplicate" and "empty rows".
    sentence : str
        What was seen and what can be done, in one or two sentences.

    Examples
    --------
    >>> TableWarning("site", "constant", "site holds one value only.").kind
    'constant'
    """

    column: str | None
    kind: WarningKind
    sentence: str

"""What the user says that columns are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from halfseen.cli.problem import UsageProblem

if TYPE_CHECKING:
    from halfseen.files import ColumnRole

# Kind on the command line: role in the file, and kind for the estimator where it has a say.
_KINDS: dict[str, tuple[str, str | None]] = {
    "number": ("number", "numeric"),
    "linear": ("number", "linear"),
    "log": ("number", "log"),
    "ordinal": ("number", "ordinal"),
    "yes-no": ("yes_no", None),
    "category": ("category", "categorical"),
    "identifier": ("identifier", None),
    "date": ("date", None),
    "text": ("text", None),
}


@dataclass(frozen=True)
class ColumnKinds:
    """What the user says that columns are, whatever they look like.

    Attributes
    ----------
    roles : dict from column name to ColumnRole
        For reading the file.
    kinds : dict from column name to kind
        For the estimator.

    Examples
    --------
    >>> ColumnKinds().kinds
    {}
    """

    roles: dict[str, ColumnRole] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


def parse_kinds(words: Sequence[str]) -> ColumnKinds:
    """Read what was given to ``--as``.

    Parameters
    ----------
    words : sequence of str
        Each "column=kind".

    Returns
    -------
    ColumnKinds

    Raises
    ------
    UsageProblem
        A word has another form, or the kind is unknown.

    Examples
    --------
    >>> parse_kinds(["zip=category", "visits=log"]).kinds
    {'zip': 'categorical', 'visits': 'log'}
    """
    from halfseen.files import ColumnRole

    result = ColumnKinds()
    for word in words:
        name, sign, kind = word.rpartition("=")
        if not sign or not name:
            raise UsageProblem(f"--as wants COLUMN=KIND, not {word!r}.", "--as zip=category")
        if kind not in _KINDS:
            raise UsageProblem(
                f"--as {word}: there is no kind {kind!r}.", f"Kinds are {', '.join(_KINDS)}."
            )
        role, of_estimator = _KINDS[kind]
        result.roles[name] = ColumnRole(role)
        if of_estimator is not None:
            result.kinds[name] = of_estimator
    return result

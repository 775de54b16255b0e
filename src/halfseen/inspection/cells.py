"""Some cells of one column, whatever library they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Sort = Literal["nothing", "bool", "number", "text", "date", "other"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Some cells of one column beside `observed`.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        float64 for "bool", "number" and "date" (microseconds since 1970), and zeros for "other"
        and "nothing"; texts in an object array for "text". 0.0 or "" behind unobserved entries.
    observed : ndarray of bool, shape (n_rows,)
        True where the cell was seen.
    infinite : ndarray of bool, shape (n_rows,)
        True where the cell is an infinite number; such a cell is not observed.
    sort : {"nothing", "bool", "number", "text", "date", "other"}
        What the observed cells are; "nothing" if there are none.

    Examples
    --------
    >>> import numpy as np
    >>> cells = Cells(np.array([1.5, 0.0]), np.array([True, False]), np.zeros(2, bool), "number")
    >>> cells[1:].observed
    array([False])
    """

    values: NDArray[Any]
    observed: NDArray[np.bool_]
    infinite: NDArray[np.bool_]
    sort: Sort

    def __len__(self) -> int:
        return len(self.observed)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Cells:
        return Cells(self.values[rows], self.observed[rows], self.infinite[rows], self.sort)

    @property
    def observed_values(self) -> NDArray[Any]:
        """The observed values alone, in row order."""
        return self.values if self.observed.all() else self.values[self.observed]


def common_sort(sorts: Sequence[Sort]) -> Sort:
    """The sort of a column whose parts are of several sorts.

    Parameters
    ----------
    sorts : sequence of str
        Sorts of the parts.

    Returns
    -------
    str
        Numbers take in booleans, text takes in numbers; dates mixed with anything are "other".

    Examples
    --------
    >>> common_sort(["number", "nothing", "text"]), common_sort(["date", "number"])
    ('text', 'other')
    """
    met = set(sorts) - {"nothing"}
    if not met:
        return "nothing"
    for sort, within in (
        ("bool", {"bool"}),
        ("number", {"bool", "number"}),
        ("text", {"bool", "number", "text"}),
        ("date", {"date"}),
    ):
        if met <= within:
            return sort  # type: ignore[return-value]
    return "other"


def joined(parts: Sequence[Cells]) -> Cells:
    """Several parts of a column, one after the other.

    Parameters
    ----------
    parts : sequence of Cells
        At least one.

    Returns
    -------
    Cells
        All rows, of the common sort.

    Examples
    --------
    >>> import numpy as np
    >>> some = Cells(np.array([2.0]), np.array([True]), np.array([False]), "number")
    >>> word = Cells(np.array(["a"], object), np.array([True]), np.array([False]), "text")
    >>> joined([some, word]).values
    array(['2', 'a'], dtype=object)
    """
    if len(parts) == 1:
        return parts[0]
    sort = common_sort([part.sort for part in parts])
    return Cells(
        np.concatenate([_values_as(part, sort) for part in parts]),
        np.concatenate([part.observed for part in parts]),
        np.concatenate([part.infinite for part in parts]),
        sort,
    )


def number_text(value: float) -> str:
    """A number as text, whole numbers without a point.

    Parameters
    ----------
    value : float
        A finite number.

    Returns
    -------
    str
        The shortest text that gives the number back.

    Examples
    --------
    >>> number_text(3.0), number_text(0.25), number_text(1e300)
    ('3', '0.25', '1e+300')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(float(value))


def _values_as(part: Cells, sort: Sort) -> NDArray[Any]:
    if sort == "other":
        return np.zeros(len(part))
    if sort != "text" or part.sort == "text":
        return part.values
    texts = np.full(len(part), "", dtype=object)
    for row in np.flatnonzero(part.observed).tolist():
        texts[row] = number_text(part.values[row].item())
    return texts

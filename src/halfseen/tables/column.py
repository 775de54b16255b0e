"""One learned column and its visible units."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.raw_column import RawColumn

Kind = Literal["numeric", "binary", "categorical", "empty"]
Unit = Literal["gaussian", "bernoulli", "softmax", "independent", "none"]
Transform = Literal["linear", "log", "ordinal"]
Category = str | int | float | bool

_UNITS_OF_KIND = {
    "numeric": ("gaussian",),
    "binary": ("bernoulli",),
    "categorical": ("softmax", "independent"),
    "empty": ("none",),
}
_FLOAT32_MAX = float(np.finfo(np.float32).max)
_FLOAT64_MAX = float(np.finfo(np.float64).max)
# Above this scale the difference of two values may leave float64 though their ratio to the
# scale does not; both are then shrunk by an exact power of two first.
_HUGE = 2.0**600
# A text type wider than this is a mistake or an attack on memory; such classes stay objects.
_WIDEST_TEXT = 2**16


@dataclass(frozen=True)
class Column:
    """One learned column: what it is, its scale or categories, and its visible units.

    Attributes
    ----------
    name : str
        Column name.
    kind : {"numeric", "binary", "categorical", "empty"}
        What the column holds; "empty" means that nothing was observed.
    unit : {"gaussian", "bernoulli", "softmax", "independent", "none"}
        Its visible units: one Gaussian, one Bernoulli, one softmax group of C units, C
        independent Bernoulli units (the paper's class labels), or none.
    mean, scale : float
        Mean and standard deviation of the observed training values of a numeric column (scale 1
        for a constant one), on a log scale those of ``log1p(values)``; 0 and 1 for every other
        kind.
    categories : tuple of str, int, float or bool
        Categories of a categorical column, sorted; the levels of an ordinal one, rising.
    category_dtype : str
        numpy type of the classes, for example "int64", "<U5" or "object".
    marginal : tuple of float
        Observed marginal of each unit: (0.0,) for a numeric column, (p,) for a binary one, the
        frequencies of the categories for a categorical one.
    n_observed : int
        Number of observed training entries.
    transform : {"linear", "log", "ordinal"}, default "linear"
        Scale of a numeric column: its values as they are, or ``log1p(values)`` of values that are
        not below 0; "ordinal" takes them as they are, and answers with the nearest of its levels.
        "linear" for every other kind.

    Examples
    --------
    >>> colour = Column("colour", "categorical", "softmax", 0.0, 1.0, ("blue", "red"), "object",
    ...                 (0.25, 0.75), 4)
    >>> colour.n_units
    2
    >>> colour.classes
    array(['blue', 'red'], dtype=object)
    """

    name: str
    kind: Kind
    unit: Unit
    mean: float
    scale: float
    categories: tuple[Category, ...]
    category_dtype: str
    marginal: tuple[float, ...]
    n_observed: int
    transform: Transform = "linear"

    def __post_init__(self) -> None:
        here = f"Column {self.name!r}"
        if self.kind not in _UNITS_OF_KIND:
            raise ValueError(f"{here}: unknown kind {self.kind!r}.")
        if self.unit not in _UNITS_OF_KIND[self.kind]:
            raise ValueError(f"{here}: a {self.kind} column cannot have {self.unit!r} units.")
        if not (isfinite(self.mean) and isfinite(self.scale) and self.scale > 0):
            raise ValueError(f"{here}: the mean must be finite and the scale finite and positive.")
        if self.transform not in get_args(Transform):
            raise ValueError(f"{here}: unknown transform {self.transform!r}.")
        if self.transform != "linear" and self.kind != "numeric":
            raise ValueError(f"{here}: a {self.kind} column cannot be on a {self.transform} scale.")
        if self.transform == "log" and self.mean < 0.0:
            raise ValueError(f"{here}: the mean on a log scale cannot be negative.")
        is_ordinal = self.transform == "ordinal"
        if bool(self.categories) != (self.kind == "categorical" or is_ordinal):
            raise ValueError(
                f"{here}: categories belong to a categorical or ordinal column, and only there."
            )
        if is_ordinal and not all(isinstance(level, float) for level in self.categories):
            raise ValueError(f"{here}: levels of an ordinal column are numbers.")
        if is_ordinal and sorted(self.categories) != list(self.categories):
            raise ValueError(f"{here}: levels of an ordinal column rise.")
        if len(set(self.categories)) != len(self.categories):
            raise ValueError(f"{here}: categories repeat.")
        if len(self.marginal) != self.n_units:
            raise ValueError(f"{here}: {self.n_units} units need as many marginals.")
        if not all(0.0 <= p <= 1.0 for p in self.marginal):
            raise ValueError(f"{here}: marginals must lie between 0 and 1.")
        if self.n_observed < 0:
            raise ValueError(f"{here}: the number of observed entries cannot be negative.")
        try:
            fits = self.classes.tolist() == list(self.categories)
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise ValueError(f"{here}: categories are not of type {self.category_dtype!r}.")

    @property
    def n_units(self) -> int:
        """Number of visible units."""
        return len(self.categories) if self.kind == "categorical" else int(self.kind != "empty")

    @property
    def classes(self) -> NDArray[Any]:
        """The categories as an array of their numpy type, of shape (n_categories,)."""
        dtype = np.dtype(self.category_dtype)
        if dtype.kind not in "OUiufb" or (dtype.kind == "U" and dtype.itemsize > 4 * _WIDEST_TEXT):
            raise ValueError(f"{self.category_dtype!r} is no type for categories.")
        classes = np.empty(len(self.categories), dtype=dtype)
        classes[:] = self.categories
        return classes

    @property
    def holds_text(self) -> bool:
        """Whether a category is text, so that the column cannot be held as numbers."""
        return any(isinstance(category, str) for category in self.categories)

    def standardised(self, values: NDArray[Any]) -> NDArray[np.float32]:
        """Standardise values of a numeric column.

        Parameters
        ----------
        values : ndarray of float, shape (n_rows,)
            Values in the column's own units.

        Returns
        -------
        ndarray of float32, shape (n_rows,)
            ``(values - mean) / scale``, computed in float64, kept within float32; on a log scale
            ``(log1p(values) - mean) / scale``, and NaN for values below 0.

        Examples
        --------
        >>> import numpy as np
        >>> size = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
        >>> size.standardised(np.array([10.0, 14.0]))
        array([0., 2.], dtype=float32)
        >>> sold = Column("sold", "numeric", "gaussian", 0.0, 1.0, (), "float64", (0.0,), 9, "log")
        >>> sold.standardised(np.array([0.0, np.e - 1.0, -3.0]))
        array([ 0.,  1., nan], dtype=float32)
        """
        wide = values.astype(np.float64)
        if self.transform == "log":
            wide = np.log1p(np.where(wide >= 0.0, wide, np.nan))
        shrink = 1.0 / _HUGE if self.scale > _HUGE else 1.0
        with np.errstate(over="ignore", under="ignore"):
            away = wide * shrink - self.mean * shrink
            away /= self.scale * shrink
        return np.clip(away, -_FLOAT32_MAX, _FLOAT32_MAX).astype(np.float32)

    def destandardised(self, units: NDArray[Any]) -> NDArray[np.float64]:
        """Turn standardised values back into the column's own units.

        Parameters
        ----------
        units : ndarray of float, shape (n_rows,)
            Values of the Gaussian unit.

        Returns
        -------
        ndarray of float64, shape (n_rows,)
            ``mean + scale * units``, on a log scale ``expm1`` of it and not below 0; kept within
            float64. Of an ordinal column the nearest level.

        Examples
        --------
        >>> import numpy as np
        >>> size = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
        >>> size.destandardised(np.array([0.0, 2.0]))
        array([10., 14.])
        >>> sold = Column("sold", "numeric", "gaussian", 0.0, 1.0, (), "float64", (0.0,), 9, "log")
        >>> sold.destandardised(np.array([0.0, np.log(8.0), -1.0])).round(6)
        array([0., 7., 0.])
        >>> stars = Column("stars", "numeric", "gaussian", 3.0, 1.0, (1.0, 2.0, 3.0, 5.0),
        ...                "float64", (0.0,), 9, "ordinal")
        >>> stars.destandardised(np.array([-9.0, 0.4, 1.2]))
        array([1., 3., 5.])
        """
        values = self.undecided(units)
        if self.transform != "ordinal":
            return values
        levels = np.array(self.categories, np.float64)
        middles = levels[:-1] / 2 + levels[1:] / 2
        nearest: NDArray[np.float64] = levels[np.searchsorted(middles, values)]
        return nearest

    def undecided(self, units: NDArray[Any]) -> NDArray[np.float64]:
        """The same, but of an ordinal column anywhere between its levels.

        Parameters
        ----------
        units : ndarray of float, shape (n_rows,)
            Values of the Gaussian unit.

        Returns
        -------
        ndarray of float64, shape (n_rows,)

        Examples
        --------
        >>> import numpy as np
        >>> stars = Column("stars", "numeric", "gaussian", 3.0, 1.0, (1.0, 3.0), "float64", (0.0,),
        ...                9, "ordinal")
        >>> stars.undecided(np.array([-0.5]))
        array([2.5])
        """
        values = self._located(units)
        if self.transform != "log":
            return values
        with np.errstate(over="ignore"):
            return np.clip(np.expm1(values), 0.0, _FLOAT64_MAX)

    def log_slope(self, units: NDArray[Any]) -> NDArray[np.float64]:
        """Logarithm of the slope of `destandardised`, d value / d unit.

        Subtracted from a log density per unit it gives the one per value.

        Parameters
        ----------
        units : ndarray of float, shape (n_rows,)
            Values of the Gaussian unit.

        Returns
        -------
        ndarray of float64, shape (n_rows,)
            ``log(scale)``, on a log scale ``log(scale) + log(1 + value)``.

        Examples
        --------
        >>> import numpy as np
        >>> sold = Column("sold", "numeric", "gaussian", 0.0, 1.0, (), "float64", (0.0,), 9, "log")
        >>> np.exp(sold.log_slope(sold.standardised(np.array([0.0, 7.0])))).round(4)
        array([1., 8.])
        """
        slope = np.full(len(units), np.log(self.scale))
        if self.transform == "log":
            slope += np.clip(self._located(units), 0.0, np.log1p(_FLOAT64_MAX))
        return slope

    def _located(self, units: NDArray[Any]) -> NDArray[np.float64]:
        """``mean + scale * units``, kept within float64."""
        shrink = 1.0 / _HUGE if self.scale > _HUGE else 1.0
        limit = _FLOAT64_MAX * shrink
        with np.errstate(over="ignore", under="ignore"):
            values = self.mean * shrink + self.scale * shrink * units.astype(np.float64)
        return np.clip(values, -limit, limit) / shrink

    def codes(self, raw: RawColumn) -> NDArray[np.int64]:
        """Position of each value among the categories.

        Parameters
        ----------
        raw : RawColumn
            Values of a categorical column.

        Returns
        -------
        ndarray of int64, shape (n_rows,)
            The position, or -1 where the entry is unobserved or its category unknown.

        Examples
        --------
        >>> from halfseen.tables import read_table
        >>> colour = Column("x0", "categorical", "softmax", 0.0, 1.0, ("blue", "red"), "object",
        ...                 (0.5, 0.5), 2)
        >>> colour.codes(read_table([["red"], [None], ["pink"], ["blue"]]).columns[0])
        array([ 1, -1, -1,  0])
        """
        codes = np.full(len(raw.values), -1, dtype=np.int64)
        position = {category: code for code, category in enumerate(self.categories)}
        values, inverse = _unique(raw)
        found = np.array([position.get(value, -1) for value in values], dtype=np.int64)
        codes[raw.observed] = found[inverse]
        return codes


def _unique(raw: RawColumn) -> tuple[list[Any], NDArray[np.int64]]:
    """Distinct observed values, and for each observed entry which of them it is."""
    if not raw.is_text:
        numbers, inverse = np.unique(raw.observed_values, return_inverse=True)
        return numbers.tolist(), inverse.reshape(-1)
    seen: dict[Any, int] = {}
    order = [seen.setdefault(value, len(seen)) for value in raw.observed_values.tolist()]
    return list(seen), np.array(order, dtype=np.int64)

"""Whether the holes of a table look completely at random."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnRandomness:
    """Whether the holes of one column can be told from the values of the others.

    Attributes
    ----------
    name : str
        Column name.
    n_holes : int
        Holes among the sampled rows.
    auc : float or None
        How well a linear score of the other columns' values tells this column's holes, on rows
        it was not learned from: 0.5 not at all, 1 without fail. None where it was not tested.
    p_value, corrected_p : float or None
        Chance of telling them that well if holes were completely at random; the second is
        corrected over all tests of the table (Holm).
    driver : str or None
        The column whose values tell the holes best on their own.
    driver_auc : float or None
        How well it does alone, above 0.5 if holes are where it is high, below if where it is low.
    companion : str or None
        The column whose holes go together with this column's most.
    companion_correlation : float or None
        Correlation of the two columns' `observed`.
    sentence : str
        The finding in plain words.

    Examples
    --------
    >>> income = ColumnRandomness("income", 90, 0.71, 1e-6, 1e-5, "age", 0.7, None, None, "...")
    >>> income.is_told
    True
    """

    name: str
    n_holes: int
    auc: float | None
    p_value: float | None
    corrected_p: float | None
    driver: str | None
    driver_auc: float | None
    companion: str | None
    companion_correlation: float | None
    sentence: str

    @property
    def is_told(self) -> bool:
        """Whether the holes of this column are where other columns' values say (5 % level)."""
        return self.corrected_p is not None and self.corrected_p < 0.05


@dataclass(frozen=True)
class LittleTest:
    """Little's test: whether means of numeric columns differ between patterns of holes.

    Attributes
    ----------
    statistic : float
        Asymptotically chi-squared if holes are completely at random.
    degrees_of_freedom : int
        Of that distribution.
    p_value, corrected_p : float
        Chance of at least this statistic; the second is corrected over all tests of the table.
    n_columns, n_patterns, n_rows : int
        What it was computed from.

    Examples
    --------
    >>> LittleTest(5.3, 4, 0.26, 0.26, 3, 3, 200).p_value
    0.26
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    corrected_p: float
    n_columns: int
    n_patterns: int
    n_rows: int


@dataclass(frozen=True)
class CoMissingness:
    """Which columns lose their values together.

    Attributes
    ----------
    names : tuple of str
        Columns with holes, at most a hundred: those whose `observed` varies most.
    correlation : tuple of tuple of float
        Correlation of their `observed` over the sampled rows, in the order of `names`.

    Examples
    --------
    >>> CoMissingness(("a", "b"), ((1.0, 0.4), (0.4, 1.0))).correlation[0][1]
    0.4
    """

    names: tuple[str, ...]
    correlation: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class RandomnessTest:
    """Whether the holes of a table look completely at random.

    Attributes
    ----------
    n_rows : int
        Sampled rows that were tested.
    columns : tuple of ColumnRandomness
        One per feature or label with holes; clearest finding first.
    little : LittleTest or None
        Over the numeric columns, where they are few enough.
    co_missingness : CoMissingness
        Which columns lose their values together.
    verdict : str
        The result in plain words.
    remark : str
        What no test of this kind can see.

    Examples
    --------
    >>> nothing = CoMissingness((), ())
    >>> RandomnessTest(9, (), None, nothing, "There are no holes.", "").looks_random
    True
    """

    n_rows: int
    columns: tuple[ColumnRandomness, ...]
    little: LittleTest | None
    co_missingness: CoMissingness
    verdict: str
    remark: str

    @property
    def looks_random(self) -> bool:
        """Whether no test found, at the 5 % level over all, that holes depend on seen values."""
        by_means = self.little is not None and self.little.corrected_p < 0.05
        return not by_means and not any(column.is_told for column in self.columns)

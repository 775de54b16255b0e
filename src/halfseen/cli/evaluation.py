"""How well hidden entries of a table are found again, by halfseen and by the usual pipelines."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.cli.scored_cells import CellKind


@dataclass(frozen=True)
class MethodScores:
    """How one method did on the hidden cells.

    Attributes
    ----------
    name : str
        Name of the method.
    rmse_of_numbers : float or None
        Root mean squared error of numbers, in standard deviations of their column (of its
        logarithm for counts with heavy tails).
    right_categories : float or None
        Share of hidden categories and yes-or-no features that were filled right.
    right_labels : float or None
        Share of hidden labels that were predicted right.
    auc_of_labels : float or None
        Mean over labels of the chance that a row that has the label is ranked above one that
        has not; for classes the mean over one class against the rest.
    brier_of_labels : float or None
        Mean squared distance of label probabilities from the truth.
    seconds : float
        Time to learn and to answer.

    Examples
    --------
    >>> MethodScores("halfseen", 0.7, None, 0.9, 0.95, 0.1, 30.0).right_labels
    0.9
    """

    name: str
    rmse_of_numbers: float | None
    right_categories: float | None
    right_labels: float | None
    auc_of_labels: float | None
    brier_of_labels: float | None
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """Whether halfseen is better than another method on the same cells.

    Attributes
    ----------
    kind : {"numbers", "categories", "labels"}
        Which cells.
    rival : str
        The other method.
    lower, upper : float
        Bounds of 95 % for the mean of our loss minus theirs.

    Examples
    --------
    >>> Comparison("labels", "column mean, most frequent", -0.2, -0.1).outcome
    'better'
    """

    kind: CellKind
    rival: str
    lower: float
    upper: float

    @property
    def outcome(self) -> str:
        """One of "better", "worse" and "alike"."""
        if self.upper < 0:
            return "better"
        return "worse" if self.lower > 0 else "alike"


@dataclass(frozen=True)
class ColumnScores:
    """How halfseen did on the hidden cells of one column.

    Attributes
    ----------
    name : str
        The column.
    kind : {"numbers", "categories", "labels"}
        What it is.
    n_hidden : int
        Hidden cells that were scored.
    score : float
        Root mean squared error of a number in standard deviations, share right of all others.
    of_trivial, of_best_rival : float
        The same for the mean or most frequent value, and for the best of the other pipelines.
    auc : float or None
        Of a label.

    Examples
    --------
    >>> ColumnScores("age", "numbers", 40, 0.7, 1.0, 0.8, None).n_hidden
    40
    """

    name: str
    kind: CellKind
    n_hidden: int
    score: float
    of_trivial: float
    of_best_rival: float
    auc: float | None


@dataclass(frozen=True)
class Honesty:
    """Whether the uncertainty that halfseen states is true.

    Attributes
    ----------
    level : float
        Share of truths that intervals and sets shall hold.
    interval_coverage : float or None
        Share of hidden numbers that their interval held.
    interval_width : float or None
        Mean width of intervals, in standard deviations of the column.
    set_coverage : float or None
        Share of hidden labels that their set of possible values held.
    share_sure : float or None
        Share of hidden labels whose set has one value.
    right_when_sure : float or None
        Share of those that were predicted right.
    calibration_error : float or None
        Mean distance between stated probability of the decision and how often it is right.
    chance_error : float or None
        What that distance would be at most, in 19 of 20 tables, by chance alone.

    Examples
    --------
    >>> Honesty(0.9, share_sure=0.7).share_sure
    0.7
    """

    level: float
    interval_coverage: float | None = None
    interval_width: float | None = None
    set_coverage: float | None = None
    share_sure: float | None = None
    right_when_sure: float | None = None
    calibration_error: float | None = None
    chance_error: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """How well hidden entries of a table are found again.

    Attributes
    ----------
    n_rows, n_rows_of_table : int
        Rows that were used, and rows that there are.
    hidden_share : float
        Share of the known entries that were hidden.
    n_hidden : mapping from kind to int
        Cells that were hidden and scored.
    methods : tuple of MethodScores
        halfseen first.
    comparisons : tuple of Comparison
        halfseen against each other method that answers for a kind.
    columns : tuple of ColumnScores
        Features first.
    honesty : Honesty
        Whether stated uncertainty is true.

    Examples
    --------
    >>> Evaluation(9, 9, 0.2, {}, (), (), (), Honesty(0.9)).was_capped
    False
    """

    n_rows: int
    n_rows_of_table: int
    hidden_share: float
    n_hidden: dict[CellKind, int]
    methods: tuple[MethodScores, ...]
    comparisons: tuple[Comparison, ...]
    columns: tuple[ColumnScores, ...]
    honesty: Honesty

    @property
    def was_capped(self) -> bool:
        """Whether not all rows were used."""
        return self.n_rows < self.n_rows_of_table

    def comparison(self, kind: CellKind, rival: str) -> Comparison | None:
        """halfseen against one method on one kind of cells."""
        found = [c for c in self.comparisons if c.kind == kind and c.rival == rival]
        return found[0] if found else None

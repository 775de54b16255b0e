"""How columns go missing: together, and depending on the values of other columns.

Values missing completely at random (MCAR) are missing independently of everything. For each column
a rank test asks whether another column has other values where this one is missing. No test can show
whether values are missing because of what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from scipy.stats import rankdata

from halfseen.inspect.columns import Floats, InspectedColumn, Ints, Record

REMARK: Final = (
    "No data can show whether values are missing because of what they are: only knowing how the "
    "table was made can."
)
SIGNIFICANT: Final = 0.05
_FEWEST: Final = 10  # missing and observed values that a test needs
_FEWEST_EXPECTED: Final = 5
_MOST_TESTED, _MOST_CATEGORIES = 200, 10
_MOST_CELLS, _MOST_ROWS, _FEWEST_ROWS = 8_000_000, 20_000, 1_000
_MOST_PAIRS, _WEAKEST_PAIR = 50, 0.3


class MissingPair(Record):
    """Two columns that go missing together, or one where the other does not."""

    column: str
    other: str
    correlation: float  # of missing and missing


class ColumnRandomness(Record):
    """Whether a column is missing depending on the values of another."""

    name: str
    n_missing: int
    p_value: float | None = None  # corrected for all tests of the table (Holm); None: not tested
    depends_on: str | None = None  # the column with the clearest difference
    how: str | None = None  # for instance "high", or a category
    auc: float | None = None  # of that column alone, for missing against observed
    sentence: str

    @property
    def is_dependent(self) -> bool:
        """Whether the test is significant."""
        return self.p_value is not None and self.p_value < SIGNIFICANT


class Randomness(Record):
    """Whether values look missing completely at random."""

    n_rows: int  # that were tested
    verdict: str
    remark: str = REMARK
    columns: tuple[ColumnRandomness, ...] = ()  # those with missing values, clearest first

    @property
    def looks_random(self) -> bool:
        """Whether no test is significant."""
        return not any(column.is_dependent for column in self.columns)


def missing_pairs(columns: Sequence[InspectedColumn]) -> tuple[MissingPair, ...]:
    """Pairs of columns whose missing values are correlated, strongest first."""
    varied = [c for c in columns if 0 < np.count_nonzero(c.observed) < len(c.observed)]
    if len(varied) < 2:
        return ()
    missing = np.array([~c.observed for c in varied], np.float32)
    correlation = np.atleast_2d(np.corrcoef(missing))
    first, second = np.triu_indices(len(varied), 1)
    strength = np.abs(correlation[first, second])
    order = np.argsort(-strength, kind="stable")[:_MOST_PAIRS]
    return tuple(
        MissingPair(
            column=varied[first[k]].name, other=varied[second[k]].name,
            correlation=float(np.clip(correlation[first[k], second[k]], -1, 1)),
        )
        for k in order
        if strength[k] >= _WEAKEST_PAIR
    )  # fmt: skip


def judge_randomness(columns: Sequence[InspectedColumn], seed: int = 0) -> Randomness:
    """Test each column with missing values against the values of every other column."""
    n_rows = len(columns[0].observed) if columns else 0
    incomplete = [c for c in columns if not c.observed.all()]
    if not incomplete:
        return Randomness(n_rows=n_rows, verdict="No value is missing.")
    smaller = [min(int((~c.observed).sum()), int(c.observed.sum())) for c in incomplete]
    most_varied = np.argsort([-n for n in smaller], kind="stable")[:_MOST_TESTED]
    chosen: list[int] = sorted(most_varied.tolist())
    tested = [incomplete[k] for k in chosen if smaller[k] >= _FEWEST]
    most = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_CELLS // (4 * len(columns))))
    rows = np.sort(np.random.default_rng(seed).permutation(n_rows)[:most])
    found = _clearest(list(_scores(columns, rows)), tested, rows) if tested else {}
    judged = [_judged(column, found.get(column.name)) for column in incomplete]
    judged.sort(key=lambda c: (c.p_value is None, c.p_value, -(c.auc or 0)))
    n_used = len(rows) if tested else 0
    return Randomness(n_rows=n_used, verdict=_verdict(judged), columns=tuple(judged))


def holm(p_values: ArrayLike) -> Floats:
    """P-values corrected for several tests by Holm's step-down procedure.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


class _Score(NamedTuple):
    """Values of a column in some rows, centred and 0 where missing: ranks, or one category."""

    column: InspectedColumn
    how: tuple[str, str]  # what small sums of it mean, and large ones
    is_category: bool
    values: Floats


def _scores(columns: Sequence[InspectedColumn], rows: Ints) -> Iterator[_Score]:
    """Ranks and distances from the median of numbers, and categories one by one."""
    for column in columns:
        observed = column.observed[rows]
        if not observed.any():
            continue
        parts: list[tuple[tuple[str, str], Any]] = []
        is_category = not column.is_number or len(column.distinct) <= 2
        if is_category:
            codes, n_most = column.codes[rows][observed], _MOST_CATEGORIES
            n_most = 1 if len(column.distinct) == 2 else n_most
            for code in np.argsort(-column.counts, kind="stable")[:n_most].tolist():
                name, held = str(column.distinct[code]), codes == code
                parts += [((f"not {name}", name), held)] if held.sum() >= _FEWEST else []
        else:
            ranks = rankdata(column.numbers[rows][observed])
            away = rankdata(np.abs(ranks - ranks.mean()))
            parts += [(("low", "high"), ranks), (("near its median", "far from its median"), away)]
        for how, values in parts:
            score = np.zeros(len(rows))
            score[observed] = values - values.mean()
            if score.any():
                yield _Score(column, how, is_category, score)


class _Difference(NamedTuple):
    p_value: float  # corrected for all scores
    auc: float
    score: _Score


def _clearest(
    scores: Sequence[_Score], tested: Sequence[InspectedColumn], rows: Ints
) -> dict[str, _Difference]:
    """For each column, the score whose mean differs most between its missing and other rows.

    This is the rank-sum test of numbers, and for categories the test of Fisher's setting: in both
    the sum of the scores of missing rows has the mean and variance of a random permutation.
    """
    if not scores:
        return {}
    values = np.array([score.values for score in scores], np.float32).T
    missing = np.array([~c.observed[rows] for c in tested], np.float32)
    seen = np.array([score.column.observed[rows] for score in scores], np.float32)
    sums = missing.astype(np.float64) @ values
    n_missing = (missing @ seen.T).astype(np.float64)  # and the score is observed
    n_seen = seen.sum(axis=1, dtype=np.float64)
    n_other = n_seen - n_missing
    squares = np.square(values, dtype=np.float64).sum(axis=0)
    is_category = np.array([score.is_category for score in scores])
    n_held = (values > 0).sum(axis=0)
    expected = np.minimum(n_missing, n_other) * np.where(is_category, n_held / n_seen, 1.0)
    is_self = np.array([[column is score.column for score in scores] for column in tested])
    valid = (np.minimum(n_missing, n_other) >= _FEWEST) & (expected >= _FEWEST_EXPECTED) & ~is_self
    variance = n_missing * n_other * squares / np.maximum(n_seen * (n_seen - 1), 1)
    z = np.where(valid, sums / np.sqrt(np.where(valid, variance, 1.0)), 0.0)
    # Sums of ranks count pairs of rows; those of a category are shares, n_seen / 2 times smaller.
    pairs = sums * np.where(is_category, n_seen / 2, 1.0)
    auc = 0.5 + pairs / np.where(valid, n_missing * n_other, 1.0)
    found = {}
    for t in np.flatnonzero(valid.any(axis=1)).tolist():
        best = int(np.argmax(np.abs(z[t])))
        p = min(1.0, 2 * float(ndtr(-abs(z[t, best]))) * int(valid[t].sum()))
        found[tested[t].name] = _Difference(p, float(auc[t, best]), scores[best])
    corrected = holm([one.p_value for one in found.values()]).tolist()
    pairs_of = zip(found.items(), corrected, strict=True)
    return {name: one._replace(p_value=p) for (name, one), p in pairs_of}


def _judged(column: InspectedColumn, found: _Difference | None) -> ColumnRandomness:
    n_missing, name = int((~column.observed).sum()), column.name
    if found is None:
        sentence = f"{name} was not tested: too few values are missing or observed."
        return ColumnRandomness(name=name, n_missing=n_missing, sentence=sentence)
    p, other, how = found.p_value, found.score.column.name, found.score.how[found.auc >= 0.5]
    auc = min(max(found.auc, 1 - found.auc), 1.0)
    shown = "p < .001" if p < 0.001 else f"p = {p:.{3 if p < 0.1 else 2}f}".replace("0.", ".", 1)
    sentence = f"{name}: no other column differs where it is missing (AUC {auc:.2f}, {shown})."
    if p < SIGNIFICANT:
        sentence = f"{name} is missing more often where {other} is {how}: AUC {auc:.2f}, {shown}."
    about: dict[str, Any] = {"name": name, "n_missing": n_missing, "sentence": sentence}
    return ColumnRandomness(**about, p_value=p, depends_on=other, how=how, auc=auc)


def _verdict(columns: Sequence[ColumnRandomness]) -> str:
    dependent = sum(column.is_dependent for column in columns)
    if dependent:
        of = f"{dependent} of {len(columns)} columns with missing values"
        return f"Not completely at random: in {of}, they depend on other columns."
    if all(column.p_value is None for column in columns):
        return "Too few values are missing to tell whether they are missing at random."
    return "No sign against it: values look missing completely at random."

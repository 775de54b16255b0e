"""How columns go missing: together, and depending on the values of other columns.

Values missing completely at random (MCAR) are missing independently of everything. For each column
a rank test asks whether another column has other values where this one is missing. No test can show
whether values are missing because of what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
    features = _Features.of(columns, _some_rows(columns, n_rows, seed)) if tested else None
    found = {} if features is None else _clearest(features, tested)
    judged = [_judged(column, found.get(column.name)) for column in incomplete]
    judged.sort(key=lambda c: (c.p_value is None, c.p_value, -(c.auc or 0)))
    n_used = 0 if features is None else len(features.rows)
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


class _Meaning(NamedTuple):
    """What it means that a score is large: a high or extreme number, or this category."""

    column: int
    what: str
    category: str | None = None


class _Features(NamedTuple):
    """Centred scores of the values of all columns, 0 where missing."""

    rows: Ints
    scores: NDArray[np.float32]  # (n_rows, n_features)
    meanings: list[_Meaning]
    columns: Sequence[InspectedColumn]

    @classmethod
    def of(cls, columns: Sequence[InspectedColumn], rows: Ints) -> _Features:
        scores: list[Floats] = []
        meanings: list[_Meaning] = []
        for j, column in enumerate(columns):
            observed = column.observed[rows]
            if not observed.any():
                continue
            if column.is_number and len(column.distinct) > 2:
                ranks = rankdata(column.numbers[rows][observed])
                ranks -= ranks.mean()
                away = rankdata(np.abs(ranks))
                parts = {_Meaning(j, "high"): ranks, _Meaning(j, "extreme"): away - away.mean()}
            else:
                codes = column.codes[rows][observed]
                frequent = np.argsort(-column.counts, kind="stable")[:_MOST_CATEGORIES]
                chosen = frequent[:1] if len(column.distinct) == 2 else frequent
                parts = {}
                for code in chosen.tolist():
                    held = (codes == code).astype(np.float64)
                    if held.sum() >= _FEWEST:
                        name = str(column.distinct[code])
                        parts[_Meaning(j, "category", name)] = held - held.mean()
            for meaning, values in parts.items():
                if (values != 0).any():
                    score = np.zeros(len(rows))
                    score[observed] = values
                    scores.append(score)
                    meanings.append(meaning)
        matrix = np.array(scores, np.float32).reshape(len(meanings), len(rows)).T
        return cls(rows, matrix, meanings, columns)


class _Finding(NamedTuple):
    p_value: float  # corrected for the features of this column
    auc: float
    meaning: _Meaning
    other: str


def _some_rows(columns: Sequence[InspectedColumn], n_rows: int, seed: int) -> Ints:
    most = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_CELLS // (4 * len(columns))))
    chosen = np.random.default_rng(seed).permutation(n_rows)[:most]
    return np.sort(chosen)


def _clearest(features: _Features, tested: Sequence[InspectedColumn]) -> dict[str, _Finding]:
    """For each column, the feature whose mean differs most between its missing and other rows.

    This is the rank-sum test of numbers, and for categories the test of Fisher's setting: in both
    the sum of the scores of missing rows has the mean and variance of a random permutation.
    """
    rows, columns = features.rows, features.columns
    missing = np.array([~c.observed[rows] for c in tested], np.float32)
    source = np.array([meaning.column for meaning in features.meanings])
    seen = np.array([columns[j].observed[rows] for j in source], np.float32)
    if not len(source):
        return {}
    sums = missing.astype(np.float64) @ features.scores
    n_missing = (missing @ seen.T).astype(np.float64)  # and the feature is observed
    n_seen = seen.sum(axis=1, dtype=np.float64)
    n_other = n_seen - n_missing
    squares = np.square(features.scores, dtype=np.float64).sum(axis=0)
    is_category = np.array([meaning.category is not None for meaning in features.meanings])
    n_held = np.array([(column > 0).sum() for column in features.scores.T])
    expected = np.minimum(n_missing, n_other) * np.where(is_category, n_held / n_seen, 1.0)
    is_self = np.array([[c is columns[j] for j in source] for c in tested])
    valid = (np.minimum(n_missing, n_other) >= _FEWEST) & (expected >= _FEWEST_EXPECTED) & ~is_self
    variance = n_missing * n_other * squares / np.maximum(n_seen * (n_seen - 1), 1)
    z = np.where(valid, sums / np.sqrt(np.where(valid, variance, 1.0)), 0.0)
    # Sums of ranks count pairs of rows; those of a category are shares, n_seen / 2 times smaller.
    pairs = sums * np.where(is_category, n_seen / 2, 1.0)
    auc = 0.5 + pairs / np.where(valid, n_missing * n_other, 1.0)
    found = {}
    for t, column in enumerate(tested):
        if valid[t].any():
            best = int(np.argmax(np.abs(z[t])))
            p = min(1.0, 2 * float(ndtr(-abs(z[t, best]))) * int(valid[t].sum()))
            meaning = features.meanings[best]
            found[column.name] = _Finding(
                p, float(auc[t, best]), meaning, columns[source[best]].name
            )
    corrected = holm([one.p_value for one in found.values()])
    tests = zip(found.items(), corrected.tolist(), strict=True)
    return {name: one._replace(p_value=p) for (name, one), p in tests}


def _judged(column: InspectedColumn, found: _Finding | None) -> ColumnRandomness:
    n_missing = int((~column.observed).sum())
    name = column.name
    if found is None:
        sentence = f"{name} was not tested: too few values are missing or observed."
        return ColumnRandomness(name=name, n_missing=n_missing, sentence=sentence)
    auc, meaning = found.auc, found.meaning
    is_more = auc >= 0.5
    if meaning.what == "category":
        how = f"{'' if is_more else 'not '}{meaning.category}"
        where = f"{'more' if is_more else 'less'} often where {found.other} is {meaning.category}"
    elif meaning.what == "high":
        how = "high" if is_more else "low"
        where = f"more often where {found.other} is {how}"
    else:
        how = "far from its median" if is_more else "near its median"
        where = f"more often where {found.other} is {how}"
    auc = min(max(auc, 1 - auc), 1.0)
    figures = f"AUC {auc:.2f}, {_p_text(found.p_value)}"
    if found.p_value < SIGNIFICANT:
        sentence = f"{name} is missing {where}: {figures}."
    else:
        sentence = f"{name}: no other column differs where it is missing ({figures})."
    return ColumnRandomness(
        name=name, n_missing=n_missing, p_value=found.p_value, depends_on=found.other, how=how,
        auc=auc, sentence=sentence,
    )  # fmt: skip


def _verdict(columns: Sequence[ColumnRandomness]) -> str:
    dependent = sum(column.is_dependent for column in columns)
    if dependent:
        of = f"{dependent} of {len(columns)} columns with missing values"
        return f"Not completely at random: in {of}, they depend on other columns."
    if all(column.p_value is None for column in columns):
        return "Too few values are missing to tell whether they are missing at random."
    return "No sign against it: values look missing completely at random."


def _p_text(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {p:.{3 if p < 0.1 else 2}f}".replace("0.", ".", 1)

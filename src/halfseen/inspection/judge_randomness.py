"""Whether the holes of a table look completely at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfseen.inspection.auc import auc_of_values
from halfseen.inspection.co_missingness import co_missingness
from halfseen.inspection.holm import holm
from halfseen.inspection.little_mcar import LittleResult, little_mcar
from halfseen.inspection.randomness_test import (
    ColumnRandomness,
    CoMissingness,
    LittleTest,
    RandomnessTest,
)
from halfseen.inspection.randomness_words import (
    REMARK,
    Where,
    column_sentence,
    untested_sentence,
    verdict,
)
from halfseen.inspection.sampled_column import SampledColumn
from halfseen.inspection.told_holes import ToldHoles, told_holes
from halfseen.inspection.value_features import ValueFeatures, value_features

_FEWEST_HOLES = 10
_MOST_TESTED = 500
_MOST_SHOWN = 100
_MOST_LITTLE = 20
_WEAKEST_COMPANION = 0.3
# Rows times features that are looked at: some seconds of work, whatever the width of the table.
_MOST_FEATURE_CELLS = 8_000_000
_FEWEST_ROWS = 1_000


def judge_randomness(sampled: Sequence[SampledColumn], seed: int = 0) -> RandomnessTest:
    """Judge whether the holes of a table look completely at random.

    Parameters
    ----------
    sampled : sequence of SampledColumn
        All columns; features and labels among them are looked at.
    seed : int, default 0
        Seed of the order in which rows are used.

    Returns
    -------
    RandomnessTest
        Per column with holes, whether they can be told from the values of other columns; over
        numeric columns Little's test, where there are at most twenty; p-values corrected over all
        of them.

    Examples
    --------
    >>> judge_randomness([]).verdict
    'There are no holes.'
    """
    columns = _few_enough_rows([column for column in sampled if column.is_used], seed)
    holed = [place for place, column in enumerate(columns) if not column.observed.all()]
    if not holed:
        return RandomnessTest(
            len(columns[0].observed) if columns else 0, (), None, CoMissingness((), ()),
            verdict([], None), "",
        )  # fmt: skip
    holes = np.array([~columns[place].observed for place in holed])
    tested = _tested(holes)
    features = value_features(columns)
    told = told_holes(features, holes[tested], np.array(holed)[tested], seed)
    little = _little(columns)
    corrected = holm([one.p_value for one in told] + ([little.p_value] if little else []))
    correlation = co_missingness(~holes)
    judged = [
        _untested(columns[place], companion)
        for place, companion in zip(holed, _companions(columns, holed, correlation), strict=True)
    ]
    for target, one, p in zip(tested.tolist(), told, corrected, strict=False):
        judged[target] = _with_finding(judged[target], one, p, columns, features, holes[target])
    judged.sort(key=lambda one: (2.0 if one.p_value is None else one.p_value, -(one.auc or 0.0)))
    test = None
    if little:
        statistic, freedom, p_value, *sizes = little
        test = LittleTest(statistic, freedom, p_value, corrected[-1], *sizes)
    names = [columns[place].name for place in holed]
    return RandomnessTest(
        n_rows=holes.shape[1],
        columns=tuple(judged),
        little=test,
        co_missingness=_picture(names, holes, correlation),
        verdict=verdict(judged, test),
        remark=REMARK,
    )


def _tested(holes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Which columns have enough holes and values, the most varied ones if there are too many."""
    varied = _variedness(holes)
    most = np.argsort(-varied, kind="stable")[:_MOST_TESTED]
    return np.sort(most[varied[most] >= _FEWEST_HOLES])


def _variedness(holes: NDArray[np.bool_]) -> NDArray[np.int64]:
    varied: NDArray[np.int64] = np.minimum(holes.sum(axis=1), (~holes).sum(axis=1))
    return varied


def _few_enough_rows(columns: list[SampledColumn], seed: int) -> list[SampledColumn]:
    if not columns:
        return columns
    n_features = sum(2 if column.summary.kind == "numeric" else 4 for column in columns)
    n_rows = len(columns[0].observed)
    n_kept = max(_FEWEST_ROWS, _MOST_FEATURE_CELLS // n_features)
    if n_kept >= n_rows:
        return columns
    rows = np.sort(np.random.default_rng(seed).permutation(n_rows)[:n_kept])
    return [SampledColumn(c.summary, c.values[rows], c.observed[rows]) for c in columns]


def _little(columns: list[SampledColumn]) -> LittleResult | None:
    numeric = [c for c in columns if c.summary.kind == "numeric" and len(c.distinct) > 2]
    if not 2 <= len(numeric) <= _MOST_LITTLE:
        return None
    observed = np.stack([column.observed for column in numeric], axis=1)
    if observed.all():
        return None
    return little_mcar(np.stack([column.values for column in numeric], axis=1), observed)


def _companions(
    columns: list[SampledColumn], holed: list[int], correlation: NDArray[np.float64]
) -> list[tuple[str, float] | None]:
    """For each column with holes the one whose holes go together with them most, if any do."""
    strength = np.abs(correlation)
    np.fill_diagonal(strength, 0.0)
    return [
        (columns[holed[nearest]].name, float(correlation[place, nearest]))
        if strength[place, nearest] >= _WEAKEST_COMPANION
        else None
        for place, nearest in enumerate(strength.argmax(axis=1).tolist())
    ]


def _untested(column: SampledColumn, companion: tuple[str, float] | None) -> ColumnRandomness:
    n_holes = int(np.count_nonzero(~column.observed))
    n_seen = len(column.observed) - n_holes
    return ColumnRandomness(
        name=column.name,
        n_holes=n_holes,
        auc=None,
        p_value=None,
        corrected_p=None,
        driver=None,
        driver_auc=None,
        companion=companion[0] if companion else None,
        companion_correlation=companion[1] if companion else None,
        sentence=untested_sentence(column.name, n_holes, n_seen, _FEWEST_HOLES),
    )


def _with_finding(
    column: ColumnRandomness,
    told: ToldHoles,
    corrected_p: float,
    columns: list[SampledColumn],
    features: ValueFeatures,
    hole: NDArray[np.bool_],
) -> ColumnRandomness:
    found = replace(column, auc=told.auc, p_value=told.p_value, corrected_p=corrected_p)
    if told.driver is None:
        return replace(found, sentence=column_sentence(found, None))
    cause = columns[features.column[told.driver]]
    alone = auc_of_values(features.matrix[told.driver][cause.observed], hole[cause.observed])
    found = replace(found, driver=cause.name, driver_auc=alone)
    where = Where(features.meaning[told.driver], features.category[told.driver], told.is_more)
    return replace(found, sentence=column_sentence(found, where))


def _picture(
    names: list[str], holes: NDArray[np.bool_], correlation: NDArray[np.float64]
) -> CoMissingness:
    most = np.sort(np.argsort(-_variedness(holes), kind="stable")[:_MOST_SHOWN])
    shown = correlation[np.ix_(most, most)].tolist()
    return CoMissingness(tuple(names[p] for p in most.tolist()), tuple(map(tuple, shown)))

"""Ways to mask entries of a table: for training, for evaluation and for studies.

A mask is `observed`: True where an entry is seen. An entry that is missing from the start is never
observed. Entries go missing completely at random (MCAR), at random given what is observed (MAR), or
not at random, by their own value (MNAR).

References
----------
Little and Rubin, "Statistical Analysis with Missing Data", 3rd edition, Wiley (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FEATURE_MECHANISMS",
    "LABEL_MECHANISMS",
    "MaskedTable",
    "blocks",
    "labels_mcar",
    "labels_where_features",
    "mar",
    "mask_table",
    "mcar",
    "mcar_per_row",
    "mnar",
    "positives_missing",
    "positives_only",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Each mechanism draws from a stream of its own, so that no other use of a seed repeats its mask.
# The numbers stay: recorded results are compared mask by mask.
_MCAR_STREAM = 32_452_843
_PER_ROW_STREAM = 49_979_693
_VALUES_STREAM = 67_867_967
_TIES_STREAM = 15_485_863
_POSITIVES_STREAM = 86_028_157
_WHERE_FEATURES_STREAM = 179_424_673

_LOG_ODDS_RANGE = 6.0  # of being masked, from the smallest to the largest value of a column


class MaskedTable(NamedTuple):
    """A table with masked entries.

    Attributes
    ----------
    X, Y : ndarray of shape (n_rows, n_features) and (n_rows, n_labels)
        The table; NaN where masked or missing from the start.
    held_out_X, held_out_Y : ndarray of bool
        True where an entry is known and masked: the entries to score.
    """

    X: Floats
    Y: Floats
    held_out_X: Bools
    held_out_Y: Bools


def mask_table(
    X: Floats,
    Y: Floats,
    *,
    feature_rate: float,
    label_rate: float,
    seed: int,
    feature_mechanism: str = "mcar",
    label_mechanism: str = "mcar",
    one_hot: bool = False,
    groups: NDArray[np.int64] | None = None,
    new_rows: Bools | None = None,
    new_feature_rate: float | None = None,
) -> MaskedTable:
    """Mask features and labels of a table.

    Parameters
    ----------
    X, Y : ndarray of shape (n_rows, n_features) and (n_rows, n_labels)
        The table; NaN where an entry is missing from the start.
    feature_rate, label_rate : float
        Shares to mask, from 0 to 1.
    seed : int
        The same seed masks the same entries, for every estimator and on every platform.
    feature_mechanism : str, default="mcar"
        One of `FEATURE_MECHANISMS`.
    label_mechanism : str, default="mcar"
        One of `LABEL_MECHANISMS`. MCAR labels are the same for every feature mechanism.
    one_hot : bool, default=False
        Whether a row of `Y` is one class, whose labels are masked together.
    groups : ndarray of int of shape (n_features,), optional
        Columns with the same number are masked together, such as the indicators of a category.
    new_rows : ndarray of bool of shape (n_rows,), optional
        Rows that no estimator is fitted to. All of their labels are masked.
    new_feature_rate : float, optional
        Share of features to mask in new rows, by default `feature_rate`.

    Returns
    -------
    MaskedTable

    Examples
    --------
    >>> X, Y = np.ones((100, 4)), np.eye(2)[np.arange(100) % 2]
    >>> masked = mask_table(X, Y, feature_rate=0.5, label_rate=0.3, seed=0,
    ...     feature_mechanism="mcar_per_row", one_hot=True)
    >>> np.unique(np.isnan(masked.X).sum(axis=1)).tolist()
    [2]
    >>> np.unique(np.isnan(masked.Y).sum(axis=1)).tolist()
    [0, 2]
    """
    _check("feature_mechanism", feature_mechanism, FEATURE_MECHANISMS)
    _check("label_mechanism", label_mechanism, LABEL_MECHANISMS)
    if one_hot and label_mechanism in ("positives_missing", "positives_only"):
        raise ValueError(
            f"label_mechanism={label_mechanism!r} masks the labels of a row one by one, but "
            "one-hot classes are masked together; choose 'mcar' or 'where_features'."
        )
    sources, source_of_column = _sources(X, groups)

    def features(name: str, rate: float) -> Bools:
        drawn = FEATURE_MECHANISMS[feature_mechanism](sources, _rate(name, rate), seed)
        return drawn[:, source_of_column] & ~np.isnan(X)

    observed_X = features("feature_rate", feature_rate)
    label_rate = _rate("label_rate", label_rate)
    observed_Y = LABEL_MECHANISMS[label_mechanism](Y, observed_X, label_rate, seed)
    if one_hot:
        observed_Y = observed_Y[:, :1] & ~np.isnan(Y)
    if new_rows is not None:
        new = new_rows[:, None]
        if new_feature_rate is not None:
            of_new = features("new_feature_rate", new_feature_rate)
            observed_X = np.where(new, of_new, observed_X)
        observed_Y = observed_Y & ~new
    return MaskedTable(
        np.where(observed_X, X, np.nan),
        np.where(observed_Y, Y, np.nan),
        ~observed_X & ~np.isnan(X),
        ~observed_Y & ~np.isnan(Y),
    )


def mcar(X: Floats, rate: float, seed: int) -> Bools:
    """Mask each entry with probability `rate`: missing completely at random.

    Examples
    --------
    >>> round(float(mcar(np.zeros((1000, 3)), 0.2, seed=0).mean()), 1)
    0.8
    """
    drawn = np.random.default_rng([seed, _MCAR_STREAM]).random(X.shape)
    observed: Bools = (drawn >= rate) & ~np.isnan(X)
    return observed


def mcar_per_row(X: Floats, rate: float, seed: int) -> Bools:
    """Mask the same share of the known entries of every row, rounded down.

    Examples
    --------
    >>> mcar_per_row(np.zeros((4, 10)), 0.3, seed=0).sum(axis=1).tolist()
    [7, 7, 7, 7]
    """
    known = ~np.isnan(X)
    drawn = np.random.default_rng([seed, _PER_ROW_STREAM]).random(X.shape)
    place = np.argsort(np.argsort(np.where(known, drawn, 2.0), axis=1), axis=1)
    # The margin is for rounding: 0.29 * 100 is a little less than 29.
    n_masked = np.floor(rate * known.sum(axis=1) + 1e-9)
    observed: Bools = known & (place >= n_masked[:, None])
    return observed


def mar(X: Floats, rate: float, seed: int) -> Bools:
    """Mask every other column where its left neighbour is large: missing at random.

    The first, third, ... column is never masked. `rate` is the share of the others.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 4))
    >>> observed = mar(X, 0.5, seed=0)
    >>> observed.all(axis=0).tolist()
    [True, False, True, False]
    >>> bool(X[observed[:, 1], 0].mean() < X[~observed[:, 1], 0].mean())
    True
    """
    ranks = _ranks(X, np.random.default_rng([seed, _TIES_STREAM]))
    causes = ranks[:, 0 : 2 * (X.shape[1] // 2) : 2]
    observed = ~np.isnan(X)
    generator = np.random.default_rng([seed, _VALUES_STREAM])
    observed[:, 1::2] &= ~_masked_where_large(causes, rate, generator)
    return observed


def mnar(X: Floats, rate: float, seed: int) -> Bools:
    """Mask large entries more often than small ones: missing not at random.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> observed = mnar(X, 0.3, seed=0)
    >>> bool(X[observed].mean() < X[~observed].mean()), round(float(observed.mean()), 1)
    (True, 0.7)
    """
    ranks = _ranks(X, np.random.default_rng([seed, _TIES_STREAM]))
    generator = np.random.default_rng([seed, _VALUES_STREAM])
    return ~np.isnan(X) & ~_masked_where_large(ranks, rate, generator)


def blocks(X: Floats, rate: float, seed: int) -> Bools:
    """Mask one run of neighbouring columns in every row, as where a sensor fails.

    Examples
    --------
    >>> blocks(np.zeros((3, 10)), 0.4, seed=0).sum(axis=1).tolist()
    [6, 6, 6]
    """
    n_rows, n_columns = X.shape
    length = round(rate * n_columns)
    generator = np.random.default_rng([seed, _VALUES_STREAM])
    first = generator.integers(0, n_columns - length + 1, size=n_rows)[:, None]
    place = np.arange(n_columns)
    observed: Bools = ((place < first) | (place >= first + length)) & ~np.isnan(X)
    return observed


def labels_mcar(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask each label with probability `rate`.

    Examples
    --------
    >>> observed = labels_mcar(np.zeros((1000, 3)), np.ones((1000, 2), bool), 0.8, seed=0)
    >>> round(float(observed.mean()), 1)
    0.2
    """
    # Labels follow the features in one stream, of which PCG64 takes one step per number.
    bits = np.random.PCG64(np.random.SeedSequence([seed, _MCAR_STREAM])).advance(observed_X.size)
    observed: Bools = (np.random.Generator(bits).random(Y.shape) >= rate) & ~np.isnan(Y)
    return observed


def positives_missing(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask each one among the labels with probability `rate`; every zero is observed.

    Examples
    --------
    >>> positives_missing(np.array([[1.0, 0.0]]), np.ones((1, 1), bool), 1.0, seed=0)
    array([[False,  True]])
    """
    drawn = np.random.default_rng([seed, _POSITIVES_STREAM]).random(Y.shape)
    observed: Bools = ~np.isnan(Y) & ((drawn >= rate) | (Y != 1))
    return observed


def positives_only(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask every zero, and each one with probability `rate`: positive and unlabeled data.

    Examples
    --------
    >>> positives_only(np.array([[1.0, 0.0]]), np.ones((1, 1), bool), 0.0, seed=0)
    array([[ True, False]])
    """
    observed: Bools = positives_missing(Y, observed_X, rate, seed) & (Y != 0)
    return observed


def labels_where_features(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask labels more often in rows with many missing features.

    Examples
    --------
    >>> observed_X = np.repeat([[True], [False]], 500, axis=0)
    >>> observed = labels_where_features(np.zeros((1000, 2)), observed_X, 0.5, seed=0)
    >>> bool(observed[:500].mean() > 0.7), bool(observed[500:].mean() < 0.3)
    (True, True)
    """
    generator = np.random.default_rng([seed, _WHERE_FEATURES_STREAM])
    n_missing = (~observed_X).sum(axis=1, dtype=np.float64)[:, None]
    ranks = np.broadcast_to(_ranks(n_missing, generator), Y.shape)
    return ~np.isnan(Y) & ~_masked_where_large(ranks, rate, generator)


# (X, rate, seed) -> observed
FEATURE_MECHANISMS: Mapping[str, Callable[[Floats, float, int], Bools]] = MappingProxyType(
    {"mcar": mcar, "mcar_per_row": mcar_per_row, "mar": mar, "mnar": mnar, "blocks": blocks}
)
# (Y, observed_X, rate, seed) -> observed
LABEL_MECHANISMS: Mapping[str, Callable[[Floats, Bools, float, int], Bools]] = MappingProxyType(
    {
        "mcar": labels_mcar,
        "positives_missing": positives_missing,
        "positives_only": positives_only,
        "where_features": labels_where_features,
    }
)


def _check(parameter: str, name: str, mechanisms: Mapping[str, object]) -> None:
    if name not in mechanisms:
        raise ValueError(f"{parameter} is one of {', '.join(mechanisms)}, not {name!r}.")


def _rate(name: str, rate: float) -> float:
    if not 0 <= rate <= 1:
        remedy = f"; write {rate / 100:g} for {rate:g} %" if 1 < rate <= 100 else ""
        raise ValueError(f"{name} is a probability from 0 to 1, not {rate!r}{remedy}.")
    return rate


def _masked_where_large(causes: Floats, rate: float, generator: np.random.Generator) -> Bools:
    """Mask with a logistic probability of the rank of the cause, `rate` on average."""
    if not causes.size:
        return np.zeros(causes.shape, bool)
    rank = np.argsort(np.argsort(causes, axis=0), axis=0) / max(len(causes) - 1, 1)
    tilt = _LOG_ODDS_RANGE * (rank - 0.5)
    low, high = -50.0, 50.0
    for _ in range(60):  # bisection for the intercept
        middle = (low + high) / 2
        too_low = np.mean(1 / (1 + np.exp(-(tilt + middle)))) < rate
        low, high = (middle, high) if too_low else (low, middle)
    probability = 1 / (1 + np.exp(-(tilt + (low + high) / 2)))
    return np.asarray(generator.random(causes.shape) < probability)


def _ranks(X: Floats, generator: np.random.Generator) -> Floats:
    """Ranks within columns, between 0 and 1, without ties: missing entries get any rank.

    How a sort orders equal values depends on the platform and favours early or late rows.
    """
    drawn = generator.random(X.shape)
    order = np.lexsort((drawn, X), axis=0)  # NaN comes last
    place = np.empty(X.shape)
    np.put_along_axis(place, order, np.arange(len(X), dtype=float)[:, None] + 0.5, axis=0)
    known = ~np.isnan(X)
    return np.where(known, place / np.maximum(known.sum(axis=0), 1), drawn)


def _sources(X: Floats, groups: NDArray[np.int64] | None) -> tuple[Floats, NDArray[np.int64]]:
    """One column per group, in the order of their first columns, and the source of each column.

    The value of a group of indicators is the place of the largest.
    """
    if groups is None:
        return X, np.arange(X.shape[1])
    if np.shape(groups) != (X.shape[1],):
        raise ValueError(
            f"groups has shape {np.shape(groups)}, but X has {X.shape[1]} columns; give one number "
            "per column."
        )
    _, first, number = np.unique(groups, return_index=True, return_inverse=True)
    source_of_column = np.argsort(np.argsort(first))[number]
    sources = np.empty((len(X), len(first)))
    for source in range(len(first)):
        columns = X[:, source_of_column == source]
        missing = np.isnan(columns).any(axis=1)
        largest = np.argmax(np.nan_to_num(columns), axis=1)
        value = columns[:, 0] if columns.shape[1] == 1 else np.where(missing, np.nan, largest)
        sources[:, source] = value
    return sources, source_of_column

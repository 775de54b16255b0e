"""Ways to mask entries of a table: for training, for evaluation and for studies.

A mask is ``observed``: True where an entry is seen; what is missing from the start never is.
Entries go missing completely at random (MCAR), at random given what is observed (MAR), or not at
random, by their own value (MNAR); see Little and Rubin, Statistical Analysis with Missing Data.
All ways to mask features have the parameters of `mcar`, those for labels the ones of `labels_mcar`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Seed = list[int] | np.random.Generator

# Each mechanism draws from a stream of its own, so that no other use of a seed repeats its mask.
# The numbers stay: recorded results are compared mask by mask.
_MCAR_STREAM, _PER_ROW_STREAM, _VALUES_STREAM = 32_452_843, 49_979_693, 67_867_967
_TIES_STREAM, _POSITIVES_STREAM, _WHERE_FEATURES_STREAM = 15_485_863, 86_028_157, 179_424_673


class MaskedTable(NamedTuple):
    """A table with NaN where masked, and where entries are held out: known, masked, to score."""

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
    """Mask features and labels of a table, alike for every estimator and on every platform.

    Parameters
    ----------
    X, Y : ndarray of shape (n_rows, n_features) and (n_rows, n_labels), NaN where missing
    feature_rate, label_rate : float, the shares to mask
    seed : int
        The MCAR labels of a seed are the same for every feature mechanism.
    feature_mechanism, label_mechanism : str, of `FEATURE_MECHANISMS` and `LABEL_MECHANISMS`
    one_hot : bool, whether a row of `Y` is one class, whose labels are masked together
    groups : ndarray of int of shape (n_features,), optional
        Columns with the same number are masked together.
    new_rows : ndarray of bool of shape (n_rows,), optional
        Rows that no estimator is fitted to: all of their labels are masked.
    new_feature_rate : float, the share to mask in new rows, by default `feature_rate`

    Examples
    --------
    >>> masked = mask_table(np.ones((2, 4)), np.ones((2, 1)), feature_rate=0, label_rate=1, seed=0)
    >>> masked.Y.tolist(), masked.held_out_Y.tolist()
    ([[nan], [nan]], [[True], [True]])
    """
    if feature_mechanism not in FEATURE_MECHANISMS:
        raise ValueError(f"{feature_mechanism=} is not in {[*FEATURE_MECHANISMS]}.")
    if label_mechanism not in LABEL_MECHANISMS:
        raise ValueError(f"{label_mechanism=} is not in {[*LABEL_MECHANISMS]}.")
    if one_hot and label_mechanism.startswith("positives"):
        raise ValueError(f"one-hot classes are masked together, not as by {label_mechanism=}.")
    new_rate = feature_rate if new_feature_rate is None else new_feature_rate
    rates = {"feature_rate": feature_rate, "label_rate": label_rate, "new_feature_rate": new_rate}
    for name, rate in rates.items():
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} is a probability from 0 to 1 (1 % is 0.01), not {rate!r}.")
    known_X, known_Y = ~np.isnan(X), ~np.isnan(Y)
    sources, source = _sources(X, groups)
    mask_features = FEATURE_MECHANISMS[feature_mechanism]
    observed_X = mask_features(sources, feature_rate, seed)[:, source] & known_X
    observed_Y = LABEL_MECHANISMS[label_mechanism](Y, observed_X, label_rate, seed)
    if one_hot:
        observed_Y = observed_Y[:, :1] & known_Y
    if new_rows is not None:
        observed_Y[new_rows] = False
        of_new = mask_features(sources, new_rate, seed)[:, source] & known_X
        observed_X[new_rows] = of_new[new_rows]
    masked = (np.where(observed_X, X, np.nan), np.where(observed_Y, Y, np.nan))
    return MaskedTable(*masked, known_X & ~observed_X, known_Y & ~observed_Y)


def mcar(X: Floats, rate: float, seed: int) -> Bools:
    """Mask each entry with probability `rate`: missing completely at random.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), NaN where missing
    rate : float, the share to mask
    seed : int

    Examples
    --------
    >>> round(float(mcar(np.zeros((1000, 3)), 0.2, seed=0).mean()), 1)
    0.8
    """
    return _kept(X, rate, [seed, _MCAR_STREAM])


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
    n_masked = np.floor(rate * known.sum(axis=1, keepdims=True) + 1e-9)
    return np.asarray(known & (place >= n_masked))


def mar(X: Floats, rate: float, seed: int) -> Bools:
    """Mask the second, fourth, ... column where its left neighbour is large: missing at random.

    Examples
    --------
    >>> mar(np.random.default_rng(0).normal(size=(2000, 4)), 0.5, seed=0).mean(axis=0).round(1)
    array([1. , 0.5, 1. , 0.5])
    """
    causes = _ranks(X, [seed, _TIES_STREAM])[:, : 2 * (X.shape[1] // 2) : 2]
    observed = ~np.isnan(X)
    observed[:, 1::2] &= ~_masked_where_large(causes, rate, [seed, _VALUES_STREAM])
    return observed


def mnar(X: Floats, rate: float, seed: int) -> Bools:
    """Mask large entries more often than small ones: missing not at random.

    Examples
    --------
    >>> mnar(np.array([[-1.0], [1.0]]), 0.5, seed=0).tolist()
    [[True], [False]]
    """
    ranks = _ranks(X, [seed, _TIES_STREAM])
    return ~np.isnan(X) & ~_masked_where_large(ranks, rate, [seed, _VALUES_STREAM])


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
    first = generator.integers(0, n_columns - length + 1, size=(n_rows, 1))
    place = np.arange(n_columns)
    return np.asarray(((place < first) | (place >= first + length)) & ~np.isnan(X))


def labels_mcar(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask each label with probability `rate`.

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_labels), NaN where missing
    observed_X : ndarray of bool, of shape (n_rows, n_features)
    rate : float, the share to mask
    seed : int

    Examples
    --------
    >>> labels_mcar(np.zeros((1, 3)), np.ones((1, 2), bool), 1.0, seed=0).tolist()
    [[False, False, False]]
    """
    # Labels follow the features in one stream, of which PCG64 takes one step per number.
    bits = np.random.PCG64(np.random.SeedSequence([seed, _MCAR_STREAM])).advance(observed_X.size)
    return _kept(Y, rate, np.random.Generator(bits))


def positives_missing(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask each one among the labels with probability `rate`; every zero is observed.

    Examples
    --------
    >>> positives_missing(np.array([[1.0, 0.0]]), np.ones((1, 1), bool), 1.0, seed=0)
    array([[False,  True]])
    """
    kept = _kept(Y, rate, [seed, _POSITIVES_STREAM])
    return np.asarray(kept | (~np.isnan(Y) & (Y != 1)))


def positives_only(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask every zero, and each one with probability `rate`: positive and unlabeled data.

    Examples
    --------
    >>> positives_only(np.array([[1.0, 0.0]]), np.ones((1, 1), bool), 0.0, seed=0)
    array([[ True, False]])
    """
    return np.asarray(positives_missing(Y, observed_X, rate, seed) & (Y != 0))


def labels_where_features(Y: Floats, observed_X: Bools, rate: float, seed: int) -> Bools:
    """Mask labels more often in rows with many missing features.

    Examples
    --------
    >>> labels_where_features(np.zeros((2, 1)), np.array([[True], [False]]), 0.5, seed=0).tolist()
    [[True], [False]]
    """
    generator = np.random.default_rng([seed, _WHERE_FEATURES_STREAM])
    n_missing = (~observed_X).sum(axis=1, keepdims=True, dtype=np.float64)
    ranks = np.broadcast_to(_ranks(n_missing, generator), Y.shape)
    return ~np.isnan(Y) & ~_masked_where_large(ranks, rate, generator)


# (X, rate, seed) -> observed
FEATURE_MECHANISMS = {mask.__name__: mask for mask in (mcar, mcar_per_row, mar, mnar, blocks)}
# (Y, observed_X, rate, seed) -> observed
LABEL_MECHANISMS = {
    "mcar": labels_mcar,
    "positives_missing": positives_missing,
    "positives_only": positives_only,
    "where_features": labels_where_features,
}


def _kept(table: Floats, rate: float, seed: Seed) -> Bools:
    """Known entries, each masked with probability `rate`."""
    return np.asarray((np.random.default_rng(seed).random(table.shape) >= rate) & ~np.isnan(table))


def _masked_where_large(causes: Floats, rate: float, seed: Seed) -> Bools:
    """Mask with a logistic probability of the rank of the cause, `rate` on average."""
    if not causes.size:
        return np.zeros(causes.shape, bool)
    rank = np.argsort(np.argsort(causes, axis=0), axis=0) / max(len(causes) - 1, 1)
    tilt = 6 * (rank - 0.5)  # the log-odds of the largest are 6 above those of the smallest
    low, high = -50.0, 50.0
    for _ in range(61):  # bisection for the intercept
        middle = (low + high) / 2
        probability = 1 / (1 + np.exp(-(tilt + middle)))
        low, high = (middle, high) if np.mean(probability) < rate else (low, middle)
    return np.asarray(np.random.default_rng(seed).random(causes.shape) < probability)


def _ranks(X: Floats, seed: Seed) -> Floats:
    """Ranks within columns, between 0 and 1; missing entries get any rank."""
    # Ties in random order: that of a sort depends on the platform and favours early or late rows.
    drawn = np.random.default_rng(seed).random(X.shape)
    order = np.lexsort((drawn, X), axis=0)  # NaN comes last
    place = np.argsort(order, axis=0) + 0.5
    known = ~np.isnan(X)
    return np.where(known, place / np.maximum(known.sum(axis=0), 1), drawn)


def _sources(X: Floats, groups: NDArray[np.int64] | None) -> tuple[Floats, NDArray[np.int64]]:
    """One column per group, in the order of their first columns, and the source of each column."""
    groups = np.arange(X.shape[1]) if groups is None else groups
    if np.shape(groups) != (X.shape[1],):
        raise ValueError(f"X has {X.shape[1]} columns; give one number per column as groups.")
    _, first, number = np.unique(groups, return_index=True, return_inverse=True)
    source_of_column = np.argsort(np.argsort(first))[number]
    sources = X[:, np.sort(first)].copy()
    for source in np.flatnonzero(np.bincount(source_of_column) > 1):
        indicators = X[:, source_of_column == source]
        missing = np.isnan(indicators).any(axis=1)
        sources[:, source] = np.where(missing, np.nan, indicators.argmax(axis=1))
    return sources, source_of_column

"""What the usual pipelines say of the same hidden entries."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from halfseen.cli.method_answer import MethodAnswer
from halfseen.tables import Encoded, Schema

TRIVIAL = "column mean, most frequent"
ITERATIVE = "iterative imputation, gradient boosting"
NATIVE = "gradient boosting on NaN"

_N_NEAREST = 40
_N_ROUNDS = 3
_WIDE = 300
_N_TREES = 100
_MOST_INPUTS = 200


def rival_answers(schema: Schema, encoded: Encoded, seed: int) -> Iterator[MethodAnswer]:
    """Answers of the usual pipelines, one after the other.

    Labels are learned one by one, by gradient boosting that also sees the other labels where they
    are known; of wide tables it is shown the 200 columns that correlate most with the label.

    Parameters
    ----------
    schema : Schema
        What the units are.
    encoded : Encoded
        The table with hidden entries.
    seed : int
        Seed of the pipelines.

    Yields
    ------
    MethodAnswer

    Examples
    --------
    >>> from halfseen.tables import learn_columns, learn_target_columns, read_table, read_target
    >>> table, target = read_table([[1.0], [3.0], [None]]), read_target(["no", "yes", None])
    >>> schema = Schema(learn_columns(table), learn_target_columns(target), "classes")
    >>> trivial = next(rival_answers(schema, schema.encode(table, target), 0))
    >>> trivial.units[2].tolist()
    [0.0, 0.5, 0.5]
    """
    started = time.perf_counter()
    trivial = np.tile(schema.marginals, (len(encoded.visible), 1))
    yield MethodAnswer(TRIVIAL, trivial, time.perf_counter() - started, is_trivial=True)
    holes = np.where(encoded.observed, encoded.visible, np.nan).astype(np.float64)

    started = time.perf_counter()
    imputed = holes.copy()
    _impute_features(schema, imputed, seed)
    answered = _with_labels(schema, imputed, holes, seed)
    yield MethodAnswer(ITERATIVE, answered, time.perf_counter() - started)

    if schema.targets:
        started = time.perf_counter()
        answered = _with_labels(schema, holes, holes, seed)
        seconds = time.perf_counter() - started
        yield MethodAnswer(NATIVE, answered, seconds, fills_features=False)


def _impute_features(schema: Schema, units: NDArray[np.float64], seed: int) -> None:
    """Fill the feature units in place.

    One category of each column is left to what the others leave over: given all others it would be
    known for sure, and regressions would learn nothing else.
    """
    groups = [schema.feature_units(j) for j in range(len(schema.features))]
    kept = [unit for own in groups for unit in range(own.start, max(own.stop - 1, own.start + 1))]
    kept = [unit for unit in kept if not schema.is_target_unit[unit]]
    holes = np.isnan(units)
    units[:, kept] = _imputed(units[:, kept], seed)
    for own in groups:
        if own.stop - own.start > 1:
            others = units[:, own.start : own.stop - 1].clip(0.0, 1.0)
            last = np.maximum(1.0 - others.sum(axis=1), 0.0)
            rows = holes[:, own.stop - 1]
            units[rows, own.stop - 1] = last[rows]


def _imputed(features: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Every unit regressed on those nearest to it by correlation, in rounds."""
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer
    from threadpoolctl import threadpool_limits

    n_others = features.shape[1] - 1
    # Wide tables are regressed once on fewer columns, which takes as long as narrow ones thrice.
    is_wide = n_others > _WIDE
    n_rounds, n_nearest = (1, _N_NEAREST // 2) if is_wide else (_N_ROUNDS, _N_NEAREST)
    imputer = IterativeImputer(
        max_iter=n_rounds if n_others else 0,
        n_nearest_features=n_nearest if n_others > n_nearest else None,
        keep_empty_features=True,
        random_state=seed,
    )
    with warnings.catch_warnings(), threadpool_limits(1):
        # The number of rounds is the budget; scikit-learn would call that an early stop.
        warnings.simplefilter("ignore")
        filled: NDArray[np.float64] = imputer.fit_transform(features)
    return filled


def _with_labels(
    schema: Schema, features: NDArray[np.float64], holes: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """The units with those of every label replaced by what boosting says of them."""
    answered = features.copy()
    for j, column in enumerate(schema.targets):
        own = schema.target_units(j)
        inputs = features.copy()
        inputs[:, schema.is_target_unit] = holes[:, schema.is_target_unit]
        inputs = np.delete(inputs, np.arange(own.start, own.stop), axis=1)
        known = ~np.isnan(holes[:, own.start])
        if column.unit == "bernoulli":
            codes = holes[known, own.start].astype(int)
            answered[:, own.start] = _boosted(inputs, known, codes, 2, seed)[:, 1]
        else:
            codes = holes[known, own].argmax(axis=1)
            answered[:, own] = _boosted(inputs, known, codes, column.n_units, seed)
    return answered


def _boosted(
    inputs: NDArray[np.float64],
    known: NDArray[np.bool_],
    codes: NDArray[np.int64],
    n_classes: int,
    seed: int,
) -> NDArray[np.float64]:
    """Probability of each class in every row."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    probabilities = np.zeros((len(inputs), n_classes))
    if len(np.unique(codes)) < 2:
        probabilities[:, codes[0] if len(codes) else 0] = 1.0
        return probabilities
    seen = _most_telling(inputs[known], codes)
    classifier = HistGradientBoostingClassifier(
        max_iter=_N_TREES, early_stopping=False, random_state=seed
    )
    # On a busy machine threads that wait for each other take ten times as long.
    with threadpool_limits(1):
        classifier.fit(inputs[known][:, seen], codes)
        probabilities[:, classifier.classes_] = classifier.predict_proba(inputs[:, seen])
    return probabilities


def _most_telling(inputs: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Columns with anything known; of many, those that correlate most with the classes."""
    seen = np.flatnonzero((~np.isnan(inputs)).any(axis=0))
    if len(seen) <= _MOST_INPUTS:
        return seen
    columns = inputs[:, seen]
    known = ~np.isnan(columns)
    n_known = known.sum(axis=0)
    centred = np.where(known, columns - np.nanmean(columns, axis=0), 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / n_known)
    strongest = np.zeros(len(seen))
    for code in np.unique(codes):
        is_code = (codes == code) - np.mean(codes == code)
        along = np.abs(is_code @ centred) / n_known / np.where(spread > 0, spread, np.inf)
        strongest = np.maximum(strongest, along)
    chosen = np.argsort(-strongest, kind="stable")[:_MOST_INPUTS]
    return np.sort(seen[chosen])

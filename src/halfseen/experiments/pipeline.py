"""Hide entries of a table, fit a method to the rest, and take its predictions of what is hidden.

Two questions are kept apart. *New rows*: labels given the features of a row alone, what ``predict``
does. *Training rows*: hidden features and labels of fitted rows, given all else, other labels among
it, what ``complete`` does. The command ``evaluate``, plans and benchmarks all come through here.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from halfseen.base.estimator import by_target
from halfseen.baselines.baseline import Baseline
from halfseen.data.raw import category_key
from halfseen.experiments.data_sets import (
    Bools,
    DataSet,
    Floats,
    did_you_mean,
    encoded_features,
    known_codes,
)
from halfseen.masks import mask_table

Question = Literal["new rows", "training rows"]

# name -> estimator of halfseen
OURS: Final[dict[str, str]] = {"halfseen": "HalfseenClassifier", "rbm_mo": "RBMClassifier"}
# name -> class of halfseen.baselines
BASELINES: Final[dict[str, str]] = {
    "column_prior": "ColumnPrior", "cle": "CLE", "noisy_imc": "NoisyIMC", "mc1": "MC1",
    "gaussian_em": "GaussianEM", "soft_impute": "SoftImpute",
    "iterative_imputer": "IterativeLinear", "miss_forest": "IterativeTrees",
    "nearest_neighbours": "NearestNeighbours", "boosted_native": "BoostedNative",
    "boosted_imputed": "BoostedImputed", "forest_imputed": "ForestImputed",
    "catboost": "CatBoostPerLabel", "masked_network": "MaskedNetwork", "miwae": "MIWAE",
    "gain": "GAIN", "misgan": "MisGAN", "misgan_convolutional": "MisGANConvolutional",
}  # fmt: skip
METHODS: Final = (*OURS, *BASELINES)


class Hidden(NamedTuple):
    """A table with hidden entries: to which rows methods are fitted, and what they predict."""

    data: DataSet
    X: Floats  # (n_rows, n_columns), NaN where hidden or missing
    Y: Floats  # (n_rows, n_labels), NaN where hidden or unknown
    is_new: Bools  # (n_rows,)
    asked_X: Bools  # known and hidden
    asked_Y: Bools

    def rows(self, question: Question) -> Bools:
        """The rows of a question."""
        return self.is_new if question == "new rows" else ~self.is_new

    def asked_codes(self, question: Question) -> Floats:
        """Codes of the labels to predict, NaN elsewhere, of shape (rows, n_outputs)."""
        asked = self.asked_Y[:, self.data.first]
        return np.where(asked, self.data.codes, np.nan)[self.rows(question)]

    def shown(self, question: Question) -> tuple[Any, Any]:
        """Features and labels as an estimator gets them, hidden entries missing."""
        data, rows = self.data, self.rows(question)
        if data.frames is None:
            y = self.Y[rows]
            if data.target == "classes":
                y = known_codes(np.nan_to_num(y), ~np.isnan(y[:, 0]))
            return self.X[rows], y
        hidden = np.zeros((len(rows), len(data.frames.schema.features)), bool)
        hidden[:, data.frames.modelled] = self.asked_X[:, data.first_of_blocks]
        X = _masked(data.frames.X, hidden, rows)
        if data.frames.y is None:
            return X, None
        return X, _masked(data.frames.y, self.asked_Y[:, data.first], rows)


def hide(
    data: DataSet, *, feature_rate: float, label_rate: float, seed: int,
    new_rows: Bools | None = None, new_feature_rate: float | None = None,
    feature_mechanism: str = "mcar", label_mechanism: str = "mcar",
) -> Hidden:  # fmt: skip
    """Hide entries, alike for every method; labels of new rows are all hidden."""
    several = data.target == "several"
    masked = mask_table(
        data.X, data.codes if several else data.Y, feature_rate=feature_rate, label_rate=label_rate,
        seed=seed, feature_mechanism=feature_mechanism, label_mechanism=label_mechanism,
        one_hot=data.target == "classes", groups=data.blocks, new_rows=new_rows,
        new_feature_rate=new_feature_rate,
    )  # fmt: skip
    asked_Y = masked.held_out_Y
    if several:
        asked_Y = np.repeat(asked_Y, np.diff([*data.first, data.Y.shape[1]]), axis=1)
    Y = np.where(asked_Y, np.nan, data.Y)
    is_new = np.zeros(len(data.X), bool) if new_rows is None else new_rows
    return Hidden(data, masked.X, Y, is_new, masked.held_out_X, asked_Y)


class Prediction(NamedTuple):
    """What a method predicts of the rows of a question."""

    features: Floats | None  # (rows, n_columns), completed, where the method does
    scores: list[Floats]  # of each output (rows, n_classes), larger for what is more likely
    decided: list[NDArray[np.int64]] | None = None  # of each output (rows,), else the largest
    sets: list[Bools] | None = None  # of each output (rows, n_classes)
    bounds: Floats | None = None  # of numbers, (rows, n_blocks, 2), in raw units


def method_named(name: str, settings: Mapping[str, Any] | None = None, seed: int = 0) -> Any:
    """An estimator of halfseen or a baseline, with some of its parameters.

    >>> method_named("rbm_mo", {"n_components": 20}).n_components
    20
    """
    if name in OURS:
        method = getattr(import_module("halfseen"), OURS[name])()
    elif name in BASELINES:
        method = getattr(import_module("halfseen.baselines"), BASELINES[name])()
    else:
        raise ValueError(f"unknown method {name!r}.{did_you_mean(name, METHODS)}")
    own = set(method.get_params(deep=False))
    known = sorted(own - {"random_state", "target_type", "verbose"})
    for setting in settings or ():
        if setting not in known:
            raise ValueError(
                f"there is no setting {setting!r}.{did_you_mean(setting, known)} There are: "
                f"{', '.join(known) or 'none'}."
            )
    seeded = {"random_state": seed} if "random_state" in own else {}
    return method.set_params(**dict(settings or {}), **seeded)


def fit_and_predict(
    method: Any, hidden: Hidden, questions: Sequence[Question], coverage: float = 0.9
) -> dict[Question, Prediction]:
    """Fit a method, an estimator or a baseline, to the training rows, and predict."""
    with warnings.catch_warnings(action="ignore"):
        if isinstance(method, Baseline):
            return _of_baseline(method, hidden, questions)
        return _of_estimator(method, hidden, questions, coverage)


def _of_estimator(
    model: Any, hidden: Hidden, questions: Sequence[Question], coverage: float
) -> dict[Question, Prediction]:
    data, shown = hidden.data, [part for part in hidden.shown("training rows") if part is not None]
    if data.frames is None and data.target == "labels":
        model.set_params(target_type="multilabel-indicator")
    model.fit(*shown)
    found: dict[Question, Prediction] = {}
    for question in questions:
        features = proba = sets = bounds = None
        if question == "training rows":
            asked, completed = shown[0], model.complete(*shown)
            features, proba = completed.X, completed.proba
        else:
            asked = hidden.shown("new rows")[0]
            proba = model.predict_proba(asked) if data.outputs else None
            if hidden.asked_X[hidden.is_new].any():
                features = model.transform(asked)
        if model.calibration_ is not None:
            if question == "new rows" and data.outputs:
                sets = _by_output(model, data, model.predict_set(asked, coverage), True)
            if hidden.asked_X[hidden.rows(question)].any():
                bounds = np.asarray(model.predict_interval(asked, coverage), np.float64)
        if data.frames is not None:
            bounds = None if bounds is None else bounds[:, data.frames.modelled]
            features = None if features is None else encoded_features(data.frames, features)
        codes = model._decided_codes(by_target(model, proba)) if data.outputs else []
        found[question] = Prediction(
            None if features is None else np.asarray(features, np.float64),
            _by_output(model, data, proba) if data.outputs else [],
            [places[own] for places, own in zip(_places(model, data), codes, strict=True)],
            sets, bounds,
        )  # fmt: skip
    return found


def _of_baseline(
    method: Baseline, hidden: Hidden, questions: Sequence[Question]
) -> dict[Question, Prediction]:
    data, X, Y = hidden.data, hidden.X[~hidden.is_new], hidden.Y[~hidden.is_new]
    answers = {question: Prediction(None, []) for question in questions}
    groups = [[output] for output in data.outputs] if data.target == "several" else [data.outputs]
    for group in groups:
        # Features alone: a label that is always 0 teaches nothing.
        labels = np.zeros((len(X), 1))
        if group:
            labels = Y[:, group[0].columns.start : group[-1].columns.stop]
        is_class = any(len(output.classes) > 2 for output in group)
        fitted = clone(method).fit(X, labels, "classes" if is_class else "labels")
        for question in questions:
            new = hidden.X[hidden.is_new] if question == "new rows" else None
            features, found = fitted.complete(new)
            scores = answers[question].scores + (_scores(found, is_class) if group else [])
            answers[question] = Prediction(features, scores)
    return answers


def _scores(found: Floats, is_class: bool) -> list[Floats]:
    """Scores of 0 and 1 of each label; or of classes as shares of their sum, alike if it is 0."""
    if not is_class:
        return [np.stack([1 - one, one], axis=1) for one in found.T]
    total = found.sum(axis=1, keepdims=True)
    nothing = (found == 0).all(axis=1, keepdims=True)
    return [np.where(nothing, 1 / found.shape[1], found / np.where(total > 0, total, 1.0))]


def _by_output(model: Any, data: DataSet, found: Any, are_sets: bool = False) -> list[Any]:
    """Probabilities or sets, with a column for each class of the data; training may lack some."""
    parts, arranged = list(map(np.asarray, by_target(model, found, are_sets=are_sets))), []
    for output, places, part in zip(data.outputs, _places(model, data), parts, strict=True):
        arranged.append(np.zeros((len(part), len(output.classes)), part.dtype))
        arranged[-1][:, places] = part
    return arranged


def _places(model: Any, data: DataSet) -> list[NDArray[np.int64]]:
    """Where the classes of the model stand among those of the data."""
    return [
        np.array([output.keys.index(category_key(value)) for value in column.categories])
        for output, column in zip(data.outputs, model.schema_.targets, strict=True)
    ]


def _masked(table: Any, hidden: Bools, rows: Bools) -> Any:
    """Some rows of an Arrow table, without the hidden entries."""
    import pyarrow as pa

    chosen = np.flatnonzero(rows)
    columns = [
        column.take(pa.array(chosen, mask=of_column[chosen]))
        for column, of_column in zip(table.columns, hidden.T, strict=True)
    ]
    return pa.table(columns, names=table.column_names)

"""The model file: one sealed safetensors file with everything a fitted estimator knows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike, fspath
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from halfseen._version import __version__
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.fitting import layer_of
from halfseen.estimators.history_table import history_from_table, history_to_table
from halfseen.estimators.prediction_file import prediction_from_file, prediction_to_file
from halfseen.estimators.rbm_base import RBMBase
from halfseen.estimators.rbm_classifier import HalfseenClassifier
from halfseen.estimators.rbm_imputer import HalfseenImputer
from halfseen.estimators.settings import Settings
from halfseen.estimators.target_answers import classes_of
from halfseen.learning.choice import Choice
from halfseen.learning.history import History, StopReason
from halfseen.storage import DamagedFile, Sealed, read_sealed, write_sealed
from halfseen.tables import Schema

KIND = "model"
VERSION = 8

_ESTIMATORS: dict[str, type[RBMBase]] = {
    "HalfseenClassifier": HalfseenClassifier,
    "HalfseenImputer": HalfseenImputer,
}
_FIELDS = {
    "halfseen",
    "estimator",
    "constructor",
    "schema",
    "settings",
    "stop_reason",
    "best_epoch",
    "n_iter",
    "seed",
    "feature_names",
    "prediction",
    "choices",
}
_MOST_CHOICES = 100
_PARAMETERS = ("weights", "visible_bias", "hidden_bias", "log_variance", "restarts", "marginals")
# No training that counts as sound comes near these; beyond them answers would not be numbers.
_LARGEST = {"weights": 1e6, "log_variance": 20.0}
_LARGEST_OF_OTHERS = 1e12


def _from_first_format(sealed: Sealed) -> Sealed:
    """Format 1 knew likelihood-trained machines only, and numbers on a linear scale only."""
    document = dict(sealed.document)
    document["prediction"] = None
    later = {
        "effort": "default",
        "companion": True,
        "label_weight": 1.0,
        "max_seconds": "inf",
        "sees_missing": False,
    }
    document["settings"] = {**document["settings"], **later}
    # What was "auto" then is not what it is now.
    constructor = dict(document["constructor"])
    constructor["objective"] = document["settings"]["objective"]
    document["constructor"] = constructor
    schema = dict(document["schema"])
    for part in ("features", "targets"):
        schema[part] = [{**column, "transform": "linear"} for column in schema[part]]
    document["schema"] = schema
    return Sealed(2, document, sealed.arrays)


def _from_second_format(sealed: Sealed) -> Sealed:
    """Format 2 did not keep what a fit had chosen."""
    return Sealed(3, {**sealed.document, "choices": []}, sealed.arrays)


def _from_third_format(sealed: Sealed) -> Sealed:
    """In format 3 the prior alone had no say in what is discrete, and labels had one mixture."""
    if sealed.document["prediction"] is None:
        return Sealed(4, sealed.document, sealed.arrays)
    arrays = {name: np.asarray(array) for name, array in sealed.arrays.items()}
    blend = "prediction.blend."
    discrete, label = arrays[blend + "discrete"], arrays.pop(blend + "label")
    line, power = arrays.pop(blend + "label_line"), arrays[blend + "class_power"]
    arrays[blend + "discrete"] = np.append(discrete, np.zeros_like(discrete[:1]))
    arrays[blend + "target"] = np.pad(label, [(0, 0), (0, 1)])[:, None, :]
    arrays[blend + "label_power"], arrays[blend + "label_shift"] = line[:, :1], line[:, 1]
    arrays[blend + "class_power"] = power[:, None]
    return Sealed(4, sealed.document, arrays)


def _from_fourth_format(sealed: Sealed) -> Sealed:
    """Format 4 knew no forest."""
    document = dict(sealed.document)
    document["settings"] = {**document["settings"], "forest": False}
    if document["prediction"] is not None:
        document["prediction"] = {**document["prediction"], "n_trees": 0}
    return Sealed(5, document, sealed.arrays)


def _from_fifth_format(sealed: Sealed) -> Sealed:
    """Format 5 knew neither Gaussians of classes nor boosted trees."""
    document = dict(sealed.document)
    document["settings"] = {**document["settings"], "class_gaussians": False}
    if document["prediction"] is not None:
        document["prediction"] = {**document["prediction"], "n_gaussians": 0, "n_boosted": 0}
    return Sealed(6, document, sealed.arrays)


def _from_sixth_format(sealed: Sealed) -> Sealed:
    """In format 6 Gaussians of classes had no say in numbers."""
    sizes, name = sealed.document["prediction"], "prediction.blend.number"
    if sizes is None or not sizes["n_gaussians"]:
        return Sealed(7, sealed.document, sealed.arrays)
    arrays = {key: np.asarray(array) for key, array in sealed.arrays.items()}
    arrays[name] = np.pad(arrays[name], [(0, 0), (0, 1)])
    return Sealed(7, sealed.document, arrays)


def _from_seventh_format(sealed: Sealed) -> Sealed:
    """In format 7 folds met in the mean of the probabilities of labels."""
    document = dict(sealed.document)
    if document["prediction"] is not None:
        document["prediction"] = {**document["prediction"], "averages_odds": 0}
    return Sealed(8, document, sealed.arrays)


# From a format to the next: a function that turns a document and arrays of the older format into
# the newer one stands here under the older number.
_UPGRADES: dict[int, Callable[[Sealed], Sealed]] = {
    1: _from_first_format,
    2: _from_second_format,
    3: _from_third_format,
    4: _from_fourth_format,
    5: _from_fifth_format,
    6: _from_sixth_format,
    7: _from_seventh_format,
}


def save_model(model: RBMBase, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to a file; see :meth:`HalfseenClassifier.save`."""
    machine, history = model.machine_, model.history_
    sizes, arrays = prediction_to_file(model.prediction_)
    if machine is not None:
        arrays |= {name: getattr(machine, name) for name in _PARAMETERS}
    arrays["history"] = history_to_table(history)
    if isinstance(model, HalfseenClassifier):
        arrays["thresholds"] = model.thresholds_
    names = getattr(model, "feature_names_in_", None)
    document = {
        "halfseen": __version__,
        "estimator": type(model).__name__,
        "constructor": _constructor(model),
        "schema": model.schema_.to_document(),
        "settings": model.settings_.to_document(),
        "stop_reason": history.stop_reason,
        "best_epoch": history.best_epoch,
        "n_iter": model.n_iter_,
        "seed": model._seed,
        "feature_names": None if names is None else [str(name) for name in names],
        "prediction": sizes,
        "choices": [list(choice) for choice in history.choices],
    }
    write_sealed(path, kind=KIND, version=VERSION, document=document, arrays=arrays)


def load(path: str | PathLike[str]) -> Any:
    """Read a model that was written by ``save``.

    The file is checked against its digest before anything in it is interpreted, and nothing in it
    is ever executed.

    Parameters
    ----------
    path : path-like
        A file that :meth:`HalfseenClassifier.save` or :meth:`HalfseenImputer.save` wrote, of this
        or an older version of halfseen.

    Returns
    -------
    HalfseenClassifier or HalfseenImputer
        Fitted; it answers as the one that was saved, bit for bit.

    Raises
    ------
    halfseen.storage.SealError
        If the file is damaged, foreign, or was written by a newer halfseen; the message says which.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from halfseen import HalfseenImputer, load
    >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 6.0]])
    >>> model = HalfseenImputer(n_epochs=2, companion=False, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/model.safetensors")
    ...     again = load(folder + "/model.safetensors")
    >>> bool((again.transform(X) == model.transform(X)).all())
    True
    """
    sealed = read_sealed(path, kind=KIND, newest_version=VERSION)
    try:
        for version in range(sealed.version, VERSION):
            sealed = _UPGRADES[version](sealed)
        return _restored(sealed)
    except (ArithmeticError, AttributeError, LookupError, SyntaxError, TypeError, ValueError) as e:
        raise DamagedFile(fspath(path), f"its contents do not fit together: {e}") from e


def _restored(sealed: Sealed) -> RBMBase:
    document = sealed.document
    if set(document) != _FIELDS:
        raise ValueError(f"a model has the fields {sorted(_FIELDS)}")
    model = _ESTIMATORS[document["estimator"]](**_parameters(document["constructor"]))
    schema = Schema.from_document(document["schema"])
    settings = Settings.from_document(document["settings"])
    model.schema_ = schema
    model.settings_ = settings
    model.history_ = _history(sealed)
    model.n_iter_ = _whole(document, "n_iter", 2**62)
    model.n_features_in_ = len(schema.features)
    model._seed = _whole(document, "seed", 2**31)
    model._state = None
    if document["feature_names"] is not None:
        model.feature_names_in_ = _feature_names(document, model.n_features_in_)
    model.prediction_ = prediction_from_file(document["prediction"], sealed, schema)
    if model.prediction_ is not None:
        model.prediction_ = replace(model.prediction_, choices=model.history_.choices)
    model.machine_ = None
    if model.prediction_ is None or settings.companion:
        arrays = {name: _array(sealed, name) for name in _PARAMETERS}
        _check_shapes(arrays, schema, settings.of_companion())
        model.machine_ = FittedMachine(
            layer=layer_of(schema),
            completion=settings.completion_settings(),
            seed=model._seed,
            **arrays,
        )
    if isinstance(model, HalfseenClassifier) != (schema.target_kind is not None):
        raise ValueError("a classifier has a target, and an imputer none")
    if isinstance(model, HalfseenClassifier):
        model.classes_ = classes_of(schema)
        model.thresholds_ = _thresholds(sealed, schema)
    return model


def _whole(document: Mapping[str, Any], name: str, bound: int) -> int:
    value = document[name]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < bound:
        raise ValueError(f"{name} must be a whole number from 0 to below {bound}")
    return value


def _history(sealed: Sealed) -> History:
    reason, best = sealed.document["stop_reason"], sealed.document["best_epoch"]
    if reason is not None and reason not in get_args(StopReason):
        raise ValueError("nothing is known of this stop_reason")
    if best is not None:
        best = _whole(sealed.document, "best_epoch", 2**62)
    choices = _choices(sealed.document["choices"])
    return History(history_from_table(sealed.arrays["history"]), reason, best, choices)


def _choices(rows: Any) -> tuple[Choice, ...]:
    if not isinstance(rows, list) or len(rows) > _MOST_CHOICES:
        raise ValueError(f"choices are a list of at most {_MOST_CHOICES}")
    for row in rows:
        parts = row if isinstance(row, list) else []
        if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
            raise ValueError("a choice is what was chosen, how, and why")
    return tuple(Choice(*row) for row in rows)


def _feature_names(document: Mapping[str, Any], n_features: int) -> NDArray[Any]:
    names = document["feature_names"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("feature_names must be a list of text")
    if len(names) != n_features:
        raise ValueError(f"feature_names must be {n_features}")
    return np.array(names, dtype=object)


def _array(sealed: Sealed, name: str) -> NDArray[np.float32]:
    array = np.array(sealed.arrays[name])
    largest = _LARGEST.get(name, _LARGEST_OF_OTHERS)
    if array.dtype != np.float32 or not np.all(np.abs(array) <= largest):
        raise ValueError(f"{name} must be numbers of type float32 within {largest:g}")
    return array


def _check_shapes(
    arrays: dict[str, NDArray[np.float32]], schema: Schema, settings: Settings
) -> None:
    machines, visible, hidden = settings.n_machines, schema.n_visible, settings.n_hidden
    _check_shape("weights", arrays["weights"], (machines, visible, hidden))
    _check_shape("visible_bias", arrays["visible_bias"], (machines, visible))
    _check_shape("hidden_bias", arrays["hidden_bias"], (machines, hidden))
    _check_shape("log_variance", arrays["log_variance"], (machines, schema.n_gaussian))
    _check_shape("restarts", arrays["restarts"], (settings.n_restarts, visible))
    _check_shape("marginals", arrays["marginals"], (visible,))


def _check_shape(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")


def _thresholds(sealed: Sealed, schema: Schema) -> NDArray[np.float64]:
    thresholds = np.array(sealed.arrays["thresholds"])
    n_labels = len(schema.targets) if schema.target_kind == "labels" else 0
    _check_shape("thresholds", thresholds, (n_labels,))
    if thresholds.dtype != np.float64 or not np.all((thresholds >= 0) & (thresholds <= 1)):
        raise ValueError("thresholds must be numbers of type float64 from 0 to 1")
    return thresholds


def _constructor(model: RBMBase) -> dict[str, Any]:
    """The constructor's parameters that JSON can hold; the others fall back to their defaults."""
    plain = {}
    for name, value in model.get_params(deep=False).items():
        if name in ("checkpoint", "resume", "callbacks", "oracle_y"):
            continue
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, float) and value == math.inf:
            value = "inf"
        if name == "column_kinds" and isinstance(value, Mapping):
            value = [[_plain_key(key), kind] for key, kind in value.items()]
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            continue
        if json.loads(text) == value:
            plain[name] = value
    return plain


def _plain_key(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


def _parameters(constructor: Any) -> dict[str, Any]:
    """The parameters that :func:`_constructor` wrote."""
    if not isinstance(constructor, dict):
        raise ValueError("the constructor's parameters must be named")
    parameters = {name: math.inf if v == "inf" else v for name, v in constructor.items()}
    kinds = parameters.get("column_kinds")
    if isinstance(kinds, list):
        parameters["column_kinds"] = {key: kind for key, kind in kinds}
    return parameters

"""The model file: one sealed safetensors file with everything a fitted estimator knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen._version import __version__
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.fitting import layer_of
from halfseen.estimators.rbm_base import RBMBase
from halfseen.estimators.rbm_classifier import RBMClassifier, classes_of
from halfseen.estimators.rbm_imputer import RBMImputer
from halfseen.estimators.settings import Settings
from halfseen.learning.history import History
from halfseen.storage import DamagedFile, Sealed, read_sealed, write_sealed
from halfseen.tables import Schema

KIND = "model"
VERSION = 1

_ESTIMATORS: dict[str, type[RBMBase]] = {
    "RBMClassifier": RBMClassifier,
    "RBMImputer": RBMImputer,
}
_PARAMETERS = ("weights", "visible_bias", "hidden_bias", "log_variance", "restarts", "marginals")

# From a format to the next: a function that turns a document and arrays of the older format into
# the newer one stands here under the older number.
_UPGRADES: dict[int, Callable[[Sealed], Sealed]] = {}


def save_model(model: RBMBase, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to a file; see :meth:`RBMClassifier.save`."""
    machine = model.machine_
    arrays = {name: getattr(machine, name) for name in _PARAMETERS}
    if isinstance(model, RBMClassifier):
        arrays["thresholds"] = model.thresholds_
    names = getattr(model, "feature_names_in_", None)
    document = {
        "halfseen": __version__,
        "estimator": type(model).__name__,
        "constructor": _plain_parameters(model),
        "schema": model.schema_.to_document(),
        "settings": model.settings_.to_document(),
        "history": model.history_.to_document(),
        "n_iter": model.n_iter_,
        "seed": model._seed,
        "feature_names": None if names is None else [str(name) for name in names],
    }
    write_sealed(path, kind=KIND, version=VERSION, document=document, arrays=arrays)


def load(path: str | PathLike[str]) -> Any:
    """Read a model that was written by ``save``.

    The file is checked against its digest before anything in it is interpreted, and nothing in it
    is ever executed.

    Parameters
    ----------
    path : path-like
        A file that :meth:`RBMClassifier.save` or :meth:`RBMImputer.save` wrote, of this or an older
        version of halfseen.

    Returns
    -------
    RBMClassifier or RBMImputer
        Fitted; it answers as the one that was saved, bit for bit.

    Raises
    ------
    halfseen.storage.SealError
        If the file is damaged, foreign, or was written by a newer halfseen; the message says which.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from halfseen import RBMImputer, load
    >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 6.0]])
    >>> model = RBMImputer(n_epochs=2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/model.safetensors")
    ...     again = load(folder + "/model.safetensors")
    >>> bool((again.transform(X) == model.transform(X)).all())
    True
    """
    sealed = read_sealed(path, kind=KIND, newest_version=VERSION)
    for version in range(sealed.version, VERSION):
        sealed = _UPGRADES[version](sealed)
    try:
        return _restored(sealed)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedFile(str(path), f"its contents do not fit together: {error}") from error


def _restored(sealed: Sealed) -> RBMBase:
    document = sealed.document
    model = _ESTIMATORS[document["estimator"]](**document["constructor"])
    schema = Schema.from_document(document["schema"])
    settings = Settings.from_document(document["settings"])
    model.schema_ = schema
    model.settings_ = settings
    model.history_ = History.from_document(document["history"])
    model.n_iter_ = int(document["n_iter"])
    model.n_features_in_ = len(schema.features)
    model._seed = int(document["seed"])
    model._state = None
    if document["feature_names"] is not None:
        model.feature_names_in_ = np.array(document["feature_names"], dtype=object)
    arrays = {name: _array(sealed, name) for name in _PARAMETERS}
    _check_shapes(arrays, schema, settings)
    model.machine_ = FittedMachine(
        layer=layer_of(schema),
        completion=settings.completion_settings(),
        seed=model._seed,
        **arrays,
    )
    if isinstance(model, RBMClassifier):
        model.classes_ = classes_of(schema)
        model.thresholds_ = np.array(sealed.arrays["thresholds"], np.float64)
        expected = len(schema.targets) if schema.target_kind == "labels" else 0
        _check_shape("thresholds", model.thresholds_, (expected,))
    return model


def _array(sealed: Sealed, name: str) -> NDArray[np.float32]:
    array = np.array(sealed.arrays[name])
    if array.dtype != np.float32 or not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be finite numbers of type float32")
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


def _plain_parameters(model: RBMBase) -> dict[str, Any]:
    """The constructor's parameters that JSON can hold; the others fall back to their defaults."""
    plain = {}
    for name, value in model.get_params(deep=False).items():
        if name in ("checkpoint", "resume", "callbacks", "oracle_y"):
            continue
        value = value.item() if isinstance(value, np.generic) else value
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            continue
        if json.loads(text) == value:
            plain[name] = value
    return plain

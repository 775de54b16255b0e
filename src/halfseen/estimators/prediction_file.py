"""The predictive half of a model as arrays and a document, and back, trusting nothing."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blind_readers import BlindReaders
from halfseen.estimators.boosted_file import boosted_from_arrays, boosted_to_arrays
from halfseen.estimators.class_gaussians_file import gaussians_from_arrays, gaussians_to_arrays
from halfseen.estimators.conformal import LEVELS, Conformal
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fitted_prediction import Blend, FittedPrediction
from halfseen.estimators.fitting import predictive_columns
from halfseen.estimators.forest_file import forest_from_arrays, forest_to_arrays
from halfseen.learning.predictive_member import PredictiveShape
from halfseen.storage import Sealed
from halfseen.tables import Schema

_PREFIX = "prediction."
_SIZES = (
    "n_knots",
    "n_hidden",
    "n_sweeps",
    "n_search_steps",
    "batch_size",
    "n_mask_units",
    "n_kinds",
    "n_folds",
    "n_trees",
    "n_gaussians",
    "n_boosted",
    "averages_odds",
)
_MAY_BE_NONE = (
    "n_knots",
    "n_mask_units",
    "n_trees",
    "n_gaussians",
    "n_boosted",
    "averages_odds",
)
_MOST = 1_000_000
_MOST_OF = {
    "n_sweeps": 100,
    "n_search_steps": 10_000,
    "n_trees": 10_000,
    "n_boosted": 10_000,
    "averages_odds": 1,
}
_LARGEST = 1e9
_SLACK = 1e-6
_NOT_ARRAYS = ("shape", "n_kinds", "averages_odds")


def prediction_to_file(
    prediction: FittedPrediction | None,
) -> tuple[dict[str, int] | None, dict[str, NDArray[Any]]]:
    """The sizes as a document, and the arrays by their names in the file."""
    if prediction is None:
        return None, {}
    ensemble, shape = prediction.ensemble, prediction.ensemble.shape
    blind = prediction.blind
    sizes = {
        "n_knots": shape.columns.wide.n_knots,
        "n_hidden": shape.n_hidden,
        "n_sweeps": shape.n_sweeps,
        "n_search_steps": shape.n_search_steps,
        "batch_size": shape.batch_size,
        "n_mask_units": ensemble.missing_weights.shape[1],
        "n_kinds": ensemble.n_kinds,
        "n_folds": ensemble.n_folds,
        "n_trees": 0 if blind.forest is None else blind.forest.n_trees,
        "n_gaussians": 0 if blind.gaussians is None else len(blind.gaussians.share),
        "n_boosted": 0 if blind.boosted is None else len(blind.boosted.first_node),
        "averages_odds": int(ensemble.averages_odds),
    }
    arrays = forest_to_arrays(blind.forest, _PREFIX)
    arrays |= gaussians_to_arrays(blind.gaussians, _PREFIX)
    arrays |= boosted_to_arrays(blind.boosted, _PREFIX)
    for part, name in _parts():
        whole = getattr(prediction, part)
        arrays[f"{_PREFIX}{part}.{name}"] = np.asarray(getattr(whole, name))
    return sizes, arrays


def prediction_from_file(sizes: Any, sealed: Sealed, schema: Schema) -> FittedPrediction | None:
    """The predictive half that :func:`prediction_to_file` wrote; None if there was none."""
    if sizes is None:
        return None
    if not isinstance(sizes, dict) or set(sizes) != set(_SIZES):
        raise ValueError(f"the sizes of a prediction are {_SIZES}")
    for name, value in sizes.items():
        least, most = 0 if name in _MAY_BE_NONE else 1, _MOST_OF.get(name, _MOST)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"{name} must be a whole number from {least} to {most}")
    shape = PredictiveShape(
        predictive_columns(schema, sizes["n_knots"]),
        sizes["n_hidden"],
        sizes["n_sweeps"],
        sizes["n_search_steps"],
        sizes["batch_size"],
        sizes["n_mask_units"] > 0,
    )
    arrays: dict[str, dict[str, NDArray[Any]]] = {"ensemble": {}, "blend": {}, "conformal": {}}
    expected = _shapes(sizes, shape)
    for part, name in _parts():
        key = f"{part}.{name}"
        array = np.array(sealed.arrays[_PREFIX + key])
        arrays[part][name] = _checked(key, array, expected[key])
    ensemble = Ensemble(
        shape,
        sizes["n_kinds"],
        **arrays["ensemble"],
        averages_odds=bool(sizes["averages_odds"]),
    )
    blend, conformal = Blend(**arrays["blend"]), Conformal(**arrays["conformal"])
    forest = forest_from_arrays(sizes["n_trees"], sizes["n_folds"], sealed, _PREFIX, shape.columns)
    gaussians = gaussians_from_arrays(sizes["n_gaussians"], sealed, _PREFIX, shape.columns)
    boosted = boosted_from_arrays(sizes["n_boosted"], sealed, _PREFIX, shape.columns)
    _check_ensemble(ensemble)
    _check_blend(blend)
    for scores in (conformal.number, conformal.label):
        if not np.all(scores >= 0) or not np.all(scores[:, 1:] >= scores[:, :-1]):
            raise ValueError("conformal scores rise from 0 with the level")
    blind = BlindReaders(forest, gaussians, boosted)
    return FittedPrediction(ensemble, blend, conformal, blind)


def _check_ensemble(ensemble: Ensemble) -> None:
    """Raise where an array of the right shape could still not be an ensemble's."""
    if ensemble.prior_covariance.shape[2] not in (0, ensemble.prior_mean.shape[1]):
        raise ValueError("a covariance is square")
    if not ensemble.prior_covariance.shape[2] and not np.all(ensemble.prior_noise > 0):
        raise ValueError("the noise of a prior is positive")
    if not np.all(ensemble.unit_scale > 0):
        raise ValueError("scales are positive")
    if not np.all(np.diff(ensemble.knots, axis=1) > 0):
        raise ValueError("knots increase")


def _check_blend(blend: Blend) -> None:
    for weights in (blend.discrete[None], blend.target):
        if np.any(weights < 0) or not np.allclose(weights.sum(axis=-1), 1.0):
            raise ValueError("weights of a blend are not negative and have the sum one")
    if np.any(blend.number < 0) or np.any(blend.number.sum(axis=-1) > 1.0 + _SLACK):
        raise ValueError("weights of a blend of numbers are not negative, of sum one at most")
    n_pooled = blend.target.shape[1]
    if not n_pooled:
        raise ValueError("a pool has predictors")
    for powers in (blend.label_power, blend.class_power):
        if powers.shape[1] != n_pooled or np.any(powers < 0):
            raise ValueError("powers of a pool are not negative, one for each of its mixtures")
    if np.any(blend.lowest > blend.highest):
        raise ValueError("the lowest number is not above the highest")


def _parts() -> list[tuple[str, str]]:
    parts: tuple[tuple[str, Any], ...] = (
        ("ensemble", Ensemble),
        ("blend", Blend),
        ("conformal", Conformal),
    )
    return [
        (part, one.name) for part, of in parts for one in fields(of) if one.name not in _NOT_ARRAYS
    ]


def _shapes(sizes: dict[str, int], shape: PredictiveShape) -> dict[str, tuple[int | None, ...]]:
    """The shape of every array; None where any length will do."""
    wide = shape.columns.wide
    n_visible, n_gaussian = wide.layer.n_visible, wide.layer.n_gaussian
    n_kinds, n_folds = sizes["n_kinds"], sizes["n_folds"]
    n_members = n_kinds * n_folds
    n_mask = n_visible if shape.sees_missing else 0
    n_blind = sum(sizes[name] > 0 for name in ("n_trees", "n_gaussians", "n_boosted"))
    return {
        "ensemble.weights": (n_members, wide.n_units, shape.n_hidden),
        "ensemble.visible_bias": (n_members, wide.n_units),
        "ensemble.hidden_bias": (n_members, shape.n_hidden),
        "ensemble.gain": (n_members, wide.n_units),
        "ensemble.start_bias": (n_members, wide.n_units),
        "ensemble.missing_weights": (n_members, n_mask, shape.n_hidden),
        "ensemble.prior_mean": (n_folds, n_visible),
        "ensemble.prior_covariance": (n_folds, n_visible, None),
        "ensemble.prior_noise": (n_folds, n_visible),
        "ensemble.prior_loading": (n_folds, n_visible, None),
        "ensemble.prior_sees_labels": (n_members,),
        "ensemble.unit_mean": (n_visible,),
        "ensemble.unit_scale": (n_visible,),
        "ensemble.knots": (n_gaussian, wide.n_knots),
        "blend.number": (n_gaussian, 3 * n_kinds + (sizes["n_gaussians"] > 0)),
        "blend.discrete": (n_kinds + 1,),
        "blend.target": (2, None, n_kinds + 1 + n_blind),
        "blend.label_power": (2, None),
        "blend.label_shift": (2,),
        "blend.class_power": (2, None),
        "blend.lowest": (n_gaussian,),
        "blend.highest": (n_gaussian,),
        "conformal.number": (n_gaussian, len(LEVELS)),
        "conformal.label": (2, len(LEVELS)),
    }


def _checked(key: str, array: NDArray[Any], expected: tuple[int | None, ...]) -> NDArray[Any]:
    fits = len(array.shape) == len(expected) and all(
        length is None or length == there
        for length, there in zip(expected, array.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{key} has shape {array.shape}, expected {expected}")
    part, name = key.split(".")
    wanted = np.float32 if part == "ensemble" else np.float64
    if name == "prior_sees_labels":
        wanted = np.bool_  # type: ignore[assignment]
    if array.dtype != wanted:
        raise ValueError(f"{key} must be of type {np.dtype(wanted)}")
    finite = array if part != "conformal" else array[np.isfinite(array)]
    if not np.all(np.abs(finite.astype(np.float64)) <= _LARGEST) or np.isnan(array).any():
        raise ValueError(f"{key} must be numbers within {_LARGEST:g}")
    return array

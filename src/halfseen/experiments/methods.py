"""The methods that can be compared, by name; each is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

from halfseen.baselines.baseline import Baseline

# name -> (module in halfseen.baselines, class, settings)
METHODS: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "column_prior": ("column_prior", "ColumnPrior", {}),
    "halfseen": ("our_machine", "OurMachine", {}),
    "rbm_mo": ("our_machine", "OurMachine", {"estimator": "RBMClassifier"}),
    "cle": ("cle", "CLE", {}),
    "noisy_imc": ("noisy_imc", "NoisyIMC", {}),
    "mc1": ("mc1", "MC1", {}),
    "gaussian_em": ("gaussian_em", "GaussianEM", {}),
    "soft_impute": ("soft_impute", "SoftImpute", {}),
    "iterative_imputer": ("iterative_imputer", "IterativeImputerPeer", {}),
    "miss_forest": ("miss_forest", "MissForest", {}),
    "nearest_neighbours": ("nearest_neighbours", "NearestNeighbours", {}),
    "boosted_native": ("boosted_native", "BoostedNative", {}),
    "boosted_imputed": ("boosted_imputed", "BoostedImputed", {}),
    "masked_network": ("masked_network", "MaskedNetwork", {}),
    "miwae": ("miwae", "MIWAE", {}),
    "gain": ("gain", "GAIN", {}),
    "misgan": ("misgan", "MisGAN", {}),
    "misgan_convolutional": ("misgan_convolutional", "MisGANConvolutional", {}),
}

# Data sets whose rows are images, with height and width.
IMAGES: Final[dict[str, tuple[int, int]]] = {"mnist": (28, 28)}

# What a study decides itself, or what changes no answer.
_OF_THE_STUDY = {"estimator", "parameters", "random_state", "target_type", "verbose"}


class UnknownSetting(ValueError):
    """A method has no such parameter."""


def method_named(name: str) -> Baseline:
    """A method with its default settings.

    >>> method_named("rbm_mo").estimator
    'RBMClassifier'
    """
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}; there are {', '.join(METHODS)}")
    module, class_name, settings = METHODS[name]
    of_name = getattr(import_module(f"halfseen.baselines.{module}"), class_name)
    method: Baseline = of_name(**settings)
    return method


def method_with(name: str, settings: Mapping[str, Any], seed: int | None = None) -> Baseline:
    """A method with some of its settings replaced; for our own, parameters of the estimator.

    >>> method_with("rbm_mo", {"n_components": 20}, seed=3).parameters
    {'n_components': 20}
    >>> method_with("mc1", {"ranks": 3})
    Traceback (most recent call last):
    ...
    halfseen.experiments.methods.UnknownSetting: there is no setting 'ranks'. ...
    """
    method = method_named(name)
    is_ours = hasattr(method, "estimator")
    named = getattr(import_module("halfseen"), method.estimator)() if is_ours else method
    known = sorted(set(named.get_params(deep=False)) - _OF_THE_STUDY)
    for setting in settings:
        if setting not in known:
            raise UnknownSetting(
                f"there is no setting {setting!r}.{did_you_mean(setting, known)} There are: "
                f"{', '.join(known) or 'none'}."
            )
    values: dict[str, Any] = {"parameters": dict(settings)} if is_ours else dict(settings)
    if seed is not None and "random_state" in method.get_params(deep=False):
        values["random_state"] = seed
    chosen: Baseline = method.set_params(**values)
    return chosen


def why_not(name: str, data_set: str) -> str:
    """Why a method does not apply to a data set; empty if it does.

    >>> why_not("misgan_convolutional", "scene")
    'convolutions need rows that are images, and those of scene are not'
    """
    if name == "misgan_convolutional" and data_set not in IMAGES:
        return f"convolutions need rows that are images, and those of {data_set} are not"
    return ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest word as a question with a space before it, or nothing.

    >>> did_you_mean("halfsen", ["halfseen", "mc1"]), did_you_mean("x", ["halfseen"])
    (" Did you mean 'halfseen'?", '')
    """
    near = get_close_matches(str(word), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""

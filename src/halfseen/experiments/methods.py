"""The methods that can be compared, by name; each is imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from halfseen.baselines.baseline import Baseline

# name -> (module in halfseen.baselines, class, settings)
METHODS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "column_prior": ("column_prior", "ColumnPrior", {}),
    "halfseen": ("our_machine", "OurMachine", {}),
    "halfseen_paper": ("our_machine", "OurMachine", {"preset": "paper"}),
    "cle": ("cle", "CLE", {}),
    "cle_nonlinear": ("cle_nonlinear", "NonlinearCLE", {}),
    "noisy_imc": ("noisy_imc", "NoisyIMC", {}),
    "mc1": ("mc1", "MC1", {}),
    "coco": ("coco", "COCO", {}),
    "gaussian_em": ("gaussian_em", "GaussianEM", {}),
    "probabilistic_pca": ("probabilistic_pca", "ProbabilisticPCA", {}),
    "soft_impute": ("soft_impute", "SoftImpute", {}),
    "iterative_imputer": ("iterative_imputer", "IterativeImputerPeer", {}),
    "miss_forest": ("miss_forest", "MissForest", {}),
    "nearest_neighbours": ("nearest_neighbours", "NearestNeighbours", {}),
    "boosted_native": ("boosted_native", "BoostedNative", {}),
    "boosted_imputed": ("boosted_imputed", "BoostedImputed", {}),
    "xgboost_masked": ("xgboost_masked", "XGBoostMasked", {}),
    "masked_network": ("masked_network", "MaskedNetwork", {}),
    "miwae": ("miwae", "MIWAE", {}),
    "gain": ("gain", "GAIN", {}),
    "misgan": ("misgan", "MisGAN", {}),
    "misgan_convolutional": ("misgan_convolutional", "MisGANConvolutional", {}),
}

# Data sets whose rows are images, with height and width.
IMAGES: dict[str, tuple[int, int]] = {"mnist": (28, 28)}


def method_named(name: str) -> Baseline:
    """A method with its default settings.

    Examples
    --------
    >>> method_named("halfseen_paper").preset
    'paper'
    """
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}; there are {', '.join(METHODS)}")
    module, class_name, settings = METHODS[name]
    of_name = getattr(import_module(f"halfseen.baselines.{module}"), class_name)
    method: Baseline = of_name(**settings)
    return method


def why_not(name: str, data_set: str) -> str:
    """Why a method does not apply to a data set; empty if it does.

    Examples
    --------
    >>> why_not("misgan_convolutional", "scene")
    'convolutions need rows that are images, and those of scene are not'
    >>> why_not("misgan_convolutional", "mnist"), why_not("misgan", "scene")
    ('', '')
    """
    if name == "misgan_convolutional" and data_set not in IMAGES:
        return f"convolutions need rows that are images, and those of {data_set} are not"
    return ""

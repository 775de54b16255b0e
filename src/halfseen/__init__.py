"""halfseen: learn from tables with missing values in the features and in the labels.

- :class:`HalfseenClassifier`, :class:`HalfseenImputer` - the recommended model
- :class:`RBMClassifier`, :class:`RBMImputer` - the paper's model, RBM-MO
- :func:`load` - a model that was saved
- :func:`pool` - one estimate from those of several filled tables
- :func:`evaluate` - whether to trust a model on a table, beside simple baselines
- :func:`observed_scorer`, :class:`ObservedStratifiedKFold` - model selection with unknown labels
- :mod:`halfseen.metrics` - scores that skip unknown entries
- :mod:`halfseen.masks` - ways to hide entries

Importing halfseen is light: JAX and scikit-learn are imported when a name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from halfseen._version import __version__ as __version__

if TYPE_CHECKING:
    from halfseen.base.estimator import TrainingInterrupted as TrainingInterrupted
    from halfseen.ensemble.estimator import HalfseenClassifier as HalfseenClassifier
    from halfseen.ensemble.estimator import HalfseenImputer as HalfseenImputer
    from halfseen.experiments.evaluate import evaluate as evaluate
    from halfseen.loading import load as load
    from halfseen.model_file import ModelFileError as ModelFileError
    from halfseen.model_selection import ObservedStratifiedKFold as ObservedStratifiedKFold
    from halfseen.model_selection import observed_scorer as observed_scorer
    from halfseen.rbm.estimator import PAPER_LITERAL as PAPER_LITERAL
    from halfseen.rbm.estimator import RBMClassifier as RBMClassifier
    from halfseen.rbm.estimator import RBMImputer as RBMImputer
    from halfseen.rbm.training import DivergenceError as DivergenceError
    from halfseen.rubin import pool as pool

_MODULES = {
    "DivergenceError": "halfseen.rbm.training",
    "HalfseenClassifier": "halfseen.ensemble.estimator",
    "HalfseenImputer": "halfseen.ensemble.estimator",
    "ModelFileError": "halfseen.model_file",
    "ObservedStratifiedKFold": "halfseen.model_selection",
    "PAPER_LITERAL": "halfseen.rbm.estimator",
    "RBMClassifier": "halfseen.rbm.estimator",
    "RBMImputer": "halfseen.rbm.estimator",
    "TrainingInterrupted": "halfseen.base.estimator",
    "evaluate": "halfseen.experiments.evaluate",
    "load": "halfseen.loading",
    "observed_scorer": "halfseen.model_selection",
    "pool": "halfseen.rubin",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module 'halfseen' has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_MODULES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))

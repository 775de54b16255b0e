"""halfseen: learn from tables that are only half seen.

Holes in the features and in the labels, filled and predicted by one generative model:

- :class:`HalfseenClassifier` - classes or labels, from rows with holes
- :class:`HalfseenImputer` - the same machine without labels
- :func:`load` - a model that was saved
- :func:`observed_scorer`, :class:`ObservedStratifiedKFold` - model selection with unknown labels

Importing halfseen is light: a name brings JAX and scikit-learn along when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from halfseen._version import __version__ as __version__

if TYPE_CHECKING:
    from halfseen.estimators import HalfseenClassifier as HalfseenClassifier
    from halfseen.estimators import HalfseenImputer as HalfseenImputer
    from halfseen.estimators import load as load
    from halfseen.learning.divergence import DivergenceError as DivergenceError
    from halfseen.learning.trainer import TrainingInterrupted as TrainingInterrupted
    from halfseen.model_selection import ObservedStratifiedKFold as ObservedStratifiedKFold
    from halfseen.model_selection import observed_scorer as observed_scorer

__all__ = [
    "DivergenceError",
    "HalfseenClassifier",
    "HalfseenImputer",
    "ObservedStratifiedKFold",
    "TrainingInterrupted",
    "__version__",
    "load",
    "observed_scorer",
]

_HOME_OF = {
    "DivergenceError": "halfseen.learning.divergence",
    "ObservedStratifiedKFold": "halfseen.model_selection",
    "HalfseenClassifier": "halfseen.estimators",
    "HalfseenImputer": "halfseen.estimators",
    "TrainingInterrupted": "halfseen.learning.trainer",
    "load": "halfseen.estimators",
    "observed_scorer": "halfseen.model_selection",
}


def __getattr__(name: str) -> Any:
    """A public name, from its home, when it is first asked for."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'halfseen' has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOME_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))

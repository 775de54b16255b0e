"""halfseen: learn from tables that are only half seen.

Holes in the features and in the labels, filled and predicted by one generative model:

- :class:`RBMClassifier` - classes or labels, from rows with holes
- :class:`RBMImputer` - the same machine without labels
- :func:`load` - a model that was saved
- :func:`observed_scorer`, :class:`ObservedStratifiedKFold` - model selection with unknown labels
"""

from halfseen._version import __version__ as __version__
from halfseen.estimators import RBMClassifier as RBMClassifier
from halfseen.estimators import RBMImputer as RBMImputer
from halfseen.estimators import load as load
from halfseen.learning.divergence import DivergenceError as DivergenceError
from halfseen.learning.trainer import TrainingInterrupted as TrainingInterrupted
from halfseen.scoring import ObservedStratifiedKFold as ObservedStratifiedKFold
from halfseen.scoring import observed_scorer as observed_scorer

__all__ = [
    "DivergenceError",
    "ObservedStratifiedKFold",
    "RBMClassifier",
    "RBMImputer",
    "TrainingInterrupted",
    "__version__",
    "load",
    "observed_scorer",
]

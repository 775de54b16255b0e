"""What users call."""

from halfseen.estimators.model_file import load as load
from halfseen.estimators.rbm_classifier import Completed as Completed
from halfseen.estimators.rbm_classifier import HalfseenClassifier as HalfseenClassifier
from halfseen.estimators.rbm_classifier import Sampled as Sampled
from halfseen.estimators.rbm_imputer import HalfseenImputer as HalfseenImputer

__all__ = ["Completed", "HalfseenClassifier", "HalfseenImputer", "Sampled", "load"]

"""What users call."""

from halfseen.estimators.model_file import load as load
from halfseen.estimators.rbm_classifier import Completed as Completed
from halfseen.estimators.rbm_classifier import RBMClassifier as RBMClassifier
from halfseen.estimators.rbm_classifier import Sampled as Sampled
from halfseen.estimators.rbm_imputer import RBMImputer as RBMImputer

__all__ = ["Completed", "RBMClassifier", "RBMImputer", "Sampled", "load"]

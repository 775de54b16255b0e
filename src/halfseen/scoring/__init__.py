"""Scores, scorers and splitters that skip what is unknown."""

from halfseen.scoring.accuracy import accuracy as accuracy
from halfseen.scoring.averaged_auc import averaged_auc as averaged_auc
from halfseen.scoring.calibration_error import calibration_error as calibration_error
from halfseen.scoring.hamming_accuracy import hamming_accuracy as hamming_accuracy
from halfseen.scoring.interval_coverage import interval_coverage as interval_coverage
from halfseen.scoring.interval_width import interval_width as interval_width
from halfseen.scoring.known import known as known
from halfseen.scoring.log_loss import log_loss as log_loss
from halfseen.scoring.macro_auc import macro_auc as macro_auc
from halfseen.scoring.micro_auc import micro_auc as micro_auc
from halfseen.scoring.observed_scorer import ObservedScorer as ObservedScorer
from halfseen.scoring.observed_scorer import observed_scorer as observed_scorer
from halfseen.scoring.observed_stratified_k_fold import (
    ObservedStratifiedKFold as ObservedStratifiedKFold,
)
from halfseen.scoring.reliability_bins import ReliabilityBin as ReliabilityBin
from halfseen.scoring.reliability_bins import reliability_bins as reliability_bins
from halfseen.scoring.rmse import rmse as rmse
from halfseen.scoring.spread_of_columns import spread_of_columns as spread_of_columns
from halfseen.scoring.standardised_rmse import standardised_rmse as standardised_rmse

__all__ = [
    "ObservedScorer",
    "ObservedStratifiedKFold",
    "ReliabilityBin",
    "accuracy",
    "averaged_auc",
    "calibration_error",
    "hamming_accuracy",
    "interval_coverage",
    "interval_width",
    "known",
    "log_loss",
    "macro_auc",
    "micro_auc",
    "observed_scorer",
    "reliability_bins",
    "rmse",
    "spread_of_columns",
    "standardised_rmse",
]

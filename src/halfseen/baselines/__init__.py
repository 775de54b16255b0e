"""Methods to compare against, behind one small protocol.

Every method derives from :class:`Baseline`: ``fit(X, Y)`` on what is observed, ``complete()`` for
the fitted rows, ``predict_scores(X)`` for new incomplete rows where the method can. :func:`tune`
chooses settings on observed entries that are held out, within one budget for all.
"""

from halfseen.baselines.adversarial import GAIN, MisGAN, MisGANConvolutional
from halfseen.baselines.baseline import (
    Baseline,
    ColumnPrior,
    CompletedTable,
    NotInductive,
    Tuned,
    tune,
)
from halfseen.baselines.classifiers import (
    BoostedImputed,
    BoostedNative,
    CatBoostPerLabel,
    ForestImputed,
    IterativeLinear,
    IterativeTrees,
    NearestNeighbours,
)
from halfseen.baselines.cle import CLE
from halfseen.baselines.gaussian import GaussianEM
from halfseen.baselines.low_rank import MC1, NoisyIMC, SoftImpute
from halfseen.baselines.miwae import MIWAE
from halfseen.baselines.networks import MaskedNetwork

__all__ = [
    "CLE", "GAIN", "MC1", "MIWAE", "Baseline", "BoostedImputed", "BoostedNative",
    "CatBoostPerLabel", "ColumnPrior", "CompletedTable", "ForestImputed", "GaussianEM",
    "IterativeLinear", "IterativeTrees", "MaskedNetwork", "MisGAN", "MisGANConvolutional",
    "NearestNeighbours", "NoisyIMC", "NotInductive", "SoftImpute", "Tuned", "tune",
]  # fmt: skip

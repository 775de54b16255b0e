"""Methods to compare against, behind one small protocol.

Every method derives from :class:`Baseline`: ``fit(X, Y)`` on what is observed, ``complete()`` for
the fitted rows, ``predict_scores(X)`` for new incomplete rows where the method can. :func:`tune`
chooses settings on observed entries that are held out, within one budget for all.

The paper's: :class:`CLE`, :class:`NoisyIMC`, :class:`MC1`. What a user would pick instead:
:class:`ColumnPrior`, :class:`GaussianEM`, :class:`SoftImpute`, :class:`IterativeImputerPeer`,
:class:`MissForest`, :class:`NearestNeighbours`, :class:`BoostedNative`, :class:`BoostedImputed`.
Networks: :class:`MaskedNetwork`, :class:`MIWAE`, :class:`GAIN`, :class:`MisGAN`,
:class:`MisGANConvolutional`. And :class:`OurMachine`, so that all stand in one table.

``halfseen experiment run baselines`` runs them side by side; ``docs/baselines.md`` says what each
does and what was measured.
"""

from halfseen.baselines.baseline import Baseline as Baseline
from halfseen.baselines.baseline import CompletedTable as CompletedTable
from halfseen.baselines.baseline import NotInductive as NotInductive
from halfseen.baselines.boosted_imputed import BoostedImputed as BoostedImputed
from halfseen.baselines.boosted_native import BoostedNative as BoostedNative
from halfseen.baselines.cle import CLE as CLE
from halfseen.baselines.column_prior import ColumnPrior as ColumnPrior
from halfseen.baselines.gain import GAIN as GAIN
from halfseen.baselines.gaussian_em import GaussianEM as GaussianEM
from halfseen.baselines.iterative_imputer import IterativeImputerPeer as IterativeImputerPeer
from halfseen.baselines.masked_network import MaskedNetwork as MaskedNetwork
from halfseen.baselines.mc1 import MC1 as MC1
from halfseen.baselines.misgan import MisGAN as MisGAN
from halfseen.baselines.misgan_convolutional import MisGANConvolutional as MisGANConvolutional
from halfseen.baselines.miss_forest import MissForest as MissForest
from halfseen.baselines.miwae import MIWAE as MIWAE
from halfseen.baselines.nearest_neighbours import NearestNeighbours as NearestNeighbours
from halfseen.baselines.noisy_imc import NoisyIMC as NoisyIMC
from halfseen.baselines.our_machine import OurMachine as OurMachine
from halfseen.baselines.soft_impute import SoftImpute as SoftImpute
from halfseen.baselines.tuner import Tuned as Tuned
from halfseen.baselines.tuner import tune as tune

__all__ = [
    "CLE",
    "GAIN",
    "MC1",
    "MIWAE",
    "Baseline",
    "BoostedImputed",
    "BoostedNative",
    "ColumnPrior",
    "CompletedTable",
    "GaussianEM",
    "IterativeImputerPeer",
    "MaskedNetwork",
    "MisGAN",
    "MisGANConvolutional",
    "MissForest",
    "NearestNeighbours",
    "NoisyIMC",
    "NotInductive",
    "OurMachine",
    "SoftImpute",
    "Tuned",
    "tune",
]

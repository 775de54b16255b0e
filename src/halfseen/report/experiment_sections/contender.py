"""A method with one set of settings, as it stands in tables and pictures."""

from __future__ import annotations

from typing import NamedTuple

from halfseen.experiments.record import Record

PRIOR = "column_prior"
OURS = ("halfseen", "halfseen_paper")
_TITLES = {
    "column_prior": "constant prior",
    "halfseen": "halfseen",
    "halfseen_paper": "halfseen (paper)",
    "cle": "CLE",
    "cle_nonlinear": "CLE, nonlinear",
    "noisy_imc": "NoisyIMC",
    "mc1": "MC-1",
    "coco": "COCO",
    "gaussian_em": "Gaussian EM",
    "probabilistic_pca": "probabilistic PCA",
    "soft_impute": "soft-impute",
    "iterative_imputer": "iterative imputer",
    "miss_forest": "missForest",
    "nearest_neighbours": "nearest neighbours",
    "boosted_native": "boosting",
    "boosted_imputed": "impute, then boosting",
    "xgboost_masked": "XGBoost, masked",
    "masked_network": "masked network",
    "miwae": "MIWAE",
    "gain": "GAIN",
    "misgan": "MisGAN",
    "misgan_convolutional": "MisGAN, convolutional",
}


class Contender(NamedTuple):
    """A method and the name of its set of settings.

    Examples
    --------
    >>> Contender("noisy_imc", "").title, Contender("halfseen", "k5").title
    ('NoisyIMC', 'halfseen (k5)')
    >>> Contender("column_prior", "").is_prior
    True
    """

    method: str
    variant: str

    @property
    def title(self) -> str:
        """What it is called on the page."""
        title = _TITLES.get(self.method, self.method.replace("_", " "))
        return f"{title} ({self.variant})" if self.variant else title

    @property
    def is_ours(self) -> bool:
        """Whether it is halfseen itself, in any of its settings."""
        return self.method in OURS

    @property
    def is_prior(self) -> bool:
        """Whether it answers with column means and label frequencies alone."""
        return self.method == PRIOR


def contender_of(record: Record) -> Contender:
    """Whose record it is.

    Examples
    --------
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> contender_of(record).title
    'MC-1'
    """
    return Contender(record.method, record.variant)

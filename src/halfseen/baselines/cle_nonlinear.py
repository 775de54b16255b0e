"""CLE with random Fourier features between completed features and labels."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from halfseen.baselines._collaborative_loss import Coupling
from halfseen.baselines._fourier_coupling import FourierCoupling
from halfseen.baselines.cle import CLE, Output


class NonlinearCLE(CLE):
    """Collaborative label embedding, nonlinear.

    The objective of :class:`~halfseen.baselines.cle.CLE` with ``Psi(U V') B`` in the place of
    ``U V' B``, where ``Psi(s) = D^-1/2 [cos(s F), sin(s F)]`` are random Fourier features of a
    Gaussian kernel: labels are a smooth function of the completed features, not a linear one.

    Parameters
    ----------
    n_frequencies : int, default=500
        D.
    length_scale : float, default=1.0
        Width of the kernel, in units of sqrt(n_features) standard deviations: F is drawn from a
        normal distribution with variance ``1 / (length_scale^2 n_features)``. The authors draw it
        with variance 1, for features that are small numbers; of standardised features in any
        number, such a kernel sees every row alone.
    n_components, label_weight, feature_share, label_share, coupling, regression_penalty, output
        As in :class:`~halfseen.baselines.cle.CLE`; delta, l0, l1, l2 and l3 there. Fourier features
        have length 1, so ``regression_penalty`` is smaller.
    max_iter : int, default=50
        Most iterations of L-BFGS, before and after the choice of the output each.
    random_state : int, default=0
        Seed of F, the noise at the start and the held-out labels.

    Attributes
    ----------
    output_ : {"embedding", "regression"}
        What answers for hidden labels.

    Notes
    -----
    Time per iteration O(n k (d + D)); Fourier features are held for a few thousand rows at a time.

    References
    ----------
    Y. Han, G. Sun, Y. Shen, X. Zhang, "Multi-label learning with highly incomplete data via
    collaborative embedding", KDD 2018, doi:10.1145/3219819.3220038.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.1], [0.1, np.nan], [1.0, 0.9], [np.nan, 1.0]])
    >>> Y = np.array([[0.0], [np.nan], [1.0], [np.nan]])
    >>> method = NonlinearCLE(n_frequencies=20, regression_penalty=0.1).fit(X, Y)
    >>> scores = method.predict_scores([[0.0, np.nan], [1.0, 1.0]])
    >>> bool(scores[1, 0] > scores[0, 0])
    True
    """

    method: ClassVar[str] = "CLE nonlinear"
    grid: ClassVar[dict[str, list[float]]] = {
        "feature_share": [0.04, 0.08, 0.15],
        "label_share": [0.02, 0.08],
        "coupling": [0.3, 1.0, 3.0],
        "regression_penalty": [0.03, 0.3, 3.0],
        "length_scale": [0.5, 1.0, 2.0],
    }

    def __init__(
        self,
        *,
        n_frequencies: int = 500,
        length_scale: float = 1.0,
        n_components: int = 40,
        label_weight: float = 10.0,
        feature_share: float = 0.08,
        label_share: float = 0.02,
        coupling: float = 1.0,
        regression_penalty: float = 0.3,
        output: Output | None = None,
        max_iter: int = 50,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            n_components=n_components,
            label_weight=label_weight,
            feature_share=feature_share,
            label_share=label_share,
            coupling=coupling,
            regression_penalty=regression_penalty,
            output=output,
            max_iter=max_iter,
            random_state=random_state,
        )
        self.n_frequencies = n_frequencies
        self.length_scale = length_scale

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.n_frequencies < 1 or self.length_scale <= 0:
            raise ValueError(
                "n_frequencies must be 1 or more and length_scale positive, got "
                f"{self.n_frequencies!r} and {self.length_scale!r}"
            )

    def _coupling_of(self, n_features: int, generator: np.random.Generator) -> Coupling:
        frequencies = generator.standard_normal((n_features, self.n_frequencies))
        return FourierCoupling(frequencies / (self.length_scale * np.sqrt(n_features)))

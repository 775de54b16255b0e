from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from halfseen.baselines.cle import CLE
from halfseen.baselines.cle_nonlinear import NonlinearCLE


def test_sees_a_label_that_no_linear_map_sees() -> None:
    generator = np.random.default_rng([0, 7])
    factors = generator.standard_normal((400, 2))
    X = factors @ generator.standard_normal((2, 6))
    Y = (np.sum(factors**2, axis=1, keepdims=True) > 1.4).astype(float)
    shown = np.where(generator.random(Y.shape) < 0.4, np.nan, Y)
    hidden = np.isnan(shown)
    linear, nonlinear = (
        method.fit(X, shown).complete().scores[hidden]
        for method in (
            CLE(output="regression"),
            NonlinearCLE(output="regression", length_scale=0.5, n_frequencies=100),
        )
    )
    assert roc_auc_score(Y[hidden], linear) < 0.7
    assert roc_auc_score(Y[hidden], nonlinear) > 0.9


@pytest.mark.parametrize("wrong", [{"n_frequencies": 0}, {"length_scale": 0.0}, {"coupling": 0.0}])
def test_settings_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        NonlinearCLE(**wrong).fit([[1.0], [2.0]], [[0.0], [1.0]])

from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines._co_completion_loss import CoCompletionLoss
from halfseen.baselines.coco import COCO, complete_elastic, smoothed_logit


def tiny_loss(seed: int) -> CoCompletionLoss:
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((7, 3)) @ generator.standard_normal((3, 4))
    Y = generator.integers(0, 2, (7, 2)).astype(float)
    Y[generator.random(Y.shape) < 0.3] = np.nan
    observed = generator.random(X.shape) < 0.7
    return CoCompletionLoss.of(np.where(observed, X, 0.0), observed, Y, 1.0, smoothed_logit(Y))


@pytest.mark.parametrize(("seed", "nu_share"), [(0, 0.1), (1, 0.01), (2, 1.0)])
def test_minus_the_gradient_is_a_subgradient_of_the_nuclear_norm(
    seed: int, nu_share: float
) -> None:
    loss = tiny_loss(seed)
    solution = complete_elastic(loss, 0.2, nu_share, 0.25, 20_000, 1e-13)
    left, values, right = np.linalg.svd(solution.Z)
    rank = int(np.sum(values > 1e-9))
    left, right = left[:, :rank], right[:rank]
    assert 0 < rank < 6
    # U V' + W with U'W = 0, W V = 0 and ||W|| <= 1: necessary and, the problem being convex,
    # sufficient.
    nu = nu_share * loss.per_feature
    G = -(loss.gradient(solution.Z) + nu * solution.Z) / solution.mu
    W = G - left @ right
    np.testing.assert_allclose(left.T @ W, 0.0, atol=1e-7)
    np.testing.assert_allclose(W @ right.T, 0.0, atol=1e-7)
    assert np.linalg.norm(W, 2) <= 1 + 1e-7


def test_nothing_is_left_above_the_largest_mu() -> None:
    solution = complete_elastic(tiny_loss(0), 1.0, 0.1, 0.25, 100, 1e-12)
    assert (solution.Z == 0).all()
    assert complete_elastic(tiny_loss(0), 0.9, 0.1, 0.25, 1000, 1e-12).Z.any()


def test_smoothed_logit_is_finite_for_labels_of_one_value() -> None:
    logits = smoothed_logit(np.array([[1.0, 0.0, np.nan], [1.0, 0.0, np.nan]]))
    np.testing.assert_allclose(logits, [np.log(5.0), -np.log(5.0), 0.0])


@pytest.mark.parametrize("wrong", [{"lam": 0.0}, {"mu_share": 0.0}, {"nu_share": -1.0}])
def test_settings_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        COCO(**wrong).fit([[1.0], [2.0]], [[0.0], [1.0]])

from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines._classifier_per_label import (
    ClassifierPerLabel,
    boosting,
    classifier_of_kind,
    logistic,
    randomly_hidden,
)


@pytest.mark.parametrize("kind", ["logistic", "boosting"])
def test_other_labels_are_used_where_known_and_not_needed(kind: str) -> None:
    """The second label copies the first; features tell of both, with much noise."""
    generator = np.random.default_rng(0)
    first = generator.integers(0, 2, (400, 1)).astype(float)
    X = first + generator.standard_normal((400, 2))
    Y = np.hstack([first, first])
    Y[generator.random(Y.shape) < 0.4] = np.nan
    classifier = classifier_of_kind(kind, 0)  # type: ignore[arg-type]
    fitted = ClassifierPerLabel(classifier).fit(X, Y, "labels")
    unknown = np.full_like(Y, np.nan)
    knowing = np.hstack([first, unknown[:, 1:]])
    with_label = np.mean((fitted.probabilities(X, knowing)[:, 1] > 0.5) == first[:, 0])
    without = np.mean((fitted.probabilities(X, unknown)[:, 1] > 0.5) == first[:, 0])
    assert with_label > 0.95
    assert 0.7 < without < 0.95


def test_a_label_does_not_see_itself() -> None:
    generator = np.random.default_rng(1)
    X, Y = generator.standard_normal((80, 2)), generator.integers(0, 2, (80, 2)).astype(float)
    fitted = ClassifierPerLabel(boosting(n_rounds=10)).fit(X, Y, "labels")
    turned = Y.copy()
    turned[:, 0] = 1 - turned[:, 0]
    np.testing.assert_array_equal(
        fitted.probabilities(X, Y)[:, 0], fitted.probabilities(X, turned)[:, 0]
    )


def test_a_class_not_seen_has_probability_zero() -> None:
    X = np.arange(9.0)[:, None]
    Y = np.eye(4)[[0, 0, 0, 1, 1, 1, 3, 3, 3]]
    probabilities = ClassifierPerLabel(logistic()).fit(X, Y, "classes").probabilities(X, Y)
    np.testing.assert_array_equal(probabilities[:, 2], 0.0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_hidden_at_all_rates() -> None:
    Y = np.ones((3000, 4))
    share = np.isnan(randomly_hidden(Y, np.random.default_rng(0))).mean(axis=1)
    assert np.mean(share == 1) > 0.3
    assert np.mean(share == 0) > 0.05

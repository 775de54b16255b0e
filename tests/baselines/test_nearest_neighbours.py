from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines.nearest_neighbours import NearestNeighbours


def test_vote_is_the_share_of_neighbours_that_know_the_label() -> None:
    X = np.array([[0.0], [1.0], [2.0], [0.5], [9.0]])
    Y = np.array([[1.0], [0.0], [1.0], [np.nan], [0.0]])
    fitted = NearestNeighbours(n_neighbours=3).fit(X, Y)
    assert fitted.complete().scores[3, 0] == pytest.approx(2 / 3)
    np.testing.assert_allclose(fitted.predict_scores([[0.5]]), [[2 / 3]])


def test_known_labels_count_in_the_distance() -> None:
    generator = np.random.default_rng(0)
    first = generator.integers(0, 2, (100, 1)).astype(float)
    Y = np.hstack([first, first])
    Y[:40, 1] = np.nan
    X = generator.standard_normal((100, 3))
    heavy = NearestNeighbours(label_weight=1000.0).fit(X, Y).complete().scores
    np.testing.assert_allclose(heavy[:40, 1], first[:40, 0], atol=1e-3)


def test_tall_tables_have_a_bounded_number_of_donors() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((300, 2))
    Y = (X[:, :1] > 0).astype(float)
    Y[::2] = np.nan
    method = NearestNeighbours(max_donors=50, n_neighbours=3).fit(X, Y)
    assert (
        method.imputer_.n_samples_fit_ == 50 if hasattr(method.imputer_, "n_samples_fit_") else True
    )
    scores = method.complete().scores
    assert np.mean((scores[::2, 0] > 0.5) == (X[::2, 0] > 0)) > 0.85


def test_weight_out_of_range() -> None:
    with pytest.raises(ValueError, match="label_weight must be positive"):
        NearestNeighbours(label_weight=0.0).fit(np.zeros((3, 1)), np.ones((3, 1)))

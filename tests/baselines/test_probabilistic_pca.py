from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines import probabilistic_pca
from halfseen.baselines._gaussian import Gaussian, expectation
from halfseen.baselines.probabilistic_pca import (
    Components,
    ProbabilisticPCA,
    first_components,
    improved_components,
)


def low_rank_table(share: float) -> np.ndarray:
    generator = np.random.default_rng(3)
    table = generator.standard_normal((150, 2)) @ generator.standard_normal((2, 8))
    table += 0.3 * generator.standard_normal(table.shape)
    table[generator.random(table.shape) > share] = np.nan
    return table


def as_gaussian(components: Components) -> Gaussian:
    loadings = components.loadings
    noise = components.noise * np.eye(len(loadings))
    return Gaussian(components.mean, loadings @ loadings.T + noise)


def test_every_step_climbs_the_likelihood() -> None:
    table = low_rank_table(0.6)
    components = first_components(table, 2)
    climb = []
    for _ in range(15):
        climb.append(expectation(as_gaussian(components), table).log_likelihood)
        components = improved_components(components, table, prior=0.0)
    assert (np.diff(climb) > -1e-8).all()
    assert climb[-1] > climb[0] + 1


def test_complete_table_gives_the_closed_form() -> None:
    """Noise is the mean of the eigenvalues left over, and loadings span the leading ones."""
    table = low_rank_table(1.1)
    components = first_components(table, 2)
    for _ in range(2000):
        components = improved_components(components, table, prior=0.0)
    values = np.linalg.eigvalsh(np.cov(table.T, bias=True))
    assert components.noise == pytest.approx(values[:-2].mean(), rel=1e-4)
    of_loadings = np.linalg.eigvalsh(components.loadings.T @ components.loadings)
    np.testing.assert_allclose(of_loadings, values[-2:] - components.noise, rtol=1e-4)
    np.testing.assert_allclose(components.mean, table.mean(axis=0), atol=1e-4)


def test_answer_is_the_conditional_mean_of_the_gaussian_it_stands_for() -> None:
    table = low_rank_table(0.6)
    X, Y = table[:, :6], (table[:, 6:] > 0).astype(float)
    fitted = ProbabilisticPCA(n_components=2).fit(X, Y)
    standardised = fitted.scale_.standardised(np.hstack([X, Y]))
    exact = expectation(as_gaussian(fitted.components_), standardised).completed
    features = fitted.scale_.restored(exact)[:, :6]
    np.testing.assert_allclose(fitted.complete().features, features, atol=1e-8)


def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    table = low_rank_table(0.6)
    whole = improved_components(first_components(table, 2), table, prior=1.0)
    monkeypatch.setattr(probabilistic_pca, "BATCH_NUMBERS", 200)
    parts = improved_components(first_components(table, 2), table, prior=1.0)
    np.testing.assert_allclose(parts.loadings, whole.loadings, atol=1e-10)
    assert parts.noise == pytest.approx(whole.noise)


def test_no_components() -> None:
    with pytest.raises(ValueError, match="n_components must be at least 1"):
        ProbabilisticPCA(n_components=0).fit(np.zeros((3, 2)), np.ones((3, 1)))

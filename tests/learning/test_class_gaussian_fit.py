"""Gaussians of classes, fitted: against a slow step by hand, and where they are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen.learning import class_gaussian_fit
from halfseen.learning.class_gaussian_fit import _expected, fit_class_gaussians


def rows_of_classes(
    n_rows: int, share_seen: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.int64]]:
    """Two classes around the same mean, whose units hang together in opposite ways."""
    random = np.random.default_rng(8)
    code = random.integers(0, 2, n_rows)
    first, noise = random.normal(size=(2, n_rows))
    sign = np.where(code == 1, 0.9, -0.9)
    second = sign * first + np.sqrt(1 - 0.81) * noise
    values = np.stack([first, second, random.normal(size=n_rows)], axis=1).astype(np.float32)
    observed = random.random(values.shape) < share_seen
    return values, observed, code


def test_what_is_missing_is_expected_as_row_by_row() -> None:
    random = np.random.default_rng(0)
    root = random.normal(size=(4, 4))
    mean, covariance = random.normal(size=4), root @ root.T + np.eye(4)
    values = random.normal(size=(9, 4)).astype(np.float32)
    observed = random.random((9, 4)) < 0.5
    observed[0], observed[1] = True, False
    expected, spread = _expected(values, observed, mean, covariance)
    slow, of_all = values.astype(np.float64), np.zeros((4, 4))
    for row, seen in enumerate(observed):
        block = np.ix_(~seen, ~seen)
        if not seen.any():
            slow[row], own = mean, covariance
        else:
            across = covariance[np.ix_(~seen, seen)]
            gain = across @ np.linalg.inv(covariance[np.ix_(seen, seen)])
            slow[row, ~seen] = mean[~seen] + gain @ (values[row, seen] - mean[seen])
            own = np.zeros((4, 4))
            own[block] = covariance[block] - gain @ across.T
        of_all += own
    np.testing.assert_allclose(expected, slow, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(spread, of_all, rtol=1e-9, atol=1e-9)


def test_of_complete_rows_it_is_the_mean_and_covariance_of_each_class() -> None:
    values, observed, code = rows_of_classes(4000, 1.1)
    fitted = fit_class_gaussians(values, observed, code, 2, np.zeros(3), np.eye(3), 0.0)
    for own in (0, 1):
        rows = values[code == own].astype(np.float64)
        n_rows = len(rows)
        mean = rows.sum(axis=0) / (n_rows + 2)
        np.testing.assert_allclose(fitted.mean[own], mean, rtol=1e-6)
        np.testing.assert_allclose(fitted.covariance[own], np.cov(rows.T, bias=True), atol=0.02)
    np.testing.assert_allclose(fitted.share, (np.bincount(code) + 1) / (len(code) + 2))


def test_half_of_the_entries_teach_how_units_hang_together() -> None:
    values, observed, code = rows_of_classes(4000, 0.5)
    values[~observed] = np.nan  # is not read
    fitted = fit_class_gaussians(values, observed, code, 2, np.zeros(3), np.eye(3), 0.02)
    np.testing.assert_allclose(fitted.covariance[:, 0, 1], [-0.85, 0.85], atol=0.05)
    np.testing.assert_allclose(fitted.covariance[:, 0, 2], 0.0, atol=0.1)


def test_a_class_that_nobody_has_seen_is_like_all_others() -> None:
    values, observed, code = rows_of_classes(300, 0.7)
    fitted = fit_class_gaussians(values, observed, code, 3, np.zeros(3), np.eye(3), 0.02)
    np.testing.assert_allclose(fitted.mean[2], 0.0, atol=1e-12)
    assert np.linalg.eigvalsh(fitted.covariance[2]).min() > 0
    assert np.isclose(fitted.share[2], 1 / 303)


def test_rows_may_be_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    values, observed, code = rows_of_classes(60, 0.6)
    whole = fit_class_gaussians(values, observed, code, 2, np.zeros(3), np.eye(3), 0.02)
    monkeypatch.setattr(class_gaussian_fit, "_AT_ONCE", 9 * 7)
    parts = fit_class_gaussians(values, observed, code, 2, np.zeros(3), np.eye(3), 0.02)
    np.testing.assert_allclose(parts.covariance, whole.covariance, rtol=1e-9, atol=1e-9)

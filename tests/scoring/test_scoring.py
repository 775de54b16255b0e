"""What all scores of the room promise."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import halfseen.scoring as scoring

CLASSES = ["a", "b", "c"]


def decided(y, p):
    return scoring.hamming_accuracy(y, np.where(p > 0.5, 1, 0))


def predicted_labels(y, p):
    return scoring.accuracy(y, np.where(p > 0.5, 1, 0))


def predicted_class(y, p):
    return scoring.accuracy(y, np.array(CLASSES)[np.argmax(p, axis=1)])


LABEL_SCORES = [
    decided,
    predicted_labels,
    scoring.micro_auc,
    scoring.macro_auc,
    scoring.log_loss,
    scoring.calibration_error,
]
CLASS_SCORES = [
    predicted_class,
    lambda y, p: scoring.averaged_auc(y, p, CLASSES),
    lambda y, p: scoring.log_loss(y, p, CLASSES),
]


def labels(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, (24, 3)).astype(float)
    y[rng.random(y.shape) < 0.4] = np.nan
    y[:2] = [[0, 0, 0], [1, 1, 1]]
    return y, rng.random(y.shape).round(2)


def classes(seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(np.array([*CLASSES, None], dtype=object), 24)
    y[:2] = ["a", "b"]
    return y, rng.dirichlet(np.ones(3), 24)


BOTH = [(score, labels) for score in LABEL_SCORES] + [(score, classes) for score in CLASS_SCORES]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(("score", "draw"), BOTH)
@pytest.mark.parametrize("other", [0.123, 7.0, -np.inf, np.nan])
def test_predictions_of_what_is_unknown_change_nothing(score, draw, other):
    y, p = draw(0)
    changed = p.copy()
    changed[~scoring.known(y)] = other
    assert score(y, changed) == score(y, p)


@pytest.mark.parametrize(("score", "draw"), BOTH)
def test_values_behind_a_mask_change_nothing(score, draw):
    y, p = draw(0)
    seen = scoring.known(y)
    for behind in (0, 1, 99) if draw is labels else ("a", "b", "zebra"):
        covered = np.ma.masked_array(np.where(seen, y, behind), mask=~seen)
        assert score(covered, p) == score(y, p)


@pytest.mark.parametrize(("score", "draw"), BOTH)
@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_rows_of_which_nothing_is_known_change_nothing(score, draw, seed):
    y, p = draw(seed)
    unknown = np.full_like(y[:5], None if y.dtype == object else np.nan)
    longer = score(np.concatenate([y, unknown]), np.concatenate([p, p[:5]]))
    assert longer == score(y, p)


@pytest.mark.parametrize(("score", "draw"), BOTH)
@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_the_order_of_rows_does_not_matter(score, draw, seed):
    y, p = draw(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    assert score(y[order], p[order]) == pytest.approx(score(y, p), rel=1e-12)


@pytest.mark.parametrize("score", LABEL_SCORES)
def test_frames_of_labels(score):
    y, p = labels(0)
    names = ["x", "y", "z"]
    frame = pd.DataFrame(y, columns=names)
    polars = pl.DataFrame(y, schema=names).fill_nan(None)
    for given_y in (y.tolist(), frame, frame.astype("Int64"), frame.astype("boolean"), polars):
        assert score(given_y, p) == score(y, p)


@pytest.mark.parametrize("score", CLASS_SCORES)
def test_series_of_classes(score):
    y, p = classes(0)
    series = pd.Series(y)
    polars = pl.Series(y.tolist())
    for given_y in (y.tolist(), series, series.astype("category"), polars):
        assert score(given_y, p) == score(y, p)


@pytest.mark.parametrize(("score", "draw"), BOTH)
def test_nothing_known_is_said(score, draw):
    y, p = draw(0)
    with pytest.raises(ValueError, match="nothing to score"):
        score(np.full_like(y, None if y.dtype == object else np.nan), p)


def test_exported_names():
    assert scoring.__all__ == sorted(scoring.__all__)
    assert all(callable(getattr(scoring, name)) for name in scoring.__all__)

"""The answers of every member, each as if it were asked alone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pandas as pd
import pytest

from halfseen import HalfseenClassifier
from halfseen.estimators import ensemble as ensemble_file
from halfseen.learning.predictive_member import member_sweep
from halfseen.machine.tiles import TILE_ROWS
from halfseen.tables import read_table


def test_answers_of_every_member(predicts_classes: HalfseenClassifier, table: pd.DataFrame) -> None:
    ensemble = predicts_classes.prediction_.ensemble
    encoded = predicts_classes.schema_.encode(read_table(table), None)
    every = ensemble.answers(*encoded)
    wide = ensemble.shape.columns.wide
    n_gaussian, n_visible = wide.layer.n_gaussian, wide.layer.n_visible
    n_members = len(ensemble.weights)
    assert every.means.shape == (n_members, 40, n_visible)
    extra = [(0, TILE_ROWS - 40), (0, 0)]
    tile, seen = np.pad(encoded.visible, extra), np.pad(encoded.observed, extra)
    units = wide.widened(tile, ensemble.standard.knots)
    sweep_of = jax.jit(partial(member_sweep, ensemble.shape))
    for index in (0, n_members - 1):
        member, theta = ensemble.members[index]
        sweep, base = sweep_of(ensemble.standard, member, theta, units, seen, seen)
        means = np.concatenate(wide.mean_from_input(sweep.inputs), axis=1)[:40]
        assert np.allclose(every.means[index], means[:, :n_visible], atol=1e-5)
        assert np.allclose(every.base[index], np.asarray(base)[:40], atol=1e-4)
        shares = means[:, n_visible:].reshape(40, n_gaussian, wide.n_knots)
        knots = ensemble.knots
        assert np.allclose(every.knot_mean[index], (shares * knots).sum(axis=2), atol=1e-4)
        assert np.allclose(every.knot_square[index], (shares * knots**2).sum(axis=2), atol=1e-3)
    assert (every.knot_square >= every.knot_mean**2 - 1e-4).all()


@pytest.mark.parametrize("kind", ["predicts_classes", "predicts_labels"])
def test_a_program_answers_as_numpy_does(
    kind: str, table: pd.DataFrame, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: HalfseenClassifier = request.getfixturevalue(kind)
    encoded = model.schema_.encode(read_table(table), None)
    ensemble = model.prediction_.ensemble
    folds = range(ensemble.n_folds)
    assert ensemble.answers_on_host
    by_numpy = ensemble.answers(*encoded)
    completed = [ensemble.completed_features(fold, *encoded) for fold in folds]
    monkeypatch.setattr(ensemble_file, "_MOST_WEIGHTS_OF_HOST", 0)
    compiled = replace(ensemble)
    assert not compiled.answers_on_host
    for one, other in zip(compiled.answers(*encoded), by_numpy, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-4)
    for fold in folds:
        again = compiled.completed_features(fold, *encoded)
        np.testing.assert_allclose(again, completed[fold], atol=2e-4)


def test_what_trees_read_is_what_the_prior_says_in_an_answer(
    predicts_labels: HalfseenClassifier, table: pd.DataFrame
) -> None:
    ensemble = predicts_labels.prediction_.ensemble
    visible, observed = predicts_labels.schema_.encode(read_table(table), None)
    said = ensemble.completed_by_priors(ensemble.answers(visible, observed), visible, observed)
    for fold in range(ensemble.n_folds):
        read = ensemble.completed_features(fold, visible, observed)
        np.testing.assert_array_equal(read, said[fold])


@pytest.mark.parametrize("most_weights", [0, 40_000])
def test_bits_of_a_row_hang_on_the_row(
    most_weights: int,
    predicts_classes: HalfseenClassifier,
    table: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ensemble_file, "_MOST_WEIGHTS_OF_HOST", most_weights)
    ensemble = replace(predicts_classes.prediction_.ensemble)
    few, seen = predicts_classes.schema_.encode(read_table(table), None)
    visible, observed = np.tile(few, (9, 1)), np.tile(seen, (9, 1))
    assert len(visible) > TILE_ROWS
    order = np.random.default_rng(0).permutation(len(visible))
    whole = ensemble.answers(visible, observed)
    shuffled = ensemble.answers(visible[order], observed[order])
    alone = ensemble.answers(visible[7:8], observed[7:8])
    for one, other, single in zip(whole, shuffled, alone, strict=True):
        np.testing.assert_array_equal(one[:, order], other)
        np.testing.assert_array_equal(one[:, 7:8], single)

"""The answers of every member, each as if it were asked alone."""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
import pandas as pd

from halfseen import RBMClassifier
from halfseen.learning.predictive_member import member_sweep
from halfseen.machine.tiles import TILE_ROWS
from halfseen.tables import read_table


def test_answers_of_every_member(predicts_classes: RBMClassifier, table: pd.DataFrame) -> None:
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

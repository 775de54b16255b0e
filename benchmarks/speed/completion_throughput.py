"""Completion of rows, by the likelihood-trained machine and by the predictive ensemble."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.predictive_settings import search_steps
from halfseen.estimators.settings import paper_settings
from halfseen.machine.tiles import TILE_ROWS
from speed.lossy_cd_epoch import MNIST_WIDTH, N_CLASSES
from speed.measurement import Measurement, timed
from speed.predictive_epoch import SEEN, flops_per_row, prior_of, shape_of
from speed.random_rows import layer_of_width, random_rows

_MOST_TILES = 8
_FLOPS_AT_ONCE = 3e10
_SCALE = 0.05


def n_rows_of(flops_per_row: float) -> int:
    """Rows that take long enough to be timed, in whole tiles.

    Examples
    --------
    >>> n_rows_of(1e6) == 8 * TILE_ROWS, n_rows_of(1e9) == TILE_ROWS
    (True, True)
    """
    n_tiles = round(_FLOPS_AT_ONCE / flops_per_row / TILE_ROWS)
    return TILE_ROWS * min(_MOST_TILES, max(1, n_tiles))


def mean_field_completion(n_visible: int, n_hidden: int, n_repeats: int) -> Measurement:
    """The paper's completion: ten sweeps from each of ten starts.

    A sweep is two products with the weights; a last one gives the hidden units that belong to the
    result.
    """
    layer = layer_of_width(n_visible, N_CLASSES if n_visible == MNIST_WIDTH else 0)
    settings, generator = paper_settings(0, n_visible), np.random.default_rng(0)
    machine = FittedMachine(
        layer=layer,
        weights=_SCALE * generator.standard_normal((1, n_visible, n_hidden), np.float32),
        visible_bias=np.zeros((1, n_visible), np.float32),
        hidden_bias=np.zeros((1, n_hidden), np.float32),
        log_variance=np.zeros((1, 0), np.float32),
        restarts=random_rows(settings.n_restarts, layer, seed=1).visible,
        marginals=np.full(n_visible, 0.5, np.float32),
        completion=settings.completion_settings(),
        seed=0,
    )
    per_row = settings.n_restarts * (2 * settings.n_sweeps + 1) * 2.0 * n_visible * n_hidden
    rows = random_rows(n_rows_of(per_row), layer)
    n_rows = len(rows.visible)
    seconds = timed(lambda: machine.complete(rows.visible, rows.observed), n_repeats)
    flops = n_rows * per_row
    return Measurement(
        "completion", "halfseen", seconds, n_rows, flops, n_visible, n_hidden, note="mean field"
    )


def predictive_completion(
    n_visible: int, n_hidden: int, n_members: int, n_repeats: int
) -> Measurement:
    """What every member of a predictive ensemble says of every row."""
    layer = layer_of_width(n_visible, N_CLASSES if n_visible == MNIST_WIDTH else 0)
    shape, generator = shape_of(layer, n_hidden, TILE_ROWS), np.random.default_rng(0)
    shape = replace(shape, n_search_steps=search_steps(n_visible, SEEN)[1])
    prior = prior_of(n_visible)
    covariance = getattr(prior, "covariance", np.zeros((n_visible, 0), np.float32))
    noise = getattr(prior, "noise", np.zeros(n_visible, np.float32))
    loading = getattr(prior, "loading", np.zeros((n_visible, 0), np.float32))
    of_units = np.zeros((n_members, n_visible), np.float32)
    ensemble = Ensemble(
        shape=shape,
        n_kinds=n_members,
        weights=_SCALE * generator.standard_normal((n_members, n_visible, n_hidden), np.float32),
        visible_bias=of_units,
        hidden_bias=np.zeros((n_members, n_hidden), np.float32),
        gain=of_units,
        start_bias=of_units,
        missing_weights=np.zeros((n_members, 0, n_hidden), np.float32),
        prior_mean=np.asarray(prior.mean)[None],
        prior_covariance=np.asarray(covariance)[None],
        prior_noise=np.asarray(noise)[None],
        prior_loading=np.asarray(loading)[None],
        prior_sees_labels=np.zeros(n_members, bool),
        unit_mean=np.zeros(n_visible, np.float32),
        unit_scale=np.ones(n_visible, np.float32),
        knots=np.zeros((layer.n_gaussian, 0), np.float32),
    )
    per_row = n_members * flops_per_row(shape, prior, is_training=False)
    rows = random_rows(n_rows_of(per_row), layer)
    n_rows = len(rows.visible)
    seconds = timed(lambda: ensemble.answers(rows.visible, rows.observed), n_repeats)
    flops = n_rows * per_row
    return Measurement(
        "completion",
        "halfseen",
        seconds,
        n_rows,
        flops,
        n_visible,
        n_hidden,
        n_replicas=n_members,
        note="predictive",
    )


def completions(is_quick: bool, n_repeats: int, tell: Callable[[Measurement], None]) -> None:
    """Tell of completion in some shapes."""
    shapes = [(MNIST_WIDTH, 300)]
    if not is_quick:
        shapes += [(16, 100), (300, 100), (MNIST_WIDTH, 100), (MNIST_WIDTH, 2000), (4000, 500)]
    for n_visible, n_hidden in shapes:
        tell(predictive_completion(n_visible, n_hidden, 2, n_repeats))
        tell(mean_field_completion(n_visible, n_hidden, n_repeats))

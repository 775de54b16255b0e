"""One tuner for all: settings chosen on observed entries that were held out, within one budget."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from halfseen.baselines.baseline import Baseline, Bools, Floats, TargetKind, checked_table

_SHARE = 0.15
_OWN_STREAM = 15_485_863


class Tuned(NamedTuple):
    """What was chosen, and how each candidate did."""

    best: dict[str, Any]
    candidates: list[dict[str, Any]]
    losses: Floats  # (n_tried,), of the candidates that there was time for


def hold_out(X: Floats, Y: Floats, target: TargetKind, seed: int) -> tuple[Floats, Floats]:
    """The table with a share of its observed entries hidden; classes are hidden as a whole."""
    # A stream of its own: drawn like a study's mask, it would hide only what is hidden already.
    generator = np.random.default_rng([seed, _OWN_STREAM])
    hidden_x = generator.random(X.shape) < _SHARE
    hidden_y = generator.random(Y.shape) < _SHARE
    if target == "classes":
        hidden_y = np.broadcast_to(hidden_y[:, :1], Y.shape)
    return np.where(hidden_x, np.nan, X), np.where(hidden_y, np.nan, Y)


def _loss(method: Baseline, X: Floats, Y: Floats, held_out_x: Bools, held_out_y: Bools) -> float:
    """Standardised squared error plus one minus the pooled AUC, on what was held out."""
    completed, loss = method.complete(), 0.0
    if method.imputes and held_out_x.any():
        scale = np.nanstd(X, axis=0)
        error = (completed.features - X) / np.where(scale > 0, scale, 1.0)
        loss += float(np.mean(error[held_out_x] ** 2))
    if np.unique(Y[held_out_y]).size == 2:
        loss += 1.0 - float(roc_auc_score(Y[held_out_y], completed.scores[held_out_y]))
    return loss if np.isfinite(loss) else np.inf


def tune(
    method: Baseline, grid: Mapping[str, Sequence[Any]], X: Any, Y: Any,
    target: TargetKind = "labels", *, budget: int = 20, seconds: float | None = None, seed: int = 0,
) -> Tuned:  # fmt: skip
    """Try at most ``budget`` settings, drawn from the grid without repetition, and take the best.

    The first of them are those that the method came with. Only observed entries are seen: 15 % of
    them are hidden from every candidate, the same for all.

    Parameters
    ----------
    method : Baseline
        The method with its other settings.
    grid : mapping from parameter name to a sequence of values
        What to choose from; all combinations are tried if the budget allows.
    X, Y, target
        As in :meth:`Baseline.fit`.
    budget, seed : int, default=20, 0
        Most candidates; seed of the entries held out and of the drawn candidates.
    seconds : float or None, default=None
        Of processor time: begin no candidate that would end later, judged by those before it; one
        is always tried. Other work on the machine changes nothing of what is tried.

    Examples
    --------
    >>> from halfseen.baselines import GaussianEM
    >>> X = np.random.default_rng(0).standard_normal((60, 1)) * [[1.0, 2.0, -1.0]]
    >>> Y = (X[:, :1] > 0).astype(float)
    >>> tune(GaussianEM(), {"shrinkage": [0.01, 0.9]}, X, Y).best
    {'shrinkage': 0.01}
    """
    features, labels = checked_table(X, Y, target)
    shown_x, shown_y = hold_out(features, labels, target, seed)
    held_out_x = np.isnan(shown_x) & ~np.isnan(features)
    held_out_y = np.isnan(shown_y) & ~np.isnan(labels)
    if not held_out_y.any():
        raise ValueError("there are too few observed labels to tune; use the method's defaults")
    own = {name: getattr(method, name) for name in grid}
    drawn = drawn_candidates(grid, budget, seed)
    candidates = [own, *(candidate for candidate in drawn if candidate != own)][:budget]
    losses: list[float] = []
    started = time.process_time()
    for candidate in candidates:
        gone = time.process_time() - started
        if seconds is not None and losses and gone * (1 + 1 / len(losses)) > seconds:
            break
        tried = clone(method).set_params(**{**method.while_tuning, **candidate})
        fitted = tried.fit(shown_x, shown_y, target)
        losses.append(_loss(fitted, features, labels, held_out_x, held_out_y))
    best = int(np.argmin(losses))
    return Tuned(candidates[best], candidates, np.array(losses))


def drawn_candidates(
    grid: Mapping[str, Sequence[Any]], budget: int, seed: int
) -> list[dict[str, Any]]:
    """At most ``budget`` different points of a grid, in random order."""
    points = list(product(*grid.values()))
    generator = np.random.default_rng([seed, 1])
    chosen = generator.choice(len(points), size=min(len(points), budget), replace=False)
    return [dict(zip(grid, points[place], strict=True)) for place in chosen]

"""Telemetry of networked devices, generated: hidden causes drive what is counted and threats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_N_CAUSES, _N_THREATS = 6, 6
_KINDS = ("load", *["gauge"] * 10, *["flag"] * 10, *["alert"] * 79)
_LARGEST_LOG_COUNT = 13.0
_TAIL = 1.4  # of the logarithm of counts

Floats = NDArray[np.float64]


def telemetry(n_rows: int, seed: int = 0) -> tuple[Floats, Floats, list[str]]:
    """Load, gauges, flags (0 or 1) and alert counts of devices; their threats; names of columns.

    Counts have heavy tails. 2 to 25 % of devices have each threat, which raises alerts of its own.

    >>> X, y, names = telemetry(2000)
    >>> names[:3], X.shape, y.shape
    (['load_0', 'gauge_0', 'gauge_1'], (2000, 100), (2000, 6))
    """
    world, random = np.random.default_rng([seed, 271_828]), np.random.default_rng([seed, 314_159])
    kind, n_columns = np.array(_KINDS), len(_KINDS)
    # What is the same for all rows; each column depends on two causes, mostly.
    loading = world.normal(0.0, 0.8, (_N_CAUSES, n_columns))
    loading *= world.random((_N_CAUSES, n_columns)) < 2 / _N_CAUSES
    threat = world.normal(0.0, 1.0, (_N_CAUSES, _N_THREATS))
    threat[0] += 2.0  # the cause that all threats share
    threat /= np.linalg.norm(threat, axis=0)
    alerts, signature = np.flatnonzero(kind == "alert"), np.zeros((_N_THREATS, n_columns))
    for raised in signature:
        raised[world.permutation(alerts)[: len(alerts) // 10]] = 2.0
    # Standard normal quantiles of 0.75 to 0.98: the share of devices that stay clear of a threat.
    threshold = world.uniform(0.67, 2.05, _N_THREATS)
    world.random(320)  # passed over: the draws after these keep their values
    causes = random.normal(size=(n_rows, _N_CAUSES))
    chance = random.normal(size=(n_rows, _N_THREATS))
    y = (0.9 * causes @ threat + np.sqrt(0.19) * chance > threshold).astype(np.float64)
    drive = causes @ loading + y @ signature + world.normal(0.0, 1.2, n_columns)
    drive[:, kind == "load"] = 0.0
    noise = random.normal(size=(n_rows, n_columns))
    X = drive + noise
    X[:, kind == "flag"] = X[:, kind == "flag"] > 0
    counts = drive[:, alerts] + _TAIL * noise[:, alerts]
    X[:, alerts] = np.floor(np.exp(np.minimum(counts, _LARGEST_LOG_COUNT)))
    names = [f"{one}_{_KINDS[:place].count(one)}" for place, one in enumerate(_KINDS)]
    return X, y, names

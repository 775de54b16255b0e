"""Telemetry of networked devices, generated: a table of any size whose truth is known.

Every row is a device of some customer. Hidden causes drive alert counts with heavy tails, gauges
and flags, and threats that occur together; each threat raises alerts of its own. Entries are
missing as in the field: customers hide blocks of columns by their privacy settings, sensors drop
out, more so under load, and analysts label only some of the devices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_N_CAUSES = 6
_N_PRIVATE_BLOCKS = 8
_LARGEST_LOG_COUNT = 13.0
_TAIL = 1.4  # of the logarithm of counts
_HIDES, _LOSES, _EXAMINED, _KNOWN = 0.2, 0.08, 0.5, 0.85
_POPULARITY_OF_CUSTOMERS = 1.0 / np.arange(1, 41)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Telemetry(NamedTuple):
    """Rows of telemetry: the whole truth beside what of it is observed."""

    X: Floats  # (n_rows, n_columns): load, gauges, flags (0 or 1), and alert counts
    y: Floats  # (n_rows, n_labels): threats, 0 or 1
    observed_X: Bools
    observed_y: Bools
    names: tuple[str, ...]
    label_names: tuple[str, ...]
    customer: NDArray[np.int64]  # (n_rows,), whose device each row is


def telemetry(n_rows: int, n_columns: int = 100, n_labels: int = 6, seed: int = 0) -> Telemetry:
    """Generate telemetry of ``n_rows`` devices of forty customers.

    Features are the load, then gauges and flags (a tenth each), the rest alert counts; 2 to 25 % of
    devices have each threat. The load is always observed, and sensors are lost more often under it.

    >>> rows = telemetry(2000, n_columns=40, seed=1)
    >>> rows.names[:3], rows.label_names[0], rows.X.shape, rows.y.shape
    (('load', 'gauge_0', 'gauge_1'), 'threat_0', (2000, 40), (2000, 6))
    >>> bool(rows.observed_X[:, 0].all()), bool(0.5 < rows.observed_X.mean() < 0.9)
    (True, True)
    """
    if n_rows < 1:
        raise ValueError(f"n_rows must be at least 1, not {n_rows}.")
    world, random = np.random.default_rng([seed, 271_828]), np.random.default_rng([seed, 314_159])
    n_side = n_columns // 10
    kinds = ["load", *["gauge"] * n_side, *["flag"] * n_side, *["alert"] * n_columns][:n_columns]
    kind = np.array(kinds)
    # What is the same for all rows; each column depends on two causes, mostly.
    loading = world.normal(0.0, 0.8, (_N_CAUSES, n_columns))
    loading *= world.random((_N_CAUSES, n_columns)) < 2 / _N_CAUSES
    threat = world.normal(0.0, 1.0, (_N_CAUSES, n_labels))
    threat[0] += 2.0  # the cause that all threats share
    threat /= np.linalg.norm(threat, axis=0)
    alerts, signature = np.flatnonzero(kind == "alert"), np.zeros((n_labels, n_columns))
    for raised in signature:
        raised[world.permutation(alerts)[: max(len(alerts) // 10, 1)]] = 2.0
    # Standard normal quantiles of 0.75 to 0.98: the share of devices that stay clear of a threat.
    threshold = world.uniform(0.67, 2.05, n_labels)
    block = np.arange(n_columns) * _N_PRIVATE_BLOCKS // n_columns
    hides = (world.random((len(_POPULARITY_OF_CUSTOMERS), _N_PRIVATE_BLOCKS)) < _HIDES)[:, block]
    causes = random.normal(size=(n_rows, _N_CAUSES))
    chance = random.normal(size=(n_rows, n_labels))
    y = (0.9 * causes @ threat + np.sqrt(0.19) * chance > threshold).astype(np.float64)
    drive = causes @ loading + y @ signature + world.normal(0.0, 1.2, n_columns)
    X = drive + random.normal(size=(n_rows, n_columns))
    X[:, kind == "load"] -= drive[:, kind == "load"]
    X[:, kind == "flag"] = X[:, kind == "flag"] > 0
    counts = drive[:, alerts] + _TAIL * (X - drive)[:, alerts]
    X[:, alerts] = np.floor(np.exp(np.minimum(counts, _LARGEST_LOG_COUNT)))
    shares = _POPULARITY_OF_CUSTOMERS / _POPULARITY_OF_CUSTOMERS.sum()
    customer = random.choice(len(shares), n_rows, p=shares)
    odds = _LOSES / (1 - _LOSES) * np.exp(X[:, :1])
    lost = (random.random(X.shape) < odds / (1 + odds)) | hides[customer]
    lost[:, 0] = False
    examined = random.random((n_rows, 1)) < _EXAMINED
    known = examined & (random.random(y.shape) < _KNOWN)
    names = [f"{one}_{kinds[:place].count(one)}" for place, one in enumerate(kinds)]
    labels = tuple(f"threat_{label}" for label in range(n_labels))
    return Telemetry(X, y, ~lost, known, ("load", *names[1:]), labels, customer)

"""Telemetry of networked devices, generated: a table of any size whose truth is known.

Every row is a device of some customer. Hidden causes drive alert counts with heavy tails, gauges
and flags, and threats that occur together; each threat raises alerts of its own. Holes come about
as they do in the field: customers hide blocks of columns by their privacy settings, sensors drop
out, more so under load, and analysts label only some of the devices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Rows are drawn in blocks of this size, each from a seed of its own: what a row holds depends on
# its place and the seed, never on how many rows are asked for at once.
_BLOCK = 4096
_WORLD, _ROWS = 271_828, 314_159
_N_CAUSES = 6
_N_PRIVATE_BLOCKS = 8
_LARGEST_LOG_COUNT = 13.0
_TAIL = 1.4
_KNOWN_IF_EXAMINED = 0.85

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class TelemetryHoles:
    """How holes come about.

    Attributes
    ----------
    privacy : float, default 0.2
        Chance that a customer hides a block of columns. There are eight blocks.
    dropout : float, default 0.08
        Chance that a sensor reading is lost on a device of ordinary load.
    overload : float, default 1.0
        By how much the log-odds of a loss rise with each standard deviation of the load, which
        is the first column and always seen: at 0 losses are completely at random.
    examined : float, default 0.5
        Share of devices that analysts looked at; of these, 85 % of the labels are known.

    Examples
    --------
    >>> TelemetryHoles(privacy=0.0, dropout=0.0, examined=1.0).overload
    1.0
    """

    privacy: float = 0.2
    dropout: float = 0.08
    overload: float = 1.0
    examined: float = 0.5

    def __post_init__(self) -> None:
        for name, share in (
            ("privacy", self.privacy),
            ("dropout", self.dropout),
            ("examined", self.examined),
        ):
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"{name} is a share between 0 and 1, not {share}.")


@dataclass(frozen=True, eq=False)
class Telemetry:
    """Rows of telemetry: the whole truth beside what of it is observed.

    Attributes
    ----------
    X : ndarray of float32, shape (n_rows, n_columns)
        Features without a hole: load, gauges, flags (0 or 1), and alert counts.
    y : ndarray of float32, shape (n_rows, n_labels)
        Threats, 0 or 1, without a hole.
    observed_X, observed_y : ndarray of bool, same shapes
        True where the entry is seen.
    names, label_names : tuple of str
        Names of the columns of X and y.
    first_row : int
        Place of the first row in the whole table.
    customer : ndarray of int, shape (n_rows,)
        Whose device each row is.

    Examples
    --------
    >>> rows = telemetry(100, n_columns=12, n_labels=3)
    >>> rows.names[:3], rows.label_names[0], rows.X.shape, rows.y.shape
    (('load', 'gauge_00', 'flag_00'), 'threat_0', (100, 12), (100, 3))
    """

    X: Floats
    y: Floats
    observed_X: Bools
    observed_y: Bools
    names: tuple[str, ...]
    label_names: tuple[str, ...]
    first_row: int
    customer: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _World:
    """What is the same for all rows."""

    names: tuple[str, ...]
    label_names: tuple[str, ...]
    kind: NDArray[np.str_]  # (n_columns,), "load", "gauge", "flag" or "alert"
    level: Floats  # (n_columns,)
    loading: Floats  # (_N_CAUSES, n_columns)
    signature: Floats  # (n_labels, n_columns), what a threat adds
    threat: Floats  # (_N_CAUSES, n_labels)
    threshold: Floats  # (n_labels,)
    hides: Bools  # (n_customers, n_columns)
    popularity: NDArray[np.float64]  # (n_customers,), sums to 1


def telemetry(
    n_rows: int,
    n_columns: int = 100,
    n_labels: int = 6,
    seed: int = 0,
    *,
    n_customers: int = 40,
    holes: TelemetryHoles | None = None,
) -> Telemetry:
    """Generate telemetry.

    Parameters
    ----------
    n_rows : int
        Devices.
    n_columns : int, default 100
        Features: the load, then gauges and flags (a tenth each), the rest alert counts.
    n_labels : int, default 6
        Threats; 2 to 25 % of devices have each.
    seed : int, default 0
        Row r is the same for the same seed and columns, however many rows are asked for.
    n_customers : int, default 40
        Customers; a few of them own most devices.
    holes : TelemetryHoles or None
        How holes come about; None for the defaults.

    Returns
    -------
    Telemetry
        The truth and what of it is observed.

    Raises
    ------
    ValueError
        A number below 1 (rows: below 0).

    Examples
    --------
    >>> rows = telemetry(2000, n_columns=40, seed=1)
    >>> alerts = rows.X[:, [name.startswith("alert") for name in rows.names]]
    >>> bool(alerts.max() > 100 * alerts.mean())
    True
    >>> bool(rows.observed_X[:, 0].all()), bool(0.5 < rows.observed_X.mean() < 0.9)
    (True, True)
    >>> np.array_equal(telemetry(10, n_columns=40, seed=1).X, rows.X[:10])
    True
    """
    batches = list(
        telemetry_batches(
            n_rows, n_columns, n_labels, seed, n_customers=n_customers, holes=holes,
            batch_rows=max(n_rows, 1),
        )
    )  # fmt: skip
    return batches[0]


def telemetry_batches(
    n_rows: int,
    n_columns: int = 100,
    n_labels: int = 6,
    seed: int = 0,
    *,
    n_customers: int = 40,
    holes: TelemetryHoles | None = None,
    batch_rows: int = 65_536,
) -> Iterator[Telemetry]:
    """Generate telemetry in batches, in memory that does not depend on the number of rows.

    Parameters
    ----------
    n_rows, n_columns, n_labels, seed, n_customers, holes
        As for `telemetry`.
    batch_rows : int, default 65536
        Rows of each batch but the last.

    Yields
    ------
    Telemetry
        The same rows as `telemetry` would give, cut; one empty batch if there are no rows.

    Examples
    --------
    >>> [len(batch.X) for batch in telemetry_batches(5000, 10, 2, batch_rows=2000)]
    [2000, 2000, 1000]
    """
    smallest = {"n_rows": (n_rows, 0), "n_columns": (n_columns, 1), "n_labels": (n_labels, 1),
                "n_customers": (n_customers, 1), "batch_rows": (batch_rows, 1)}  # fmt: skip
    for name, (asked, least) in smallest.items():
        if asked < least:
            raise ValueError(f"{name} must be at least {least}, not {asked}.")
    holes = TelemetryHoles() if holes is None else holes
    world = _world(n_columns, n_labels, n_customers, holes.privacy, seed)
    return _cut(world, n_rows, seed, holes, batch_rows)


def _world(n_columns: int, n_labels: int, n_customers: int, privacy: float, seed: int) -> _World:
    generator = np.random.default_rng([seed, _WORLD])
    n_side = n_columns // 10
    kinds = (["load"] + ["gauge"] * n_side + ["flag"] * n_side + ["alert"] * n_columns)[:n_columns]
    kind = np.array(kinds)
    level = generator.normal(0.0, 1.2, n_columns)
    # Each column listens to two causes, mostly.
    loading = generator.normal(0.0, 0.8, (_N_CAUSES, n_columns))
    loading *= generator.random((_N_CAUSES, n_columns)) < 2 / _N_CAUSES
    signature = _signatures(generator, kind == "alert", n_labels)
    threat = generator.normal(0.0, 1.0, (_N_CAUSES, n_labels))
    threat[0] += 2.0  # the cause that all threats share
    threat /= np.linalg.norm(threat, axis=0)
    # Standard normal quantiles of 0.75 to 0.98: the share of devices that stay clear of a threat.
    threshold = generator.uniform(0.67, 2.05, n_labels)
    block_of = np.arange(n_columns) * _N_PRIVATE_BLOCKS // n_columns
    hides = generator.random((n_customers, _N_PRIVATE_BLOCKS)) < privacy
    hides_column = hides[:, block_of]
    hides_column[:, 0] = False  # the load is always seen
    popularity = 1.0 / np.arange(1, n_customers + 1)
    return _World(
        tuple(_names(kinds)),
        tuple(f"threat_{label}" for label in range(n_labels)),
        kind,
        level.astype(np.float32),
        loading.astype(np.float32),
        signature.astype(np.float32),
        threat.astype(np.float32),
        threshold.astype(np.float32),
        hides_column,
        popularity / popularity.sum(),
    )


def _signatures(
    generator: np.random.Generator, is_alert: Bools, n_labels: int
) -> NDArray[np.float64]:
    """What each threat adds to the log of a tenth of the alert counts, to one at least."""
    alerts = np.flatnonzero(is_alert)
    signature = np.zeros((n_labels, len(is_alert)))
    for raised in signature:
        raised[generator.permutation(alerts)[: max(len(alerts) // 10, 1)]] = 2.0
    return signature


def _names(kinds: list[str]) -> Iterator[str]:
    met: dict[str, int] = {}
    digits = len(str(len(kinds) - 1)) if len(kinds) > 10 else 1
    for kind in kinds:
        place = met.get(kind, 0)
        met[kind] = place + 1
        yield kind if kind == "load" else f"{kind}_{place:0{digits}d}"


def _cut(
    world: _World, n_rows: int, seed: int, holes: TelemetryHoles, batch_rows: int
) -> Iterator[Telemetry]:
    number, current = -1, None
    for start in range(0, max(n_rows, 1), batch_rows):
        stop = min(start + batch_rows, n_rows)
        parts = []
        for block in range(start // _BLOCK, max(stop - 1, start) // _BLOCK + 1):
            if block != number or current is None:
                number, current = block, _block(world, seed, block, holes)
            within = slice(max(start - block * _BLOCK, 0), max(stop - block * _BLOCK, 0))
            parts.append([array[within] for array in current])
        X, y, observed_X, observed_y, customer = map(np.concatenate, zip(*parts, strict=True))
        yield Telemetry(
            X, y, observed_X, observed_y, world.names, world.label_names, start, customer
        )


def _block(
    world: _World, seed: int, block: int, holes: TelemetryHoles
) -> tuple[Floats, Floats, Bools, Bools, NDArray[np.int64]]:
    """All rows of one block."""
    generator = np.random.default_rng([seed, _ROWS, block])
    n_columns, n_labels = len(world.names), len(world.label_names)
    causes = generator.standard_normal((_BLOCK, _N_CAUSES), dtype=np.float32)
    chance = generator.standard_normal((_BLOCK, n_labels), dtype=np.float32)
    y = (0.9 * causes @ world.threat + np.sqrt(0.19) * chance > world.threshold).astype(np.float32)
    drive = causes @ world.loading + y @ world.signature + world.level
    noise = generator.standard_normal((_BLOCK, n_columns), dtype=np.float32)
    X = _readings(drive, noise, world.kind)
    customer = generator.choice(len(world.popularity), _BLOCK, p=world.popularity)
    load = X[:, :1]
    odds = holes.dropout / max(1 - holes.dropout, 1e-12) * np.exp(holes.overload * load)
    lost = generator.random((_BLOCK, n_columns), dtype=np.float32) < odds / (1 + odds)
    lost[:, 0] = False
    examined = generator.random((_BLOCK, 1)) < holes.examined
    known = examined & (generator.random((_BLOCK, n_labels)) < _KNOWN_IF_EXAMINED)
    return X, y, ~(lost | world.hides[customer]), known, customer


def _readings(drive: Floats, noise: Floats, kind: NDArray[np.str_]) -> Floats:
    """What the sensors read: drives become counts, flags, gauges, and a load of variance 1."""
    readings = drive + noise
    is_alert, is_flag, is_load = kind == "alert", kind == "flag", kind == "load"
    logs = drive[:, is_alert] + _TAIL * noise[:, is_alert]
    readings[:, is_alert] = np.floor(np.exp(np.minimum(logs, _LARGEST_LOG_COUNT)))
    readings[:, is_flag] = readings[:, is_flag] > 0
    readings[:, is_load] = noise[:, is_load]
    return readings

"""Telemetry of networked devices, generated: a table of any size whose truth is known.

Every row is a device of some customer. Hidden causes drive alert counts with heavy tails, gauges
and flags, and threats that occur together; each threat raises alerts of its own. Entries are
missing as in the field: customers hide blocks of columns by their privacy settings, sensors drop
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
class Missingness:
    """How entries come to be missing."""

    privacy: float = 0.2  # chance that a customer hides a block of columns; there are eight
    dropout: float = 0.08  # chance that a sensor reading is lost on a device of ordinary load
    # By how much the log-odds of a loss rise with each standard deviation of the load, which is the
    # first column and always seen: at 0 losses are completely at random.
    overload: float = 1.0
    examined: float = 0.5  # share of devices with labels; of these, 85 % of the labels are known

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
    """Rows of telemetry: the whole truth beside what of it is observed."""

    X: Floats  # (n_rows, n_columns): load, gauges, flags (0 or 1), and alert counts
    y: Floats  # (n_rows, n_labels): threats, 0 or 1
    observed_X: Bools
    observed_y: Bools
    names: tuple[str, ...]
    label_names: tuple[str, ...]
    first_row: int  # position in the whole table
    customer: NDArray[np.int64]  # (n_rows,), whose device each row is


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
    missing: Missingness | None = None,
) -> Telemetry:
    """Generate telemetry of ``n_rows`` devices.

    Features are the load, then gauges and flags (a tenth each), the rest alert counts; 2 to 25 % of
    devices have each threat; a few customers own most devices. Row r is the same for the same seed
    and columns, however many rows are asked for.

    >>> rows = telemetry(2000, n_columns=40, seed=1)
    >>> rows.names[:3], rows.label_names[0], rows.X.shape, rows.y.shape
    (('load', 'gauge_00', 'gauge_01'), 'threat_0', (2000, 40), (2000, 6))
    >>> bool(rows.observed_X[:, 0].all()), bool(0.5 < rows.observed_X.mean() < 0.9)
    (True, True)
    """
    batches = list(
        telemetry_batches(
            n_rows, n_columns, n_labels, seed, n_customers=n_customers, missing=missing,
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
    missing: Missingness | None = None,
    batch_rows: int = 65_536,
) -> Iterator[Telemetry]:
    """Generate the rows of `telemetry` in batches, in memory that does not grow with their number.

    >>> [len(batch.X) for batch in telemetry_batches(5000, 10, 2, batch_rows=2000)]
    [2000, 2000, 1000]
    """
    smallest = {"n_rows": (n_rows, 0), "n_columns": (n_columns, 1), "n_labels": (n_labels, 1),
                "n_customers": (n_customers, 1), "batch_rows": (batch_rows, 1)}  # fmt: skip
    for name, (asked, least) in smallest.items():
        if asked < least:
            raise ValueError(f"{name} must be at least {least}, not {asked}.")
    missing = Missingness() if missing is None else missing
    world = _world(n_columns, n_labels, n_customers, missing.privacy, seed)
    return _cut(world, n_rows, seed, missing, batch_rows)


def _world(n_columns: int, n_labels: int, n_customers: int, privacy: float, seed: int) -> _World:
    generator = np.random.default_rng([seed, _WORLD])
    n_side = n_columns // 10
    kinds = (["load"] + ["gauge"] * n_side + ["flag"] * n_side + ["alert"] * n_columns)[:n_columns]
    kind = np.array(kinds)
    level = generator.normal(0.0, 1.2, n_columns)
    # Each column depends on two causes, mostly.
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
    world: _World, n_rows: int, seed: int, missing: Missingness, batch_rows: int
) -> Iterator[Telemetry]:
    number, current = -1, None
    for start in range(0, max(n_rows, 1), batch_rows):
        stop = min(start + batch_rows, n_rows)
        parts = []
        for block in range(start // _BLOCK, max(stop - 1, start) // _BLOCK + 1):
            if block != number or current is None:
                number, current = block, _block(world, seed, block, missing)
            within = slice(max(start - block * _BLOCK, 0), max(stop - block * _BLOCK, 0))
            parts.append([array[within] for array in current])
        X, y, observed_X, observed_y, customer = map(np.concatenate, zip(*parts, strict=True))
        yield Telemetry(
            X, y, observed_X, observed_y, world.names, world.label_names, start, customer
        )


def _block(
    world: _World, seed: int, block: int, missing: Missingness
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
    odds = missing.dropout / max(1 - missing.dropout, 1e-12) * np.exp(missing.overload * load)
    lost = generator.random((_BLOCK, n_columns), dtype=np.float32) < odds / (1 + odds)
    lost[:, 0] = False
    examined = generator.random((_BLOCK, 1)) < missing.examined
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

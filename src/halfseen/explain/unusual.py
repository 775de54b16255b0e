"""Rows whose observed entries are improbable, and the entries that do not fit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from halfseen.base.estimator import TableModel, whole_number
from halfseen.data.columns import Column
from halfseen.data.raw import Bools, plain
from halfseen.data.schema import Encoded
from halfseen.explain.deletion import Deletions, Floats, Ints, Rows, is_discrete, tidy

_REFERENCE_ROWS = 128
_FEWEST_NEAREST = 32  # references that a row is compared with
_SHARES = (1.0, 1 / 2, 1 / 4, 1 / 8)  # of the observed entries that are kept in reference rows
_HIGH, _HIGH_NORMAL = 0.9, 1.2816  # a quantile, and that of a standard normal variable
_LEAST_SPREAD = 0.1
# About how many entries are deleted to find the usual residuals, and the fewest rows for that.
_DELETIONS, _RESIDUAL_ROWS = 20_000, 16


class SurprisingEntry(NamedTuple):
    """An observed entry beside what the other entries of its row predict."""

    column: str | int
    is_target: bool
    value: Any
    expected: Any
    surprise: float  # -log(probability or density relative to that of the expected value)
    residual: float | None  # of numbers and ordinals, in units of the usual size of a residual
    log_probability: float | None  # of other columns


class UnusualRow(NamedTuple):
    """A row, how unusual it is, and its most surprising entries."""

    row: int
    score: float
    log_probability: float
    n_observed: int
    entries: tuple[SurprisingEntry, ...]


class UnusualRows(NamedTuple):
    """Scores of all rows, and the most unusual rows first."""

    scores: Floats  # (n_rows,), about 0 for ordinary rows, -inf where nothing is observed
    log_probability: Floats  # (n_rows,)
    n_observed: Ints  # (n_rows,)
    rows: tuple[UnusualRow, ...]

    def table(self) -> list[dict[str, Any]]:
        """One dictionary per surprising entry; its fields begin with ``entry_``."""
        return tidy(self.rows, "entries", "entry_")


class Reference(NamedTuple):
    """What is usual in a table: rows of which more and more entries were hidden."""

    n_observed: Ints  # (n_references,)
    excess: Floats  # (n_references,), -log P(v_o) beyond the entropies of the observed columns
    residuals: Floats  # (n_residuals,), of numbers and ordinals whose entry was deleted
    residual_column: Ints  # (n_residuals,)
    residual_n_observed: Ints  # (n_residuals,), of their rows


def reference_rows(model: TableModel, X: Any, y: Any = None) -> Reference:
    """What is usual in a table, for `unusual_rows` of tables that come in parts.

    Parameters
    ----------
    model : a fitted estimator of halfseen
    X, y : some hundreds of rows, and what is known of their targets if anything is

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RBMClassifier(8, random_state=0).fit(X, y)
    >>> reference = reference_rows(model, X)
    >>> parts = [unusual_rows(model, X[i : i + 50], reference=reference) for i in (0, 50, 100)]
    >>> [len(part.scores) for part in parts]
    [50, 50, 50]
    """
    masked = _reference_masks(Rows.read(model, X, y))
    return _reference(masked, model._log_probability(masked.encoded))


def unusual_rows(
    model: TableModel, X: Any, y: Any = None, *, top: int = 20, n_entries: int = 5,
    reference: Reference | None = None,
) -> UnusualRows:  # fmt: skip
    r"""Rows whose observed entries are improbable beside rows with as much observed.

    The log-probability of what is observed, log P(v_o), falls with every entry. A row is therefore
    compared with rows in which about as many entries are observed, made by hiding entries:

    .. math:: score = \frac{e - m}{s}, \quad e = -\log P(v_o) - \sum_{i \in o} H_i,

    where H_i is the entropy of column i by itself, m is the median of e in those rows, and s the
    distance from m to the 90th percentile in normal standard deviations. An ordinary row scores
    about 0 whatever it lacks.

    Each entry of an unusual row is compared with its prediction from the other entries.

    Parameters
    ----------
    model : a fitted estimator of halfseen
    X, y : a table, and what is known of its targets, which are then observed entries
    top, n_entries : number of unusual rows that are shown, and of entries of each
    reference : what is usual, from `reference_rows`; by default found in rows of `X`

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RBMClassifier(8, random_state=0).fit(X, y)
    >>> X.loc[7, "petal length (cm)"] = 40.0
    >>> found = unusual_rows(model, X, top=1)
    >>> [(of.row, of.entries[0].column) for of in found.rows]
    [(7, 'petal length (cm)')]
    """
    top = whole_number("top", top, 0)
    n_entries = whole_number("n_entries", n_entries, 0)
    table = Rows.read(model, X, y)
    n_rows, n_observed = len(table.seen), table.seen.sum(axis=1)
    if reference is None:
        # One call, because a model may normalise its probabilities anew in each.
        masked = _reference_masks(table)
        found = model._log_probability(_stacked([table, masked]))
        reference, log_p = _reference(masked, found[n_rows:]), found[:n_rows]
    else:
        log_p = model._log_probability(table.encoded)
    scores = _scores(reference, n_observed, _excess(table, log_p))
    ranked = np.argsort(-scores, kind="stable")
    rows = ranked[n_observed[ranked] > 0][:top]
    parts = table.take(rows).deletions()
    shown = []
    for row, of_row in zip(rows.tolist(), parts, strict=True):
        facts = float(scores[row]), float(log_p[row]), int(n_observed[row])
        entries = _surprising_entries(table, row, of_row, reference)[:n_entries]
        shown.append(UnusualRow(row, *facts, entries))
    return UnusualRows(scores, log_p, n_observed, tuple(shown))


def _stacked(tables: list[Rows]) -> Encoded:
    return Encoded(*map(np.concatenate, zip(*(table.encoded for table in tables), strict=True)))


def _reference_masks(table: Rows) -> Rows:
    """Some rows, chosen by their content, then the same with more and more entries hidden."""
    some = table.take(table.encoded.observed.any(axis=1))
    if not len(some.seen):
        raise ValueError("No row of X holds an observed entry, so that nothing is usual.")
    pairs = zip(*some.encoded, strict=True)
    prints = np.array([crc32(values.tobytes() + seen.tobytes()) for values, seen in pairs])
    # Evenly spaced among rows sorted by content, because rows may have many copies.
    spaced = np.linspace(0, len(prints) - 1, min(len(prints), _REFERENCE_ROWS)).astype(np.int64)
    rows = np.argsort(prints, kind="stable")[spaced]
    chosen = some.take(rows)
    seen = chosen.seen
    seeds = enumerate(prints[rows].tolist())
    drawn = np.stack([np.random.default_rng(seed).random(seen.shape[1]) for seed in seeds])
    place = np.where(seen, drawn, np.inf).argsort(axis=1).argsort(axis=1)
    n_kept = [np.ceil(share * seen.sum(axis=1, keepdims=True)) for share in _SHARES]
    masked = [chosen.hide(place >= n) for n in n_kept]
    return replace(chosen, encoded=_stacked(masked))


def _reference(masked: Rows, log_p: Floats) -> Reference:
    schema, seen = masked.schema, masked.seen
    place = np.arange(len(seen)) % (len(seen) // len(_SHARES))
    fewer = masked.take(place < max(_RESIDUAL_ROWS, _DELETIONS // (2 * len(schema.columns))))
    residuals = [
        (_residual(fewer, row, deleted, k), j, len(deleted.columns))
        for row, deleted in enumerate(fewer.deletions())
        for k, j in enumerate(deleted.columns)
        if not is_discrete(schema.columns[j])
    ]
    sizes, *numbers = np.array(residuals).reshape(-1, 3).T
    columns, counts = (of_residuals.astype(np.int64) for of_residuals in numbers)
    return Reference(seen.sum(axis=1), _excess(masked, log_p), sizes, columns, counts)


def _excess(table: Rows, log_p: Floats) -> Floats:
    entropy = np.array([_entropy(column) for column in table.schema.columns])
    return np.asarray(-log_p - np.where(table.seen, entropy, 0.0).sum(axis=1))


def _entropy(column: Column) -> float:
    """Entropy of a column by itself; a number is standardised."""
    if column.unit == "gaussian":
        return 0.5 * math.log(2 * math.pi * math.e)
    shares = np.array(column.marginal)
    shares = np.append(shares, 1 - shares) if len(shares) == 1 else shares
    return float(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum())


def _scores(reference: Reference, n_observed: Ints, excess: Floats) -> Floats:
    """Excess beside that of the references with the nearest numbers of observed entries."""
    scores = np.full(len(excess), -np.inf)
    for n in np.unique(n_observed[n_observed > 0]):
        nearest = _nearest(reference.n_observed, n)
        middle, high = np.quantile(reference.excess[nearest], (0.5, _HIGH))
        own = n_observed == n
        scores[own] = (excess[own] - middle) / max((high - middle) / _HIGH_NORMAL, _LEAST_SPREAD)
    return scores


def _nearest(n_observed: Ints, n: int) -> Bools:
    """References in which about n entries are observed."""
    away = np.abs(n_observed - n)
    return np.asarray(away <= np.sort(away)[:_FEWEST_NEAREST].max(initial=0))


def _residual(table: Rows, row: int, of_row: Deletions, k: int) -> float:
    unit = table.schema.units_of(of_row.columns[k]).start
    return float(table.encoded.values[row, unit]) - float(of_row.without[k, unit])


def _surprising_entries(
    table: Rows, row: int, of_row: Deletions, reference: Reference
) -> tuple[SurprisingEntry, ...]:
    """Observed entries of a row, the most surprising first."""
    schema, own = table.schema, table.take([row])
    expected = table.values(of_row.without)
    found = []
    for k, j in enumerate(of_row.columns):
        column, residual, log_p = schema.columns[j], None, None
        if is_discrete(column):
            each = np.log(table.probabilities(of_row.without[k : k + 1], j)[0])
            log_p = float(each[own.codes(j)[0]])
            surprise = float(each.max()) - log_p
        else:
            # Beside the usual size in rows of which about as many entries are observed.
            own_ones = reference.residual_column == j
            like = _nearest(reference.residual_n_observed[own_ones], len(of_row.columns))
            sizes = np.abs(reference.residuals[own_ones][like])
            usual = 1.4826 * float(np.median(sizes)) if len(sizes) else 1.0
            residual = _residual(table, row, of_row, k) / max(usual, _LEAST_SPREAD)
            surprise = residual**2 / 2
        value = plain(np.asarray(expected[j])[k])
        found.append(SurprisingEntry(*table.entry(row, j), value, surprise, residual, log_p))
    return tuple(sorted(found, key=lambda entry: -entry.surprise))

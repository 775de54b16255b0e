"""The log-probability that rows usually have, given how many of their entries are observed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.likelihood_machine import likelihood_machine
from halfseen.explanations.question import units_of
from halfseen.explanations.rows_read import read_rows
from halfseen.tables import Column, Encoded, Schema

N_REFERENCE = 128
_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
_N_BINS = 8
_BODY = (0.1587, 0.5, 0.8413)  # one standard deviation around the middle, were it normal
_SMALLEST_SPREAD = 0.1


@dataclass(frozen=True)
class UsualLogProbability:
    """The log-probability that rows of a table usually have, by how much of them is observed.

    Attributes
    ----------
    schema : Schema
        The columns.
    entropies : ndarray of shape (n_columns,)
        Entropy of every column alone, numbers in standard units.
    counts : ndarray of shape (n_levels,)
        Numbers of observed entries, rising from 0.
    middle, spread : ndarray of shape (n_levels,)
        Median, and half the width of the middle 68 %, of ``log P(v_o) + sum of the entropies`` at
        these numbers.
    """

    schema: Schema
    entropies: NDArray[np.float64]
    counts: NDArray[np.float64]
    middle: NDArray[np.float64]
    spread: NDArray[np.float64]

    def scores(
        self, log_probability: NDArray[np.float64], observed: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """How far each row lies below the middle, in spreads, of shape (n_rows,).

        Parameters
        ----------
        log_probability : ndarray of shape (n_rows,)
            log P(v_o), numbers in standard units.
        observed : ndarray of bool, shape (n_rows, n_visible)
            What was seen.
        """
        seen = observed_columns(self.schema, observed)
        gain = log_probability + information(self.entropies, seen)
        n = seen.sum(axis=1).astype(np.float64)
        middle = np.interp(n, self.counts, self.middle)
        # Independent entries spread as the root of their number.
        spread = np.interp(np.sqrt(n), np.sqrt(self.counts), self.spread)
        scores: NDArray[np.float64] = (middle - gain) / np.maximum(spread, _SMALLEST_SPREAD)
        return scores


def observed_columns(schema: Schema, observed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which columns are observed, of shape (n_rows, n_columns).

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> schema = Schema(learn_columns(read_table([["a"], ["b"]])), (), None)
    >>> observed_columns(schema, np.array([[True, True]]))
    array([[ True]])
    """
    seen = np.zeros((len(observed), len(schema.columns)), bool)
    for index, column in enumerate(schema.columns):
        if column.n_units:
            seen[:, index] = observed[:, units_of(schema, index).start]
    return seen


def information(entropies: NDArray[np.float64], seen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Sum of the entropies of the observed columns, row by row in one order.

    Examples
    --------
    >>> information(np.array([1.0, 2.0]), np.array([[True, False], [True, True]]))
    array([1., 3.])
    """
    total = np.zeros(len(seen))
    for entropy, of_column in zip(entropies, seen.T, strict=True):
        total += np.where(of_column, entropy, 0.0)
    return total


def entropy_of(column: Column) -> float:
    """Entropy of a column alone; of a number that of a standard normal one.

    Examples
    --------
    >>> sold = Column("sold", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.5,), 9)
    >>> round(entropy_of(sold), 4)
    0.6931
    """
    if column.kind == "empty":
        return 0.0
    if column.unit == "gaussian":
        return 0.5 * float(np.log(2 * np.pi * np.e))
    shares = np.array(column.marginal)
    if column.unit in ("bernoulli", "independent"):
        shares = np.concatenate([shares, 1.0 - shares])
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())


def usual_log_probability(model: RBMBase, X: Any, y: Any = None) -> UsualLogProbability:
    """What log-probabilities rows of a table have, by how many of their entries are observed.

    For :func:`unusual_rows` of a table that is read in parts: found once, on some of its rows, it
    makes the scores of all parts comparable.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model with a likelihood-trained machine.
    X : array-like or frame of shape (n_rows, n_features)
        Rows of the table, a hundred or more.
    y : array-like, series or frame, or None
        Known labels, if they are to be weighed, too.

    Returns
    -------
    UsualLogProbability

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen.explanations.example_model import example_model
    >>> model = example_model()  # any fitted model
    >>> people = pd.DataFrame(
    ...     {"age": [75.0, None, 5.0], "smokes": [1, 0, 1], "town": ["Lund", "Bern", None]})
    >>> usual_log_probability(model, people).counts
    array([0., 1., 2., 3.])
    """
    machine = likelihood_machine(model, "weighing rows")
    return usual_of_rows(model.schema_, machine, read_rows(model, X, y, None).encoded)


def usual_of_rows(schema: Schema, machine: FittedMachine, encoded: Encoded) -> UsualLogProbability:
    """The same of encoded rows: some of them are weighed, whole and with more and more hidden.

    Which rows, and what is hidden of them, hangs on their own content and not on their order.
    """
    entropies = np.array([entropy_of(column) for column in schema.columns])
    prints = _prints(encoded)
    chosen = np.lexsort(np.concatenate([encoded.visible.T, prints[None]]))[:N_REFERENCE]
    seen = observed_columns(schema, encoded.observed[chosen])
    rank = np.stack([np.random.default_rng(seed).random(seen.shape[1]) for seed in prints[chosen]])
    place = np.where(seen, rank, np.inf).argsort(axis=1).argsort(axis=1)
    counts = seen.sum(axis=1, keepdims=True)
    left = np.concatenate([seen & (place < np.ceil(share * counts)) for share in _SHARES])
    observed = left[:, schema.column_of_unit]
    visible = np.where(observed, np.tile(encoded.visible[chosen], (len(_SHARES), 1)), np.float32(0))
    gain = machine.log_probability(visible, observed, False) + information(entropies, left)
    levels, mean, spread = _by_count(left.sum(axis=1), gain)
    return UsualLogProbability(schema, entropies, levels, mean, spread)


def _prints(encoded: Encoded) -> NDArray[np.uint32]:
    return np.array(
        [
            crc32(visible.tobytes() + observed.tobytes())
            for visible, observed in zip(*encoded, strict=True)
        ],
        np.uint32,
    )


def _by_count(
    counts: NDArray[np.int64], gain: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Middle and spread of the gain in bins of rising counts, beginning with 0, 0, 0."""
    edges = np.unique(np.quantile(counts, np.linspace(0, 1, _N_BINS + 1)[1:-1], method="lower"))
    bins = np.searchsorted(edges, counts)
    levels, middle, spread = [0.0], [0.0], [0.0]
    for one in np.unique(bins[counts > 0]):
        own = gain[(bins == one) & (counts > 0)]
        low, half, high = np.quantile(own, _BODY)
        levels.append(float(counts[(bins == one) & (counts > 0)].mean()))
        middle.append(float(half))
        spread.append(float(high - low) / 2)
    return np.array(levels), np.array(middle), np.array(spread)

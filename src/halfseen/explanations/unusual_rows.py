"""Rows ranked by how unusual what was observed in them is."""

from __future__ import annotations

from typing import Any

import numpy as np

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.likelihood_machine import likelihood_machine
from halfseen.explanations.rows_read import read_rows
from halfseen.explanations.surprising_entries import surprising_entries
from halfseen.explanations.unusual_row import UnusualRow
from halfseen.explanations.usual_log_probability import (
    UsualLogProbability,
    observed_columns,
    usual_of_rows,
)


def unusual_rows(
    model: RBMBase,
    X: Any,
    y: Any = None,
    top: int = 20,
    n_entries: int = 5,
    *,
    usual: UsualLogProbability | None = None,
) -> tuple[UnusualRow, ...]:
    r"""Rows whose observed entries are least probable, with the entries that do not fit.

    The log-probability of what was observed, log P(v_o) of ``score_samples``, falls with every
    entry that is observed, and so does not compare rows with different holes. It is therefore set
    against that of other rows of which as many entries are observed:

    .. math:: score = \frac{m(n) - [\log P(v_o) + \sum_{i \in o} H_i]}{s(n)}

    in standard units of the numbers. H_i is the entropy of column i alone, which takes away that
    some columns are less predictable than others; m and s are the median of the bracket, and half
    the width of its middle 68 %, in rows of the table of which n entries are left. They are found
    on 128 rows, whole and with more and more entries hidden, and interpolated between these n. An
    ordinary row scores about 0 whatever its holes. Scores depend neither on the order of the rows
    nor, if ``usual`` is given, on the other rows.

    The entries of a row are ranked by how far each is from what the model answers when this one
    entry is taken away.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model with a likelihood-trained machine.
    X : array-like or frame of shape (n_rows, n_features)
        The table.
    y : array-like, series or frame, or None
        Known labels, which are then entries like others; None leaves labels out.
    top : int, default=20
        The most rows to give.
    n_entries : int, default=5
        The most entries to give of each.
    usual : UsualLogProbability or None
        What is usual, from :func:`usual_log_probability`, for tables that are read in parts; None
        takes rows of ``X``.

    Returns
    -------
    tuple of UnusualRow
        The most unusual first. Rows in which nothing was observed are left out.

    Raises
    ------
    ValueError
        The model has no likelihood-trained machine.

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen.explanations.example_model import example_model
    >>> model = example_model()  # any fitted model
    >>> people = pd.DataFrame(
    ...     {"age": [75.0, None, 5.0], "smokes": [1, 0, 1], "town": ["Lund", "Bern", None]})
    >>> found = unusual_rows(model, people, top=1)[0]
    >>> print(found.row, found.entries[0])
    2 age = 5 (expected 51.79, 3 standard deviations away)
    """
    machine = likelihood_machine(model, "ranking rows by how unusual they are")
    if top < 1:
        raise ValueError(f"top must be at least 1, got {top!r}")
    read = read_rows(model, X, y, None)
    schema, encoded = model.schema_, read.encoded
    log_probability = machine.log_probability(*encoded, model.verbose)
    known = usual_of_rows(schema, machine, encoded) if usual is None else usual
    scores = known.scores(log_probability, encoded.observed)
    n_observed = observed_columns(schema, encoded.observed).sum(axis=1)
    order = np.argsort(-scores, kind="stable")
    chosen = order[n_observed[order] > 0][:top]
    if not len(chosen):
        return ()
    in_raw_units = log_probability - schema.log_scale(*encoded)
    entries = surprising_entries(model, read.chosen(chosen), n_entries)
    return tuple(
        UnusualRow(
            int(row), float(scores[row]), float(in_raw_units[row]), int(n_observed[row]), of_row
        )
        for row, of_row in zip(chosen, entries, strict=True)
    )

"""Hiding entries of a table in a named way."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind
from halfseen.experiments.hiding.checked_rate import checked_rate
from halfseen.experiments.hiding.feature_hiding import FEATURE_HIDING
from halfseen.experiments.hiding.hidden_table import HiddenTable, hidden_table
from halfseen.experiments.hiding.label_hiding import FOR_LABELS_ONLY, LABEL_HIDING
from halfseen.experiments.hiding.source_columns import source_columns


def hide(
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    target: TargetKind,
    *,
    feature_rate: float,
    label_rate: float,
    feature_hiding: str = "at_random",
    label_hiding: str = "at_random",
    blocks: NDArray[np.int64] | None = None,
    seed: int,
) -> HiddenTable:
    """Hide features and labels of a table, so that what a method says of them can be scored.

    The same seed hides the same entries on every machine and for every method.

    Parameters
    ----------
    X, Y : ndarray of shape (n_rows, n_features) and (n_rows, n_labels)
        The table; NaN where something is missing from the start.
    target : {"labels", "classes"}
        With "classes" all labels of a row are hidden together (q_mc), else one by one (q_ml).
    feature_rate : float in [0, 1]
        How much of the features to hide (q_fea).
    label_rate : float in [0, 1]
        How much of the labels to hide.
    feature_hiding : str, default "at_random"
        One of ``FEATURE_HIDING``. "at_random": each entry by itself. "exact_per_row": the same
        share of every row. "by_other_columns": every other column, where its left neighbour is
        large; the rate is that of the columns that are hidden at all. "by_own_value": large values
        first. "blocks": a run of neighbouring columns in each row.
    label_hiding : str, default "at_random"
        One of ``LABEL_HIDING``. "at_random": each by itself, or each row. "positives_only": ones
        alone; the rate is that of the ones. "all_but_positives": weak labels, of which ones alone
        are seen; the rate is that of the ones. "where_features": where many features are missing.
    blocks : ndarray of int of shape (n_features,) or None
        Columns with the same number belong together, such as the indicators of one text column,
        and are hidden together; their value is the place of the largest. None: every column is by
        itself.
    seed : int
        Seed of the mask.

    Returns
    -------
    HiddenTable

    Raises
    ------
    ValueError
        A rate is no probability, a way to hide is unknown or does not fit the target, or ``blocks``
        does not fit the columns.

    Examples
    --------
    >>> X, Y = np.ones((100, 4)), np.eye(2)[np.arange(100) % 2]
    >>> hidden = hide(X, Y, "classes", feature_rate=0.5, label_rate=0.3,
    ...     feature_hiding="exact_per_row", seed=0)
    >>> np.unique(hidden.hidden_features.sum(axis=1)).tolist()
    [2]
    >>> bool((hidden.hidden_labels[:, 0] == hidden.hidden_labels[:, 1]).all())
    True
    """
    checked_rate("feature_rate", feature_rate)
    checked_rate("label_rate", label_rate)
    _check_name("feature_hiding", feature_hiding, FEATURE_HIDING)
    _check_name("label_hiding", label_hiding, LABEL_HIDING)
    if target == "classes" and label_hiding in FOR_LABELS_ONLY:
        raise ValueError(
            f"label_hiding={label_hiding!r} is for labels: a row that is one class is hidden as a "
            "whole or not at all; choose 'at_random' or 'where_features'"
        )
    sources = source_columns(X, blocks)
    hide_sources = FEATURE_HIDING[feature_hiding](sources.values, feature_rate, seed)
    hide_x = hide_sources if blocks is None else hide_sources[:, sources.source_of_column]
    hide_y = LABEL_HIDING[label_hiding](Y, hide_x | np.isnan(X), label_rate, seed)
    if target == "classes":
        hide_y = np.broadcast_to(hide_y[:, :1], Y.shape)
    return hidden_table(X, Y, hide_x, hide_y)


def _check_name(parameter: str, name: str, ways: Iterable[str]) -> None:
    if name not in ways:
        raise ValueError(f"unknown {parameter} {name!r}; there are {', '.join(ways)}")

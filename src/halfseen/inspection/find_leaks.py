"""Features that nearly determine a label alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from halfseen.inspection.auc import auc_of_counts, auc_of_values
from halfseen.inspection.sampled_column import SampledColumn
from halfseen.inspection.table_warning import TableWarning

_LEAK = 0.995
_SIEVE = 0.98
_FEWEST_ROWS = 5
_MOST_CLASSES = 20
_MOST_GROUPS = 64

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class _Classes(NamedTuple):
    """The classes of all labels side by side."""

    labels: list[SampledColumn]
    is_class: NDArray[np.float32]  # (n_rows, n_classes of all labels), zeros where unknown
    label_of: Codes  # the label of each class


def find_leaks(sampled: Sequence[SampledColumn]) -> list[TableWarning]:
    """Find features that nearly determine a label alone.

    Parameters
    ----------
    sampled : sequence of SampledColumn
        All columns.

    Returns
    -------
    list of TableWarning
        For every feature that equals a label, or whose value, or whether it is observed, tells
        every class of a label with an AUC of at least 0.995. Values are tried in their order
        and in groups; the groups are judged on rows that they were not learned from.

    Examples
    --------
    >>> find_leaks([])
    []
    """
    used = [column for column in sampled if column.is_used]
    classes = _classes(used)
    if classes is None:
        return []
    found = []
    for feature in used:
        if feature.summary.role == "feature":
            found.extend(_leaks_of(feature, classes))
    return found


def _classes(used: list[SampledColumn]) -> _Classes | None:
    labels = [c for c in used if c.summary.role == "label"]
    labels = [label for label in labels if 2 <= len(label.distinct) <= _MOST_CLASSES]
    if not labels:
        return None
    parts = [label.codes[:, None] == np.arange(len(label.distinct)) for label in labels]
    label_of = np.repeat(np.arange(len(labels)), [part.shape[1] for part in parts])
    return _Classes(labels, np.concatenate(parts, axis=1).astype(np.float32), label_of)


def _leaks_of(feature: SampledColumn, classes: _Classes) -> list[TableWarning]:
    # Judged on the rows they were learned from, groups look better than they are: a first sieve.
    groups = _groups(feature)
    at_best = _least_auc(_counts(groups, classes, feature.observed), classes)
    if feature.observed.all():
        seen = np.zeros(len(classes.labels))
    else:
        anywhere = np.ones(len(feature.observed), dtype=bool)
        seen = _least_auc(_counts(feature.observed.astype(np.int64), classes, anywhere), classes)
    found = []
    for place in np.flatnonzero((at_best >= _SIEVE) | (seen >= _LEAK)).tolist():
        sentence = _sentence(feature, groups, classes.labels[place], float(seen[place]))
        if sentence is not None:
            found.append(TableWarning(feature.name, "leak", sentence))
    return found


def _sentence(
    feature: SampledColumn, groups: Codes, label: SampledColumn, seen: float
) -> str | None:
    advice = f"If it is only known together with {label.name} or after it, leave it out."
    both = feature.observed & label.observed
    if _is_equal(feature.values[both], label.values[both]):
        return f"{feature.name} equals the label {label.name} wherever both are known. {advice}"
    auc = _auc_in_order(feature, label)
    if auc < _LEAK:
        auc = _auc_on_other_rows(groups[both], label.codes[both], len(label.distinct))
    if auc >= _LEAK:
        how = f"{feature.name} alone nearly determines the label {label.name}"
    elif seen >= _LEAK and _has_enough(feature.observed[label.observed].astype(np.int64)):
        how, auc = f"Whether {feature.name} is observed nearly determines {label.name}", seen
    else:
        return None
    return f"{how} (AUC {auc:.3f}). {advice}"


def _auc_in_order(feature: SampledColumn, label: SampledColumn) -> float:
    """AUC of numbers for a label of two classes, either way up; 0 for anything else."""
    both = feature.observed & label.observed
    is_second = label.codes[both] == 1
    if feature.summary.kind == "categorical" or len(label.distinct) != 2:
        return 0.0
    auc = auc_of_values(feature.values[both], is_second)
    if auc is None or not _has_enough(label.codes[both]):
        return 0.0
    return max(auc, 1 - auc)


def _is_equal(ours: NDArray[np.generic], theirs: NDArray[np.generic]) -> bool:
    if ours.dtype != theirs.dtype or len(ours) < 2 * _FEWEST_ROWS:
        return False
    return bool((ours == theirs).all() and (ours != ours[0]).any())


def _has_enough(codes: Codes) -> bool:
    """Whether at least two values occur in more than a few rows."""
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    return len(counts) > 1 and bool(np.sort(counts)[-2] >= _FEWEST_ROWS)


def _groups(feature: SampledColumn) -> Codes:
    """Categories as they are; numbers in at most 64 groups of like size; -1 where unobserved."""
    if feature.summary.kind == "categorical" or len(feature.distinct) <= _MOST_GROUPS:
        return feature.codes
    share = (np.cumsum(feature.counts) - feature.counts) / feature.counts.sum()
    group_of = (share * _MOST_GROUPS).astype(np.int64)
    return np.where(feature.observed, group_of[feature.codes], -1)


def _counts(codes: Codes, classes: _Classes, observed: NDArray[np.bool_]) -> Floats:
    """How often each value meets each class, shape (n_codes, n_classes of all labels)."""
    rows = np.flatnonzero(observed)
    entries = (np.ones(len(rows), np.float32), (codes[rows], rows))
    shape = (int(codes.max(initial=0)) + 1, len(codes))
    counts: Floats = (scipy.sparse.csr_array(entries, shape=shape) @ classes.is_class).astype(float)
    return counts


def _least_auc(counts: Floats, classes: _Classes) -> Floats:
    """For each label the AUC of the class that is told least by its share in groups of rows."""
    starts = np.flatnonzero(np.diff(classes.label_of, prepend=-1))
    everyone = np.add.reduceat(counts, starts, axis=1)[:, classes.label_of]
    order = np.argsort(counts / np.maximum(everyone, 1), axis=0, kind="stable")
    positives = np.take_along_axis(counts, order, axis=0)
    negatives = np.take_along_axis(everyone, order, axis=0) - positives
    n_pairs = positives.sum(axis=0) * negatives.sum(axis=0)
    below = np.cumsum(negatives, axis=0) - negatives / 2
    auc = np.full(len(n_pairs), 0.5)
    np.divide((positives * below).sum(axis=0), n_pairs, out=auc, where=n_pairs > 0)
    least: Floats = np.minimum.reduceat(auc, starts)
    return least


def _auc_on_other_rows(groups: Codes, codes: Codes, n_classes: int) -> float:
    """Least AUC, on every other row, of the share of a class in a group, learned from the rest."""
    n_groups = int(groups.max(initial=0)) + 1
    size = n_groups * n_classes
    joint = groups * n_classes + codes
    learned = np.bincount(joint[::2], minlength=size).reshape(n_groups, n_classes)
    judged = np.bincount(joint[1::2], minlength=size).reshape(n_groups, n_classes)
    marginal = learned.sum(axis=0) / max(learned.sum(), 1)
    shares = (learned + marginal) / (learned.sum(axis=1, keepdims=True) + 1)
    sizes = judged.sum(axis=0)
    enough = [k for k in range(n_classes) if sizes[k] >= _FEWEST_ROWS]
    least = 1.0 if len(enough) > 1 else 0.0
    for k in enough:
        levels, places = np.unique(shares[:, k], return_inverse=True)
        positives = np.bincount(places, judged[:, k], len(levels))
        everyone = np.bincount(places, judged.sum(axis=1), len(levels))
        least = min(least, auc_of_counts(positives, everyone - positives) or 0.0)
    return least

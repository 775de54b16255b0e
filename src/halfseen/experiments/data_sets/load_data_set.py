"""A data set by name."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from halfseen.experiments.data_sets.catalogue import CATALOGUE
from halfseen.experiments.data_sets.data_set import DataSet
from halfseen.experiments.data_sets.data_set_path import data_set_path
from halfseen.experiments.data_sets.file_arrays import read_file_arrays
from halfseen.experiments.data_sets.made_data_sets import MADE_DATA_SETS, sampled

DATA_SETS = (*CATALOGUE, *MADE_DATA_SETS)


def load_data_set(name: str, n_rows: int | None = None, seed: int = 0) -> DataSet:
    """A data set by name.

    "digits" and "telemetry" need no file. Every other is looked up as ``<name>.npz`` in the folder
    that the environment variable HALFSEEN_DATA names, then in the user's cache, and is otherwise
    downloaded from OpenML into the cache. Shape and checksum are verified.

    Parameters
    ----------
    name : str
        One of ``DATA_SETS``.
    n_rows : int or None
        Take so many rows, drawn at random; None for all. "telemetry" has as many as are asked for.
    seed : int
        Seed of that draw.

    Returns
    -------
    DataSet
        Pixels of "mnist" and "digits" are scaled to [0, 1]; everything else is on its own scale.

    Raises
    ------
    ValueError
        There is no such data set, or no row of it is asked for.
    DataSetUnavailable
        The data set is in no folder and cannot be downloaded, or what was found is not it.

    Examples
    --------
    >>> data = load_data_set("digits", n_rows=100)
    >>> data.X.shape, data.target
    ((100, 64), 'classes')
    """
    if name not in DATA_SETS:
        close = get_close_matches(name, DATA_SETS, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"unknown data set {name!r}{meant}; there are {', '.join(sorted(DATA_SETS))}"
        )
    if n_rows is not None and n_rows < 1:
        raise ValueError(f"n_rows is at least 1, got {n_rows}; leave it out for all rows")
    if name in MADE_DATA_SETS:
        return MADE_DATA_SETS[name](n_rows, seed)
    entry = CATALOGUE[name]
    found = read_file_arrays(data_set_path(name), name, entry)
    is_class = entry.target == "classes"
    labels = np.eye(entry.n_labels)[found.Y.astype(int)] if is_class else found.Y
    data = DataSet(
        name,
        found.X,
        labels.astype(np.float64),
        entry.target,
        found.feature_names,
        found.label_names,
        found.is_train,
        entry.image,
    )
    some = sampled(data, n_rows, seed)
    # As float64 only now: all of "mnist" takes 440 MB.
    features = some.X.astype(np.float64) * entry.scale
    return replace(some, X=features)

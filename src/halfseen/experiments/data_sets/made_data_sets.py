"""Data sets that need no file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from halfseen.experiments.data_sets.data_set import DataSet
from halfseen.experiments.telemetry import telemetry

_TELEMETRY_ROWS = 5000
_BRIGHTEST = 16


def digits(n_rows: int | None = None, seed: int = 0) -> DataSet:
    """Handwritten digits of 8 by 8 pixels, which come with scikit-learn.

    Parameters
    ----------
    n_rows : int or None
        Take so many rows, drawn at random; None for all 1797.
    seed : int
        Seed of that draw.

    Returns
    -------
    DataSet
        Pixels from 0 to 1.

    Examples
    --------
    >>> digits().X.shape, digits(20).Y.shape, digits().image
    ((1797, 64), (20, 10), (8, 8))
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    data = DataSet(
        "digits",
        bunch.data / _BRIGHTEST,
        np.eye(10)[bunch.target],
        "classes",
        tuple(map(str, bunch.feature_names)),
        tuple(map(str, bunch.target_names)),
        image=(8, 8),
    )
    return sampled(data, n_rows, seed)


def telemetry_data_set(n_rows: int | None = None, seed: int = 0) -> DataSet:
    """Generated telemetry of networked devices, without a hole, so that any can be made.

    The holes of the field (privacy settings, sensors that drop out, devices that no analyst looked
    at) are those of :func:`~halfseen.experiments.telemetry.telemetry` itself.

    Parameters
    ----------
    n_rows : int or None
        So many devices; None for 5000.
    seed : int
        Seed of the world they live in; the first devices of it are the same however many are asked
        for.

    Returns
    -------
    DataSet
        100 columns, of which the flags are not numeric, and 6 threats.

    Examples
    --------
    >>> data = telemetry_data_set(50)
    >>> data.X.shape, data.label_names[0], int(data.numeric.sum())
    ((50, 100), 'threat_0', 90)
    """
    made = telemetry(_TELEMETRY_ROWS if n_rows is None else n_rows, seed=seed)
    return DataSet(
        "telemetry",
        made.X.astype(np.float64),
        made.y.astype(np.float64),
        "labels",
        made.names,
        made.label_names,
        numeric=np.array([not name.startswith("flag") for name in made.names]),
    )


def sampled(data: DataSet, n_rows: int | None, seed: int) -> DataSet:
    """Some rows of a data set, drawn at random and in their order; all if there are no more.

    Examples
    --------
    >>> data = DataSet("mine", np.zeros((9, 1)), np.zeros((9, 1)), "labels")
    >>> len(sampled(data, 4, seed=0).X), len(sampled(data, None, seed=0).X)
    (4, 9)
    """
    if n_rows is None or n_rows >= len(data.X):
        return data
    return data.rows(np.sort(np.random.default_rng(seed).permutation(len(data.X))[:n_rows]))


# name -> (n_rows, seed) -> data set
MADE_DATA_SETS: Mapping[str, Callable[[int | None, int], DataSet]] = MappingProxyType(
    {"digits": digits, "telemetry": telemetry_data_set}
)

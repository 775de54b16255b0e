"""The data sets of the studies: looked up locally, else downloaded from OpenML, always verified."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind

FOLDER_VARIABLE = "HALFSEEN_DATA"


@dataclass(frozen=True)
class DataSet:
    """A complete (or naturally incomplete) table with its labels."""

    name: str
    X: NDArray[np.float64]  # (n_rows, n_features), NaN where missing
    Y: NDArray[np.float64]  # (n_rows, n_labels), 0, 1, or NaN where unknown; classes one-hot
    target: TargetKind


@dataclass(frozen=True)
class _Entry:
    digest: str  # of the values, see content_digest
    n_rows: int
    n_features: int
    n_labels: int
    target: TargetKind
    openml_id: int | None
    scale: float = 1.0


CATALOGUE: dict[str, _Entry] = {
    "scene": _Entry(
        "667f92193655eccd5d7f42917f7e0274f24ce68b14a931cf0544abac0a86681a",
        2407, 294, 6, "labels", 41471,
    ),
    "yeast": _Entry(
        "66c27d6caeaffbf619ec65ad281b7422294ea90a83d74a55da75a01604b26d3d",
        2417, 103, 14, "labels", 41473,
    ),
    "pendigits": _Entry(
        "871945bb6445a2ff24db949e977cb12985efc254fe405edd6097b0c2491b8537",
        10992, 16, 10, "classes", 32,
    ),
    "mnist": _Entry(
        "a41367255f6343f2abeea6ef8d96811983e139f0d9a55f0f82890bd84fb3b37f",
        70000, 784, 10, "classes", 554, 1 / 255,
    ),
    "emotions": _Entry(
        "48122b73d6903ac12c59337ebb99e17729444543e1803f750cd18c1fa1f0b4f4",
        593, 72, 6, "labels", 41465,
    ),
    "cptc2017_devices": _Entry(
        "ef8b3d902bb65a1f90ca642e0d9e6d9c01c33e14aa0c6d0698fd2ad2fa15e1a0",
        573, 80, 6, "labels", None,
    ),
    "tox21": _Entry(
        "30e108596fbf5db19a5881ce4e6ffa8459f927d468848a8fd2c6b22de7b41c98",
        8006, 1024, 12, "labels", None,
    ),
}  # fmt: skip


class DataSetUnavailable(RuntimeError):
    """The data set is nowhere to be found, or what was found is not it."""


def load_data_set(name: str, n_rows: int | None = None, seed: int = 0) -> DataSet:
    """A data set by name.

    It is looked up as ``<name>.npz`` in the folder that the environment variable HALFSEEN_DATA
    names, then in the user's cache, and is otherwise downloaded from OpenML into the cache. Shape
    and checksum are verified.

    Parameters
    ----------
    name : str
        One of ``CATALOGUE``.
    n_rows : int or None
        Take so many rows, drawn at random; None for all.
    seed : int
        Seed of that draw.

    Returns
    -------
    DataSet
        Pixels of "mnist" are scaled to [0, 1]; everything else is on its own scale.
    """
    if name not in CATALOGUE:
        raise ValueError(f"unknown data set {name!r}; there are {', '.join(sorted(CATALOGUE))}")
    entry = CATALOGUE[name]
    X, Y = _read(data_set_path(name), name, entry)
    if n_rows is not None and n_rows < len(X):
        rows = np.sort(np.random.default_rng(seed).permutation(len(X))[:n_rows])
        X, Y = X[rows], Y[rows]
    return DataSet(name, X * entry.scale, Y, entry.target)


def cache_folder() -> Path:
    """Where downloads are kept: $XDG_CACHE_HOME/halfseen, usually ~/.cache/halfseen."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "halfseen"


def data_set_path(name: str) -> Path:
    """The file of a data set of the catalogue, downloaded if it is nowhere else."""
    entry = CATALOGUE[name]
    folder = os.environ.get(FOLDER_VARIABLE)
    places = ([Path(folder)] if folder else []) + [cache_folder()]
    for place in places:
        path = place / f"{name}.npz"
        if path.is_file():
            return path
    return _downloaded(name, entry, cache_folder() / f"{name}.npz")


def _read(path: Path, name: str, entry: _Entry) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    with np.load(path, allow_pickle=False) as arrays:
        X, Y = arrays["X"], arrays["Y"]
    if content_digest(X, Y) != entry.digest:
        raise DataSetUnavailable(
            f"{path} is not the data set {name!r} (its values differ from the published ones); "
            "remove it and try again"
        )
    labels = np.eye(entry.n_labels)[Y.astype(int)] if entry.target == "classes" else Y
    _check_shape(X, labels, name, entry, str(path))
    return X.astype(np.float64), labels.astype(np.float64)


def _check_shape(X: NDArray[Any], Y: NDArray[Any], name: str, entry: _Entry, source: str) -> None:
    expected = ((entry.n_rows, entry.n_features), (entry.n_rows, entry.n_labels))
    if (X.shape, Y.shape) != expected:
        raise DataSetUnavailable(
            f"{source} is not the data set {name!r}: its shapes are {X.shape} and {Y.shape}, "
            f"expected {expected[0]} and {expected[1]}"
        )


def content_digest(X: NDArray[Any], Y: NDArray[Any]) -> str:
    """A digest of the values, whatever type they are stored in and in whatever order the rows are.

    Examples
    --------
    >>> X, Y = np.eye(3), np.arange(3)
    >>> content_digest(X, Y) == content_digest(X[::-1].astype("uint8"), Y[::-1])
    True
    """
    values = np.ascontiguousarray(np.column_stack([X, Y]), np.float32)
    of_rows = sorted(hashlib.sha256(row.tobytes()).digest() for row in values)
    return hashlib.sha256(b"".join(of_rows)).hexdigest()


def _downloaded(name: str, entry: _Entry, path: Path) -> Path:
    if entry.openml_id is None:
        raise DataSetUnavailable(
            f"data set {name!r} is not on OpenML: put {name}.npz into a folder and set the "
            f"environment variable {FOLDER_VARIABLE} to that folder"
        )
    X, Y = _fetched(name, entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.npz")
    try:
        np.savez_compressed(beside, X=X, Y=Y)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path


def _fetched(name: str, entry: _Entry) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=entry.openml_id, as_frame=False, parser="liac-arff")
    except Exception as error:
        raise DataSetUnavailable(
            f"data set {name!r} is in no local folder and OpenML did not answer ({error}); put "
            f"{name}.npz into a folder and set the environment variable {FOLDER_VARIABLE} to it"
        ) from error
    X = np.asarray(bunch.data, np.float32)
    raw = np.asarray(bunch.target)
    if entry.target == "classes":
        Y = np.unique(raw.ravel(), return_inverse=True)[1].astype(np.uint8)
    else:
        Y = np.isin(raw.astype(str), ["1", "1.0", "TRUE", "True"]).astype(np.uint8)
    one_hot = np.eye(entry.n_labels)[Y] if entry.target == "classes" else Y
    source = f"OpenML data set {entry.openml_id}"
    _check_shape(X, one_hot, name, entry, source)
    if content_digest(X, Y) != entry.digest:
        raise DataSetUnavailable(f"{source} has other values than the {name!r} of the studies")
    return X, Y

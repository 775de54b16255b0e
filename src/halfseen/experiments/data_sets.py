"""The data sets of the studies: found locally, else downloaded from OpenML, always verified."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind
from halfseen.experiments.methods import did_you_mean
from halfseen.experiments.telemetry import telemetry
from halfseen.model_file import replace_atomically

FOLDER_VARIABLE: Final = "HALFSEEN_DATA"
_TELEMETRY_ROWS = 5000
_BRIGHTEST_DIGIT = 16


class DataSetUnavailable(RuntimeError):
    """The data set is nowhere to be found, or what was found is not it."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """A complete (or naturally incomplete) table with its labels.

    Attributes
    ----------
    name : str
        Name of the set.
    X : ndarray of shape (n_rows, n_features)
        Features, NaN where missing.
    Y : ndarray of shape (n_rows, n_labels)
        0, 1, or NaN where unknown; classes one-hot.
    target : {"labels", "classes"}
        Whether a row may have any number of labels, or is of exactly one class.
    feature_names, label_names : tuple of str
        Names of the columns; numbered where none are given.
    is_train : ndarray of bool of shape (n_rows,) or None
        The split that the source defines, if any. Studies draw their own.
    image : (height, width) or None
        Shape of a row that is an image.
    blocks : ndarray of int of shape (n_features,) or None
        Columns with the same number come from one column of the source, and are missing together.
        None: every column is by itself.
    numeric : ndarray of bool of shape (n_features,) or None
        Which columns are numbers; the others are indicators 0 and 1. None: all.

    Examples
    --------
    >>> data = DataSet("mine", np.zeros((4, 2)), np.eye(2)[[0, 1, 1, 0]], "classes")
    >>> data.feature_names, data.label_names, data.image
    (('feature_1', 'feature_2'), ('class_1', 'class_2'), None)
    """

    name: str
    X: NDArray[np.float64]
    Y: NDArray[np.float64]
    target: TargetKind
    feature_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    is_train: NDArray[np.bool_] | None = None
    image: tuple[int, int] | None = None
    blocks: NDArray[np.int64] | None = None
    numeric: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        n_features, n_labels = self.X.shape[1], self.Y.shape[1]
        if not self.feature_names:
            names = tuple(f"feature_{place}" for place in range(1, n_features + 1))
            object.__setattr__(self, "feature_names", names)
        if not self.label_names:
            kind = "class" if self.target == "classes" else "label"
            names = tuple(f"{kind}_{place}" for place in range(1, n_labels + 1))
            object.__setattr__(self, "label_names", names)
        for what, given, needed in (
            ("feature names", len(self.feature_names), n_features),
            ("label names", len(self.label_names), n_labels),
            ("rows of Y", len(self.Y), len(self.X)),
            ("numbers of blocks", _length(self.blocks, n_features), n_features),
            ("kinds of columns", _length(self.numeric, n_features), n_features),
            ("rows of the split", _length(self.is_train, len(self.X)), len(self.X)),
        ):
            if given != needed:
                raise ValueError(f"data set {self.name!r} has {given} {what}, {needed} are needed")

    def rows(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> DataSet:
        """Some of the rows, by position or truth value."""
        split = None if self.is_train is None else self.is_train[chosen]
        return replace(self, X=self.X[chosen], Y=self.Y[chosen], is_train=split)


def _length(array: NDArray[np.int64] | NDArray[np.bool_] | None, otherwise: int) -> int:
    return otherwise if array is None else len(array)


@dataclass(frozen=True)
class CatalogueEntry:
    """What is known of a data set before it is read."""

    digest: str  # of the values, see `content_digest`
    n_rows: int
    n_features: int
    n_labels: int
    target: TargetKind
    openml_id: int | None  # where OpenML keeps it
    home: str  # where it comes from
    scale: float = 1.0  # what the features are multiplied by
    image: tuple[int, int] | None = None  # height and width of a row that is an image
    file: str = ""  # without ``.npz``, if it is not the data set's own name
    macro_stages: tuple[str, ...] = ()  # only columns whose ``feature_macro`` is one; () for all


_MULAN = "the multi-label sets of Mulan"
_UCI = "the UCI repository"
_CPTC = (
    "the Suricata alerts of the Collegiate Penetration Testing Competition 2017, counted per device"
)

CATALOGUE: Final[dict[str, CatalogueEntry]] = {
    "scene": CatalogueEntry(
        "667f92193655eccd5d7f42917f7e0274f24ce68b14a931cf0544abac0a86681a",
        2407, 294, 6, "labels", 41471, _MULAN,
    ),
    "yeast": CatalogueEntry(
        "66c27d6caeaffbf619ec65ad281b7422294ea90a83d74a55da75a01604b26d3d",
        2417, 103, 14, "labels", 41473, _MULAN,
    ),
    "pendigits": CatalogueEntry(
        "871945bb6445a2ff24db949e977cb12985efc254fe405edd6097b0c2491b8537",
        10992, 16, 10, "classes", 32, _UCI,
    ),
    "mnist": CatalogueEntry(
        "a41367255f6343f2abeea6ef8d96811983e139f0d9a55f0f82890bd84fb3b37f",
        70000, 784, 10, "classes", 554, "LeCun, Cortes and Burges", 1 / 255, (28, 28),
    ),
    "emotions": CatalogueEntry(
        "48122b73d6903ac12c59337ebb99e17729444543e1803f750cd18c1fa1f0b4f4",
        593, 72, 6, "labels", 41465, _MULAN,
    ),
    "cptc2017_devices": CatalogueEntry(
        "ef8b3d902bb65a1f90ca642e0d9e6d9c01c33e14aa0c6d0698fd2ad2fa15e1a0",
        573, 80, 6, "labels", None, _CPTC,
    ),
    "cptc2017_recon": CatalogueEntry(
        "7bd6c066648665e47ebbda08301f9c9a303f41e197ba36ff81b4763292780c3e",
        573, 31, 6, "labels", None, _CPTC,
        file="cptc2017_devices", macro_stages=("active_recon", "passive_recon"),
    ),
    "tox21": CatalogueEntry(
        "30e108596fbf5db19a5881ce4e6ffa8459f927d468848a8fd2c6b22de7b41c98",
        8006, 1024, 12, "labels", None,
        "the Tox21 challenge, with Morgan fingerprints of radius 2 and 1024 bits as features",
    ),
}  # fmt: skip


def load_data_set(name: str, n_rows: int | None = None, seed: int = 0) -> DataSet:
    """A data set of ``DATA_SETS``, or a random sample of its rows.

    "digits" and "telemetry" need no file. Every other is looked up as ``<name>.npz`` in the folder
    that the environment variable HALFSEEN_DATA names, then in the user's cache, and is otherwise
    downloaded from OpenML into the cache. Shape and digest are verified. Pixels are scaled to
    [0, 1]; everything else is on its own scale.

    >>> data = load_data_set("digits", n_rows=100)
    >>> data.X.shape, data.target
    ((100, 64), 'classes')
    """
    if name not in DATA_SETS:
        hint = did_you_mean(name, DATA_SETS)
        raise ValueError(
            f"unknown data set {name!r}.{hint} There are: {', '.join(sorted(DATA_SETS))}."
        )
    if n_rows is not None and n_rows < 1:
        raise ValueError(f"n_rows is at least 1, got {n_rows}; leave it out for all rows")
    if name in _MADE:
        return _MADE[name](n_rows, seed)
    entry = CATALOGUE[name]
    found = _read_file(data_set_path(name), name, entry)
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
    some = _sampled(data, n_rows, seed)
    # As float64 only now: all of "mnist" takes 440 MB.
    return replace(some, X=some.X.astype(np.float64) * entry.scale)


def data_set_path(name: str) -> Path:
    """The file of a data set of the catalogue, downloaded if it is nowhere else."""
    entry = CATALOGUE[name]
    file = entry.file or name
    folder = os.environ.get(FOLDER_VARIABLE)
    places = ([Path(folder)] if folder else []) + [cache_folder()]
    for place in places:
        path = place / f"{file}.npz"
        if path.is_file():
            return path
    if entry.openml_id is None:
        looked = " nor ".join(str(place) for place in places)
        raise DataSetUnavailable(
            f"data set {name!r} is neither in {looked}, and OpenML does not keep it (it comes from "
            f"{entry.home}); {_remedy(file)}"
        )
    return _kept(_download(name, entry), cache_folder() / f"{file}.npz")


def cache_folder() -> Path:
    """Where downloads are kept: $XDG_CACHE_HOME/halfseen, usually ~/.cache/halfseen."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "halfseen"


def content_digest(X: NDArray[Any], Y: NDArray[Any]) -> str:
    """A digest of the values, whatever type they are stored in and in whatever order the rows are.

    >>> X, Y = np.eye(3), np.arange(3)
    >>> content_digest(X, Y) == content_digest(X[::-1].astype("uint8"), Y[::-1])
    True
    """
    values = np.ascontiguousarray(np.column_stack([X, Y]), np.float32)
    of_rows = sorted(hashlib.sha256(row.tobytes()).digest() for row in values)
    return hashlib.sha256(b"".join(of_rows)).hexdigest()


class _FileArrays(NamedTuple):
    """Arrays of one data set, as stored."""

    X: NDArray[Any]  # (n_rows, n_features), in the units of the source
    Y: NDArray[Any]  # (n_rows,) classes, or (n_rows, n_labels)
    feature_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    is_train: NDArray[np.bool_] | None = None


def _read_file(path: Path, name: str, entry: CatalogueEntry) -> _FileArrays:
    try:
        # numpy leaves a damaged file open, if it opened it.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = _chosen_columns(arrays, path, name, entry)
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DataSetUnavailable(
            f"{path} cannot be read as a data set ({error}); remove it and try again"
        ) from error
    _verify(found, name, entry, str(path))
    return found


def _chosen_columns(arrays: Any, path: Path, name: str, entry: CatalogueEntry) -> _FileArrays:
    def names(which: str) -> tuple[str, ...]:
        return tuple(map(str, arrays[which])) if which in arrays else ()

    X, feature_names = arrays["X"], names("feature_names")
    if entry.macro_stages:
        if "feature_macro" not in arrays:
            raise DataSetUnavailable(
                f"{path} has no array feature_macro, by which the columns of {name!r} are chosen"
            )
        columns = np.isin(arrays["feature_macro"], entry.macro_stages)
        X = X[:, columns]
        pairs = zip(feature_names, columns, strict=False)
        feature_names = tuple(one for one, chosen in pairs if chosen)
    return _FileArrays(X, arrays["Y"], feature_names, names("label_names"), arrays.get("is_train"))


def _verify(found: _FileArrays, name: str, entry: CatalogueEntry, source: str) -> None:
    """Raise DataSetUnavailable unless shapes and values are those of the data set."""
    shape_of_y = (entry.n_rows,) if entry.target == "classes" else (entry.n_rows, entry.n_labels)
    expected = ((entry.n_rows, entry.n_features), shape_of_y)
    if (found.X.shape, found.Y.shape) != expected:
        raise DataSetUnavailable(
            f"{source} is not the data set {name!r}: its shapes are {found.X.shape} and "
            f"{found.Y.shape}, expected {expected[0]} and {expected[1]}; remove it and try again"
        )
    if content_digest(found.X, found.Y) != entry.digest:
        raise DataSetUnavailable(
            f"{source} is not the data set {name!r} (its values differ from the published ones); "
            "remove it and try again"
        )


def _download(name: str, entry: CatalogueEntry) -> _FileArrays:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=entry.openml_id, as_frame=False, parser="liac-arff")
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataSetUnavailable(
            f"data set {name!r} is in no local folder, and it could not be downloaded from OpenML "
            f"({reason}); connect to the network, or {_remedy(name)}"
        ) from error
    raw = np.asarray(bunch.target)
    if entry.target == "classes":
        classes, codes = np.unique(raw.ravel().astype(str), return_inverse=True)
        Y, label_names = codes.astype(np.uint8), tuple(map(str, classes))
    else:
        Y = np.isin(raw.astype(str), ["1", "1.0", "TRUE", "True"]).astype(np.uint8)
        label_names = tuple(map(str, bunch.target_names))
    X = np.asarray(bunch.data, np.float32)
    found = _FileArrays(X, Y, tuple(map(str, bunch.feature_names)), label_names)
    _verify(found, name, entry, f"OpenML data set {entry.openml_id}")
    return found


def _kept(found: _FileArrays, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_atomically(path) as part:
        np.savez_compressed(
            part,
            X=found.X,
            Y=found.Y,
            feature_names=np.array(found.feature_names, dtype=np.str_),
            label_names=np.array(found.label_names, dtype=np.str_),
        )
    return path


def _remedy(file: str) -> str:
    return (
        f"put {file}.npz (arrays X and Y) into a folder and set the environment variable "
        f"{FOLDER_VARIABLE} to that folder; data set 'digits' needs no file"
    )


def _digits(n_rows: int | None, seed: int) -> DataSet:
    """Handwritten digits of 8 by 8 pixels, which come with scikit-learn."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    data = DataSet(
        "digits",
        bunch.data / _BRIGHTEST_DIGIT,
        np.eye(10)[bunch.target],
        "classes",
        tuple(map(str, bunch.feature_names)),
        tuple(map(str, bunch.target_names)),
        image=(8, 8),
    )
    return _sampled(data, n_rows, seed)


def _telemetry(n_rows: int | None, seed: int) -> DataSet:
    """Generated telemetry of networked devices, complete, so that any entry can be hidden."""
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


def _sampled(data: DataSet, n_rows: int | None, seed: int) -> DataSet:
    """Some rows, drawn at random and in their order; all if there are no more."""
    if n_rows is None or n_rows >= len(data.X):
        return data
    return data.rows(np.sort(np.random.default_rng(seed).permutation(len(data.X))[:n_rows]))


# name -> (n_rows, seed) -> data set
_MADE: Final[Mapping[str, Callable[[int | None, int], DataSet]]] = MappingProxyType(
    {"digits": _digits, "telemetry": _telemetry}
)
DATA_SETS: Final = (*CATALOGUE, *_MADE)

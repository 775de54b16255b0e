"""What a file of a data set holds, verified."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.data_sets.catalogue import CatalogueEntry
from halfseen.experiments.data_sets.content_digest import content_digest
from halfseen.experiments.data_sets.unavailable import DataSetUnavailable


class FileArrays(NamedTuple):
    """Arrays of one data set, as stored.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        Features in the units of the source.
    Y : ndarray of shape (n_rows,) or (n_rows, n_labels)
        Classes, or labels.
    feature_names, label_names : tuple of str
        () where the file has none.
    is_train : ndarray of bool or None
        The source's own split.
    """

    X: NDArray[Any]
    Y: NDArray[Any]
    feature_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    is_train: NDArray[np.bool_] | None = None


def read_file_arrays(path: Path, name: str, entry: CatalogueEntry) -> FileArrays:
    """Read a data set, and make sure that it is the one.

    Raises
    ------
    DataSetUnavailable
        The file is damaged, or holds something else.
    """
    try:
        # numpy leaves a damaged file open, if it opened it.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = _chosen_columns(arrays, path, name, entry)
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DataSetUnavailable(
            f"{path} cannot be read as a data set ({error}); remove it and try again"
        ) from error
    check_arrays(found, name, entry, str(path))
    return found


def check_arrays(found: FileArrays, name: str, entry: CatalogueEntry, source: str) -> None:
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


def _chosen_columns(arrays: Any, path: Path, name: str, entry: CatalogueEntry) -> FileArrays:
    X, names = arrays["X"], _names(arrays, "feature_names")
    if entry.macro_stages:
        if "feature_macro" not in arrays:
            raise DataSetUnavailable(
                f"{path} has no array feature_macro, by which the columns of {name!r} are chosen"
            )
        columns = np.isin(arrays["feature_macro"], entry.macro_stages)
        X = X[:, columns]
        names = tuple(one for one, chosen in zip(names, columns, strict=False) if chosen)
    split = arrays.get("is_train")
    return FileArrays(X, arrays["Y"], names, _names(arrays, "label_names"), split)


def _names(arrays: Any, which: str) -> tuple[str, ...]:
    return tuple(map(str, arrays[which])) if which in arrays else ()

"""Where the file of a data set is."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from halfseen.experiments.data_sets.catalogue import CATALOGUE
from halfseen.experiments.data_sets.file_arrays import FileArrays
from halfseen.experiments.data_sets.openml_download import openml_download
from halfseen.experiments.data_sets.unavailable import FOLDER_VARIABLE, DataSetUnavailable, remedy


def cache_folder() -> Path:
    """Where downloads are kept: $XDG_CACHE_HOME/halfseen, usually ~/.cache/halfseen."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "halfseen"


def data_set_path(name: str) -> Path:
    """The file of a data set of the catalogue, downloaded if it is nowhere else.

    Parameters
    ----------
    name : str
        One of ``CATALOGUE``.

    Returns
    -------
    Path
        In the folder that the environment variable HALFSEEN_DATA names, or in the cache.

    Raises
    ------
    DataSetUnavailable
        It is in neither, and cannot be downloaded.
    """
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
            f"{entry.home}); {remedy(file)}"
        )
    return _kept(openml_download(name, entry), cache_folder() / f"{file}.npz")


def _kept(found: FileArrays, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.npz")
    try:
        np.savez_compressed(
            beside,
            X=found.X,
            Y=found.Y,
            feature_names=np.array(found.feature_names, dtype=np.str_),
            label_names=np.array(found.label_names, dtype=np.str_),
        )
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path

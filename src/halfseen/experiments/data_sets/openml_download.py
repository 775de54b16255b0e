"""Data sets that OpenML keeps."""

from __future__ import annotations

import numpy as np

from halfseen.experiments.data_sets.catalogue import CatalogueEntry
from halfseen.experiments.data_sets.file_arrays import FileArrays, check_arrays
from halfseen.experiments.data_sets.unavailable import DataSetUnavailable, remedy


def openml_download(name: str, entry: CatalogueEntry) -> FileArrays:
    """Fetch a data set from OpenML, and make sure that it is the one.

    Raises
    ------
    DataSetUnavailable
        OpenML does not answer, or keeps something else.
    """
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=entry.openml_id, as_frame=False, parser="liac-arff")
    except Exception as error:
        raise DataSetUnavailable(
            f"data set {name!r} is in no local folder, and it could not be downloaded from OpenML "
            f"({_reason(error)}); connect to the network, or {remedy(name)}"
        ) from error
    X = np.asarray(bunch.data, np.float32)
    raw = np.asarray(bunch.target)
    if entry.target == "classes":
        classes, codes = np.unique(raw.ravel().astype(str), return_inverse=True)
        Y, label_names = codes.astype(np.uint8), tuple(map(str, classes))
    else:
        Y = np.isin(raw.astype(str), ["1", "1.0", "TRUE", "True"]).astype(np.uint8)
        label_names = tuple(map(str, bunch.target_names))
    found = FileArrays(X, Y, tuple(map(str, bunch.feature_names)), label_names)
    check_arrays(found, name, entry, f"OpenML data set {entry.openml_id}")
    return found


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__

"""Reconstructed images of a cell, for the report."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.cell_data import HiddenRows
from halfseen.experiments.data_sets import DataSet
from halfseen.storage import write_beside

PICTURES = "pictures"  # the folder of images within a run folder
_N_PICTURES = 10
_GREY_LEVELS = 255


def write_pictures(
    run: Path, key: str, data: DataSet, rows: HiddenRows, completed: NDArray[np.float64]
) -> None:
    """Keep ten images: what is true, what was observed, and what a method made of it.

    They are the first of different classes where there are enough of them; the same rows for all
    methods. Nothing is written if the method completed none.

    Parameters
    ----------
    run : Path
        The run folder.
    key : str
        Of the cell.
    data : DataSet
        With ``image`` set.
    rows : HiddenRows
        What was hidden.
    completed : ndarray of shape (n_rows, n_features)
        What the method says; NaN where it says nothing.
    """
    chosen = _chosen(data, rows)
    if not len(chosen) or np.isnan(completed[chosen]).any():
        return
    known = data.X[~np.isnan(data.X)]
    low, high = float(known.min()), float(known.max())
    scale = _GREY_LEVELS / max(high - low, 1e-12)

    def grey(values: NDArray[np.float64]) -> NDArray[np.uint8]:
        return np.clip(np.rint((np.nan_to_num(values) - low) * scale), 0, 255).astype(np.uint8)

    file = io.BytesIO()
    np.savez_compressed(
        file,
        truth=grey(data.X[chosen]),
        observed=~np.isnan(rows.X[chosen]),
        completed=grey(completed[chosen]),
        image=np.array(data.image),
    )
    path = run / PICTURES / f"{key}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_beside(path, [file.getvalue()])


def _chosen(data: DataSet, rows: HiddenRows) -> NDArray[np.intp]:
    asked = np.flatnonzero(rows.asked_features.any(axis=1))
    if data.target != "classes":
        return asked[:_N_PICTURES]
    classes = np.argmax(np.nan_to_num(data.Y[asked]), axis=1)
    first = np.unique(classes, return_index=True)[1]
    others = np.setdiff1d(np.arange(len(asked)), first)
    chosen: NDArray[np.intp] = asked[np.concatenate([first, others])[:_N_PICTURES]]
    return chosen

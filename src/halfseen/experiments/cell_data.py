"""The data of a cell, what the cell hides of them, and images of what was restored."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.data_sets import DataSet, load_data_set
from halfseen.experiments.plan import FEATURE_HIDING, LABEL_HIDING, Cell, TableChoice
from halfseen.experiments.user_table import load_user_table
from halfseen.masks import mask_table
from halfseen.model_file import replace_atomically

NEW_SHARE: Final = 0.3  # of the rows, in the inductive task
PICTURES: Final = "pictures"  # the folder of images within a run folder
_SPLIT_STREAM = 86_028_121
_N_PICTURES = 10
_GREY_LEVELS = 255


class HiddenRows(NamedTuple):
    """A table with masked entries, which of its rows are fitted, and which entries are scored."""

    X: NDArray[np.float64]  # (n_rows, n_features), NaN where hidden or missing
    Y: NDArray[np.float64]  # (n_rows, n_labels), NaN where hidden or unknown
    fitted: NDArray[np.bool_]  # (n_rows,), False for new rows
    asked_features: NDArray[np.bool_]  # (n_rows, n_features)
    asked_labels: NDArray[np.bool_]  # (n_rows, n_labels)


def cell_data(cell: Cell) -> DataSet:
    """The data set of a cell; the last two stay in memory."""
    return _loaded(cell.data_set, cell.table, cell.n_rows)


@lru_cache(maxsize=2)
def _loaded(name: str, table: TableChoice | None, n_rows: int | None) -> DataSet:
    return load_data_set(name, n_rows) if table is None else load_user_table(table, n_rows)


def hidden_rows(cell: Cell, data: DataSet) -> HiddenRows:
    """Hide what the cell says, the same for every method.

    In the transductive task all rows are fitted, and what was hidden of them is asked for. In the
    inductive task 30 % of the rows are new; none of their labels is seen, and all are asked for.
    Rows are split anew for every realisation.

    >>> data = DataSet("ones", np.ones((10, 2)), np.ones((10, 1)), "labels")
    >>> cell = Cell("ones", "inductive", "at_random", "at_random", 0.0, 0.0, 1.0, "mc1")
    >>> rows = hidden_rows(cell, data)
    >>> int(rows.fitted.sum()), int(rows.asked_labels.sum()), int(rows.asked_features.sum())
    (7, 3, 6)
    """
    how: dict[str, Any] = {
        "feature_rate": cell.feature_rate,
        "label_rate": cell.label_rate,
        "feature_mechanism": _mechanism("feature_hiding", cell.feature_hiding, FEATURE_HIDING),
        "label_mechanism": _mechanism("label_hiding", cell.label_hiding, LABEL_HIDING),
        "one_hot": data.target == "classes",
        "groups": data.blocks,
        "seed": cell.realisation,
    }
    n_rows = len(data.X)
    is_new = np.zeros(n_rows, dtype=bool)
    if cell.task == "transductive":
        X, Y, held_out_X, held_out_Y = mask_table(data.X, data.Y, **how)
        return HiddenRows(X, Y, ~is_new, held_out_X, held_out_Y)
    generator = np.random.default_rng([cell.realisation, _SPLIT_STREAM])
    is_new[generator.permutation(n_rows)[: round(NEW_SHARE * n_rows)]] = True
    X, Y, held_out_X, held_out_Y = mask_table(
        data.X, data.Y, new_rows=is_new, new_feature_rate=cell.new_feature_rate, **how
    )
    of_new = is_new[:, None]
    return HiddenRows(X, Y, ~is_new, held_out_X & of_new, held_out_Y & of_new)


def write_pictures(
    run: Path, key: str, data: DataSet, rows: HiddenRows, completed: NDArray[np.float64]
) -> None:
    """Keep ten images: the truth, what was observed, and what a method made of it.

    They are the first of different classes where there are enough of them; the same rows for all
    methods. Nothing is written if the method completed none.
    """
    chosen = _chosen(data, rows)
    if not len(chosen) or np.isnan(completed[chosen]).any():
        return
    known = data.X[~np.isnan(data.X)]
    low, high = float(known.min()), float(known.max())
    scale = _GREY_LEVELS / max(high - low, 1e-12)

    def grey(values: NDArray[np.float64]) -> NDArray[np.uint8]:
        return np.clip(np.rint((np.nan_to_num(values) - low) * scale), 0, 255).astype(np.uint8)

    path = run / PICTURES / f"{key}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_atomically(path) as part:
        np.savez_compressed(
            part,
            truth=grey(data.X[chosen]),
            observed=~np.isnan(rows.X[chosen]),
            completed=grey(completed[chosen]),
            image=np.array(data.image),
        )


def _mechanism(parameter: str, name: str, mechanisms: Mapping[str, str]) -> str:
    if name not in mechanisms:
        raise ValueError(f"unknown {parameter} {name!r}; there are {', '.join(mechanisms)}")
    return mechanisms[name]


def _chosen(data: DataSet, rows: HiddenRows) -> NDArray[np.intp]:
    asked = np.flatnonzero(rows.asked_features.any(axis=1))
    if data.target != "classes":
        return asked[:_N_PICTURES]
    classes = np.argmax(np.nan_to_num(data.Y[asked]), axis=1)
    first = np.unique(classes, return_index=True)[1]
    others = np.setdiff1d(np.arange(len(asked)), first)
    chosen: NDArray[np.intp] = asked[np.concatenate([first, others])[:_N_PICTURES]]
    return chosen

"""One part of a table under a model: what every engine does to each of its partitions.

No result depends on how a table is cut into parts, for the model answers row by row.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import warnings
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from halfseen.base.estimator import TableModel
from halfseen.data.columns import Column
from halfseen.data.frames import align
from halfseen.data.raw import category_key
from halfseen.loading import load

Columns = dict[str, NDArray[Any]]

DRAW = "draw"  # the column that numbers the draws of `impute`
# Predictions of this many visible units are made at a time, which bounds memory.
_UNITS_AT_ONCE = 4_000_000
_MOST_MODELS = 4  # that a process keeps
_SHOWN = 10


class SentModel(NamedTuple):
    """A model on its way to other processes: the bytes of its file, never a pickle."""

    digest: str
    content: bytes


_received: dict[str, Any] = {}
_lock = threading.Lock()


def send(model: TableModel | str | PathLike[str]) -> SentModel:
    """The bytes of a model file, from its path or from the fitted model."""
    if isinstance(model, TableModel):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.safetensors")
            model.save(path)
            content = path.read_bytes()
    else:
        load(model)  # refuses what is no model before anything is sent
        content = Path(model).read_bytes()
    return SentModel(hashlib.sha256(content).hexdigest(), content)


def receive(sent: SentModel) -> Any:
    """The model that was sent; a process reads it once."""
    with _lock:
        if sent.digest not in _received:
            while len(_received) >= _MOST_MODELS:
                del _received[next(iter(_received))]
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "model.safetensors")
                path.write_bytes(sent.content)
                _received[sent.digest] = load(path)
        return _received[sent.digest]


def check_names(names: list[str], model: Any) -> None:
    """Refuse a model without names of columns, or a table without any; name absent columns."""
    if not model.schema_.has_feature_names:
        raise ValueError(
            "The model was fitted to an array without names of columns. Fit it to a data frame, "
            "so that the columns of other tables can be found by name."
        )
    expected = [str(column.name) for column in model.schema_.features if column.n_units]
    absent = [name for name in expected if name not in names]
    shown = ", ".join(map(repr, absent[:_SHOWN])) + (", ..." if len(absent) > _SHOWN else "")
    if len(absent) == len(expected):
        raise ValueError(f"The table has no column of the model: {shown}. Is it another table?")
    if absent:
        warnings.warn(f"Columns {shown} are absent and taken as missing.", stacklevel=3)


def modelled_columns(names: list[str], model: Any) -> dict[str, Column]:
    """Columns of a table that the model fills: its features, and its targets if they have names."""
    known = {column.name: column for column in model.schema_.columns if column.n_units}
    return {name: known[name] for name in names if name in known}


def complete(frame: Any, model: Any) -> Any:
    """Fill the missing cells of a data frame, features and targets, and keep all its columns.

    Known targets of a row help to fill its features. Columns that the model does not know, or
    ignores, stay as they are. Observed cells never change, and neither do types.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or pyarrow.RecordBatch
        Rows, with the columns of the model in any order.
    model : estimator
        A model that was fitted to a data frame.

    Returns
    -------
    data frame
        In the container of `frame`.

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen import RBMImputer
    >>> frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": [1.5, 2.5] * 20})
    >>> model = RBMImputer(n_iter=2, random_state=0).fit(frame)
    >>> complete(pd.DataFrame({"id": [7, None], "b": [1.5, None], "a": ["y", None]}), model).count()
    id    1
    b     2
    a     2
    dtype: int64
    """
    opened = _opened(frame)
    check_names(opened.columns, model)
    if opened.implementation.is_pandas():
        frame = with_categories(frame, model)
        opened = _opened(frame)
    if not len(opened):
        return frame
    parts = [_completed(part, model) for part, _ in _pieces(opened, model)]
    return _like(frame, nw.concat(parts, how="vertical") if len(parts) > 1 else parts[0])


def with_categories(frame: Any, model: Any) -> Any:
    """A pandas frame whose categorical columns admit every category that a fill may be."""
    for name, column in modelled_columns(list(frame.columns), model).items():
        accessor = getattr(frame[name], "cat", None)
        if accessor is not None and column.categories:
            known = {category_key(value) for value in accessor.categories}
            new = [value for value in column.categories if category_key(value) not in known]
            frame = frame.assign(**{name: accessor.add_categories(new)})
    return frame


def impute(frame: Any, model: Any, n_draws: int, seed: int | None, first_row: int) -> Any:
    """All draws below each other, numbered by the column "draw"; targets stay as they are."""
    if nw.from_native(frame).implementation.is_pandas():
        frame = with_categories(frame, model)
    opened = _opened(frame)
    of_draws: list[list[Any]] = [[] for _ in range(n_draws)]
    for part, before in _pieces(opened, model):
        drawn = model.impute(_features(part, model), n_draws, seed, first_row + before)
        for draw, (found, filled) in enumerate(zip(of_draws, drawn, strict=True)):
            number = nw.lit(draw, dtype=nw.Int64).alias(DRAW)
            found.append(_replaced(part, nw.from_native(filled)).with_columns(number))
    parts = [part for found in of_draws for part in found]
    return _like(frame, nw.concat(parts, how="vertical"))


def answer(frame: Any, model: Any, method: str, **options: Any) -> Columns:
    """What `predict`, `predict_proba` and the like say of some rows, as named columns."""
    types = answer_types(model, method)
    parts = [
        _answer(_features(part, model), model, method, options)
        for part, _ in _pieces(_opened(frame), model)
    ]
    return {
        name: np.concatenate([np.zeros(0, dtype), *(part[k] for part in parts)], dtype=dtype)
        for k, (name, dtype) in enumerate(types.items())
    }


def answer_types(model: Any, method: str) -> dict[str, np.dtype[Any]]:
    """Names and types of the columns of an answer, known before there is a row."""
    schema, number = model.schema_, np.dtype(np.float64)
    if method == "score_samples":
        return {"score": number}
    if method == "predict_interval":
        names = (str(column.name) for column in schema.features if column.is_number)
        return {f"{name}_{side}": number for name in names for side in ("low", "high")}
    if method == "complete":  # both at once, for the price of one
        return answer_types(model, "predict") | answer_types(model, "predict_proba")
    if not schema.targets:
        raise TypeError(f"{type(model).__name__} has no target to predict. Fit a classifier.")
    labels = {_label(column.name): column for column in schema.targets}
    if method == "predict":
        one_of_each = [np.array(column.categories)[:1] for column in schema.targets]
        return dict.fromkeys(labels, np.stack(one_of_each).dtype)
    kind = number if method == "predict_proba" else np.dtype(bool)
    only_one = schema.target_type == "multilabel-indicator" and method == "predict_proba"
    return {
        f"{label}={category_key(value)}": kind
        for label, column in labels.items()
        for value in column.categories[int(only_one) :]
    }


def _label(name: str | int) -> str:
    """Name of a target; one of an array has none."""
    if isinstance(name, str):
        return name
    return f"target{name}" if name else "target"


def _answer(X: Any, model: Any, method: str, options: dict[str, Any]) -> list[NDArray[Any]]:
    """Columns of an answer, in the order of `answer_types`."""
    found = getattr(model, method)(X, **options)
    if method == "predict_interval":
        found = found[:, [column.is_number for column in model.schema_.features]]
    arrays = found if isinstance(found, list) else [found]
    if method == "complete":
        arrays = [found.y, *(found.proba if isinstance(found.proba, list) else [found.proba])]
    return [column for array in arrays for column in array.reshape(len(array), -1).T]


def _opened(frame: Any) -> Any:
    if hasattr(frame, "to_struct_array"):  # a record batch of Arrow
        import pyarrow as pa

        frame = frame if isinstance(frame, pa.Table) else pa.Table.from_batches([frame])
    return nw.from_native(frame, eager_only=True)


def _like(frame: Any, filled: Any) -> Any:
    """The native frame; of Arrow with the fields of the given one, and a batch for a batch."""
    native = filled.to_native()
    if not hasattr(frame, "schema") or not filled.implementation.is_pyarrow():
        return native
    import pyarrow as pa

    fields = {field.name: field for field in frame.schema}
    own = [fields.get(field.name, field) for field in native.schema]
    schema = [a if a.type == b.type else b for a, b in zip(own, native.schema, strict=True)]
    native = pa.table(native.columns, schema=pa.schema(schema, frame.schema.metadata))
    if isinstance(frame, pa.Table):
        return native
    return native.combine_chunks().to_batches()[0] if len(native) else frame


def _pieces(frame: Any, model: Any) -> Iterator[tuple[Any, int]]:
    """The rows in pieces, and the number of rows before each."""
    n_rows = max(64, min(16_384, _UNITS_AT_ONCE // max(1, model.schema_.n_units)))
    for first in range(0, len(frame), n_rows):
        yield frame[first : first + n_rows], first


def _features(part: Any, model: Any) -> Any:
    with warnings.catch_warnings():  # absent columns are named once for the whole table
        warnings.filterwarnings("ignore", message=".* absent and taken as missing")
        return align(part.to_native(), [str(column.name) for column in model.schema_.features])


def _completed(part: Any, model: Any) -> Any:
    X, y = _features(part, model), _targets(part, model)
    done = model.complete(X) if y is None else model.complete(X, y)
    filled = [nw.from_native(done.X)]
    if y is not None:
        found = nw.from_native(done.y, allow_series=True)
        filled.append(found.to_frame() if isinstance(found, nw.Series) else found)
    return _replaced(part, *filled)


def _targets(part: Any, model: Any) -> Any:
    """The targets of the model in a table, unknown where absent; None if it has none of them."""
    names = [column.name for column in model.schema_.targets]
    absent = [name for name in names if name not in part.columns]
    if len(absent) == len(names):
        return None
    if len(names) == 1:
        return part[names[0]].to_native()
    return part.with_columns(nw.lit(None).alias(n) for n in absent).select(names).to_native()


def _replaced(part: Any, *filled: Any) -> Any:
    """A part with the columns that had missing cells and were filled."""
    columns = {name: frame[name] for frame in filled for name in frame.columns}
    return part.with_columns(columns[name] for name in part.columns if name in columns)

"""What lies in memory behind a missing entry never has any influence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from estimators.bits import answers, assert_same_bits, assert_same_model
from estimators.tables import LIGHT, labels_of_rows
from halfseen import HalfseenClassifier

Behind = dict[str, Any]
BEHIND: list[Behind] = [
    {"size": 0.0, "weight": 0, "sold": False, "colour": "blue", "class": 0, "label": 0.0},
    {"size": np.nan, "weight": 10**15, "sold": True, "colour": "pink", "class": 99, "label": 1.0},
    {"size": np.inf, "weight": -5, "sold": True, "colour": 3.5, "class": -7, "label": 1e300},
]
NUMBERS = {"high": 0, "low": 1, "mid": 2}


def arrow(values: NDArray[Any], seen: NDArray[np.bool_], type_: pa.DataType) -> pa.Array:
    """An Arrow array over a buffer in which values stand behind the nulls."""
    packed = values if values.dtype != bool else np.packbits(values, bitorder="little")
    validity = pa.py_buffer(np.packbits(seen, bitorder="little").tobytes())
    buffers = [validity, pa.py_buffer(packed.tobytes())]
    return pa.Array.from_buffers(type_, len(values), buffers)


def columns(table: pd.DataFrame, behind: Behind) -> dict[str, tuple[Any, Any]]:
    """Values with something behind the holes, beside what is seen."""
    seen = {name: table[name].notna().to_numpy() for name in table}
    size = np.where(seen["size"], table["size"], behind["size"])
    weight = np.where(seen["weight"], table["weight"].fillna(0), behind["weight"])
    sold = np.where(seen["sold"], table["sold"] == 1.0, behind["sold"])
    colour = table["colour"].to_numpy(dtype=object, copy=True)
    colour[~seen["colour"]] = behind["colour"]
    return {
        "size": (size.astype(np.float64), seen["size"]),
        "weight": (weight.astype(np.int64), seen["weight"]),
        "sold": (sold.astype(bool), seen["sold"]),
        "colour": (colour, seen["colour"]),
    }


def with_masks(table: pd.DataFrame, classes: NDArray[Any], behind: Behind) -> tuple[Any, Any]:
    parts = columns(table, behind)
    kinds: dict[str, Any] = {
        "size": pd.arrays.FloatingArray,
        "weight": pd.arrays.IntegerArray,
        "sold": pd.arrays.BooleanArray,
    }
    frame = {name: kind(parts[name][0], ~parts[name][1]) for name, kind in kinds.items()}
    frame["colour"] = table["colour"]
    seen = pd.notna(classes)
    codes = np.array([NUMBERS.get(name, behind["class"]) for name in classes])
    return pd.DataFrame(frame), pd.Series(pd.arrays.IntegerArray(codes, ~seen))


def with_arrow(table: pd.DataFrame, classes: NDArray[Any], behind: Behind) -> tuple[Any, Any]:
    parts = columns(table, behind)
    kinds = {"size": pa.float64(), "weight": pa.int64(), "sold": pa.bool_()}
    frame = {
        name: pd.arrays.ArrowExtensionArray(arrow(*parts[name], kind))
        for name, kind in kinds.items()
    }
    frame["colour"] = table["colour"]
    seen = pd.notna(classes)
    codes = np.array([NUMBERS.get(name, behind["class"]) for name in classes], np.int64)
    y = pd.Series(pd.arrays.ArrowExtensionArray(arrow(codes, seen, pa.int64())))
    return pd.DataFrame(frame), y


def as_arrow(table: pd.DataFrame, classes: NDArray[Any], behind: Behind) -> tuple[Any, Any]:
    frame, y = with_arrow(table, classes, behind)
    arrays = {name: pa.array(frame[name]) for name in ("size", "weight", "sold")}
    arrays["colour"] = pa.array([None if pd.isna(c) else c for c in table["colour"]])
    return pa.table(arrays), pa.array(y)


def as_polars(table: pd.DataFrame, classes: NDArray[Any], behind: Behind) -> tuple[Any, Any]:
    X, y = as_arrow(table, classes, behind)
    return pl.from_arrow(X), pl.from_arrow(y)


def as_masked_array(table: pd.DataFrame, classes: NDArray[Any], behind: Behind) -> tuple[Any, Any]:
    parts = columns(table, behind)
    values = np.empty(table.shape, dtype=object)
    hidden = np.empty(table.shape, dtype=bool)
    for j, (column, seen) in enumerate(parts.values()):
        values[:, j], hidden[:, j] = column, ~seen
    codes = np.array([NUMBERS.get(name, behind["class"]) for name in classes], float)
    y = np.ma.array(codes, mask=pd.isna(classes))
    return np.ma.array(values, mask=hidden), y


MAKERS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "pandas masks": with_masks,
    "pandas on arrow": with_arrow,
    "pyarrow": as_arrow,
    "polars": as_polars,
    "masked array": as_masked_array,
}


def plain(answer: Any) -> Any:
    """Answers without the container that the hidden values came in."""
    if isinstance(answer, np.ma.MaskedArray):
        assert not np.ma.getmaskarray(answer).any()
        return np.asarray(answer)
    if isinstance(answer, pa.Table | pa.ChunkedArray):
        return answer.to_pylist()
    return answer


def test_there_is_something_to_find(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    row = int(np.flatnonzero(table["weight"].isna())[0])
    for behind in BEHIND:
        frame, y = with_masks(table, classes, behind)
        assert frame["weight"].array._data[row] == behind["weight"]
        assert y.array._data[5] == behind["class"]
        X, codes = as_arrow(table, classes, behind)
        (chunk,) = X["weight"].chunks
        assert np.frombuffer(chunk.buffers()[1], np.int64)[row] == behind["weight"]
        assert np.frombuffer(codes.buffers()[1], np.int64)[5] == behind["class"]
        masked, _ = as_masked_array(table, classes, behind)
        assert masked.data[row, 1] == behind["weight"]


@pytest.mark.parametrize("maker", MAKERS)
def test_hidden_values_have_no_influence(
    maker: str, table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    made = [MAKERS[maker](table, classes, behind) for behind in BEHIND]
    fitted = [HalfseenClassifier(**LIGHT).fit(*pair) for pair in made]
    said = [
        [plain(answer) for answer in answers(model, *pair)]
        for model, pair in zip(fitted, made, strict=True)
    ]
    for other, words in zip(fitted[1:], said[1:], strict=True):
        assert_same_model(fitted[0], other)
        assert_same_bits(words, said[0])


@pytest.mark.parametrize("behind", BEHIND[1:])
def test_hidden_labels_have_no_influence(
    behind: Behind, table: pd.DataFrame, labels: NDArray[Any], of_labels: HalfseenClassifier
) -> None:
    unknown = np.isnan(labels)
    masked = np.ma.array(np.where(unknown, behind["label"], labels), mask=unknown)
    model = HalfseenClassifier(**LIGHT).fit(table, masked)
    assert_same_model(model, of_labels)
    assert_same_bits(answers(model, table, masked), answers(of_labels, table, labels))


def test_true_labels_behind_the_holes_are_not_looked_at(
    table: pd.DataFrame, of_labels: HalfseenClassifier
) -> None:
    y = labels_of_rows(table)
    masked = np.ma.array(np.nan_to_num(y, nan=0.0), mask=np.isnan(y))
    masked.data[np.isnan(y)] = np.resize([0.0, 1.0], np.isnan(y).sum())
    assert_same_model(HalfseenClassifier(**LIGHT).fit(table, masked), of_labels)

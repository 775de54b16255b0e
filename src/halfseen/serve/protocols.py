"""The same answers in the words of others: Open Inference Protocol v2, and MLflow's scoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfseen.data.columns import Column
from halfseen.serve.answers import Targets, completed_records
from halfseen.serve.models import Completed, Served
from halfseen.serve.rows import (
    CSV,
    JSON,
    Rows,
    class_text,
    from_records,
    from_tensors,
    parse,
    read_rows,
)
from halfseen.serve.schemas import InferRequest, Invocation, Tensor
from halfseen.serve.settings import RequestError

_PROBABILITIES = "_probabilities"


def datatype(column: Column) -> str:
    """Datatype of a column in the Open Inference Protocol."""
    if column.is_number:
        return "FP64"
    return _datatype_of(column.categories)


def _datatype_of(cells: Sequence[Any]) -> str:
    kinds = {type(cell) for cell in cells}
    return {bool: "BOOL", int: "INT64", float: "FP64"}.get(
        kinds.pop() if len(kinds) == 1 else str, "BYTES"
    )


def metadata(served: Served) -> dict[str, Any]:
    """Model metadata: a tensor per feature; predictions, probabilities and fills come out."""
    schema, names = served.model.schema_, served.names
    features = [
        {"name": name, "datatype": datatype(column), "shape": [-1]}
        for name, column in zip(names.features, schema.features, strict=True)
    ]
    outputs: list[dict[str, Any]] = []
    for name, column in zip(names.targets, schema.targets, strict=True):
        classes = [class_text(value) for value in column.categories]
        outputs += [
            {"name": name, "datatype": datatype(column), "shape": [-1]},
            {"name": name + _PROBABILITIES, "datatype": "FP64", "shape": [-1, len(classes)]},
        ]
        outputs[-1]["parameters"] = {"classes": classes}
    return {
        "name": served.name,
        "versions": [served.version],
        "platform": "halfseen",
        "inputs": features,
        "outputs": outputs + [one for one in features if one["name"] not in names.targets],
    }


def tensor_rows(served: Served, request: InferRequest, most: int) -> Rows:
    """Rows from tensors: one per column, or one with all columns side by side."""
    features = served.names.features
    first = request.inputs[0]
    if len(request.inputs) == 1 and len(first.shape) == 2 and first.name not in features:
        n_rows, n_columns = first.shape
        cells = _flat(first)
        if n_columns != len(features):
            wanted = f"has {n_columns} columns, the model {len(features)}"
            raise RequestError(422, f"Tensor {first.name!r} {wanted}.")
        columns = {name: cells[j::n_columns] for j, name in enumerate(features)}
        return from_tensors(served.model, served.names, columns, n_rows, most)
    n_rows, columns = first.shape[0], {}
    for tensor in request.inputs:
        if tensor.shape[0] != n_rows or tensor.shape[1:] not in ([], [1]):
            raise RequestError(422, f"Tensor {tensor.name!r} has another shape than [{n_rows}].")
        if tensor.name in columns:
            raise RequestError(422, f"There are two tensors {tensor.name!r}.")
        columns[tensor.name] = _flat(tensor)
    return from_tensors(served.model, served.names, columns, n_rows, most)


_FORMS = {"B": (str,), "F": (int, float), "I": (int,), "U": (int,)}  # of datatypes by first letter


def _flat(tensor: Tensor) -> list[Any]:
    """Cells in row-major order, each of the datatype or null."""
    cells: list[Any] = []
    for cell in tensor.data:
        cells.extend(cell) if isinstance(cell, list) else cells.append(cell)
    size = tensor.shape[0] * (tensor.shape[1] if len(tensor.shape) == 2 else 1)
    if len(cells) != size:
        raise RequestError(
            422, f"Tensor {tensor.name!r} of shape {tensor.shape} has {len(cells)} cells."
        )
    forms = (bool,) if tensor.datatype == "BOOL" else _FORMS[tensor.datatype[0]]
    for place, cell in enumerate(cells):
        if cell is not None and type(cell) not in forms:
            problem = f"cell {place} is no {tensor.datatype}; null is missing"
            raise RequestError(422, f"Tensor {tensor.name!r}: {problem}.")
    return cells


def inferred(
    served: Served, request: InferRequest, rows: Rows, completed: Completed
) -> dict[str, Any]:
    """Output tensors: by default predictions and probabilities, of an imputer the fills."""
    asked = [one.name for one in request.outputs]
    if len(set(asked)) < len(asked):
        raise RequestError(422, "An output is asked for twice.")
    targets = Targets(served, completed)
    outputs: dict[str, dict[str, Any]] = {}
    for j, (name, classes) in enumerate(zip(targets.names, targets.classes, strict=True)):
        outputs[name] = _output(name, _datatype_of(classes), [rows.n_rows],
                                targets.decided[j].tolist())  # fmt: skip
        shape = list(targets.proba[j].shape)
        key = name + _PROBABILITIES
        outputs[key] = _output(key, "FP64", shape, targets.proba[j].ravel().tolist())
    if not outputs or set(asked) - set(outputs):
        records = completed_records(served, rows, completed)
        columns = zip(served.names.features, served.model.schema_.features, strict=True)
        for name, column in columns:
            cells = [record["values"][name] for record in records]
            kind = datatype(column)
            if kind == "BYTES":
                cells = [cell if cell is None else class_text(cell) for cell in cells]
            outputs.setdefault(name, _output(name, kind, [rows.n_rows], cells))
    unknown = [name for name in asked if name not in outputs]
    if unknown:
        raise RequestError(422, f"The model has no output {unknown[0]!r}.")
    response: dict[str, Any] = {
        "model_name": served.name,
        "model_version": served.version,
        "outputs": [outputs[name] for name in asked or outputs],
    }
    return response | ({"id": request.id} if request.id is not None else {})


def _output(name: str, kind: str, shape: list[int], data: list[Any]) -> dict[str, Any]:
    if kind == "BYTES":
        data = [cell if cell is None else class_text(cell) for cell in data]
    return {"name": name, "shape": shape, "datatype": kind, "data": data}


def invocation_rows(served: Served, content: bytes, media_type: str, most: int) -> Rows:
    """Rows from one of the forms of MLflow."""
    if media_type != JSON:
        if media_type != CSV:
            raise RequestError(415, f"A body is {JSON} or {CSV}; name it in Content-Type.")
        return read_rows(served.model, served.names, content, media_type, most)
    request = parse(Invocation, content)
    forms = [request.dataframe_split, request.dataframe_records, request.instances, request.inputs]
    given = [form for form in forms if form is not None]
    if len(given) != 1:
        names = "dataframe_split, dataframe_records, instances or inputs"
        raise RequestError(422, f"Send one of {names}.")
    (form,) = given
    ask = served.model, served.names
    if form is request.inputs:
        lengths = {len(cells) for cells in form.values()}
        if len(lengths) != 1:
            raise RequestError(422, "The columns of inputs differ in length.")
        return from_tensors(*ask, form, lengths.pop(), most)
    if isinstance(form, list) and not (form and isinstance(form[0], list)):
        return from_records(*ask, form, most)
    if isinstance(form, list):
        return _from_lists(served, served.names.features, form, most)
    return _from_lists(served, form.columns, form.data, most)


def _from_lists(
    served: Served, names: Sequence[str], data: Sequence[Sequence[Any]], most: int
) -> Rows:
    if len(set(names)) < len(names):
        raise RequestError(422, "Two columns have one name; each needs its own.")
    for i, row in enumerate(data):
        if len(row) != len(names):
            found = f"Row {i} has {len(row)} cells instead of {len(names)}."
            raise RequestError(422, found)
    columns: Mapping[str, Any] = {name: [row[j] for row in data] for j, name in enumerate(names)}
    return from_tensors(served.model, served.names, columns, len(data), most)


def invocation_answer(served: Served, rows: Rows, completed: Completed) -> list[dict[str, Any]]:
    """A record per row, as `halfseen.mlflow` predicts: decisions and probabilities, or fills."""
    if not served.names.targets:
        return [record["values"] for record in completed_records(served, rows, completed)]
    columns = Targets(served, completed).columns()
    cells = [
        column.tolist() if hasattr(column, "tolist") else column for column in columns.values()
    ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)]

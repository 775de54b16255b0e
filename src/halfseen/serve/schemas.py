"""Forms of requests and responses: what bodies are checked by, and what OpenAPI shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

# Strict, because 1 is not "1"; null is missing for every type.
Cell = bool | int | Annotated[float, Field(allow_inf_nan=False)] | str | None


class _Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)


class Records(_Request):
    """Rows as records. Absent and null cells are missing."""

    records: list[dict[str, Cell]] = Field(min_length=1)


class Tensor(BaseModel):
    """A column, or all columns side by side, in row-major order. Null is missing in every type."""

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    name: str
    shape: list[Annotated[int, Field(ge=0)]] = Field(min_length=1, max_length=2)
    datatype: Literal["BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32",
                      "UINT64", "FP16", "FP32", "FP64", "BYTES"]  # fmt: skip
    data: list[Cell] | list[list[Cell]]
    parameters: dict[str, JsonValue] = {}


class RequestedOutput(BaseModel):
    """An output by its name in the metadata."""

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    name: str
    parameters: dict[str, JsonValue] = {}


class InferRequest(BaseModel):
    """Open Inference Protocol, version 2."""

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    id: str | None = None
    inputs: list[Tensor] = Field(min_length=1)
    outputs: list[RequestedOutput] = []
    parameters: dict[str, JsonValue] = {}


class Split(_Request):
    """A table as pandas splits it."""

    columns: list[str]
    data: list[list[Cell]]
    index: list[Cell] = []


class Invocation(_Request):
    """A request of MLflow's scoring protocol: one of its four forms."""

    dataframe_split: Split | None = None
    dataframe_records: list[dict[str, Cell]] | None = None
    instances: list[dict[str, Cell]] | list[list[Cell]] | None = None
    inputs: dict[str, list[Cell]] | None = None
    params: dict[str, JsonValue] | None = None


class Error(BaseModel):
    """Why a request was refused."""

    error: str


class _Response(BaseModel):
    model: str
    version: str
    notes: list[str] = Field(description="What was taken as missing or not used.")


class Prediction(BaseModel):
    """The predicted class of a target, and the probability of each."""

    value: Cell
    probabilities: dict[str, float]


class Predictions(_Response):
    """Of each row, the prediction of each target."""

    rows: list[dict[str, Prediction]]


class CompletedRow(BaseModel):
    """A row without missing values."""

    values: dict[str, Cell]
    filled: list[str] = Field(description="Columns that were missing.")
    targets: dict[str, Prediction]


class Completions(_Response):
    """Each row, completed."""

    rows: list[CompletedRow]


class Interval(BaseModel):
    """Bounds of a missing number, null where they are infinite."""

    value: float
    low: float | None
    high: float | None


class Intervals(_Response):
    """Of each row, the intervals of its missing numbers."""

    coverage: float
    rows: list[dict[str, Interval]]


class PredictionSet(BaseModel):
    """Classes that are possible; several abstain."""

    set: list[Cell]
    abstains: bool


class Sets(_Response):
    """Of each row, the prediction set of each target."""

    coverage: float
    rows: list[dict[str, PredictionSet]]


class Effect(BaseModel):
    """What one observed entry did to a prediction."""

    column: str
    value: Cell
    change: float = Field(description="Of the log-odds, or of a number in its units.")
    probability_change: float | None


class Explained(BaseModel):
    """A prediction and the entries that moved it, the largest effect first."""

    column: str
    value: Cell
    event: Cell
    probability: float | None
    effects: list[Effect]


class Explanation(_Response):
    """Of each row, its predictions explained."""

    rows: list[list[Explained]]


class Surprise(BaseModel):
    """An observed entry beside what the others predict."""

    column: str
    value: Cell
    expected: Cell
    surprise: float


class Unusual(BaseModel):
    """How unusual a row is: about 0 for ordinary ones; null where nothing is observed."""

    score: float | None
    log_probability: float
    n_observed: int
    entries: list[Surprise]


class UnusualRows(_Response):
    """Of each row, how unusual it is."""

    rows: list[Unusual]


class ModelSummary(BaseModel):
    """A served model."""

    name: str
    version: str = Field(description="Beginning of the SHA-256 digest of the model file.")
    estimator: str
    loaded: str


class ModelList(BaseModel):
    """All served models."""

    models: list[ModelSummary]


class ColumnFacts(BaseModel):
    """A column of the model."""

    name: str
    type: str
    low: float | None = None
    high: float | None = None
    whole: bool = False
    categories: list[Cell] = []


class ModelFacts(ModelSummary):
    """A served model and its columns; every feature may be missing."""

    target_type: str | None
    has_intervals: bool
    features: list[ColumnFacts]
    targets: list[ColumnFacts]


def openapi_body(kind: Any, *others: str) -> dict[str, Any]:
    """A request body for OpenAPI, for routes that read it themselves."""
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    binary = {"schema": {"type": "string", "format": "binary"}}
    content = {"application/json": {"schema": schema}} | dict.fromkeys(others, binary)
    return {"requestBody": {"required": True, "content": content}}


def complete_openapi(
    document: dict[str, Any], examples: dict[type[BaseModel], Any], models: list[str]
) -> None:
    """Add names of models, and forms of bodies that routes read themselves, with examples."""
    for path in document["paths"].values():
        for parameter in (one for of in path.values() for one in of.get("parameters", ())):
            if (parameter["in"], parameter["name"]) == ("path", "name"):
                parameter["schema"]["enum"] = models
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for kind, example in examples.items():
        made = kind.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= made.pop("$defs", {})
        schemas[kind.__name__] = made
        for path in document["paths"].values():
            body = path.get("post", {}).get("requestBody", {}).get("content", {})
            form = body.get("application/json", {})
            if form.get("schema", {}).get("$ref", "").endswith(f"/{kind.__name__}"):
                form["example"] = example

"""Routes: native ones, the Open Inference Protocol, MLflow's, metrics, and the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import pyarrow as pa
from fastapi import FastAPI, Path, Query, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from starlette.responses import PlainTextResponse, Response

from halfseen._version import __version__
from halfseen.serve import answers, protocols, schemas
from halfseen.serve.app import Service, respond
from halfseen.serve.models import Served
from halfseen.serve.page import STATIC, facts, page
from halfseen.serve.rows import ARROW, CSV, JSON, Rows, parse, read_rows
from halfseen.serve.schemas import Records, openapi_body
from halfseen.serve.settings import RequestError

Name = Annotated[str, Path(description="Name of a served model.")]
Version = Annotated[str | None, Query(description="Refuse to answer by another version than this.")]
Coverage = Annotated[float, Query(gt=0, lt=1, description="How often the truth shall be inside.")]
_COUNTED_COVERAGE = 0.9
_ERRORS = {
    401: "The token is absent or wrong.",
    403: "The request comes from a page of another site.",
    404: "There is no such model or version.",
    408: "The body came too slowly.",
    413: "The body is too long, or has too many rows.",
    415: "The body is of another kind.",
    421: "The service has no such name.",
    422: "The rows cannot be used; the error names column and row.",
    429: "Too much is under way.",
    500: "An error in halfseen.",
    503: "There was no answer in time.",
}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Error, "description": text} for status, text in _ERRORS.items()
}


def add_routes(app: FastAPI, service: Service) -> None:
    """All routes, with examples of the first model."""
    app.router.responses = ERRORS
    _add_native(app, service)
    _add_inference(app, service)
    _add_mlflow(app, service)
    _add_page(app, service)
    ordinary, example = app.openapi, example_record(service.models.first)
    examples: dict[type[BaseModel], Any] = {
        Records: {"records": [example]},
        schemas.InferRequest: example_tensors(service.models.first),
        schemas.Invocation: {"dataframe_records": [example]},
    }

    @cache
    def openapi() -> dict[str, Any]:
        document = ordinary()
        schemas.complete_openapi(document, examples, [served.name for served in service.models])
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def example_record(served: Served) -> dict[str, Any]:
    """A row as the model might see it, with one value missing and the last column absent."""
    columns = list(zip(served.names.features, served.model.schema_.features, strict=True))
    record: dict[str, Any] = {}
    for name, column in columns[: max(1, min(len(columns) - 1, 6))]:
        middle = column.categories[len(column.categories) // 2] if column.categories else None
        record[name] = round((column.low + column.high) / 2, 4) if column.is_number else middle
    if len(record) > 1:
        record[list(record)[-1]] = None
    return record


def _add_native(app: FastAPI, service: Service) -> None:
    body = openapi_body(Records, CSV, ARROW)

    @app.get("/v1/models", response_model=schemas.ModelList, tags=["models"])
    async def list_models() -> Response:
        """All served models."""
        return respond({"models": [_summary(served) for served in service.models]})

    @app.get("/v1/models/{name}", response_model=schemas.ModelFacts, tags=["models"])
    async def describe_model(name: Name) -> Response:
        """A model and its columns."""
        served = service.models.get(name)
        return respond(_summary(served) | facts(served))

    def post(route: str, kind: Any, responses: Any = None) -> Callable[..., Any]:
        return app.post(
            f"/v1/models/{{name}}/{route}", response_model=kind, tags=["rows"],
            openapi_extra=body, responses=responses or {},
        )  # fmt: skip

    arrow: dict[int | str, dict[str, Any]] = {200: {"content": {ARROW: {}}}}

    @post("predict", schemas.Predictions, arrow)
    async def predict(request: Request, name: Name, version: Version = None) -> Response:
        """Predict the targets of each row, with probabilities."""
        served, rows = await _rows(service, request, name, version, answers.needs_targets)
        targets = await _targets(service, served, rows)
        if _wants_arrow(request):
            return _arrow(targets.columns())
        made = await service.beside(rows, targets.records, rows.n_rows)
        return _native(served, rows, made)

    @post("complete", schemas.Completions, arrow)
    async def complete(request: Request, name: Name, version: Version = None) -> Response:
        """Fill what is missing; targets that a row knows are taken into account."""
        served, rows = await _rows(service, request, name, version)
        completed = await service.complete(served, rows)
        service.metrics.count_rows(served, rows, None)
        given = served, rows, completed
        if _wants_arrow(request):
            return _arrow(await service.beside(rows, answers.completed_columns, *given))
        made = await service.beside(rows, answers.completed_records, *given)
        return _native(served, rows, made)

    @post("intervals", schemas.Intervals, arrow)
    async def intervals(
        request: Request, name: Name, version: Version = None, coverage: Coverage = 0.9
    ) -> Response:
        """Intervals that hold the missing numbers of each row as often as asked."""
        served, rows = await _rows(service, request, name, version, answers.needs_calibration)
        completed = await service.complete(served, rows)
        service.metrics.count_rows(served, rows, None)
        given = served, rows, completed, coverage
        if _wants_arrow(request):
            bounds = await service.beside(rows, answers.interval_bounds, *given)
            sides = ("low", "high")
            columns = enumerate(served.names.features)
            return _arrow({f"{n}_{s}": bounds[:, j, k] for j, n in columns
                           for k, s in enumerate(sides)})  # fmt: skip
        made = await service.beside(rows, answers.interval_records, *given)
        return _native(served, rows, made, coverage=coverage)

    @post("sets", schemas.Sets, arrow)
    async def sets(
        request: Request, name: Name, version: Version = None, coverage: Coverage = 0.9
    ) -> Response:
        """Sets that hold the class of each target as often as asked; several classes abstain."""
        needed = answers.needs_targets, answers.needs_calibration
        served, rows = await _rows(service, request, name, version, *needed)
        targets = await _targets(service, served, rows)
        if _wants_arrow(request):
            return _arrow(targets.set_columns(served, coverage))
        made = await service.beside(rows, targets.set_records, served, coverage)
        return _native(served, rows, made, coverage=coverage)

    @post("explain", schemas.Explanation)
    async def explain(
        request: Request,
        name: Name,
        version: Version = None,
        column: Annotated[list[str] | None, Query(description="What to explain.")] = None,
    ) -> Response:
        """Which observed entries moved the predictions of each row."""
        served, rows = await _rows(service, request, name, version, slow=True)
        service.metrics.count_rows(served, rows, None)
        made = await service.worker.slowly(answers.explained, served, rows, column)
        return _native(served, rows, made)

    @post("unusual", schemas.UnusualRows)
    async def unusual(request: Request, name: Name, version: Version = None) -> Response:
        """How unusual each row is beside rows of the model, and which entries are at fault."""
        served, rows = await _rows(service, request, name, version, slow=True)
        service.metrics.count_rows(served, rows, None)
        made = await service.worker.slowly(answers.unusual, served, rows)
        return _native(served, rows, made)


def _add_inference(app: FastAPI, service: Service) -> None:
    tags: list[Any] = ["Open Inference Protocol"]

    @app.get("/v2", tags=tags)
    async def server() -> dict[str, Any]:
        """The server."""
        return {"name": "halfseen", "version": __version__, "extensions": []}

    @app.get("/v2/health/live", tags=tags)
    async def live() -> dict[str, bool]:
        """Whether the service runs."""
        return {"live": True}

    @app.get("/v2/health/ready", tags=tags)
    async def ready() -> dict[str, bool]:
        """Whether all models are loaded and warm."""
        return {"ready": True}

    async def ready_model(name: Name, version: str | None = None) -> dict[str, Any]:
        """Whether a model is loaded and warm."""
        return {"name": service.models.get(name, version).name, "ready": True}

    async def model_metadata(name: Name, version: str | None = None) -> dict[str, Any]:
        """Tensors of a model."""
        return protocols.metadata(service.models.get(name, version))

    async def infer(request: Request, name: Name, version: str | None = None) -> Response:
        """Predictions and probabilities; fills, where they are asked for or there is no target."""
        served = service.models.get(name, version)
        asked: list[schemas.InferRequest] = []

        def read(served: Served, content: bytes, media_type: str, most: int) -> Rows:
            if media_type != JSON:
                raise RequestError(415, f"A body is {JSON}; name it in Content-Type.")
            asked.append(parse(schemas.InferRequest, content))
            return protocols.tensor_rows(served, asked[0], most)

        rows = await service.read(request, read, served)
        completed = await service.complete(served, rows)
        _count(service, served, rows, answers.Targets(served, completed))
        given = served, asked[0], rows, completed
        return respond(await service.beside(rows, protocols.inferred, *given))

    body = openapi_body(schemas.InferRequest)
    for between, own in (("", ""), ("/versions/{version}", "_version")):
        place = f"/v2/models/{{name}}{between}"
        app.get(f"{place}/ready", tags=tags, operation_id=f"ready{own}")(ready_model)
        app.get(place, tags=tags, operation_id=f"metadata{own}")(model_metadata)
        app.post(f"{place}/infer", tags=tags, operation_id=f"infer{own}", openapi_extra=body,
                 response_model=dict[str, Any])(infer)  # fmt: skip


def example_tensors(served: Served) -> dict[str, Any]:
    """The example as tensors."""
    types = {one["name"]: one["datatype"] for one in protocols.metadata(served)["inputs"]}
    return {
        "inputs": [
            {"name": name, "shape": [1], "datatype": types[name], "data": [cell]}
            for name, cell in example_record(served).items()
        ]
    }


def _add_mlflow(app: FastAPI, service: Service) -> None:
    body = openapi_body(schemas.Invocation, CSV)

    @app.get("/ping", tags=["MLflow"], response_class=PlainTextResponse)
    async def ping() -> Response:
        """Whether the service runs."""
        return PlainTextResponse("\n")

    @app.post("/invocations", tags=["MLflow"], openapi_extra=body, response_model=dict[str, Any])
    async def invocations(request: Request) -> Response:
        """Predictions of the first model; fills, where it has no target."""
        served = service.models.first
        rows = await service.read(request, _invocation_reader, served)
        completed = await service.complete(served, rows)
        _count(service, served, rows, answers.Targets(served, completed))
        given = served, rows, completed
        made = await service.beside(rows, protocols.invocation_answer, *given)
        return respond({"predictions": made})


def _add_page(app: FastAPI, service: Service) -> None:
    @app.get("/metrics", tags=["service"], response_class=Response)
    async def metrics() -> Response:
        """Counts for Prometheus."""
        return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    @app.get("/", include_in_schema=False)
    async def first_page() -> Response:
        """The page."""
        return Response(page(service.settings.token is not None), media_type="text/html")

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        """A file of the page, of a fixed list."""
        if name not in STATIC:
            raise RequestError(404, "There is no such file.")
        content = STATIC[name]()
        return Response(
            content, media_type="text/css" if name.endswith("css") else "text/javascript"
        )


async def _rows(
    service: Service, request: Request, name: str, version: str | None,
    *checks: Callable[[Served], None], slow: bool = False,
) -> tuple[Served, Rows]:  # fmt: skip
    served = service.models.get(name, version)
    for check in checks:
        check(served)
    return served, await service.read(request, _reader, served, slow)


def _reader(served: Served, content: bytes, media_type: str, most: int) -> Rows:
    return read_rows(served.model, served.names, content, media_type, most)


def _invocation_reader(served: Served, content: bytes, media_type: str, most: int) -> Rows:
    return protocols.invocation_rows(served, content, media_type, most)


async def _targets(service: Service, served: Served, rows: Rows) -> answers.Targets:
    targets = answers.Targets(served, await service.complete(served, rows))
    _count(service, served, rows, targets)
    return targets


def _count(service: Service, served: Served, rows: Rows, targets: answers.Targets) -> None:
    is_counted = bool(targets.names) and served.model.calibration_ is not None
    abstained = targets.abstentions(served, _COUNTED_COVERAGE) if is_counted else None
    service.metrics.count_rows(served, rows, abstained)


def _summary(served: Served) -> dict[str, Any]:
    return {
        "name": served.name,
        "version": served.version,
        "estimator": type(served.model).__name__,
        "loaded": served.loaded,
    }


def _native(served: Served, rows: Rows, made: Any, **more: Any) -> Response:
    about = {"model": served.name, "version": served.version, "notes": rows.notes}
    return respond({**about, **more, "rows": made})


def _wants_arrow(request: Request) -> bool:
    accepted = request.headers.get("accept", "*/*")
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return ARROW in accepted or (sent == ARROW and JSON not in accepted)


def _arrow(columns: dict[str, Any]) -> Response:
    table = pa.table(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return Response(sink.getvalue().to_pybytes(), media_type=ARROW)

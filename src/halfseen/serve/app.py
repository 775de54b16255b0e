"""The ASGI application: its life, its routes, and what they share."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response

from halfseen._version import __version__
from halfseen.base.runtime import jax_session
from halfseen.serve.guard import Guard, refusal
from halfseen.serve.metrics import Metrics
from halfseen.serve.models import Completed, Models, Served, Worker, watch
from halfseen.serve.rows import JSON, Rows, check_number, describe
from halfseen.serve.settings import RequestError, Settings

_SMALL_BODY = 50_000  # bytes that are read at once rather than in a thread
_DESCRIPTION = """Rows with anything missing in, answers with their uncertainty out.

Null, or a column that is absent, is missing. Every response names what it took as missing."""


class Service:
    """Models, the threads that ask them, and counts: what the routes share."""

    def __init__(self, models: Models, settings: Settings) -> None:
        self.models, self.settings = models, settings
        self.metrics, self.worker = Metrics(models), Worker()

    async def read(
        self, request: Request, reader: Callable[..., Rows], served: Served, slow: bool = False
    ) -> Rows:
        """Rows of a request; long bodies one after another, beside the event loop."""
        content = await request.body()
        media = request.headers.get("content-type", JSON).partition(";")[0].strip().lower()
        given = served, content, media, self.settings.max_rows
        if len(content) <= _SMALL_BODY:
            rows = reader(*given)
        else:
            rows = await self.worker.beside(reader, *given)
        if slow:
            check_number(rows.n_rows, self.settings.max_rows_slow)
        return rows

    async def complete(self, served: Served, rows: Rows) -> Completed:
        """Complete rows beside those of other requests."""
        return await self.worker.complete(served, rows.encoded)

    async def beside(self, rows: Rows, function: Callable[..., Any], *given: Any) -> Any:
        """Make an answer; long ones beside the event loop."""
        if rows.n_rows * rows.encoded.values.shape[1] <= _SMALL_BODY // 10:
            return function(*given)
        return await self.worker.beside(function, *given)


def create_app(
    models: Mapping[str, str | os.PathLike[str]], settings: Settings | None = None
) -> FastAPI:
    """An ASGI application that serves fitted models.

    Parameters
    ----------
    models : mapping of str to path-like
        Files that the `save` of a model wrote, by the name in the addresses.
    settings : Settings, optional
        Limits, and who may ask.

    Returns
    -------
    FastAPI

    Examples
    --------
    >>> import tempfile
    >>> from halfseen import RBMImputer
    >>> model = RBMImputer(n_iter=1, random_state=0).fit([[0, 1], [1, None], [0, 1], [1, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.safetensors")
    ...     app = create_app({"pairs": f"{folder}/model.safetensors"})
    >>> "/v1/models/{name}/complete" in app.openapi()["paths"]
    True
    """
    from halfseen.serve.routes import add_routes

    settings = Settings() if settings is None else settings
    service = Service(Models(models), settings)
    app = FastAPI(
        title="halfseen", version=__version__, description=_DESCRIPTION, docs_url=None,
        redoc_url=None, lifespan=_lifespan,
    )  # fmt: skip
    app.state.service = service
    app.add_middleware(Guard, settings=settings, metrics=service.metrics)
    app.add_exception_handler(RequestError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    add_routes(app, service)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    settings, worker = service.settings, service.worker
    # Warnings hold cells; responses carry them as notes.
    warnings.filterwarnings("ignore", message=".*taken as missing")
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    with ExitStack() as stack:
        stack.enter_context(jax_session())
        for served in service.models:
            await worker.slowly(served.warm_up)
        failed = service.metrics.failed_reloads.inc
        tasks = [
            asyncio.create_task(watch(service.models, worker, settings.reload_seconds, failed)),
            asyncio.create_task(service.metrics.watch_drift(worker)),
            asyncio.create_task(_prepare(service)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            worker.close()


async def _prepare(service: Service) -> None:
    """Find what is usual before someone asks for it; it takes seconds."""
    for served in service.models:
        await service.worker.slowly(served.usual_rows)


def respond(content: Any) -> Response:
    """JSON, without NaN, which JSON does not have."""
    return Response(to_json(content, inf_nan_mode="null"), media_type=JSON)


async def _refused(_: Request, error: Any) -> Response:
    return refusal(error)


async def _invalid(_: Request, error: Any) -> Response:
    return refusal(RequestError(422, describe(error.errors())))


async def _http(_: Request, error: Any) -> Response:
    return refusal(RequestError(error.status_code, f"{error.detail}."))

"""The door of the service: who may ask, how much, how long, and what is logged of it."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from pydantic_core import to_json
from starlette.responses import Response

from halfseen.serve.metrics import Metrics
from halfseen.serve.settings import RequestError, Settings

logger = logging.getLogger("halfseen.serve")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_OPEN = ("/", "/ping", "/v2/health/live", "/v2/health/ready")  # tell nothing of models or data
_STATIC = "/static/"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HEADERS_AS_SENT = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]


def refusal(error: RequestError) -> Response:
    """The response to a request that is refused."""
    content = to_json({"error": error.message})
    headers = {**error.headers, **({"WWW-Authenticate": "Bearer"} if error.status == 401 else {})}
    return Response(content, error.status, headers, "application/json")


class Guard:
    """ASGI middleware around everything: host, origin, token, limits, errors, log, metrics."""

    def __init__(self, app: Any, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.n_requests = self.n_bytes = 0

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        began, statuses = time.perf_counter(), list[int]()

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
                message["headers"] = [*message.get("headers", ()), *_HEADERS_AS_SENT]
            await send(message)

        try:
            await self._pass_on(scope, receive, answer)
        except RequestError as error:
            await self._refuse(error, scope, receive, answer, statuses)
        except TimeoutError:
            late = RequestError(503, f"No answer within {self.settings.timeout:g} seconds.")
            await self._refuse(late, scope, receive, answer, statuses)
        except Exception as error:
            kind = type(error).__name__
            logger.error("failed route=%s: %s at %s", _route(scope), kind, _at(error))
            hidden = RequestError(500, "An error in halfseen; the log of the service names it.")
            await self._refuse(hidden, scope, receive, answer, statuses)
        finally:
            self._record(scope, statuses[0] if statuses else 499, time.perf_counter() - began)

    async def _pass_on(self, scope: Any, receive: Receive, send: Send) -> None:
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        self._check_sender(scope, headers)
        if scope["path"] in _OPEN or scope["path"].startswith(_STATIC):
            await self.app(scope, receive, send)
            return
        if self.n_requests >= self.settings.max_requests:
            raise RequestError(429, "Too many requests are under way; come again soon.")
        self.n_requests += 1
        self.metrics.under_way.set(self.n_requests)
        held = [0]
        try:
            body = await self._body_in_time(headers, receive, held)
            async with asyncio.timeout(self.settings.timeout):
                await self.app(scope, _replay(body, receive), send)
        finally:
            self.n_requests -= 1
            self.n_bytes -= held[0]
            self.metrics.under_way.set(self.n_requests)

    def _check_sender(self, scope: Any, headers: dict[bytes, str]) -> None:
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if not self.settings.allows_host(host):
            raise RequestError(421, "This service has no such name; see --allow-host.")
        own = (f"http://{host}", f"https://{host}")
        is_foreign = headers.get(b"sec-fetch-site") in ("cross-site", "same-site")
        if (origin is not None and origin not in own) or (is_foreign and scope["method"] != "GET"):
            raise RequestError(403, "Pages of other sites may not ask this service.")
        token = self.settings.token
        if token is None or scope["path"] in _OPEN or scope["path"].startswith(_STATIC):
            return
        scheme, _, given = headers.get(b"authorization", "").partition(" ")
        is_right = hmac.compare_digest(given.strip().encode(), token.encode())
        if scheme.lower() != "bearer" or not is_right:
            raise RequestError(401, "Send the token of this service: Authorization: Bearer TOKEN.")

    async def _body_in_time(
        self, headers: dict[bytes, str], receive: Receive, held: list[int]
    ) -> bytes:
        try:
            async with asyncio.timeout(self.settings.timeout):
                return await self._body(headers, receive, held)
        except TimeoutError:
            raise RequestError(408, "The body came too slowly.") from None

    async def _body(self, headers: dict[bytes, str], receive: Receive, held: list[int]) -> bytes:
        """The whole body, as long as it may be."""
        if headers.get(b"content-encoding", "identity") != "identity":
            raise RequestError(415, "Bodies are taken uncompressed.")
        length = headers.get(b"content-length", "0")
        self._check_size(int(length) if length.isdecimal() else 0)
        parts: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestError(400, "The body ended early.")
            part = message.get("body", b"")
            held[0] += len(part)
            self.n_bytes += len(part)
            self._check_size(held[0])
            if self.n_bytes > 4 * self.settings.max_body:
                raise RequestError(429, "Too many bytes are under way; come again soon.")
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)

    def _check_size(self, n_bytes: int) -> None:
        if n_bytes > self.settings.max_body:
            most = self.settings.max_body
            raise RequestError(413, f"The body is longer than {most:,} bytes; send fewer rows.")

    async def _refuse(
        self, error: RequestError, scope: Any, receive: Receive, send: Send, statuses: list[int]
    ) -> None:
        if not statuses:
            await refusal(error)(scope, receive, send)

    def _record(self, scope: Any, status: int, seconds: float) -> None:
        """Count and log a request by its route; addresses and bodies may hold cells."""
        route = _route(scope)
        self.metrics.requests.labels(route, str(status)).inc()
        self.metrics.seconds.labels(route).observe(seconds)
        if route not in _OPEN:
            logger.info("%s %s %d %.1f ms", _method(scope), route, status, 1e3 * seconds)


def _method(scope: Any) -> str:
    known = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH")
    return scope["method"] if scope["method"] in known else "other"


def _replay(body: bytes, receive: Receive) -> Receive:
    parts = [body]

    async def again() -> Message:
        if parts:
            return {"type": "http.request", "body": parts.pop(), "more_body": False}
        return await receive()

    return again


def _route(scope: Any) -> str:
    if scope["path"] == "/openapi.json":
        return "/openapi.json"
    return str(getattr(scope.get("route"), "path", "unknown"))


def _at(error: Exception) -> str:
    """Where an error was raised, without its message, which may hold cells."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))

"""``halfseen serve``: models over HTTP."""

from __future__ import annotations

import logging
import os
import re
import warnings
from pathlib import Path
from typing import Any

import click

from halfseen.cli.console import Console, Problem, UsageProblem
from halfseen.cli.options import command_with

_HELP = """Serve models over HTTP: rows with missing values in, answers with their uncertainty out.

MODEL is a model file, or NAME=FILE; otherwise its name is that of the file. There is a page for
people at the address that is printed. A file that changes is loaded anew without a break.

Only this machine is served. To bind to another address, put a secret of at least 16 characters into
the environment variable HALFSEEN_TOKEN or into a file; requests send it as a bearer token.

\b
Examples:
  halfseen serve devices=models/v3.safetensors wine.safetensors --port 9000
  halfseen serve devices.safetensors --host 0.0.0.0 --token-file secret.txt
  curl localhost:8000/v1/models/devices/predict -H 'Content-Type: application/json' \\
       -d '{"records": [{"load": 0.4, "site": null}]}'"""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TOKEN = "HALFSEEN_TOKEN"
_AT_LEAST_ONE = click.IntRange(1)


@command_with("serve", _HELP, seed=False)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", help="Address to bind to.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000)
@click.option("--token-file", metavar="FILE", help=f"File of the token, instead of {_TOKEN}.")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME",
              help="A further name by which requests may address the service.")  # fmt: skip
@click.option("--max-rows", type=_AT_LEAST_ONE, default=20_000, help="Most rows of a request.")
@click.option("--max-megabytes", type=_AT_LEAST_ONE, default=16, help="Longest body of a request.")
@click.option("--max-requests", type=_AT_LEAST_ONE, default=64, help="Most requests under way.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=30.0,
              help="Most seconds of a request.")  # fmt: skip
@click.option("--reload-seconds", type=click.FloatRange(0), default=2.0,
              help="Time between looks at the model files; 0 never looks again.")  # fmt: skip
def serve(
    models: tuple[str, ...], host: str, port: int, token_file: str | None, max_megabytes: int,
    console: Console, **limits: Any,
) -> None:  # fmt: skip
    """Serve until the process is asked to end."""
    paths, token = _named(models), _token(token_file)
    import uvicorn
    from pydantic import ValidationError

    from halfseen.serve import Settings, create_app

    try:
        settings = Settings(host=host, token=token, max_body=max_megabytes * 2**20, **limits)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        remedy = f"Set {_TOKEN}, or name a file: --token-file FILE. It has at least 16 characters."
        raise UsageProblem(message, remedy) from error
    app = create_app(paths, settings)
    # One line per request on standard error; of warnings none, as they may hold cells.
    warnings.simplefilter("ignore")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    shown = f"[{host}]" if ":" in host else host
    console.say(f"Serving {', '.join(paths)} at http://{shown}:{port}/ - stop with Ctrl-C.")
    # What uvicorn logs by itself holds addresses of requests; ours holds routes.
    uvicorn.run(
        app, host=host, port=port, log_config=None, access_log=False, server_header=False,
        proxy_headers=False, timeout_keep_alive=15, ws="none",
        timeout_graceful_shutdown=int(settings.timeout) + 5,
    )  # fmt: skip


def _named(models: tuple[str, ...]) -> dict[str, str]:
    """Files by name."""
    paths: dict[str, str] = {}
    for word in models:
        name, sign, path = word.partition("=")
        if not sign or os.path.exists(word):
            name, path = Path(word).name.removesuffix(".safetensors"), word
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
        if not _NAME.fullmatch(name):
            message = f"{name!r} cannot be the name of a model in an address."
            raise UsageProblem(message, "Use letters, digits, dots and dashes: NAME=FILE.")
        if not os.path.exists(path):
            raise Problem(f"There is no model file {path!r}.", "Check its name.")
        if name in paths:
            message = f"Two models have the name {name!r}."
            raise UsageProblem(message, "Give one of them another: NAME=FILE.")
        paths[name] = path
    return paths


def _token(path: str | None) -> str | None:
    if path is None:
        return os.environ.get(_TOKEN) or None
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise Problem(f"The token in {path} cannot be read: {reason}.") from error

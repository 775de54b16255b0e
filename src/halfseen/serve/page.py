"""The page at ``/``: a shell that asks the service for all it shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined

from halfseen._version import __version__
from halfseen.data.columns import Column
from halfseen.plot import COLOURS
from halfseen.serve.models import Served


@cache
def _own(folder: str, name: str) -> str:
    return (files("halfseen.serve") / folder / name).read_text(encoding="utf-8")


@cache
def page(needs_token: bool) -> str:
    """The page; it holds nothing of models or data."""
    template = _environment().get_template("page.html")
    return template.render(version=__version__, needs_token=needs_token)


@cache
def _style() -> str:
    """The style of the reports, and what the page adds."""
    environment = _environment()
    shared = environment.get_template("page.css").render(colours=COLOURS)
    return shared + _own("static", "service.css")


STATIC: Final[dict[str, Callable[[], str]]] = {
    "style.css": _style,
    "service.js": lambda: _own("static", "service.js"),
    "view.js": lambda: _own("static", "view.js"),
}


@cache
def _environment() -> Environment:
    def source(name: str) -> str:
        if name.endswith(".css"):
            return (files("halfseen.report") / "templates" / name).read_text(encoding="utf-8")
        return _own("templates", name)

    return Environment(
        loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def facts(served: Served) -> dict[str, Any]:
    """What a form needs to know of a model."""
    schema, names = served.model.schema_, served.names
    return {
        "target_type": schema.target_type,
        "has_intervals": served.model.calibration_ is not None,
        "features": [_column(*pair) for pair in zip(names.features, schema.features, strict=True)],
        "targets": [_column(*pair) for pair in zip(names.targets, schema.targets, strict=True)],
    }


def _column(name: str, column: Column) -> dict[str, Any]:
    is_number = column.is_number
    return {
        "name": name,
        "type": column.type,
        "low": column.low if is_number else None,
        "high": column.high if is_number else None,
        "whole": column.whole,
        "categories": list(column.categories),
    }

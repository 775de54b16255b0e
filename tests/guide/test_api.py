"""The API reference has every public name, and no other."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re

import pytest

import halfseen
from guide.conftest import DOCS

_BLOCK = re.compile(
    r"\.\. currentmodule:: (\S+)\n\n\.\. autosummary::\n.*?\n\n((?:   \S+\n)+)", re.S
)
_DATA = re.compile(r"\.\. py:data:: (\S+)")
# Commands say what they do by --help.
_OTHERS = {"halfseen.__version__", "halfseen.cli.main"}


def _listed() -> list[str]:
    text = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    names = [f"{found[1]}.{name}" for found in _BLOCK.finditer(text) for name in found[2].split()]
    return names + _DATA.findall(text)


def test_every_public_name_is_listed_once() -> None:
    listed = _listed()
    assert len(listed) == len(set(listed))
    public = {f"halfseen.{name}" for name in halfseen.__all__}
    for module in pkgutil.walk_packages(halfseen.__path__, "halfseen."):
        if module.ispkg:
            package = importlib.import_module(module.name)
            public |= {f"{module.name}.{name}" for name in getattr(package, "__all__", ())}
    assert public - _OTHERS - set(listed) == set()


@pytest.mark.parametrize("name", _listed())
def test_every_listed_name_exists(name: str) -> None:
    parts = name.split(".")
    n_modules = 1
    try:
        while importlib.util.find_spec(".".join(parts[: n_modules + 1])):
            n_modules += 1
    except ImportError as error:
        if error.name != ".".join(parts[: n_modules + 1]):
            pytest.skip(str(error))
    found = importlib.import_module(".".join(parts[:n_modules]))
    for part in parts[n_modules:]:
        found = getattr(found, part)
    assert found.__doc__

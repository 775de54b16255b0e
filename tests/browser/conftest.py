"""A real browser for the pages, where there is one and it was asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
ASKED = "HALFSEEN_BROWSER_TESTS"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not()
    here = Path(__file__).parent
    for item in items:
        if reason and here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


def why_not() -> str:
    """Why the tests cannot run, in words; nothing if they can."""
    if os.environ.get(ASKED) != "1":
        return f"tests in a real browser run with {ASKED}=1 (make test-browser)"
    if not any(map(shutil.which, NAMES)):
        return f"no browser was found: install one of {', '.join(NAMES)}"
    try:
        import playwright.sync_api  # noqa: F401
    except ModuleNotFoundError:
        return "playwright is not installed: pip install playwright"
    return ""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = next(found for found in map(shutil.which, NAMES) if found)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()

"""The page of the service in a real browser: it answers, can be used by all, and fits a phone."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pandas as pd
import pytest

from halfseen import RBMClassifier, RBMImputer
from rbm.tables import LIGHT

PHONE, DESKTOP = 390, 1280
TOKEN = "a token for this test"
BAD_NAME = "<img src=x onerror=alert(1)>"
pytestmark = [
    pytest.mark.browser,
    # The browser's own helpers are closed by it, not by us.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def devices() -> pd.DataFrame:
    """A table of devices, with a name that is markup."""
    rng, n = np.random.default_rng(0), 300
    busy = rng.normal(size=n)
    scan = rng.random(n) < 0.3
    frame = pd.DataFrame(
        {
            "product": np.where(busy > 0.5, "server", np.where(busy > -0.5, "gateway", "camera")),
            "load": (40 + 12 * busy + rng.normal(0, 4, n)).round(1),
            "temperature": (45 + 5 * busy + rng.normal(0, 2, n)).round(1),
            "alerts": np.exp(1 + 2 * scan + rng.normal(0, 0.8, n)).astype(int),
            "encrypted": (rng.random(n) < np.where(busy > 0, 0.9, 0.2)).astype(int),
            BAD_NAME: rng.normal(size=n).round(2),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.2).assign(scan=np.where(scan, "yes", "no"))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service of a classifier and an imputer, in a process of its own."""
    folder, table = tmp_path_factory.mktemp("served"), devices()
    X = table.drop(columns="scan")
    options = {**LIGHT, "n_iter": 60, "n_components": 12}
    RBMClassifier(**options).fit(X, table["scan"]).save(folder / "devices.safetensors")
    RBMImputer(**options).fit(X).save(folder / "fills.safetensors")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "halfseen", "serve", "devices.safetensors",
               "fills.safetensors", "--port", str(port)]  # fmt: skip
    with open(folder / "log", "wb") as log:
        service = subprocess.Popen(command, cwd=folder, stderr=log, stdout=log,
                                   env={**os.environ, "HALFSEEN_TOKEN": TOKEN})  # fmt: skip
    for _ in range(600):
        try:
            urlopen(f"http://127.0.0.1:{port}/ping").close()
            break
        except OSError:
            assert service.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/"
    service.terminate()
    assert service.wait(30) in (0, -signal.SIGTERM)
    assert "Traceback" not in (folder / "log").read_text()


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Any]:
    """The page once its token was given; nothing may fail or be fetched from elsewhere."""
    contexts = []
    complaints: list[str] = []

    def check_address(url: str) -> None:
        if not url.startswith((address, "data:")):
            complaints.append(url)

    def open_page(width: int = DESKTOP, theme: str = "light") -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=False
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: check_address(request.url))
        page.goto(address)
        page.get_by_label("Token of this service").fill(TOKEN)
        page.get_by_role("button", name="Use it").click()
        page.get_by_label("load").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def fill_form(page: Any) -> None:
    page.get_by_label("product").select_option("server")
    page.get_by_label("load").fill("62.5")
    page.get_by_label("alerts").fill("40")
    page.locator("#form").get_by_role("button", name="Answer").click()
    page.get_by_role("heading", name="What was missing").wait_for()


def paste_table(page: Any) -> None:
    page.get_by_text("Some rows, from a table").click()
    X = devices().drop(columns=["scan", "temperature"])
    page.locator("#table").fill(X.head(6).to_csv(index=False, sep="\t"))
    page.locator("#table-form").get_by_role("button", name="Answer").click()
    page.get_by_role("button", name="Row 6").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("what", ["start", "form", "table"])
def test_it_fits_and_everybody_can_use_it(
    opened: Any, tmp_path: Path, what: str, width: int, theme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(width, theme)
    if what != "start":
        {"form": fill_form, "table": paste_table}[what](page)
    folder = Path(os.environ.get("HALFSEEN_SCREENSHOTS", tmp_path))
    page.screenshot(path=folder / f"service-{what}-{width}-{theme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_answers_are_those_of_the_service(opened: Any) -> None:
    page = opened()
    fill_form(page)
    answer = page.evaluate(
        """async token => (await fetch('/v1/models/devices/predict', {method: 'POST',
          headers: {'Content-Type': 'application/json', Authorization: `Bearer ${token}`},
          body: '{"records": [{"product": "server", "load": 62.5, "alerts": 40}]}'})).json()""",
        TOKEN,
    )
    found = answer["rows"][0]["scan"]
    assert page.locator(".verdict").inner_text() == f"scan: {found['value']}"
    shown = page.locator(".chance.chosen").inner_text()
    assert abs(float(shown.strip("<> %")) / 100 - max(found["probabilities"].values())) < 0.006
    for words in ("90 % coverage", "What moved scan", "How unusual the row is", BAD_NAME):
        assert words in page.locator("#detail").inner_text()


def test_another_row_and_another_model(opened: Any) -> None:
    page = opened()
    paste_table(page)
    assert "temperature" in page.locator("#notes").inner_text()
    page.get_by_role("button", name="Row 4").click()
    assert page.locator("#detail h2").inner_text() == "Row 4"
    assert page.get_by_role("button", name="Row 4").get_attribute("aria-pressed") == "true"
    page.get_by_label("Model", exact=True).select_option("fills")
    page.get_by_text("it fills what is missing").wait_for()
    fill_form(page)
    assert "scan" not in page.locator("#detail").inner_text()


def test_what_is_wrong_is_said(opened: Any) -> None:
    page = opened()
    page.get_by_label("load").fill("much")
    page.locator("#form").get_by_role("button", name="Answer").click()
    assert "load is a number" in page.get_by_role("alert").inner_text()
    assert page.evaluate("document.activeElement.id") == page.get_by_label("load").get_attribute(
        "id"
    )
    assert page.get_by_label("load").get_attribute("aria-invalid") == "true"


def test_by_keyboard(opened: Any) -> None:
    page = opened()
    page.get_by_label("product").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("62.5")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What was missing").wait_for()
    assert page.evaluate("document.activeElement.id") == "result"

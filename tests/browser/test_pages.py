"""Pages in a real browser: nothing fails, nothing is fetched, everything fits and can be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen import RBMClassifier
from halfseen.report import write_report, write_study_report
from rbm.tables import LIGHT
from report.test_report import HOSTILE
from report.test_study import records

PHONE, DESKTOP = 390, 1280
OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"

pytestmark = [
    pytest.mark.browser,
    # The browser's own helpers are closed by it, not by us.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of a page about a model with hostile and long names, and of one about a study."""
    folder, rng = tmp_path_factory.mktemp("pages"), np.random.default_rng(0)
    names = [*HOSTILE, *(f"measurement {k} of a sensor" for k in range(30))]
    X = pd.DataFrame(rng.normal(size=(90, len(names))), columns=names)
    X = X.mask(rng.random(X.shape) < 0.3)
    X[HOSTILE[0]] = rng.choice(HOSTILE, len(X))
    y = pd.DataFrame(rng.integers(0, 2, (len(X), 2)), columns=[HOSTILE[0], "l" * 200])
    model = RBMClassifier(**{**LIGHT, "early_stopping": True}).fit(X, y)
    write_report(model, folder / "model.html", X, y, title=HOSTILE[9], command=HOSTILE[1])
    write_study_report(records(), folder / "study.html")
    return {name: (folder / f"{name}.html").as_uri() for name in ("model", "study")}


class Opened:
    """An open page, and what the browser complained of and requested."""

    def __init__(self, browser: Any, address: str, width: int, theme: str) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme
        )
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)
        self.page.evaluate(OPEN_ALL)


@pytest.fixture
def opened(browser: Any, pages: dict[str, str]) -> Iterator[Any]:
    """Open a page; closed when the test is over."""
    made: list[Opened] = []

    def open_page(name: str, width: int = DESKTOP, theme: str = "light") -> Opened:
        made.append(Opened(browser, pages[name], width, theme))
        return made[-1]

    yield open_page
    for one in made:
        one.context.close()


@pytest.mark.parametrize("name", ["model", "study"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_nothing_fails_is_fetched_or_cut_off(
    opened: Any, pages: dict[str, str], tmp_path: Path, name: str, theme: str, width: int
) -> None:
    one = opened(name, width, theme)
    folder = Path(os.environ.get("HALFSEEN_SCREENSHOTS", tmp_path))
    one.page.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)
    assert one.complaints == []
    assert [url for url in one.requests if not url.startswith("data:")] == [pages[name]]
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    outside = one.page.evaluate(
        """[...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
          const box = svg.getBoundingClientRect();
          return [...svg.querySelectorAll('text')].filter(text => {
            const own = text.getBoundingClientRect();
            return own.left < box.left - 2 || own.right > box.right + 2
              || own.top < box.top - 2 || own.bottom > box.bottom + 2;
          }).map(text => text.textContent);
        })"""
    )
    assert outside == []


def test_text_can_be_read_in_both_themes(opened: Any) -> None:
    for theme in ("light", "dark"):
        page = opened("model", theme=theme).page
        ratios = page.evaluate(
            """(() => {
              const light = colour => {
                const parts = colour.match(/[0-9.]+/g).slice(0, 3).map(part => {
                  const share = part / 255;
                  return share <= .04045 ? share / 12.92 : ((share + .055) / 1.055) ** 2.4;
                });
                return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
              };
              const paper = light(getComputedStyle(document.body).backgroundColor);
              const texts = [...document.querySelectorAll('p, td, th, a, small, summary')];
              const drawn = [...document.querySelectorAll('svg text')];
              const inks = texts.map(text => getComputedStyle(text).color)
                .concat(drawn.map(text => getComputedStyle(text).fill));
              return inks.map(ink => {
                const [low, high] = [light(ink), paper].sort((a, b) => a - b);
                return (high + .05) / (low + .05);
              });
            })()"""
        )
        assert min(ratios) >= 4.5


def test_by_keyboard(opened: Any) -> None:
    page = opened("model").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "The data"
    page.keyboard.press("Enter")
    assert page.url.endswith("#data")
    wide = page.locator(".scroll").first
    wide.focus()
    assert wide.evaluate("one => one === document.activeElement")


def test_print_is_light(opened: Any) -> None:
    page = opened("model", theme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')")
    assert paper.strip() == "#fdfdfb"

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from halfseen.report import Section, Table, TableColumn, page_html
from halfseen.report.experiment_report import experiment_report, study_page
from halfseen.report.experiment_sections.study import Study
from halfseen.report.page import Page
from halfseen.report.parts import Cell, Code, Drawer, Drawers, Heading
from report.checked import Checker, checked_html
from report.invented_run import FEW, SETS, TITLE, invented_records, write_run
from report.small import HOSTILE

MOST_BYTES = 5_000_000


def scripts(html: str) -> list[str]:
    return re.findall('<script type="application/json" id="drawers">(.*?)</script>', html, re.S)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("run")
    records = invented_records(("scene", "digits"), ("transductive", "inductive"), methods=FEW)
    run = write_run(folder, records, n_images=3)
    path = experiment_report(run, folder / "report.html")
    assert path == folder / "report.html"
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checker(html: str) -> Checker:
    return checked_html(html)


class TestThePage:
    def test_a_section_for_every_course_and_the_rest(self, html: str) -> None:
        nav = re.search("<nav.*?</nav>", html, re.S)
        assert nav is not None
        assert re.findall('href="#(.*?)"', nav[0]) == [
            "overview",
            "digits-transductive",
            "digits-inductive",
            "scene-transductive",
            "scene-inductive",
            "published",
            "not-done",
            "run",
        ]
        assert f"<h1>{TITLE}</h1>" in html

    def test_every_cell_that_opens_something_has_it(self, html: str, checker: Checker) -> None:
        (text,) = scripts(html)
        book = json.loads(text)
        opened = {
            attributes["data-opens"]
            for _, attributes in checker.elements
            if "data-opens" in attributes
        }
        assert len(opened) > 100
        assert opened <= set(book["drawers"])
        for title, heads, rows, facts in book["drawers"].values():
            assert title
            assert all(len(row) == len(book["heads"][heads]) for row in rows)
            assert all(len(book["texts"][which]) == 2 for which in facts)

    def test_published_figures_and_the_prior_are_there(self, checker: Checker) -> None:
        assert any(text.startswith("paper 0.") for text in checker.texts)
        assert "constant prior" in checker.texts

    def test_the_same_records_give_the_same_bytes_in_any_order(self) -> None:
        records = invented_records(methods=FEW, rates=[(0.5, 0.5)])
        first, again = (
            page_html(study_page(Study("A", own, Path()))) for own in (records, records[::-1])
        )
        assert first == again

    def test_texts_of_users_stay_text(self) -> None:
        records = [
            replace(r, data_set=HOSTILE, variant=HOSTILE, why=HOSTILE, settings={HOSTILE: HOSTILE})
            for r in invented_records(methods=FEW, rates=[(0.5, 0.5)])
        ]
        html = page_html(study_page(Study(HOSTILE, records, Path(), HOSTILE, {"plan": HOSTILE})))
        found = checked_html(html)
        assert [tag for tag, _ in found.elements].count("script") == 2
        assert "<" not in scripts(html)[0]
        assert HOSTILE in json.dumps(json.loads(scripts(html)[0]), ensure_ascii=False)

    def test_nothing_done_at_all_is_still_a_page(self) -> None:
        records = invented_records(methods=["misgan"], rates=[(0.5, 0.5)])
        html = page_html(study_page(Study("A", records, Path())))
        checked_html(html)
        assert "No cell of it is done." in html

    def test_a_large_study_stays_small(self) -> None:
        tasks = ("transductive", "inductive")
        page = study_page(
            Study("A", invented_records(tuple(SETS)[:1], tasks, n_realisations=10), Path())
        )
        size = len(page_html(page).encode())
        assert size * len(SETS) < MOST_BYTES

    def test_an_empty_folder_is_refused_and_an_old_page_stays(self, tmp_path: Path) -> None:
        path = tmp_path / "report.html"
        path.write_text("old")
        with pytest.raises(ValueError, match="holds no records"):
            experiment_report(tmp_path, path)
        assert path.read_text() == "old"


class TestTheNewParts:
    def html(self, *parts: object) -> str:
        return page_html(Page("t", "l", (Section("s", "s", parts),)))  # type: ignore[arg-type]

    def test_headings_and_code(self) -> None:
        html = self.html(Heading(HOSTILE), Code(f"a = 1\n{HOSTILE}"))
        texts = checked_html(html).texts
        assert HOSTILE in texts
        assert f"a = 1\n{HOSTILE}" in texts

    def test_heads_in_groups(self) -> None:
        columns = ("m", TableColumn("30", True, group="a<b"), TableColumn("50", True, group="a<b"))
        html = self.html(Table(columns, [("x", 1, 2)], "c"))
        checked_html(html)
        assert '<td class="group" colspan="1"></td>' in html
        assert '<th scope="col" class="group" colspan="2">a&lt;b</th>' in html

    def test_cells_with_spread_words_below_and_a_drawer(self) -> None:
        cell = Cell("0.9", 0.9, spread="± <0.1", below="paper <1", opens="d<0")
        html = self.html(Table(("m", "n"), [("x", cell)], "c"))
        checked_html(html)
        assert 'data-opens="d&lt;0"' in html
        assert '<span class="spread">± &lt;0.1</span><small>paper &lt;1</small>' in html

    def test_drawers_keep_heads_and_facts_once(self) -> None:
        drawers = {f"d{i}": Drawer(f"t{i}", ("a",), [(HOSTILE,)], [("k", "v")]) for i in range(3)}
        html = self.html(Drawers(drawers))
        checked_html(html)
        book = json.loads(scripts(html)[0])
        assert (book["heads"], book["texts"]) == ([["a"]], [["k", "v"]])
        assert book["drawers"]["d2"] == ["t2", 0, [[HOSTILE]], [0]]

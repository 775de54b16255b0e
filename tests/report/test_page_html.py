from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.report import (
    Cell,
    Details,
    Facts,
    Gallery,
    Note,
    Page,
    Picture,
    Section,
    Table,
    TableColumn,
    page_html,
)
from halfseen.report.pictures import Bar, bars_svg
from report.checked import checked_html

EVIL = "</td></table><script>alert(1)</script>\" onclick='x' &lt; \x00"
SVG = bars_svg([Bar(EVIL, 1.0)], title=EVIL, description=EVIL, x_label=EVIL)


def page_of(text: str) -> Page:
    table = Table(
        (text, TableColumn(text, numeric=True)),
        [(text, 1), (Cell(text, key=text), Cell(text, 2.0, SVG)), (None, float("nan"))],
        text,
    )
    parts = (
        Note(text),
        Note(text, "absent"),
        Facts(((text, text),)),
        table,
        Gallery((Picture(SVG, text), Picture(SVG, text))),
        Details(text, (table, Details(text, (Note(text),)))),
    )
    return Page(text, text, (Section(text, "first", parts), Section(text, "second", ())), (text,))


def test_text_of_users_stays_text() -> None:
    html = page_html(page_of(EVIL))
    checker = checked_html(html)
    tags = [tag for tag, _ in checker.elements]
    assert tags.count("script") == 1
    assert not any("onclick" in attributes for _, attributes in checker.elements)
    assert EVIL.replace("\x00", "\ufffd") in checker.texts


@given(st.text(st.characters(), max_size=30))
@settings(max_examples=30)
def test_any_text_makes_a_balanced_page(text: str) -> None:
    html = page_html(page_of(text))
    checked_html(html)
    html.encode("utf-8")


def test_the_same_page_gives_the_same_bytes() -> None:
    assert page_html(page_of("a")) == page_html(page_of("a"))


def test_numbers_are_sorted_by_their_full_value() -> None:
    table = Table(("a", TableColumn("b", numeric=True)), [("x", 0.123456789), ("y", 1)], "c")
    html = page_html(Page("t", "l", (Section("s", "s", (table,)),)))
    assert '<td class="n" data-key="0.123456789">0.123</td>' in html
    assert '<td class="n" data-key="1.0">1</td>' in html
    assert '<th scope="col" class="n" data-kind="number">b</th>' in html


def test_nothing_is_marked_as_nothing() -> None:
    table = Table(("a", TableColumn("b", numeric=True)), [("x", None)], "c")
    html = page_html(Page("t", "l", (Section("s", "s", (table,)),)))
    assert '<td class="n" data-none>\N{EN DASH}</td>' in html
    assert "data-sorts" not in html.partition("<main")[2].partition("<script")[0]


def test_tables_and_figures_are_counted_through_the_page() -> None:
    checker = checked_html(page_html(page_of("x")))
    assert [i for i in checker.ids if i.startswith("table-")] == ["table-1", "table-2"]
    assert [i for i in checker.ids if i.startswith("figure-")] == ["figure-1", "figure-2"]


def test_the_contents_lead_to_every_section() -> None:
    html = page_html(page_of("x"))
    nav = re.search("<nav.*?</nav>", html, re.S)
    assert nav is not None
    assert re.findall('href="#(.*?)"', nav[0]) == ["first", "second"]


def test_the_policy_allows_this_script_and_style_alone() -> None:
    html = page_html(page_of("x"))
    policy = re.search('Content-Security-Policy" content="(.*?)"', html)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    for name in ("script", "style"):
        inside = re.search(f"<{name}>(.*?)</{name}>", html, re.S)
        assert inside is not None
        digest = b64encode(sha256(inside[1].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]

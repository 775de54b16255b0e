from __future__ import annotations

from halfseen.explanations import SurprisingEntry, UnusualRow
from halfseen.report import Note, Page, Table, page_html
from halfseen.report.sections.unusual_section import unusual_section
from report.checked import checked_html
from report.small import HOSTILE

AGE = SurprisingEntry(HOSTILE, 3.0, 41.0, None, -2.5, 3.125)
USUAL = SurprisingEntry("site", "Lyon", "Lyon", 0.9, None, 0.1)
SITE = SurprisingEntry("site", "Lyon", "Paris", 0.02, None, 3.9)


def test_entries_that_do_not_fit_are_named() -> None:
    row = UnusualRow(16, 4.2, -31.0, 8, (AGE, SITE, USUAL))
    section = unusual_section([row], has_machine=True)
    table = section.parts[1]
    assert isinstance(table, Table)
    assert table.rows[0] == [
        "row 17",
        4.2,
        f"{HOSTILE} is 3, expected 41 (2.5 sd away); "
        "site is Lyon, expected Paris (2.0\u00a0% likely)",
        8,
        -31.0,
    ]
    checked_html(page_html(Page("t", "l", (section,))))


def test_where_all_is_as_expected_the_oddest_is_named() -> None:
    table = unusual_section([UnusualRow(0, 0.1, -3.0, 2, (USUAL,))], has_machine=True).parts[1]
    assert isinstance(table, Table)
    assert "Lyon" in str(table.rows[0][2])


def test_what_is_missing_is_said() -> None:
    for rows, has_machine, remedy in (
        (None, False, "companion=True"),
        (None, True, "--data"),
        ((), True, "Nothing was observed"),
    ):
        (note,) = unusual_section(rows, has_machine=has_machine).parts
        assert isinstance(note, Note)
        assert remedy in note.text

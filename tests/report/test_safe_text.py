from __future__ import annotations

from html import unescape
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from halfseen.report.safe_text import safe_text, shortened


@given(st.text(st.characters()))
@example("<script>\x00\ud800\uffff\x85&\"'")
def test_it_can_stand_in_a_document(text: str) -> None:
    safe = safe_text(text)
    assert not set(safe) & set("<>\"'\x00\uffff\ud800")
    read = ElementTree.fromstring(f'<a b="{safe}">{safe}</a>')
    assert len(unescape(safe)) == len(text)
    assert (read.text or "").replace("\n", "") == unescape(safe).replace("\r", "").replace("\n", "")
    safe.encode("utf-8")


@given(st.text(max_size=40), st.integers(1, 30))
def test_shortened_is_never_longer(text: str, most: int) -> None:
    short = shortened(text, most)
    assert len(short) <= most or short == text
    assert short == text or len(text) > most

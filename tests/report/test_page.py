from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.report import Page, Section
from halfseen.report.page import command_text


@pytest.mark.parametrize("anchor", ["", "a b", 'a"b', "é", "a#b", "a\n"])
def test_an_anchor_is_plain(anchor: str) -> None:
    with pytest.raises(ValueError, match="anchor of the section 'Data'"):
        Section("Data", anchor, ())


def test_anchors_differ() -> None:
    with pytest.raises(ValueError, match="anchor 'data'"):
        Page("A", "b", (Section("Data", "data", ()), Section("More", "data", ())))


@given(st.lists(st.text(max_size=8), min_size=2, max_size=5))
def test_a_command_of_words_can_be_read_back(words: list[str]) -> None:
    assert shlex.split(command_text(words)) == words

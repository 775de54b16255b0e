from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halfseen.cli.printable import printable


@given(st.text(), st.integers(1, 60))
def test_nothing_commands_the_terminal(text: str, width: int) -> None:
    shown = printable(text, width)
    assert len(shown) <= width
    assert shown.isprintable()


def test_what_fits_stays() -> None:
    assert printable("Größe [m²]") == "Größe [m²]"
    assert printable("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert printable(3.5) == "3.5"

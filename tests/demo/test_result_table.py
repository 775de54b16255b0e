from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halfseen.demo.hidden_scores import HiddenScores
from halfseen.demo.result_table import Result, format_table

shares = st.floats(0, 1)
results = st.lists(
    st.builds(
        Result,
        st.text("abc ,", min_size=1, max_size=50),
        st.builds(HiddenScores, shares, shares, st.none() | st.floats(0, 1e4)),
        st.floats(0, 1e5),
    ),
    min_size=1,
    max_size=6,
)


def test_table_word_for_word() -> None:
    table = format_table(
        [
            Result("a long name", HiddenScores(0.0956, 0.5, 4.333), 0.01),
            Result("short", HiddenScores(1.0, 0.98765, None), 123.45),
        ]
    )
    assert table.splitlines() == [
        "              accuracy     AUC   RMSE   seconds",
        "-----------------------------------------------",
        "a long name      0.096   0.500   4.33       0.0",
        "short            1.000   0.988      -     123.5",
    ]


@given(results)
def test_all_lines_are_of_one_width_and_in_order(results: list[Result]) -> None:
    lines = format_table(results).splitlines()
    assert len({len(line) for line in lines}) == 1
    for line, result in zip(lines[2:], results, strict=True):
        assert line.startswith(result.method)
        assert line.endswith(f"{result.seconds:.1f}")

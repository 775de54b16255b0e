from __future__ import annotations

from halfseen.cli.exit_codes import ExitCode, exit_code_lines


def test_every_code_has_a_meaning() -> None:
    lines = exit_code_lines()
    assert [int(code) for code, _ in lines] == [0, 1, 2, 3, 4, 130]
    assert all(meaning for _, meaning in lines)
    assert len({meaning for _, meaning in lines}) == len(ExitCode)

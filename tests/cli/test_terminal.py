from __future__ import annotations

import json
import warnings

import pytest

from halfseen.cli.terminal import Terminal


def test_results_and_asides_go_different_ways(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    terminal.say("by the way")
    terminal.show("the result [bold]")
    terminal.give({"result": 1})
    caught = capsys.readouterr()
    assert (caught.out, caught.err) == ("the result [bold]\n", "by the way\n")


def test_json_is_all_there_is_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(as_json=True)
    terminal.show("a table")
    terminal.note("odd")
    terminal.note("odd")
    terminal.give({"x": float("nan")})
    caught = capsys.readouterr()
    assert json.loads(caught.out) == {"x": None, "notes": ["odd"]}
    assert caught.err.count("odd") == 1


def test_quiet_is_quiet_but_gives_results(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(quiet=True)
    terminal.say("by the way")
    terminal.note("odd")
    terminal.show("the result")
    caught = capsys.readouterr()
    assert (caught.out, caught.err) == ("the result\n", "")


def test_warnings_of_ours_become_notes_and_others_are_left_out() -> None:
    terminal = Terminal(quiet=True)
    ours, theirs = {"__name__": "halfseen.tables.x"}, {"__name__": "sklearn.y"}
    with terminal.hearing_warnings():
        code = "import warnings; warnings.warn(message, UserWarning, stacklevel=1)"
        exec(code, ours | {"message": "unseen category"})
        exec(code, theirs | {"message": "no convergence"})
    assert terminal.notes == ["unseen category"]
    with pytest.warns(UserWarning, match="as before"):
        warnings.warn("as before", UserWarning, stacklevel=1)


def test_nobody_is_shown_progress_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with Terminal().watching("work", 3) as watch:
        watch.advance(3)
    assert capsys.readouterr().err == ""
    assert watch.done == 3

from __future__ import annotations

import errno

import click
import pytest
from click.testing import CliRunner

from halfseen.cli.guarded_group import GuardedGroup, problem_of
from halfseen.cli.problem import Problem


def ending_in(error: BaseException) -> GuardedGroup:
    group = GuardedGroup([], "group", params=[click.Option(["--traceback"], is_flag=True)])

    @group.command()
    def run() -> None:
        raise error

    return group


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("row 7 of column 'a' holds 'x'"), 1, "row 7"),
        (Problem("no such thing", "make one", code=2), 2, "make one"),  # type: ignore[arg-type]
        (click.UsageError("not like this"), 2, "not like this"),
        (OSError(errno.ENOSPC, "No space left on device", "out.csv"), 3, "'out.csv'"),
        (PermissionError(errno.EACCES, "Permission denied", "out.csv"), 3, "Permission denied"),
        (FileNotFoundError(errno.ENOENT, "No such file", "in.csv"), 1, "'in.csv'"),
        (MemoryError(), 1, "--max-rows"),
        (ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow"), 2, "pip install"),
        (ZeroDivisionError("oh"), 4, "--traceback"),
        (KeyboardInterrupt(), 130, "Stopped"),
    ],
)
def test_every_end_has_its_code_and_no_traceback(
    error: BaseException, code: int, words: str
) -> None:
    result = CliRunner().invoke(ending_in(error), ["run"])
    assert result.exit_code == code
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_traceback_shows_our_own_faults_and_no_others() -> None:
    own = CliRunner().invoke(ending_in(ZeroDivisionError("oh")), ["--traceback", "run"])
    assert isinstance(own.exception, ZeroDivisionError)
    theirs = CliRunner().invoke(ending_in(ValueError("bad row")), ["--traceback", "run"])
    assert theirs.exit_code == 1


def test_a_reader_that_went_away_is_no_problem() -> None:
    result = CliRunner().invoke(ending_in(BrokenPipeError(errno.EPIPE, "Broken pipe")), ["run"])
    assert result.exit_code == 1
    assert "Error" not in result.stderr


def test_messages_cannot_command_the_terminal() -> None:
    result = CliRunner().invoke(ending_in(ValueError("column 'a\x1b[2J'")), ["run"])
    assert "\x1b[2J" not in result.stderr


def test_an_error_without_words_still_says_something() -> None:
    assert problem_of(ValueError()).message == "ValueError"

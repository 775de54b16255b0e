from __future__ import annotations

import io

from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.problem import Problem, UsageProblem


def test_message_and_remedy_are_shown() -> None:
    stream = io.StringIO()
    Problem("Row 7 is odd.\nVery odd.", "Mend it.").show(stream)
    assert stream.getvalue() == "Error: Row 7 is odd.\nVery odd.\nWhat to do: Mend it.\n"


def test_being_stopped_is_no_error() -> None:
    stream = io.StringIO()
    Problem("Stopped.", code=ExitCode.INTERRUPTED).show(stream)
    assert stream.getvalue() == "Stopped.\n"


def test_each_has_its_own_code() -> None:
    assert (Problem("a").exit_code, UsageProblem("b").exit_code) == (1, 2)

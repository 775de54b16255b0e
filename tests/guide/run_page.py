"""A page, run from its first snippet to its last."""

from __future__ import annotations

import doctest
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from guide.console import commands_of, run_command
from guide.snippets import LANGUAGES, Snippet, snippets_of

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_page(page: Path) -> None:
    """Run the snippets of a page in the current folder, and compare what they print.

    Python snippets share their names. What a snippet prints is compared with the text below it,
    where there is one: "..." stands for anything, and any space for any other.
    """
    names: dict[str, Any] = {"__name__": page.stem}
    printed = ""
    for snippet in snippets_of(page):
        assert snippet.language in LANGUAGES, f"{snippet.place}: not run, {snippet.language!r}"
        if snippet.language == "python":
            printed = _run_python(snippet, names)
        elif snippet.language == "console":
            _run_console(snippet)
        else:
            _compare(snippet.place, snippet.content, printed)


def _run_python(snippet: Snippet, names: dict[str, Any]) -> str:
    # Lines of a traceback are then those of the page.
    content = "\n" * (snippet.line - 1) + snippet.content
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(content, str(snippet.page), "exec"), names)
    return printed.getvalue()


def _run_console(snippet: Snippet) -> None:
    for command in commands_of(snippet.content):
        ended = run_command(command.words)
        where = f"{snippet.place}: {command.words}"
        assert ended.code == command.code, f"{where}\nended with {ended.code}\n{ended.printed}"
        if command.shown.strip():
            _compare(where, command.shown, ended.printed)


def _compare(where: str, shown: str, printed: str) -> None:
    is_as_shown = doctest.OutputChecker().check_output(shown, printed, _FLAGS)
    assert is_as_shown, f"{where}\nthe page shows\n{shown}\nand there is\n{printed}"

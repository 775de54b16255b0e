"""A page, run from its first snippet to its last."""

from __future__ import annotations

import doctest
import io
import re
import tomllib
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Any

from guide.console import check_options, commands_of, run_command, start_service
from guide.snippets import LANGUAGES, Snippet, snippets_of

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Decimals may differ by this share: programs that the tests compile in a hurry round otherwise.
_TOLERANCE = 0.02
_DECIMAL = re.compile(r"-?\d+\.\d*")


def run_page(page: Path) -> None:
    """Run the snippets of a page in the current folder, and compare what they print.

    Python snippets share their names. What a snippet prints is compared with the text below it,
    where there is one: "..." stands for anything, and any space for any other.
    """
    names: dict[str, Any] = {"__name__": page.stem}
    printed = ""
    with ExitStack() as services:
        for snippet in snippets_of(page):
            assert snippet.language in LANGUAGES, f"{snippet.place}: not run, {snippet.language!r}"
            if snippet.language == "python":
                printed = _run_python(snippet, names)
            elif snippet.language == "console":
                _run_console(snippet, services)
            elif snippet.language == "text":
                _compare(snippet.place, snippet.content, printed)
            elif snippet.language == "toml":
                tomllib.loads(snippet.content)
            else:
                check_options(snippet.content, snippet.place)


def _run_python(snippet: Snippet, names: dict[str, Any]) -> str:
    # Lines of a traceback are then those of the page.
    content = "\n" * (snippet.line - 1) + snippet.content
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(content, str(snippet.page), "exec"), names)
    return printed.getvalue()


def _run_console(snippet: Snippet, services: ExitStack) -> None:
    for command in commands_of(snippet.content):
        if command.words.endswith("&"):
            services.enter_context(start_service(command.words))
            continue
        ended = run_command(command.words)
        where = f"{snippet.place}: {command.words}"
        assert ended.code == command.code, f"{where}\nended with {ended.code}\n{ended.printed}"
        if command.shown.strip():
            _compare(where, command.shown, ended.printed)


def _compare(where: str, shown: str, printed: str) -> None:
    is_as_shown = doctest.OutputChecker().check_output(shown, _as_shown(shown, printed), _FLAGS)
    assert is_as_shown, f"{where}\nthe page shows\n{shown}\nand there is\n{printed}"


def _as_shown(shown: str, printed: str) -> str:
    """What was printed, with its decimals as the page has them, where they are close to those."""
    pairs = _DECIMAL.findall(shown), _DECIMAL.findall(printed)
    if len(pairs[0]) != len(pairs[1]):
        return printed
    wanted = iter(pairs[0])

    def close(found: re.Match[str]) -> str:
        of_page = next(wanted)
        is_close = abs(float(of_page) - float(found[0])) <= _TOLERANCE * max(
            1.0, abs(float(of_page))
        )
        return of_page if is_close else found[0]

    return _DECIMAL.sub(close, printed)

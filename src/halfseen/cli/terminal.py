"""Where a command speaks: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from halfseen.cli.plain_json import plain_json
from halfseen.cli.printable import printable
from halfseen.cli.watch import Watch

_WIDTH_OF_NO_TERMINAL = 100
_LONGEST_NOTE = 600


class Terminal:
    """Standard output for what was asked for, standard error for what is said by the way.

    Parameters
    ----------
    quiet : bool, default=False
        Say nothing but errors, and give nothing but results.
    as_json : bool, default=False
        Give results as one JSON document, and nothing else on standard output.

    Examples
    --------
    >>> terminal = Terminal(quiet=True, as_json=True)
    >>> terminal.note("Column 'x' is empty.")
    >>> terminal.give({"rows": 3})
    {"rows": 3, "notes": ["Column 'x' is empty."]}
    """

    def __init__(self, *, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet = quiet
        self.as_json = as_json
        self.notes: list[str] = []
        self._result = _console(sys.stdout)
        self._aside = _console(sys.stderr)

    @property
    def width(self) -> int:
        """Characters in a line of what is shown."""
        return self._result.width

    def say(self, text: Any = "") -> None:
        """Say something by the way; not if quiet."""
        if not self.quiet:
            _print(self._aside, text)

    def note(self, text: str) -> None:
        """Say once something that the user should know, and keep it for the JSON document."""
        if text in self.notes:
            return
        self.notes.append(text)
        self.say(Text.assemble(("Note: ", "yellow"), printable(text, _LONGEST_NOTE)))

    def show(self, renderable: Any = "") -> None:
        """Show a part of the result to a person; not if it is wanted as JSON."""
        if not self.as_json:
            _print(self._result, renderable)

    def give(self, document: Mapping[str, Any]) -> None:
        """Give the result to a program, if it is wanted as JSON."""
        if self.as_json:
            content = {**plain_json(document), "notes": self.notes}
            sys.stdout.write(json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")
            sys.stdout.flush()

    @contextmanager
    def watching(self, what: str, total: int | None = None) -> Iterator[Watch]:
        """Progress of something that may last; shown after two seconds, if anyone looks.

        Parameters
        ----------
        what : str
            What is going on.
        total : int or None
            Number of steps, if it is known.

        Yields
        ------
        Watch
        """
        wanted = not self.quiet and self._aside.is_terminal
        watch = Watch(what, total, self._aside if wanted else None)
        try:
            yield watch
        finally:
            watch.close()

    @contextmanager
    def hearing_warnings(self) -> Iterator[None]:
        """Turn warnings of halfseen into notes, and leave out those of its libraries."""

        def hear(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
            # Who stops a command is told so, and gets no model to which anything could apply.
            if category.__name__ != "TrainingInterrupted":
                self.note(str(message))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", category=UserWarning, module=r"halfseen(\.|$)")
            # Labels come as a table of one column here, to keep their name.
            warnings.filterwarnings("ignore", message="A column-vector y was passed")
            warnings.showwarning = hear
            yield


def _print(console: Console, renderable: Any) -> None:
    # A program that looks for words, or a log, wants its lines whole.
    is_words = isinstance(renderable, str | Text)
    console.print(renderable, soft_wrap=is_words and not console.is_terminal)


def _console(stream: Any) -> Console:
    is_terminal = bool(getattr(stream, "isatty", lambda: False)())
    return Console(
        file=stream,
        width=None if is_terminal else _WIDTH_OF_NO_TERMINAL,
        markup=False,
        highlight=False,
        emoji=False,
    )

"""Where a command writes: results to standard output, messages and progress to standard error."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import IO, Any

import click
from pydantic_core import to_json
from rich.console import Console as RichConsole
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

_WIDTH_WITHOUT_TERMINAL = 100
_LONGEST_NOTE = 600


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    BAD_INPUT = 1
    BAD_USAGE = 2
    CANNOT_WRITE = 3
    INTERNAL = 4
    INTERRUPTED = 130


EXIT_CODES = {
    ExitCode.OK: "done",
    ExitCode.BAD_INPUT: "a table or a model that was read is at fault; the message says where",
    ExitCode.BAD_USAGE: "the command cannot be followed: an unknown option, an absent column",
    ExitCode.CANNOT_WRITE: "the result cannot be written; an older file of that name stays",
    ExitCode.INTERNAL: "an error in halfseen; --debug shows where",
    ExitCode.INTERRUPTED: "stopped by Ctrl-C; nothing is half written",
}


class Problem(click.ClickException):
    """Ends a command with a sentence, what to do about it, and an exit code."""

    def __init__(self, message: str, remedy: str = "", code: ExitCode = ExitCode.BAD_INPUT) -> None:
        super().__init__(message)
        self.remedy, self.exit_code = remedy, int(code)  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        """Write it to standard error."""
        is_interrupt = self.exit_code == ExitCode.INTERRUPTED
        text = printable(self.message) + (f" {printable(self.remedy)}" if self.remedy else "")
        head = "" if is_interrupt else click.style("Error: ", fg="red", bold=True)
        with suppress(BrokenPipeError):  # the exit code tells
            click.echo(head + text, file=file or sys.stderr)


class UsageProblem(Problem):
    """The command cannot be followed as it was given."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy, ExitCode.BAD_USAGE)


class Interrupts:
    """Whether Ctrl-C was pressed; an interrupt inside a callback of a library may get lost."""

    pressed = False

    @classmethod
    def check(cls) -> None:
        """Raise the interrupt, if it got lost."""
        if cls.pressed:
            raise KeyboardInterrupt


class Console:
    """Standard output for results, standard error for all the rest."""

    def __init__(self, *, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet, self.as_json, self.notes = quiet, as_json, list[str]()
        self._out, self._err = _rich(sys.stdout), _rich(sys.stderr)
        self.width = self._out.width  # characters in a line of results

    def say(self, text: Any = "") -> None:
        """Say something beside the result; not if quiet."""
        if not self.quiet:
            text = text if isinstance(text, Text) else Text(printable(text))
            self._err.print(text, soft_wrap=True)

    def note(self, text: str) -> None:
        """Say once what the user should know, and keep it for the JSON document."""
        text = " ".join(text.split())
        if text not in self.notes:
            self.notes.append(text)
            shown = text if len(text) <= _LONGEST_NOTE else text[: _LONGEST_NOTE - 1] + "…"
            self.say(Text.assemble(("Note: ", "yellow"), printable(shown)))

    def show(self, text: Any = "") -> None:
        """Show a part of the result to a person; not if JSON is wanted."""
        if not self.as_json:
            is_text = isinstance(text, str)
            self._out.print(Text(text) if is_text else text, soft_wrap=is_text)

    def head(self, text: str) -> None:
        """Show a heading."""
        self.show(Text(printable(text), style="bold"))

    def show_text(self, text: str, heads: Sequence[str]) -> None:
        """Show lines, of which some are headings."""
        for line in text.splitlines():
            (self.head if line in heads else self.show)(line)

    def give(self, document: Mapping[str, Any]) -> None:
        """Give the result to a program, if JSON is wanted."""
        if self.as_json:
            click.echo(as_json({**document, "notes": self.notes}).decode())

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
        """Show progress on a terminal; gives ``advance(what=None, done=None, total=...)``."""
        is_shown = not self.quiet and self._err.is_terminal
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
        options: dict[str, Any] = {"transient": True, "disable": not is_shown}
        with Progress(*columns, TimeElapsedColumn(), console=self._err, **options) as shown:
            task = shown.add_task(what, total=total)

            def advance(what: str | None = None, done: int | None = None, **changes: Any) -> None:
                Interrupts.check()
                step = 1 if done is None else None
                shown.update(task, description=what, completed=done, advance=step, **changes)

            yield advance
            Interrupts.check()

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Turn warnings of halfseen into notes, and leave out those of its libraries."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", category=UserWarning, module=r"halfseen(\.|$)")
            # Labels come as a table of one column here, to keep their name.
            warnings.filterwarnings("ignore", message="A column-vector y was passed")
            warnings.filterwarnings("ignore", message="Columns pass through and are not modelled")
            warnings.showwarning = lambda message, *_, **__: self.note(str(message))
            yield


def label_table(labels: Sequence[Any], with_classes: bool = True) -> Table:
    """Scores of labels and their classes."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("label", overflow="fold")
    for head in ("known", "AUC", "log-loss", "accuracy", "calibration", "in set", "abstains"):
        table.add_column(head, justify="right", no_wrap=True)
    for label in labels:
        figures = [label.auc, label.log_loss, label.accuracy, label.calibration_error]
        figures += [label.set_coverage, label.share_abstained]
        table.add_row(label.name, f"{label.n_known:,}", *map(_figure, figures))
        for one in label.classes if with_classes else ():
            cells = ("", "", _figure(one.recall), "", _figure(one.set_coverage), "")
            table.add_row(f"  = {one.value}", f"{one.n_known:,}", *cells, style="dim")
    return table


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def printable(text: object) -> str:
    """Text without control characters, which could rewrite a terminal; line breaks stay."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "�" for sign in str(text))


def as_json(document: Mapping[str, Any], indent: int | None = None) -> bytes:
    """A document as JSON; what is no finite number is null."""
    return to_json(
        document, indent=indent, inf_nan_mode="null",
        fallback=lambda value: value.tolist() if hasattr(value, "tolist") else str(value),
    )  # fmt: skip


class _Stream(RichConsole):
    def on_broken_pipe(self) -> None:
        """Leave it to the command, which knows an exit code for it."""
        raise BrokenPipeError


def _rich(stream: Any) -> RichConsole:
    is_terminal = bool(getattr(stream, "isatty", lambda: False)())
    width = None if is_terminal else _WIDTH_WITHOUT_TERMINAL
    return _Stream(file=stream, width=width, markup=False, highlight=False, emoji=False)

"""The command ``halfseen`` and how it ends: never in a traceback, always with an exit code."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import Any

_HELP = """halfseen learns from tables with missing values in the features and in the labels. It
fills them, predicts labels, and says how sure it is and why.

\b
A first table, from file to page:
  halfseen inspect  devices.csv
  halfseen fit      devices.csv --labels 'threat_*'
  halfseen complete devices.csv devices.safetensors -o filled.csv
  halfseen predict  new.csv devices.safetensors -o predicted.csv
  halfseen evaluate devices.csv --labels 'threat_*' --effort fast
  halfseen explain  devices.csv devices.safetensors --row 12
  halfseen report   devices.safetensors --data devices.csv -o report.html

Tables are CSV, TSV, Parquet, Arrow or the first sheet of an Excel file; text may be compressed with
gzip. "-" is standard input or output. Results go to standard output, all other messages to standard
error. 'halfseen COMMAND --help' explains a command by examples."""

COMMANDS = {
    "inspect": "What is in a table: types of columns, missing values, findings.",
    "fit": "Fit a model to a table with missing values.",
    "complete": "Fill the missing values of a table; observed cells stay as they are.",
    "predict": "Predict the labels of new rows, with probabilities and prediction sets.",
    "evaluate": "Should I trust this on my data? Hide what is known, predict it, score.",
    "score": "Score a saved model on a table with known labels.",
    "explain": "Why a row got its prediction; what a model has learned.",
    "sample": "Draw new rows from a model.",
    "report": "Write one page about a model, to show to others.",
    "serve": "Answer over HTTP, with a page for people.",
    "experiment": "Studies: methods compared on hidden entries.",
    "demo": "Digits of which half is hidden, found again and drawn.",
}
_MODULES = {"score": "predict"}  # others are named like their command
_NEEDED = ("click", "rich", "pyarrow")
_EXTRAS = {"openpyxl": "excel", "matplotlib": "report", "jinja2": "report", "pebble": "cli"}
_EXTRAS |= dict.fromkeys(("fastapi", "starlette", "uvicorn", "prometheus_client"), "serve")

try:
    import click

    from halfseen import __version__
    from halfseen.cli.console import EXIT_CODES, ExitCode, Interrupts, Problem
except ModuleNotFoundError as absent:
    if absent.name not in _NEEDED:
        raise
    sys.exit(f'The command line needs {absent.name}: pip install "halfseen[cli]"')


class _LazyGroup(click.Group):
    """Commands that are imported when they are run, and errors that become sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            near = get_close_matches(cmd_name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            known = ", ".join(COMMANDS)
            ctx.fail(f"There is no command {cmd_name!r}.{hint} The commands are {known}.")
        module = import_module(f"halfseen.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(int(code)), text) for code, text in EXIT_CODES.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what goes wrong becomes a `Problem`."""
        try:
            result = super().invoke(ctx)
            Interrupts.check()
            return result
        except (click.exceptions.Exit, click.Abort, click.ClickException):
            raise
        except KeyboardInterrupt as error:
            raise Problem("Stopped by Ctrl-C.", code=ExitCode.INTERRUPTED) from error
        except Exception as error:
            problem = problem_of(error)
            if ctx.params.get("debug") and problem.exit_code == ExitCode.INTERNAL:
                traceback.print_exc()
            raise problem from error


_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True, "max_content_width": 100}


@click.group(cls=_LazyGroup, help=_HELP, context_settings=_SETTINGS)
@click.version_option(__version__, "-V", "--version", message="halfseen %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error in halfseen.")
def root(debug: bool) -> None:
    """All commands."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    _separate_streams()
    signal.signal(signal.SIGINT, _interrupted)
    code: Any = ExitCode.OK
    try:
        root.main(arguments, prog_name="halfseen")
    except SystemExit as end:
        code = end.code or ExitCode.OK
    except OSError as error:  # help or version that cannot be written
        problem = problem_of(error)
        problem.show()
        code = problem.exit_code
    code = code if _flush() else code or ExitCode.CANNOT_WRITE
    if code == ExitCode.INTERRUPTED:
        # Other threads may still compute; taking the interpreter apart under them can crash it.
        os._exit(ExitCode.INTERRUPTED)
    sys.exit(code)


def problem_of(error: Exception) -> Problem:
    """What an exception means to the person who typed the command."""
    from halfseen.files import TableFileError, TableWriteError

    if isinstance(error, TableWriteError):
        return Problem(str(error), code=ExitCode.CANNOT_WRITE)
    if isinstance(error, BrokenPipeError):
        _flush()
        message = "Standard output was closed by its reader; the rest is not written."
        return Problem(message, code=ExitCode.CANNOT_WRITE)
    if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
        message = f"This needs {error.name}, which is not installed."
        remedy = f'pip install "halfseen[{_EXTRAS[error.name]}]"'
        return Problem(message, remedy, ExitCode.BAD_USAGE)
    if isinstance(error, MemoryError):
        remedy = "Use fewer rows (--max-rows), or leave columns out (--ignore)."
        return Problem("There is not enough memory for this.", remedy)
    if isinstance(error, OSError) and not isinstance(error, TableFileError | ValueError):
        name = f" '{error.filename}'" if error.filename is not None else ""
        written = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT)
        code = ExitCode.CANNOT_WRITE if error.errno in written else ExitCode.BAD_INPUT
        return Problem(f"Cannot use{name}: {error.strerror or error}.", code=code)
    if isinstance(error, ValueError | TypeError):
        return Problem(str(error) or type(error).__name__)
    message = f"An error in halfseen: {type(error).__name__}: {error}."
    remedy = "'halfseen --debug COMMAND ...' shows where; please report it."
    return Problem(message, remedy, ExitCode.INTERNAL)


def _separate_streams() -> None:
    """Keep standard output for results: what libraries in C write to it goes to standard error."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # closed by whoever started us
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
            if descriptor:
                setattr(sys, name, os.fdopen(descriptor, "w", closefd=False))
    if sys.stdout.fileno() == 1:
        sys.stdout.flush()
        own = os.dup(1)
        os.dup2(2, 1)
        encoding, errors = sys.stdout.encoding, sys.stdout.errors
        sys.stdout = os.fdopen(own, "w", encoding=encoding, errors=errors, closefd=False)


def _interrupted(*_: object) -> None:
    Interrupts.pressed = True
    raise KeyboardInterrupt


def _flush() -> bool:
    """Write what is left; what a closed pipe refuses is dropped, or Python would try again."""
    written = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            written = False
            with suppress(OSError, ValueError):  # it is no file
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return written

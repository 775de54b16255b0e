"""``halfseen demo``: digits of which half is hidden, and what becomes of them."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click

from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.problem import Problem
from halfseen.cli.shared_options import with_seed, with_terminal
from halfseen.cli.terminal import Terminal

_PICTURE_NAME = "digits.png"
_HELP = """Hide half of the pixels and labels of handwritten digits, and find them again.

halfseen and four other methods are scored on what was hidden, and a picture shows digits with holes
and what halfseen makes of them. It takes a minute or two and needs no network.

\b
Examples:
  halfseen demo
  halfseen demo --seed 1 -o elsewhere"""


@click.command("demo", help=_HELP)
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    default="demo_output",
    show_default=True,
    help="Folder for the picture, made if it is not there.",
)
@with_seed
@with_terminal
def demo_command(output: str, seed: int, terminal: Terminal) -> None:
    """Run the demonstration."""
    folder = Path(output)
    try:
        # Before anything is computed, so that nobody waits for a picture that cannot be written.
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(
            f"Cannot make the folder {output!r}: {error.strerror}.",
            "Name another: -o FOLDER.",
            ExitCode.CANNOT_WRITE,
        ) from error
    from halfseen.demo.demonstration import demonstrate

    picture = folder / _PICTURE_NAME
    printed = io.StringIO()
    if terminal.as_json:
        with redirect_stdout(printed):
            demonstrate(picture, seed=seed)
    elif terminal.quiet:
        with redirect_stderr(io.StringIO()):
            demonstrate(picture, seed=seed)
    else:
        demonstrate(picture, seed=seed)
    terminal.give({"picture": str(picture), "seed": seed, "text": printed.getvalue()})

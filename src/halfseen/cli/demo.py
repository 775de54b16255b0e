"""``halfseen demo``: digits of which half is hidden."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout

import click

from halfseen.cli.console import Console
from halfseen.cli.options import command as command_with

_HELP = """Hide half of the pixels and labels of handwritten digits, and find them again.

halfseen and four pipelines are scored on what was hidden, and a picture shows digits with missing
pixels and how they are restored. It takes a minute or two and needs no network.

\b
Examples:
  halfseen demo
  halfseen demo --seed 1 -o elsewhere"""


@command_with("demo", _HELP)
@click.option("-o", "--output", metavar="FOLDER", default="demo_output", show_default=True,
              help="Folder for the picture, made if it is not there.")  # fmt: skip
def command(output: str, seed: int, console: Console) -> None:
    """Run the demonstration."""
    from halfseen.demo import main
    from halfseen.files.writing import write_errors

    text = io.StringIO()
    aside = io.StringIO()
    with write_errors(output):
        if console.as_json:
            with redirect_stdout(text):
                main(seed, output)
        elif console.quiet:
            with redirect_stderr(aside):
                main(seed, output)
        else:
            main(seed, output)
    console.give({"output": output, "seed": seed, "text": text.getvalue()})

"""``halfseen demo``: digits of which half is hidden."""

from __future__ import annotations

import io
import runpy
import sys
import warnings
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path

import click

from halfseen.cli.console import Console, Problem
from halfseen.cli.options import command_with

_HELP = """Hide half of the pixels and labels of handwritten digits, and find them again.

halfseen and four pipelines are scored on what was hidden, and a picture shows digits with missing
pixels and how they are restored. It takes a minute or two and needs no network.

\b
Examples:
  halfseen demo
  halfseen demo --seed 1 -o elsewhere"""


@command_with("demo", _HELP)
@click.option("-o", "--output", metavar="FOLDER", default="demo_output",
              help="Folder for the picture, made if it is not there.")  # fmt: skip
def demo(output: str, seed: int, console: Console) -> None:
    """Run the example of the gallery."""
    from halfseen import TrainingInterrupted
    from halfseen.files.writing import write_errors

    # Beside the package where it is installed, above it in its repository.
    places = (Path(__file__).parents[k] / "examples" / "digits.py" for k in (1, 3))
    script, text = next(filter(Path.is_file, places), None), io.StringIO()
    if script is None:
        raise Problem("The example digits.py is not installed.", "Install halfseen again.")
    given, sys.argv = sys.argv, [str(script), "--seed", str(seed), "--output", output]
    try:
        with ExitStack() as stack:
            stack.enter_context(write_errors(output))
            stack.enter_context(warnings.catch_warnings())
            # Whoever stops a demonstration wants out, not the model so far.
            warnings.simplefilter("error", TrainingInterrupted)
            if console.as_json:
                stack.enter_context(redirect_stdout(text))
            if console.quiet:
                stack.enter_context(redirect_stderr(io.StringIO()))
            runpy.run_path(str(script))
    except TrainingInterrupted as error:
        raise KeyboardInterrupt from error
    finally:
        sys.argv = given
    console.give({"output": output, "seed": seed, "text": text.getvalue()})

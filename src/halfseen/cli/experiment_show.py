"""``halfseen experiment show``: a plan as it stands in its file."""

from __future__ import annotations

import click

from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """Show PLAN as it stands in its file: a path, or the name of a shipped plan.

Standard output is the plan and nothing else, so that it can be kept and changed; how many cells it
has is said on standard error.

\b
Examples:
  halfseen experiment show quick/transductive-scene
  halfseen experiment show own-table > mine.toml"""


@click.command("show", help=_HELP)
@click.argument("plan")
@with_terminal
def show_command(plan: str, terminal: Terminal) -> None:
    """Check the plan and show its text."""
    from halfseen.experiments.cell import cells_of
    from halfseen.experiments.read_plan import plan_path, read_plan

    read = read_plan(plan)
    cells = cells_of(read)
    path = plan_path(plan)
    text = path.read_text(encoding="utf-8")
    if not terminal.as_json:
        click.echo(text, nl=False)
    terminal.say(f"{path}: {len(cells):,} cells, {len({cell.series for cell in cells}):,} series.")
    terminal.give({"plan": read.name, "path": str(path), "cells": len(cells), "text": text})

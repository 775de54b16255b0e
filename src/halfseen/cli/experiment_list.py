"""``halfseen experiment list``: the plans that ship with halfseen."""

from __future__ import annotations

import click

from halfseen.cli.shared_options import with_terminal
from halfseen.cli.terminal import Terminal

_HELP = """The plans that ship with halfseen, with one line each.

Those under quick/ ask the same questions with fewer repetitions, rates and rows, and lighter
settings: they take minutes, the others hours.

\b
Examples:
  halfseen experiment list
  halfseen experiment show quick/inductive-pendigits"""


@click.command("list", help=_HELP)
@with_terminal
def list_command(terminal: Terminal) -> None:
    """Show names and titles."""
    from rich.table import Table

    from halfseen.experiments.cell import cells_of
    from halfseen.experiments.read_plan import read_plan
    from halfseen.experiments.shipped_plans import shipped_plans

    plans = [read_plan(name) for name in shipped_plans()]
    sizes = [len(cells_of(plan)) for plan in plans]
    table = Table(box=None, pad_edge=False)
    table.add_column("plan", no_wrap=True)
    table.add_column("cells", justify="right")
    table.add_column("what it asks")
    for plan, size in zip(plans, sizes, strict=True):
        table.add_row(plan.name, f"{size:,}", plan.title)
    terminal.show(table)
    terminal.give(
        {
            "plans": [
                {"name": plan.name, "title": plan.title, "about": plan.about, "cells": size}
                for plan, size in zip(plans, sizes, strict=True)
            ]
        }
    )

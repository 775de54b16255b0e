"""The table of sub-commands: what each is called, what it does, and where it lives."""

from __future__ import annotations

from typing import NamedTuple


class Subcommand(NamedTuple):
    """A sub-command that is imported when it is asked for, and not before.

    Attributes
    ----------
    name : str
        What it is called by.
    target : str
        Where it lives, as "module:object".
    summary : str
        One line for the list of commands.

    Examples
    --------
    >>> SUBCOMMANDS[0].name
    'inspect'
    """

    name: str
    target: str
    summary: str


SUBCOMMANDS = (
    Subcommand(
        "inspect",
        "halfseen.cli.inspect_command:inspect_command",
        "What is in a table: kinds of columns, holes, warnings.",
    ),
    Subcommand(
        "fit",
        "halfseen.cli.fit_command:fit_command",
        "Learn a model from a table with holes.",
    ),
    Subcommand(
        "complete",
        "halfseen.cli.complete_command:complete_command",
        "Fill the holes of a table; what is there stays as it is.",
    ),
    Subcommand(
        "predict",
        "halfseen.cli.predict_command:predict_command",
        "Labels of new rows, with probabilities and 'not sure'.",
    ),
    Subcommand(
        "evaluate",
        "halfseen.cli.evaluate_command:evaluate_command",
        "Should I trust this on my data? Hide what is known, and see.",
    ),
    Subcommand(
        "explain",
        "halfseen.cli.explain_command:explain_command",
        "Why a row was answered so; what a model has learned.",
    ),
    Subcommand(
        "sample",
        "halfseen.cli.sample_command:sample_command",
        "New rows from what a model has learned.",
    ),
    Subcommand(
        "report",
        "halfseen.cli.report_command:report_command",
        "One page about a model, to show to others.",
    ),
    Subcommand(
        "experiment",
        "halfseen.cli.experiment_command:experiment_command",
        "Studies: methods compared on hidden entries.",
    ),
    Subcommand(
        "demo",
        "halfseen.cli.demo_command:demo_command",
        "Digits of which half is hidden, and what becomes of them.",
    ),
)

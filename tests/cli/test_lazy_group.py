from __future__ import annotations

from click.testing import CliRunner

from halfseen.cli.lazy_group import LazyGroup
from halfseen.cli.subcommands import Subcommand

NOWHERE = Subcommand("later", "halfseen.cli.not_there:nothing", "Not yet.")
DEMO = Subcommand("demo", "halfseen.cli.demo_command:demo_command", "Now.")


def test_help_imports_nothing() -> None:
    result = CliRunner().invoke(LazyGroup([NOWHERE, DEMO], "group"), ["--help"])
    assert result.exit_code == 0
    assert result.stdout.index("later") < result.stdout.index("demo")


def test_a_command_is_imported_when_it_is_asked_for() -> None:
    result = CliRunner().invoke(LazyGroup([NOWHERE, DEMO], "group"), ["demo", "--help"])
    assert "handwritten digits" in result.stdout


def test_near_names_are_named() -> None:
    result = CliRunner().invoke(LazyGroup([NOWHERE, DEMO], "group"), ["dmo"])
    assert result.exit_code == 2
    assert "Did you mean 'demo'?" in result.stderr

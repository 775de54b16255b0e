from __future__ import annotations

from importlib import import_module

import click
import pytest

from halfseen.cli.subcommands import SUBCOMMANDS, Subcommand


@pytest.mark.parametrize("subcommand", SUBCOMMANDS, ids=lambda subcommand: subcommand.name)
def test_every_command_is_where_the_table_says(subcommand: Subcommand) -> None:
    module, _, name = subcommand.target.partition(":")
    command = getattr(import_module(module), name)
    assert isinstance(command, click.Command)
    assert command.name == subcommand.name

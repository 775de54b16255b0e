"""A group of commands that are imported one by one, when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from halfseen.cli.subcommands import Subcommand


class LazyGroup(click.Group):
    """A group that knows names and summaries of its commands, and imports none of them for help.

    Parameters
    ----------
    subcommands : sequence of Subcommand
        In the order of the help.
    *args, **kwargs
        As of :class:`click.Group`.

    Examples
    --------
    >>> group = LazyGroup([Subcommand("later", "nowhere:nothing", "Not yet.")], "group")
    >>> group.list_commands(click.Context(group))
    ['later']
    """

    def __init__(self, subcommands: Sequence[Subcommand], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.subcommands = {subcommand.name: subcommand for subcommand in subcommands}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return [*self.subcommands, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        subcommand = self.subcommands.get(cmd_name)
        if subcommand is None:
            return super().get_command(ctx, cmd_name)
        module, _, name = subcommand.target.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names, or the nearest names."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            near = get_close_matches(args[0], known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"There is no command {args[0]!r}.{hint} There are: {', '.join(known)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(s.name, s.summary) for s in self.subcommands.values()])

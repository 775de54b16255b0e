"""The root of the command line, to which every command belongs."""

from __future__ import annotations

import click

from halfseen._version import __version__
from halfseen.cli.exit_codes import exit_code_lines
from halfseen.cli.guarded_group import GuardedGroup
from halfseen.cli.subcommands import SUBCOMMANDS

_HELP = """halfseen learns from tables that are only half seen: holes in the features and in the
labels. It fills them, predicts labels, says how sure it is and why.

\b
A first table, from file to page:
  halfseen inspect  devices.csv
  halfseen fit      devices.csv --labels 'threat_*' -o devices.safetensors
  halfseen complete devices.csv devices.safetensors -o filled.csv
  halfseen evaluate devices.csv --labels 'threat_*' --effort fast
  halfseen explain  devices.csv devices.safetensors --row 12
  halfseen report   devices.safetensors --data devices.csv -o report.html

Tables are CSV, TSV, Parquet or Arrow, packed with gzip or not; "-" is standard input or output.
What was asked for goes to standard output, everything said by the way to standard error.
'halfseen COMMAND --help' explains a command by examples."""


class _Root(GuardedGroup):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl(exit_code_lines())


root = _Root(
    SUBCOMMANDS,
    "halfseen",
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=True,
)
root = click.version_option(__version__, prog_name="halfseen", message="%(prog)s %(version)s")(root)
root = click.option(
    "--traceback", is_flag=True, help="Where halfseen itself fails, show the place in its code."
)(root)

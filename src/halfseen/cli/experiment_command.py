"""``halfseen experiment``: studies of methods on hidden entries."""

from __future__ import annotations

from halfseen.cli.lazy_group import LazyGroup
from halfseen.cli.subcommands import Subcommand

_HELP = """Studies: hide entries of data sets, let methods find them again, compare.

A study is a plan, a TOML file that names data sets, shares to hide, methods and repetitions. The
tables of the paper ship as plans, each also as a quick one that takes minutes; your own table is
studied by the same commands.

\b
Examples:
  halfseen experiment list
  halfseen experiment run quick/transductive-scene --out scene
  halfseen experiment table scene
  halfseen experiment report scene
\b
Stopped, or the machine went down? Nothing that was finished is lost:
  halfseen experiment resume scene
\b
One file that holds a run, to be kept, sent, or gone on with on another machine:
  halfseen experiment pack scene
  halfseen experiment unpack scene.jsonl --out scene
\b
Your own table: copy a plan, change file, labels and methods:
  halfseen experiment show own-table > mine.toml
  halfseen experiment run mine.toml

Data sets are looked up in the folder that the environment variable HALFSEEN_DATA names, then in
the cache, and are otherwise downloaded from OpenML where it keeps them. Every command takes
--quiet and --json. None needs --seed: the number of a realisation is its seed, so that the same
plan gives the same results."""

EXPERIMENT_SUBCOMMANDS = (
    Subcommand(
        "list",
        "halfseen.cli.experiment_list:list_command",
        "The plans that ship with halfseen.",
    ),
    Subcommand(
        "show",
        "halfseen.cli.experiment_show:show_command",
        "A plan as it stands in its file, to be read or copied.",
    ),
    Subcommand(
        "run",
        "halfseen.cli.experiment_run:run_command",
        "Run a plan.",
    ),
    Subcommand(
        "resume",
        "halfseen.cli.experiment_resume:resume_command",
        "Go on with a run that was stopped.",
    ),
    Subcommand(
        "table",
        "halfseen.cli.experiment_table:table_command",
        "The tables of a run, with the paper's figures beside.",
    ),
    Subcommand(
        "report",
        "halfseen.cli.experiment_page:report_command",
        "One page about a run, to show to others.",
    ),
    Subcommand(
        "pack",
        "halfseen.cli.experiment_pack:pack_command",
        "Write a run into one file.",
    ),
    Subcommand(
        "unpack",
        "halfseen.cli.experiment_unpack:unpack_command",
        "Make a run of packed ones, or add them to one.",
    ),
)

experiment_command = LazyGroup(
    EXPERIMENT_SUBCOMMANDS, "experiment", help=_HELP, no_args_is_help=True
)

"""Options that several commands share, and columns as they are named on the command line."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from halfseen.cli.console import Console, ExitCode, Problem, UsageProblem, as_json

if TYPE_CHECKING:
    from halfseen.files import TableFile

Command = Callable[..., Any]

_MOST_LISTED = 12


def output_option(help: str) -> Callable[[Command], Command]:
    """The option that names where a command writes."""
    return click.option("-o", "--output", metavar="FILE", help=help)


coverage_option = click.option(
    "--coverage", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.9,
    help="How often intervals and prediction sets shall hold the truth.",
)  # fmt: skip
_COMMON: list[click.Parameter] = [
    click.Option(["--seed"], type=click.IntRange(0, 2**31 - 2), default=0,
                 help="Decides everything random: the same seed gives the same result."),
    click.Option(["-q", "--quiet"], is_flag=True, help="Print nothing but errors."),
    click.Option(["--json", "as_json"], is_flag=True,
                 help="Print the result as one JSON document, nothing else on standard output."),
]  # fmt: skip


def command_with(
    name: str, help: str, *arguments: str, seed: bool = True
) -> Callable[[Command], click.Command]:
    """A command with these arguments, ``--quiet``, ``--json``, ``--help``, and ``--seed``."""

    def decorate(function: Command) -> click.Command:
        @wraps(function)
        def run(*args: Any, quiet: bool, as_json: bool, **kwargs: Any) -> None:
            console = Console(quiet=quiet, as_json=as_json)
            with console.warnings_as_notes():
                function(*args, console=console, **kwargs)

        made = click.command(name, help=help)(run)
        given: list[click.Parameter] = [click.Argument([a.lower()], metavar=a) for a in arguments]
        made.params = given + made.params + (_COMMON if seed else _COMMON[1:])
        return made

    return decorate


def command_line(*left_out: str) -> str:
    """The running command as it was given, without these parameters."""
    context = click.get_current_context()
    words = ["halfseen", *context.command_path.split()[1:]]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params[str(parameter.name)]
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        for one in value if isinstance(value, tuple) else (value,):
            if is_given and name not in left_out:
                words += [parameter.opts[-1]] if isinstance(parameter, click.Option) else []
                words += [] if one is True else [str(one)]
    return shlex.join(words)


def _grouped(name: str, group: type, *options: Any) -> Callable[[Command], Command]:
    """Options that a command gets as one object of this dataclass, by this name."""
    names = [field.name for field in fields(group)]

    def decorate(function: Command) -> Command:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            kwargs[name] = group(**{field: kwargs.pop(field) for field in names})
            return function(*args, **kwargs)

        for option in reversed(options):
            run = option(run)
        return run

    return decorate


@dataclass(frozen=True)
class TableOptions:
    """How a table is to be read."""

    missing: tuple[str, ...] = ()
    only_missing: bool = False
    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None

    def open(self, path: str) -> TableFile:
        """Open a table; it is closed, and a temporary file removed, when the command ends."""
        from halfseen.files import MISSING_MARKS, open_table

        table = open_table(
            path, format=self.format, missing_marks=("",) if self.only_missing else MISSING_MARKS,
            missing=self.missing, encoding=self.encoding, delimiter=self.delimiter,
        )  # fmt: skip
        click.get_current_context().call_on_close(table.close)
        return table


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns are labels or left out, and types of columns."""

    labels: tuple[str, ...]
    ignore: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True)
class ModelOptions:
    """Which estimator is fitted, and its parameters."""

    family: str
    effort: str | None
    settings: tuple[str, ...]

    def estimator(self, feature_types: dict[str, Any], has_labels: bool, seed: int) -> Any:
        """The estimator, not fitted yet."""
        import halfseen

        kind = "Classifier" if has_labels else "Imputer"
        name = ("Halfseen" if self.family == "halfseen" else "RBM") + kind
        model = getattr(halfseen, name)(random_state=seed)
        if feature_types:
            model.set_params(feature_types=feature_types)
        known = list(model.get_params())
        if self.effort is not None and "effort" not in known:
            message = "--effort is for the recommended model."
            raise UsageProblem(message, "Use --set for the other.")
        for setting in ([f"effort={self.effort}"] if self.effort else []) + [*self.settings]:
            key, sign, value = setting.partition("=")
            if not sign:
                message = f"--set takes NAME=VALUE, not {setting!r}."
                raise UsageProblem(message, "For instance --set max_seconds=60.")
            if key not in known:
                near = ", ".join(get_close_matches(key, known, n=3) or known)
                message = f"{name} has no parameter {key!r}."
                raise UsageProblem(message, f"Parameters are {near}.")
            model.set_params(**{key: _parameter(value)})
        return model


def _parameter(text: str) -> Any:
    """A number, true, false or null, as JSON or Python writes them; other text as it is."""
    try:
        return json.loads({"True": "true", "False": "false", "None": "null"}.get(text, text))
    except ValueError:
        return text


table_options = _grouped(
    "reading", TableOptions,
    click.option("--missing", multiple=True, metavar="TEXT",
                 help="One more text or number that means 'missing', beside the usual ones (empty, "
                 "NA, N/A, NaN, null, None, #N/A, ?). Repeat for several."),
    click.option("--only-missing", is_flag=True,
                 help="Nothing means 'missing' but an empty cell and what --missing names."),
    click.option("--format", type=click.Choice(["csv", "tsv", "parquet", "arrow"]),
                 help="What the file is, if neither its content nor its name tells."),
    click.option("--encoding", metavar="NAME", help="Of text.  [default: UTF-8, or by its mark]"),
    click.option("--delimiter", metavar="CHARACTER", help="Of a text file; found by default."),
)  # fmt: skip
column_options = _grouped(
    "columns", ColumnOptions,
    click.option("-l", "--labels", multiple=True, metavar="COLUMNS",
                 help="What is to be predicted: names with commas between them, or a pattern such "
                 "as 'tox_*'. Repeat for more."),
    click.option("--ignore", multiple=True, metavar="COLUMNS", help="Columns to leave out."),
    click.option("--as", "types", multiple=True, metavar="COLUMN=TYPE",
                 help="Type of a column: numeric, log-numeric, ordinal, binary, categorical or "
                 "ignored; ordinal:low,mid,high gives an order. Repeat for more."),
)  # fmt: skip
model_options = _grouped(
    "chosen", ModelOptions,
    click.option("--model", "family", type=click.Choice(["halfseen", "rbm"]), default="halfseen",
                 help="The recommended model, or the paper's, RBM-MO."),
    click.option("--effort", type=click.Choice(["fast", "default", "best"]),
                 help="Work of training the recommended model.  [default: default]"),
    click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                 help="Any parameter of HalfseenClassifier or RBMClassifier, for instance "
                 "--set max_seconds=60. Repeat for more."),
)  # fmt: skip


# Columns.


def chosen_columns(words: Iterable[str], available: Sequence[str], option: str) -> list[str]:
    """The columns that an option names, in the order of the table."""
    chosen: set[str] = set()
    for word in words:
        parts = [word] if word in available else list(map(str.strip, word.split(",")))
        for part in list(filter(None, parts)) or [word]:
            found = [part] if part in available else fnmatch.filter(available, part)
            if not found:
                raise _unknown(part, available, option)
            chosen.update(found)
    return [name for name in available if name in chosen]


def one_column(word: str, available: Sequence[str], option: str) -> str:
    """The column that an option names, out of those it is for."""
    if word not in available:
        raise _unknown(word, available, option, "it takes")
    return word


def column_types(words: Iterable[str], available: Sequence[str]) -> dict[str, Any]:
    """What was given to ``--as``, as the estimators take it."""
    from halfseen.data.infer import TYPES

    found: dict[str, Any] = {}
    for word in words:
        name, sign, asked = word.rpartition("=")
        if not sign:
            message = f"--as takes COLUMN=TYPE, not {word!r},"
            raise UsageProblem(message, "as in --as zip=categorical.")
        type, _, order = asked.partition(":")
        if type not in TYPES or (order and type != "ordinal"):
            known = ", ".join(TYPES[1:])
            raise UsageProblem(f"--as {word}: there is no type {asked!r}.", f"Types are {known}.")
        name = one_column(name, available, "--as")
        found[name] = (type, order.split(",")) if order else type
    return found


def per_column(
    words: Iterable[str], available: Sequence[str], option: str, parse: Callable[[str, str], Any]
) -> dict[str, Any]:
    """Values of an option that is given as COLUMN=VALUE, or as VALUE for all columns."""
    found: dict[str, Any] = {}
    for word in sorted(words, key=lambda word: "=" in word):  # those of one column last
        name, sign, text = word.rpartition("=")
        for each in [one_column(name, available, option)] if sign else available:
            found[each] = parse(each, text)
    return found


def sibling_labels(labels: Sequence[str], features: Iterable[str]) -> list[str]:
    """Features that are named like labels, such as ``threat_theft`` beside ``threat_scan``."""
    stems = {re.sub(r"([_.\- ]?\d+|[_.\- ][^_.\- ]*)$", "", label) for label in labels}
    stems = {stem for stem in stems if len(stem) >= 3 and stem not in labels}
    pattern = re.compile("|".join(rf"{re.escape(s)}([_.\- ].*|\d+)" for s in sorted(stems)))
    return [name for name in features if stems and pattern.fullmatch(name)]


def _unknown(
    word: str, available: Sequence[str], option: str, who: str = "the table has"
) -> UsageProblem:
    is_pattern = any(sign in word for sign in "*?[")
    what = f"no column that matches {word!r}" if is_pattern else f"no column {word!r}"
    lower = {name.lower(): name for name in available}
    near = get_close_matches(word.lower().strip("*?"), lower, n=3)
    if near:
        remedy = f"Did you mean {' or '.join(repr(lower[name]) for name in near)}?"
    else:
        listed = ", ".join(map(repr, available[:_MOST_LISTED]))
        more = len(available) - _MOST_LISTED
        remedy = f"There are {listed}{f' and {more} more' if more > 0 else ''}."
    return UsageProblem(f"{option}: {who} {what}.", remedy)


# Outputs.


def output_beside(path: str, ending: str, given: str | None) -> str:
    """Where to write: as given, or beside the input, as in ``a.csv`` and ``a_filled.csv``."""
    if given is not None or path == "-":
        return given or "-"
    stem, suffix = split_suffix(path)
    if ending.startswith("."):
        return stem + ending
    return stem + ending + (".csv" if suffix.lower() in (".xlsx", ".xlsm") else suffix)


def shown_output(path: str) -> str:
    """The name of an output in messages."""
    return "standard output" if path == "-" else path


def write_json(output: str | None, document: dict[str, Any], console: Console) -> None:
    """Write a result to a file, if there is one."""
    from halfseen.files import open_output

    if output is not None:
        with open_output(output) as file:
            file.write(as_json(document, indent=1) + b"\n")
        console.say(f"The result is in {shown_output(output)}.")


def split_suffix(path: str) -> tuple[str, str]:
    """A path and its ending, as in ``a`` and ``.csv.gz``."""
    stem, suffix = os.path.splitext(path)
    stem, inner = os.path.splitext(stem) if suffix == ".gz" else (stem, "")
    return stem, inner + suffix


def check_outputs(
    console: Console, outputs: Sequence[str | None], inputs: Sequence[str], streams: bool = True
) -> None:
    """Refuse outputs of one name, that replace what is read, or that cannot be, before all else."""
    if outputs.count("-") and not streams:
        raise UsageProblem("This cannot go to standard output.", "Name a file: -o FILE.")
    if outputs.count("-") + console.as_json > 1:
        message = "Two results would go to standard output."
        raise UsageProblem(message, "Give -o FILE, or leave out --json.")
    seen: set[str] = set()
    read = {os.path.realpath(path) for path in inputs if path != "-"}
    for path in (path for path in outputs if path not in (None, "-")):
        real, (folder, name) = os.path.realpath(path), os.path.split(path)
        above, cannot = os.path.dirname(real), f"{path}: the result cannot be written"
        if real in seen:
            raise UsageProblem(f"Two results would be written to {path!r}.", "Name two files.")
        if real in read:
            message = f"{path!r} is read, and would be replaced."
            raise UsageProblem(message, "Name another: -o FILE.")
        if not os.path.isdir(above):
            message = f"There is no folder {folder!r} to write {name!r} in."
            raise UsageProblem(message, "Make it first, or name another.")
        if os.path.isdir(real):
            message = f"{cannot} (this is a folder)."
            raise Problem(message, "Name a file in it.", ExitCode.CANNOT_WRITE)
        if not os.path.exists(real) and not os.access(above, os.W_OK):
            message = f"{cannot} (you may not write there)."
            raise Problem(message, "Name a file in another folder.", ExitCode.CANNOT_WRITE)
        seen.add(real)

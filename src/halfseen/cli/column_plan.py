"""Which columns of a table are learned from, which are predicted, and which pass through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from halfseen.cli.chosen_columns import chosen_columns
from halfseen.cli.counted import counted
from halfseen.cli.problem import Problem

if TYPE_CHECKING:
    from halfseen.files import FileColumn, TableFile

_PASSING = {
    "identifier": "identifiers",
    "date": "dates",
    "text": "free text",
    "empty": "nothing known",
    "constant": "always the same",
}
_NO_LABEL = ("identifier", "date", "text")
_MOST_NAMED = 6


class PassedColumn(NamedTuple):
    """A column that is neither learned from nor filled.

    Attributes
    ----------
    name : str
        Its name.
    reason : str
        Why, in two or three words.
    n_missing : int
        Holes that stay.

    Examples
    --------
    >>> PassedColumn("id", "identifiers", 0).reason
    'identifiers'
    """

    name: str
    reason: str
    n_missing: int


@dataclass(frozen=True)
class ColumnPlan:
    """Which columns of a table are learned from, which are predicted, and which pass through.

    Attributes
    ----------
    features, labels : tuple of str
        In the order of the table.
    passed : tuple of PassedColumn
        All others.
    kinds : mapping from column name to kind
        Kinds for the estimator, where the user decided.

    Examples
    --------
    >>> ColumnPlan(("age",), ("ill",), (), {}).learned
    ('age', 'ill')
    """

    features: tuple[str, ...]
    labels: tuple[str, ...]
    passed: tuple[PassedColumn, ...]
    kinds: Mapping[str, str]

    @property
    def learned(self) -> tuple[str, ...]:
        """Features and labels together."""
        return self.features + self.labels

    def passed_by_reason(self) -> list[str]:
        """For each reason one line that names the columns that pass through for it.

        Returns
        -------
        list of str

        Examples
        --------
        >>> plan = ColumnPlan((), (), (PassedColumn("id", "identifiers", 2),), {})
        >>> plan.passed_by_reason()
        ['identifiers: id (2 holes stay)']
        """
        lines = []
        for reason in dict.fromkeys(column.reason for column in self.passed):
            columns = [column for column in self.passed if column.reason == reason]
            names = ", ".join(column.name for column in columns[:_MOST_NAMED])
            more = f" and {len(columns) - _MOST_NAMED} more" if len(columns) > _MOST_NAMED else ""
            holes = sum(column.n_missing for column in columns)
            stay = f" ({counted(holes, 'hole')} stay{'s' if holes == 1 else ''})" if holes else ""
            lines.append(f"{reason}: {names}{more}{stay}")
        return lines


def plan_columns(
    source: TableFile,
    labels: Sequence[str],
    ignore: Sequence[str],
    kinds: Mapping[str, str],
) -> ColumnPlan:
    """Decide what each column of a table is for.

    Parameters
    ----------
    source : TableFile
        The table.
    labels, ignore : sequence of str
        As given to ``--labels`` and ``--ignore``.
    kinds : mapping from column name to kind
        As given to ``--as``, for columns that stay in.

    Returns
    -------
    ColumnPlan

    Raises
    ------
    Problem
        A label cannot be one, none of the labels is ever known, or nothing is left to learn from.
    """
    names = [column.name for column in source.columns]
    ignored = set(chosen_columns(ignore, names, "--ignore"))
    wanted = [name for name in chosen_columns(labels, names, "--labels") if name not in ignored]
    if labels and not wanted:
        raise Problem("Every label column is ignored, too.", "Take it out of --ignore.")
    features: list[str] = []
    passed: list[PassedColumn] = []
    for column in source.columns:
        if column.name in wanted:
            continue
        if column.name in ignored:
            passed.append(PassedColumn(column.name, "ignored as asked", column.n_missing))
        elif column.role.value in _PASSING:
            passed.append(PassedColumn(column.name, _PASSING[column.role.value], column.n_missing))
        else:
            features.append(column.name)
    known = [name for name in wanted if _can_be_label(source.column(name))]
    if wanted and not known:
        raise Problem(
            f"No entry of {_listed(wanted)} is known, so there is no label to learn from.",
            "Name other label columns, or none to fill the features alone; if the labels are "
            "written as something that was taken for missing, see --only-missing.",
        )
    passed += [
        PassedColumn(name, "labels never known", source.column(name).n_missing)
        for name in wanted
        if name not in known
    ]
    if not features:
        raise Problem(
            "There is no feature to learn from: every column is a label or passes through "
            f"({'; '.join(_roles(source)) or 'the table has no column'}).",
            "Take a column in by hand, for instance --as zip=category.",
        )
    return ColumnPlan(tuple(features), tuple(known), tuple(passed), kinds)


def _can_be_label(column: FileColumn) -> bool:
    if column.role.value in _NO_LABEL:
        raise Problem(
            f"Column {column.name!r} cannot be a label as it is: it looks like "
            f"{_PASSING[column.role.value]} ({column.reason}).",
            f"If its values are classes, say so: --as {column.name}=category.",
        )
    return column.role.value != "empty"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _roles(source: TableFile) -> list[str]:
    return [f"{column.name}: {column.role.value}" for column in source.columns[:_MOST_NAMED]]

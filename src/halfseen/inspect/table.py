"""The inspection of a table, and its text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final

import narwhals as nw
import numpy as np

from halfseen.data.frames import Table, read_table
from halfseen.data.infer import infer_type, requested_types
from halfseen.data.raw import distinct_values, shortened
from halfseen.inspect.columns import ColumnSummary, InspectedColumn, Record, Role
from halfseen.inspect.findings import Finding, find_all
from halfseen.inspect.missingness import MissingPair, Randomness, judge_randomness, missing_pairs

MAX_ROWS: Final = 100_000
_SHADES: Final = "·░▒▓█"
_MOST_COLUMNS, _MOST_FINDINGS, _MOST_SENTENCES, _MOST_SHOWN = 30, 15, 6, 4
_WIDEST_NAME, _WIDEST_VALUE = 28, 16


class Inspection(Record):
    """What is in a table; printed, it is a page of text, and ``model_dump_json()`` is JSON."""

    n_rows: int
    n_inspected_rows: int  # all, or a sample
    share_missing: float  # of all cells
    columns: tuple[ColumnSummary, ...]  # in the order of the table
    share_without_label: float | None  # rows in which no label is known; None: there are no labels
    missing_pairs: tuple[MissingPair, ...]  # columns that go missing together, strongest first
    randomness: Randomness  # whether values look missing completely at random
    findings: tuple[Finding, ...]  # what to look at, the most serious first

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = 88, *, show_all: bool = False) -> str:
        """The inspection as text; `show_all` shows all columns of a wide table."""
        randomness = self.randomness
        dependent = [c.sentence for c in randomness.columns if c.is_dependent]
        judged = [randomness.verdict, *_bullets(dependent, _MOST_SENTENCES)]
        judged += [randomness.remark] if randomness.columns else []
        found = _bullets([finding.sentence for finding in self.findings], _MOST_FINDINGS)
        parts = [
            _wrapped([_head(self)], width),
            _column_table(self, width, show_all),
            _section("Missing together", _together(self), width),
            _section("Missing at random?", judged, width),
            _section("Worth a look", found, width),
        ]
        return "\n\n".join(filter(None, parts))


def inspect_table(
    X: Any, labels: Iterable[str | int] = (), *, ignored: Iterable[str | int] = (),
    feature_types: Any = "auto", n_rows: int | None = None, random_state: int = 0,
) -> Inspection:  # fmt: skip
    """Look at a table before a model is fitted.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_columns)
        Features and labels; missing is NaN, None or pandas.NA. Of more than 100,000 rows a
        random sample is looked at.
    labels : iterable of str or int
        Names or positions of the columns that are to be predicted.
    ignored : iterable of str or int
        Columns that a model will not see.
    feature_types : str, sequence or mapping, default="auto"
        Types of the columns, as for the estimators.
    n_rows : int, optional
        Rows of the table, if `X` is a sample of it.
    random_state : int, default=0
        Seed of samples.

    Returns
    -------
    Inspection
        To be printed, or to be written by ``model_dump_json()``.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.inspect import inspect_table
    >>> X = np.array([[1.5, 0, 3], [np.nan, 1, 4], [2.5, 0, 2], [4.0, 0, 3]])
    >>> print(inspect_table(X, labels=[2]))
    4 rows, 3 columns, 8.3 % of the cells missing.
    <BLANKLINE>
    column  type                missing  first row → last  values
    0       numeric                25 %  ·█··              1.5 to 4, median 2.5
    1       binary                    -  ····              0 75 %, 1 25 %
    2       label, categorical        -  ····              3 50 %, 2 25 %, 4 25 %
    <BLANKLINE>
    Missing at random?
    Too few values are missing to tell whether they are missing at random.
    No data can show whether values are missing because of what they are: only knowing how
    the table was made can.
    """
    table = read_table(X)
    if table.n_rows > MAX_ROWS:
        n_rows = n_rows or table.n_rows
        chosen = np.sort(np.random.default_rng(random_state).permutation(table.n_rows)[:MAX_ROWS])
        frame = nw.from_native(X, pass_through=True)
        is_frame = isinstance(frame, nw.DataFrame)
        table = read_table(frame[chosen.tolist()] if is_frame else np.asarray(X)[chosen])
    roles: dict[int, Role] = dict.fromkeys(_positions(labels, table), "label")
    roles |= dict.fromkeys(_positions(ignored, table), "ignored")
    requests = requested_types(feature_types, table.names, len(table.columns))
    columns = []
    for j, (raw, request) in enumerate(zip(table.columns, requests, strict=True)):
        type, reason = infer_type(raw, table.label(j))
        if request.type != "auto":
            type, reason = request.type, "by request" if request.type == "ignored" else None  # type: ignore[assignment]
        if roles.get(j) == "label" and raw.observed.any():  # classes, if they are no fractions
            is_fraction = raw.kind == "number" and (raw.seen % 1 != 0).any()
            of_classes = "binary" if len(distinct_values(raw.seen)[0]) <= 2 else "categorical"
            type, reason = "numeric" if is_fraction else of_classes, None  # type: ignore[assignment]
        role = roles.get(j, "ignored" if type == "ignored" else "feature")
        columns.append(InspectedColumn(str(table.label(j)), raw, role, type, reason))
    used = [column for column in columns if column.is_used]
    known = [column.observed for column in columns if column.role == "label"]
    return Inspection(
        n_rows=n_rows or table.n_rows, n_inspected_rows=table.n_rows,
        share_missing=float(np.mean(~table.observed)),
        columns=tuple(column.summary() for column in columns),
        share_without_label=float(1 - np.any(known, axis=0).mean()) if known else None,
        missing_pairs=missing_pairs(used),
        randomness=judge_randomness(used, random_state),
        findings=find_all(columns, table.n_rows, bool(known)),
    )  # fmt: skip


def _positions(columns: Iterable[str | int], table: Table) -> list[int]:
    places: dict[str | int, int] = {j: j for j in range(len(table.columns))}
    places |= {name: j for j, name in enumerate(table.names or ())}
    asked = [columns] if isinstance(columns, str) else list(columns)
    if unknown := [column for column in asked if column not in places]:
        known = list(table.names or places)
        raise ValueError(f"There is no column {unknown[0]!r} among {known}.")
    return [places[column] for column in asked]


# Text.


def _head(found: Inspection) -> str:
    text = f"{found.n_rows:,} rows, {len(found.columns):,} columns, "
    text += f"{_percent(found.share_missing)} of the cells missing."
    if found.n_inspected_rows < found.n_rows:
        text += f" Seen in a random sample of {found.n_inspected_rows:,} rows."
    return text


def _column_table(found: Inspection, width: int, show_all: bool) -> str:
    shown = list(found.columns)
    if not show_all and len(shown) > _MOST_COLUMNS:
        # Labels, columns that are not features, and those with most missing values.
        order = sorted(shown, key=lambda c: (c.role == "feature", -c.share_missing))
        names = {column.name for column in order[:_MOST_COLUMNS]}
        shown = [column for column in shown if column.name in names]
    rows = [("column", "type", "missing", "first row → last", "values")]
    for column in shown:
        kind = "ignored" if column.role == "ignored" else column.type
        kind = ("label, " if column.role == "label" else "") + kind
        kind = f"{kind}: {column.reason}" if column.reason else kind
        missing = _percent(column.share_missing) if column.n_missing else "-"
        name = _short(column.name, _WIDEST_NAME)
        rows.append((name, kind, missing, _strip(column), _values(column)))
    a, b, c, d = (max(len(row[k]) for row in rows) for k in range(4))
    lines = []
    for name, kind, missing, strip, values in rows:
        line = f"{name:{a}}  {kind:{b}}  {missing:>{c}}  {strip:{d}}"
        lines.append(_short(f"{line}  {values}", max(width, len(line))).rstrip())
    if len(shown) < len(found.columns):
        lines.append(f"and {len(found.columns) - len(shown):,} more columns (--all)")
    if found.share_without_label:
        lines.append(f"No label is known in {_percent(found.share_without_label)} of the rows.")
    return "\n".join(lines)


def _strip(column: ColumnSummary) -> str:
    """One sign for each part of the rows: a dot where nothing is missing, darker for more."""
    return "".join(
        _SHADES[0] if share == 0 else _SHADES[min(1 + int(share * 4), 4)]
        for share in column.missing_along_rows
    )


def _values(column: ColumnSummary) -> str:
    if column.earliest is not None:
        return f"{column.earliest} to {column.latest}"
    numbers = column.numbers
    if numbers is not None:
        low, high, median = map(_number, (numbers.minimum, numbers.maximum, numbers.quantiles[2]))
        return f"{low} to {high}, median {median}"
    if column.reason in ("identifier", "too many categories"):
        values = [_short(count.value, _WIDEST_VALUE) for count in column.most_frequent[:3]]
        return ", ".join(values) + ", ..."
    shares = [
        f"{_short(count.value, _WIDEST_VALUE)} {_percent(count.n_rows / column.n_observed)}"
        for count in column.most_frequent[:_MOST_SHOWN]
    ]
    more = column.n_distinct - len(shares)
    return ", ".join([*shares, f"{more:,} more"] if shares and more > 0 else shares)


def _together(found: Inspection) -> list[str]:
    sentences = []
    for pair in found.missing_pairs:
        how = "always" if pair.correlation > 0.995 else f"correlation {pair.correlation:.2f}"
        apart = f"where {pair.other} is not missing"
        other = f"and {pair.other}" if pair.correlation > 0 else apart
        sentences.append(f"{pair.column} {other}, {how}")
    return _bullets(sentences, _MOST_SENTENCES)


def _section(title: str, lines: list[str], width: int) -> str:
    return f"{title}\n{_wrapped(lines, width)}" if lines else ""


def _wrapped(lines: Sequence[str], width: int) -> str:
    return "\n".join(
        textwrap.fill(line, width, subsequent_indent="  " if line.startswith("- ") else "")
        for line in lines
    )


def _bullets(sentences: Sequence[str], most: int) -> list[str]:
    lines = [f"- {sentence}" for sentence in sentences[:most]]
    more = len(sentences) - most
    return [*lines, f"- and {more} more (--json has all)"] if more > 0 else lines


def _short(text: str, width: int) -> str:
    """Printable text of at most this width."""
    return shortened("".join(sign if sign.isprintable() else "�" for sign in text), width)


def _percent(share: float) -> str:
    """A share in percent."""
    if 0 < share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def _number(value: float) -> str:
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"

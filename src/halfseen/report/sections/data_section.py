"""What the model was made from: its columns and their holes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.explanations.printed_value import printed_value
from halfseen.explanations.rows_read import RowsRead
from halfseen.inspection import ColumnSummary, TableSummary
from halfseen.report.number_text import number_text, percent_text
from halfseen.report.page import Section
from halfseen.report.parts import (
    Cell,
    Details,
    Entry,
    Facts,
    Gallery,
    Note,
    Part,
    Picture,
    Table,
    TableColumn,
)
from halfseen.report.pictures import heat_map_svg, missing_map_svg, share_svg, spark_svg
from halfseen.tables import Column, Schema

_MOST_COLUMNS = 100
_MOST_CELLS = 4000
_MOST_GROUPS = 60
_MOST_TOGETHER = 24
_TOLD_BY_PATTERNS = 0.3


def data_section(schema: Schema, summary: TableSummary | None, rows: RowsRead | None) -> Section:
    """Columns, kinds and holes.

    Parameters
    ----------
    schema : Schema
        What the model took each column for.
    summary : TableSummary or None
        What is in the table, if it is at hand.
    rows : RowsRead or None
        The rows of the table that are at hand.

    Returns
    -------
    Section

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> schema = Schema(learn_columns(read_table([[1.0, "a"], [3.5, "b"], [7.0, "a"]])), (), None)
    >>> section = data_section(schema, None, None)
    >>> section.parts[-1].tone
    'absent'
    """
    parts: list[Part] = [_facts(schema, summary), _columns(schema, summary)]
    if summary is None:
        parts.append(
            Note(
                "Give the table, X (on the command line: --data), to see how much of each column "
                "is missing, and where.",
                "absent",
            )
        )
        return Section("The data", "data", parts)
    parts += _warnings(summary)
    parts += _holes(schema, summary, rows)
    return Section("The data", "data", parts)


def _facts(schema: Schema, summary: TableSummary | None) -> Facts:
    items = [] if summary is None else [("rows", f"{summary.n_rows:,}")]
    items.append(("features", f"{len(schema.features):,}"))
    if schema.target_kind == "labels":
        items.append(("labels", f"{len(schema.targets):,}"))
    elif schema.target_kind == "classes":
        items.append(("classes", f"{len(schema.targets[0].categories):,}"))
    elif schema.target_kind == "outputs":
        items.append(("class columns", f"{len(schema.targets):,}"))
    if summary is not None:
        names, n_features = distinct_names(schema), len(schema.features)
        missing = percent_text(_missing(summary, set(names[:n_features])))
        items.append(("of the features missing", missing))
        if schema.targets:
            missing = percent_text(_missing(summary, set(names[n_features:])))
            items.append(("of the labels missing", missing))
    return Facts(items)


def distinct_names(schema: Schema) -> tuple[str, ...]:
    """Names of all columns; a label that is called like a feature is marked as a label.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, learn_target_columns, read_table, read_target
    >>> table, target = read_table([[1.0], [2.0]]), read_target([0, 1])
    >>> distinct_names(Schema(learn_columns(table), learn_target_columns(target), "classes"))
    ('x0', 'y')
    """
    taken = {column.name for column in schema.features}
    names = [column.name for column in schema.features]
    for column in schema.targets:
        name = column.name
        while name in taken:
            name = f"{name} (label)"
        names.append(name)
        taken.add(name)
    return tuple(names)


def _missing(summary: TableSummary, names: set[str]) -> float:
    shares = [column.share_missing for column in summary.columns if column.name in names]
    return float(np.mean(shares)) if shares else float("nan")


def _columns(schema: Schema, summary: TableSummary | None) -> Table:
    heads: list[TableColumn | str] = ["column", "role", "taken for"]
    if summary is None:
        heads += [TableColumn("entries seen in training", numeric=True), "average or commonest"]
        rows: list[list[Entry]] = [
            [name, role, _kind(column), column.n_observed, _learned(column)]
            for name, column, role in _roles(schema)
        ]
        caption = "What the model took each column for."
        return Table(heads, rows, caption)
    heads += [TableColumn("missing", numeric=True), "average or commonest", "spread"]
    learned = {name: (column, role) for name, column, role in _roles(schema)}
    rows = [_row(column, learned) for column in summary.columns]
    caption = (
        "The columns of the table and what the model took each for. Numbers are given as mean and "
        "standard deviation, categories with their shares."
    )
    return Table(heads, rows, caption)


def _roles(schema: Schema) -> list[tuple[str, Column, str]]:
    role = "label" if schema.target_kind == "labels" else "class"
    roles = ["feature"] * len(schema.features) + [role] * len(schema.targets)
    return list(zip(distinct_names(schema), schema.columns, roles, strict=True))


def _row(column: ColumnSummary, learned: dict[str, tuple[Column, str]]) -> list[Entry]:
    own = learned.get(column.name)
    role = own[1] if own is not None else f"{column.role}, not in the model"
    kind = _kind(own[0]) if own is not None else column.kind
    share = column.share_missing
    missing = Cell(percent_text(share), share, share_svg(share, f"{percent_text(share)} missing"))
    spread: Entry = Cell("", 0.0)
    if column.numbers is not None and column.kind == "numeric":
        what = f"values from {number_text(column.numbers.minimum)} to "
        what += number_text(column.numbers.maximum)
        spread = Cell("", column.numbers.sd, spark_svg(column.numbers.histogram, what))
    return [column.name, role, kind, missing, _typical(column), spread]


def _kind(column: Column) -> str:
    if column.kind == "categorical":
        return f"categorical, {len(column.categories)}"
    if column.kind == "numeric" and column.transform == "log":
        return "numeric, log scale"
    if column.transform == "ordinal":
        return f"ordinal, {len(column.categories)}"
    return "empty: nothing was seen" if column.kind == "empty" else column.kind


def _typical(column: ColumnSummary) -> str:
    if column.kind == "numeric" and column.numbers is not None:
        return f"{number_text(column.numbers.mean)} ± {number_text(column.numbers.sd)}"
    if column.earliest is not None and column.latest is not None:
        return f"{column.earliest} to {column.latest}"
    seen = max(column.n_observed, 1)
    return ", ".join(f"{each.value} {percent_text(each.n_rows / seen)}" for each in column.top[:3])


def _learned(column: Column) -> str:
    if column.kind == "numeric":
        centre = float(column.destandardised(np.zeros(1))[0])
        return number_text(centre)
    if column.kind == "binary":
        return f"1 {percent_text(column.marginal[0])}"
    shares = sorted(zip(column.marginal, column.categories, strict=False), key=lambda x: -x[0])
    return ", ".join(f"{printed_value(name)} {percent_text(share)}" for share, name in shares[:3])


def _warnings(summary: TableSummary) -> list[Part]:
    if not summary.warnings:
        return []
    rows = [(warning.column, warning.kind, warning.sentence) for warning in summary.warnings]
    return [Table(("column", "what", "what was seen"), rows, "Worth a look in this table.")]


def _holes(schema: Schema, summary: TableSummary, rows: RowsRead | None) -> list[Part]:
    if not any(column.n_missing for column in summary.columns):
        return [Note("Nothing is missing in this table.")]
    parts: list[Part] = [Note(f"{summary.randomness.verdict} {summary.randomness.remark}".strip())]
    if rows is not None:
        parts.append(_map(distinct_names(schema), rows))
    pictures = [
        picture for picture in (_patterns(summary), _together(summary)) if picture is not None
    ]
    if pictures:
        parts.append(Gallery(pictures))
    told = [column for column in summary.randomness.columns if column.is_told]
    if told:
        found = [(c.name, c.n_holes, c.auc, c.corrected_p, c.sentence) for c in told]
        heads = (
            "column",
            TableColumn("holes", numeric=True),
            TableColumn("AUC", numeric=True),
            TableColumn("p, corrected", numeric=True, digits=2),
            "finding",
        )
        caption = "Columns whose holes can be told from the values of other columns."
        parts.append(Details("Where holes are not at random", [Table(heads, found, caption)]))
    return parts


def observed_of(rows: RowsRead) -> NDArray[np.bool_]:
    """Which entries were seen, of shape (n_rows, n_columns); labels not given were not."""
    nothing = np.zeros(len(rows.numbers), bool)
    return np.stack([nothing if raw is None else raw.observed for raw in rows.raws], axis=1)


def _map(names: tuple[str, ...], rows: RowsRead) -> Picture:
    observed = observed_of(rows)
    n_rows, n_columns = observed.shape
    shown = np.arange(n_columns)
    if n_columns > _MOST_COLUMNS:
        order = np.argsort(observed.mean(axis=0), kind="stable")
        shown = np.sort(order[:_MOST_COLUMNS])
    n_groups = max(1, min(_MOST_GROUPS, _MOST_CELLS // len(shown), n_rows))
    groups = np.array_split(~observed[:, shown], n_groups, axis=0)
    shares = np.stack([group.mean(axis=0) for group in groups], axis=1)
    each = "each" if n_groups == n_rows else f"in {n_groups} groups"
    caption = f"Where the holes are: the {n_rows:,} rows {each} from left to right, the darker the "
    caption += "more is missing."
    if len(shown) < n_columns:
        caption += f" The {len(shown)} columns with most holes, of {n_columns:,}."
    svg = missing_map_svg(
        shares,
        [names[j] for j in shown.tolist()],
        title="Where the holes are",
        description=f"{percent_text(float(np.mean(~observed)))} of all entries are missing.",
        x_label="row",
        x_ends=(f"{rows.numbers[0] + 1:,}", f"{rows.numbers[-1] + 1:,}"),
    )
    return Picture(svg, caption)


def _patterns(summary: TableSummary) -> Picture | None:
    """The commonest patterns, if a few of them say something of the table."""
    common = summary.patterns[:12]
    told = sum(pattern.n_rows for pattern in common)
    holey = [j for j, column in enumerate(summary.columns) if column.n_missing]
    if told < _TOLD_BY_PATTERNS * summary.n_rows or len(holey) > 40 or len(common) < 2:
        return None
    shares = [[0.0 if pattern.observed[j] else 1.0 for pattern in common] for j in holey]
    svg = missing_map_svg(
        shares,
        [summary.columns[j].name for j in holey],
        title="The commonest patterns of holes",
        description=f"{len(common)} patterns, which make up {percent_text(told / summary.n_rows)} "
        "of the rows.",
        x_label="rows by pattern",
        widths=[float(pattern.n_rows) for pattern in common],
    )
    caption = (
        f"The {len(common)} commonest patterns of holes, each as wide as it has rows; together "
        f"{percent_text(told / summary.n_rows)} of all rows."
    )
    return Picture(svg, caption)


def _together(summary: TableSummary) -> Picture | None:
    """Which columns lose their values together, if any do."""
    together = summary.randomness.co_missingness
    if len(together.names) < 2:
        return None
    matrix = np.array(together.correlation, np.float64)
    np.fill_diagonal(matrix, np.nan)
    strength = np.nan_to_num(np.abs(matrix)).max(axis=1)
    if strength.max() < 0.1:
        return None
    kept = np.sort(np.argsort(-strength, kind="stable")[:_MOST_TOGETHER])
    names = [together.names[j] for j in kept.tolist()]
    svg = heat_map_svg(
        matrix[np.ix_(kept, kept)],
        names,
        names,
        title="Which columns are missing together",
        description="Correlations between which entries of two columns are seen.",
        value_label="correlation of being seen",
    )
    return Picture(
        svg, "Columns that are missing together (warm), or in each other's place (cool)."
    )

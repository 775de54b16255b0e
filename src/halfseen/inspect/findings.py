"""What to look at before a model is fitted: leaks, marks, errors, duplicates, and suggestions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal, get_args

import numpy as np
from scipy.stats import rankdata, skew

from halfseen.inspect.columns import Bools, Floats, InspectedColumn, Ints, Record

FindingKind = Literal[
    "leak", "no known label", "one class", "label of numbers", "unreadable", "missing mark",
    "outlier", "decimal comma", "identifier", "many categories", "constant", "nearly empty",
    "duplicate column", "duplicate rows", "empty rows", "possible labels", "log scale",
    "possible codes",
]  # fmt: skip

_LEAK: Final = 0.995
_LEAK_ROWS, _MOST_LEAK_PAIRS = 5_000, 3_000
_FEWEST_ROWS, _FEWEST_OF_CLASS = 20, 5
_MOST_CLASSES, _MOST_GROUPS = 20, 64
_FEWEST_MARKS, _SMALLEST_SHARE = 3, 0.001
_NEARLY_EMPTY, _MANY_CATEGORIES, _FEW_ROWS_EACH = 0.99, 200, 5
_MOST_CODES: Final = 6
_MORE_THAN_CHANCE: Final = 5.0
_SKEWED: Final = 2.0
_LARGE_MARKS: Final = frozenset({2147483647.0, -2147483648.0, 4294967295.0, -32768.0})
_TEXT_MARKS: Final = frozenset(
    {"", "?", "-", "--", ".", "#n/a", "(null)", "<na>", "missing", "n/a", "na", "nan", "nil",
     "not available", "null", "unk", "unknown"}
)  # fmt: skip
_LABEL_NAME: Final = re.compile(
    r"(?i)(label|target|class|outcome|diagnosis|response|churn|default|survived|y)"
)
_DECIMAL_COMMA: Final = re.compile(r"-?\d+,\d+")


class Finding(Record):
    """Something to look at, in a sentence or two."""

    kind: FindingKind
    column: str | None  # None: it is about rows, or about several columns
    sentence: str


def find_all(
    columns: Sequence[InspectedColumn], n_rows: int, has_labels: bool
) -> tuple[Finding, ...]:
    """Everything worth a look, the most serious first."""
    found = [
        *_leaks(columns), *_unusable_labels(columns), *_marks(columns), *_outliers(columns),
        *_poor_columns(columns), *_duplicates(columns), *_rows(columns, n_rows),
        *_suggestions(columns),
    ]  # fmt: skip
    if not has_labels:
        found += _possible_labels(columns)
    order = get_args(FindingKind)
    return tuple(sorted(found, key=lambda finding: order.index(finding.kind)))


def _finding(kind: FindingKind, column: InspectedColumn | None, sentence: str) -> Finding:
    return Finding(kind=kind, column=None if column is None else column.name, sentence=sentence)


# Labels.


def _leaks(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    """Features that nearly determine a label alone."""
    labels = [c for c in columns if c.role == "label" and 2 <= len(c.distinct) <= _MOST_CLASSES]
    features = [c for c in columns if c.role == "feature" and c.observed.any()]
    labels = labels[: max(1, _MOST_LEAK_PAIRS // max(len(features), 1))]
    for label in labels:
        for feature in features:
            advice = f"If it is known only together with {label.name}, or after it, leave it out."
            strength = _determines(feature, label)
            both = feature.observed & label.observed
            one, other = feature.raw.values[both], label.raw.values[both]
            if strength == 1.0 and one.tolist() == other.tolist():
                how = f"{feature.name} equals the label {label.name}"
            elif strength >= _LEAK:
                how = f"{feature.name} alone nearly determines the label {label.name}"
            elif _determines_by_absence(feature, label):
                how = f"Whether {feature.name} is missing nearly determines the label {label.name}"
            else:
                continue
            yield _finding("leak", feature, f"{how}. {advice}")


def _determines(feature: InspectedColumn, label: InspectedColumn) -> float:
    """AUC of numbers for two classes, or balanced accuracy of groups on rows not learned from."""
    rows = np.flatnonzero(feature.observed & label.observed)[:_LEAK_ROWS]
    codes = label.codes[rows]
    present, sizes = np.unique(codes, return_counts=True)
    if len(rows) < _FEWEST_ROWS or len(present) < 2 or sizes.min() < _FEWEST_OF_CLASS:
        return 0.0
    if feature.is_number and len(present) == 2 and len(feature.distinct) > 2:
        auc = _auc(feature.numbers[rows], codes == present[1])
        if auc >= _LEAK:
            return auc
    groups = feature.codes[rows]
    if feature.is_number and len(feature.distinct) > _MOST_GROUPS:  # groups of like size
        ranks = rankdata(feature.numbers[rows], method="min") - 1
        groups = np.asarray(ranks * _MOST_GROUPS // len(rows), np.int64)
    return _balanced_accuracy(groups, np.searchsorted(present, codes))


def _determines_by_absence(feature: InspectedColumn, label: InspectedColumn) -> bool:
    rows = np.flatnonzero(label.observed)[:_LEAK_ROWS]
    missing = ~feature.observed[rows]
    if min(missing.sum(), (~missing).sum()) < _FEWEST_OF_CLASS or len(label.distinct) != 2:
        return False
    return _auc(missing.astype(np.float64), label.codes[rows] == 1) >= _LEAK


def _auc(values: Floats, is_positive: Bools) -> float:
    """Area under the ROC curve, either way up."""
    n_positive = int(is_positive.sum())
    n_pairs = n_positive * (len(values) - n_positive)
    if not n_pairs:
        return 0.0
    ranks = rankdata(values)[is_positive].sum() - n_positive * (n_positive + 1) / 2
    return float(max(ranks, n_pairs - ranks) / n_pairs)


def _balanced_accuracy(groups: Ints, codes: Ints) -> float:
    """Of the class each group holds most, learned from every other row and judged on the rest."""
    n_groups, n_classes = int(groups.max()) + 1, int(codes.max()) + 1
    places = groups * n_classes + codes
    learned, judged = (
        np.bincount(part, minlength=n_groups * n_classes).reshape(n_groups, n_classes)
        for part in (places[::2], places[1::2])
    )
    chosen = (learned / np.maximum(learned.sum(axis=0), 1)).argmax(axis=1)
    right = np.bincount(chosen, judged[np.arange(n_groups), chosen], minlength=n_classes)
    sizes = judged.sum(axis=0)
    return float((right[sizes > 0] / sizes[sizes > 0]).mean())


def _unusable_labels(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    for label in (column for column in columns if column.role == "label"):
        if not label.observed.any():
            sentence = f"No value of the label {label.name} is known; it cannot be learned."
            yield _finding("no known label", label, sentence)
        elif len(label.distinct) == 1:
            sentence = f"All known values of the label {label.name} are {label.distinct[0]!r}."
            yield _finding("one class", label, f"{sentence} It needs a second class.")
        elif label.type == "numeric":
            sentence = f"The label {label.name} holds fractions, but a label has classes."
            yield _finding("label of numbers", label, f"{sentence} Bin it, or make it a feature.")


def _possible_labels(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    """Columns that are named like labels, and families of binary columns."""
    features = [c for c in columns if c.role == "feature"]
    named = [c.name for c in features if _LABEL_NAME.fullmatch(c.name) and len(c.distinct) >= 2]
    families: dict[str, list[str]] = defaultdict(list)
    for column in features:
        found = re.match(r"(.*[^\W\d_]{2,})[_.\- ]", column.name)
        if found and column.type == "binary":
            families[found[0]].append(column.name)
    for prefix, members in families.items():
        if len(members) >= 2 and len(members) < len(features):
            named.append(f"'{prefix}*' ({len(members)} binary columns)")
    if named:
        shown = ", ".join(named[:5])
        yield _finding("possible labels", None, f"Possible labels: {shown}.")


# Values.


def _marks(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    """Values such as -999 or "unknown" that may stand for "missing"."""
    for column in (column for column in columns if column.is_used):
        pairs = zip(column.distinct, column.counts.tolist(), strict=True)
        texts = ((v, n) for v, n in pairs if str(v).strip().lower() in _TEXT_MARKS)
        for value, n_rows in _number_marks(column) if column.is_number else texts:
            rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
            sentence = f"{column.name} holds {value!r} in {rows}. Does it mean missing?"
            yield _finding("missing mark", column, f"{sentence} Say so then.")


def _number_marks(column: InspectedColumn) -> Iterator[tuple[str, int]]:
    values, n_each = np.unique(column.numbers[column.observed], return_counts=True)
    enough = max(_FEWEST_MARKS, _SMALLEST_SHARE * n_each.sum())
    for end in (0, -1):
        rest = np.delete(values, end)
        if len(rest) >= 3 and n_each[end] >= enough and _is_mark(float(values[end]), rest):
            yield f"{values[end]:.15g}", int(n_each[end])


def _is_mark(value: float, rest: Floats) -> bool:
    """-1, nines, or an end of the integers, far from the rest."""
    digits = f"{abs(value):.15g}"
    is_nines = set(digits) == {"9"} and (value < 0 or len(digits) > 1)
    if not (is_nines or value == -1.0 or value in _LARGE_MARKS):
        return False
    low, high = float(rest[0]), float(rest[-1])
    if value == -1.0:
        return low >= 0.0 and bool((rest == np.floor(rest)).all())
    if value < 0.0 <= low:
        return True
    return (low - value if value < low else value - high) > high - low


def _outliers(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    """Numbers that no tail of the others explains."""
    for column in (column for column in columns if column.is_used):
        rows = column.outlier_rows
        if len(rows):
            others = np.delete(column.numbers, rows)
            low, high = np.nanmin(others), np.nanmax(others)
            far = ", ".join(f"{value:.6g}" for value in np.unique(column.numbers[rows])[-3:])
            rest = f"the others lie between {low:.6g} and {high:.6g}"
            sentence = f"{column.name} holds {far}, far from all others ({rest}). Is it an error?"
            yield _finding("outlier", column, sentence)


# Columns and rows.


def _poor_columns(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    """Columns that a model can do little with, and text that may be misread."""
    for column in columns:
        name, n_seen = column.name, int(column.observed.sum())
        n_rows, n_distinct = len(column.observed), len(column.distinct)
        is_text = column.raw.kind == "text" and n_distinct > 0
        if is_text and all(_DECIMAL_COMMA.fullmatch(str(value)) for value in column.distinct):
            sentence = f"{name} holds numbers with commas, which are read as text."
            yield _finding("decimal comma", column, f"{sentence} Write decimal points.")
        if column.role != "feature" or n_seen == 0:
            continue
        if n_distinct == 1 and n_seen > 1:
            sentence = f"{name} holds one value only ({column.distinct[0]}); it tells nothing."
            yield _finding("constant", column, sentence)
        elif n_rows >= _FEWEST_ROWS and n_seen <= (1 - _NEARLY_EMPTY) * n_rows:
            sentence = f"{name} is observed in {n_seen:,} of {n_rows:,} rows only."
            yield _finding("nearly empty", column, sentence)
        elif column.is_number and _counts_rows(column):
            sentence = f"{name} rises from row to row, as a row number does. If it is one, leave it"
            yield _finding("identifier", column, f"{sentence} out.")
        elif column.type == "categorical":
            many = min(_MANY_CATEGORIES, max(n_seen / _FEW_ROWS_EACH, _FEW_ROWS_EACH))
            sentence = f"{name} has {n_distinct:,} categories in {n_seen:,} rows. Group rare ones,"
            if n_distinct >= many:
                yield _finding("many categories", column, f"{sentence} or leave it out.")


def _counts_rows(column: InspectedColumn) -> bool:
    values = column.numbers[column.observed]
    is_whole = bool((values == np.floor(values)).all())
    return is_whole and len(values) >= _FEWEST_ROWS and bool((np.diff(values) > 0).all())


def _duplicates(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    """Columns that hold the same values and miss the same ones."""
    first: dict[tuple[bytes, bytes], InspectedColumn] = {}
    for column in columns:
        if not column.is_used or len(column.distinct) < 2:
            continue
        values = np.array([str(value) for value in column.distinct])[column.codes]
        held = column.numbers.tobytes() if column.is_number else values.tobytes()
        before = first.setdefault((held, column.observed.tobytes()), column)
        if before is not column:
            sentence = f"{column.name} equals {before.name} in every row; one of them is enough."
            yield _finding("duplicate column", column, sentence)


def _rows(columns: Sequence[InspectedColumn], n_rows: int) -> Iterator[Finding]:
    """Rows that repeat others, and rows without any observed feature."""
    if not columns or not n_rows:
        return
    features = [column for column in columns if column.role == "feature"]
    n_empty = int((~np.any([c.observed for c in features], axis=0)).sum()) if features else 0
    if n_empty:
        sentence = f"No feature is observed in {n_empty:,} of {n_rows:,} rows."
        yield _finding("empty rows", None, f"{sentence} Their predictions are averages.")
    # A sum of random multiples of codes differs between different rows.
    generator = np.random.default_rng(0)
    keys = np.zeros(n_rows, np.uint64)
    for column in columns:
        multiple = generator.integers(1, 2**63, dtype=np.uint64) * 2 + 1
        keys += (column.codes + 1).astype(np.uint64) * np.uint64(multiple)
    n_repeated = n_rows - len(np.unique(keys))
    # In a table of few categories, or of few observed cells, rows are equal by chance.
    logs = [np.log(np.square(np.bincount(c.codes + 1) / n_rows).sum()) for c in columns]
    if n_repeated > _MORE_THAN_CHANCE * n_rows**2 / 2 * np.exp(np.sum(logs)):
        rows = "1 row repeats" if n_repeated == 1 else f"{n_repeated:,} of {n_rows:,} rows repeat"
        sentence = f"{rows} another in every column. In an evaluation, copies flatter the scores."
        yield _finding("duplicate rows", None, sentence)


def _suggestions(columns: Sequence[InspectedColumn]) -> Iterator[Finding]:
    """Numbers that may need a log scale, or may be codes."""
    codes = []
    for column in columns:
        if column.role != "feature" or column.type != "numeric" or not column.is_number:
            continue
        values = np.delete(column.numbers, column.outlier_rows)
        values = values[~np.isnan(values)]
        if len(values) < _FEWEST_ROWS or len(column.distinct) < 3:
            continue
        is_whole = bool((values == np.floor(values)).all())
        if is_whole and len(column.distinct) <= _MOST_CODES:
            codes.append(column.name)
        elif values.min() >= 0 and float(skew(values)) > _SKEWED:
            positive = values[values > 0]
            if abs(float(skew(np.log(values + np.quantile(positive, 0.01))))) < _SKEWED / 2:
                sentence = f"{column.name} is skewed: half of it lies below {np.median(values):.4g}"
                sentence += f", and it reaches {values.max():.4g}. A log scale may suit it"
                yield _finding("log scale", column, f"{sentence}: the type log-numeric.")
    if codes:
        shown = ", ".join(codes[:8]) + (f" and {len(codes) - 8} more" if len(codes) > 8 else "")
        sentence = f"Few different whole numbers: {shown}. Codes rather than amounts are"
        yield _finding("possible codes", None, f"{sentence} of the type categorical.")

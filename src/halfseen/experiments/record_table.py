"""The tables of a study, in the paper's form: methods by rates, the paper's figures beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, stdev
from typing import Literal

from halfseen.experiments.published import published_figures
from halfseen.experiments.record import Record
from halfseen.experiments.significance import against_best, share_asked

SCORES_OF: dict[str, tuple[str, ...]] = {
    "labels": ("rmse", "micro_auc", "hamming_accuracy", "accuracy_all_entries", "seconds"),
    "classes": ("rmse", "averaged_auc", "accuracy", "accuracy_all_entries", "seconds"),
}
SCORE_NAMES: dict[str, str] = {
    "rmse": "RMSE of hidden features",
    "standardised_rmse": "RMSE of hidden features per standard deviation of their column",
    "micro_auc": "micro-AUC",
    "macro_auc": "macro-AUC",
    "averaged_auc": "averaged AUC",
    "hamming_accuracy": "Hamming accuracy",
    "accuracy": "accuracy",
    "accuracy_all_entries": "accuracy over all entries (observed ones count as right)",
    "log_loss": "log-loss",
    "calibration_error": "calibration error",
    "interval_coverage": "share of hidden numbers in 90 % intervals",
    "interval_width": "width of 90 % intervals, in standard deviations",
    "seconds": "seconds to fit and to answer",
}
# Neither more nor less of these is better by itself.
_UNMARKED = ("seconds", "interval_coverage", "interval_width")
OURS = "halfseen"
Mark = Literal["", "best", "clearly best", "as good"]
Rates = tuple[float, float]  # of features and of labels


@dataclass(frozen=True)
class TableEntry:
    """Mean and spread of one method at one pair of rates."""

    mean: float
    std: float  # NaN for a single realisation and where it was not published
    n: int  # realisations
    mark: Mark = ""  # "clearly best" beyond chance; "as good" cannot be told from the best


@dataclass(frozen=True)
class TableLine:
    """One method, or what the paper says of one."""

    name: str
    is_published: bool
    entries: tuple[TableEntry | None, ...]  # one for each pair of rates


@dataclass(frozen=True)
class RecordTable:
    """One score of one data set and task."""

    data_set: str  # with the number of rows if they are a sample
    task: str
    hiding: str
    score: str
    target: str
    rates: tuple[Rates, ...]  # one for each column
    lines: tuple[TableLine, ...]  # methods, each with the paper's figures below
    notes: tuple[str, ...]  # what did not come out and why, and what was not tuned in time


def record_tables(
    records: Sequence[Record], scores: Sequence[str] | None = None
) -> list[RecordTable]:
    """Tables of everything that was recorded, or of some scores; by default those of the paper.

    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None)
    >>> records = [Record(*asked, "mc1", realisation=r, scores={"micro_auc": 0.5}) for r in (0, 1)]
    >>> [(table.score, table.lines[0].entries[0].n) for table in record_tables(records)]
    [('micro_auc', 2)]
    """
    tables: list[RecordTable] = []
    for asked, group in groupby(sorted(records, key=_asked), key=_asked):
        tables += _tables(asked, list(group), scores)
    return tables


def records_of_the_paper(records: Sequence[Record]) -> list[Record]:
    """Records of what the paper has figures of, and of our default beside them.

    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None)
    >>> of_run = [Record(*asked, name) for name in ("cle", "gain", "halfseen")]
    >>> [record.method for record in records_of_the_paper(of_run)]
    ['cle', 'halfseen']
    """
    printed = {
        (figure.data_set, figure.task, figure.feature_rate, figure.label_rate, method)
        for figure in published_figures()
        for method in (figure.our_method, OURS)
    }
    return [
        record
        for record in records
        if (record.data_set, record.task, *_rates(record), record.method) in printed
        and not record.variant
    ]


def method_name(record: Record) -> str:
    """How a method is called in tables.

    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None)
    >>> method_name(Record(*asked, "halfseen", "k5"))
    'halfseen (k5)'
    """
    return f"{record.method} ({record.variant})" if record.variant else record.method


def _asked(record: Record) -> tuple[str, str, str]:
    data_set = record.key.partition(f"-{record.task}-")[0]
    hiding = record.feature_hiding
    if record.label_hiding != record.feature_hiding:
        hiding += f", labels {record.label_hiding}"
    if record.new_feature_rate is not None:
        hiding += f", {record.new_feature_rate:.0%} of the features of new rows"
    return data_set, record.task, hiding


def _tables(
    asked: tuple[str, str, str], records: Sequence[Record], scores: Sequence[str] | None
) -> Iterator[RecordTable]:
    done = [record for record in records if record.status == "done"]
    if not done:
        return
    target = done[0].target
    rates = tuple(sorted({(record.feature_rate, record.label_rate) for record in records}))
    notes = tuple(_notes(records))
    for score in SCORES_OF[target] if scores is None else scores:
        scored = [record for record in done if not math.isnan(_value(record, score))]
        if scored and not (asked[1] == "inductive" and score == "accuracy_all_entries"):
            lines = tuple(_lines(scored, rates, score))
            yield RecordTable(*asked, score, target, rates, lines, notes)


def _lines(records: Sequence[Record], rates: Sequence[Rates], score: str) -> Iterator[TableLine]:
    first = records[0]
    names = dict.fromkeys(method_name(record) for record in sorted(records, key=_order))
    columns = [_column([r for r in records if _rates(r) == pair], score) for pair in rates]
    published = _published(first, rates, score)
    for name in names:
        yield TableLine(name, False, tuple(column.get(name) for column in columns))
        for line in published:
            if line.name == name:
                yield line
    for line in published:
        if line.name not in names:
            yield line


def _column(records: Sequence[Record], score: str) -> dict[str, TableEntry]:
    """What all methods scored at one pair of rates."""
    if not records:
        return {}
    last = max(record.realisation for record in records)
    values: dict[str, list[float]] = {}
    for record in records:
        of_method = values.setdefault(method_name(record), [math.nan] * (last + 1))
        of_method[record.realisation] = _value(record, score)
    first = records[0]
    share = share_asked(first.task, score, first.feature_rate, first.label_rate)
    found = against_best(values, score, share)
    entries = {}
    for name, scores in values.items():
        known = [value for value in scores if not math.isnan(value)]
        mark: Mark = ""
        if found is not None and len(values) > 1 and score not in _UNMARKED:
            if name == found.best:
                mark = "clearly best" if found.is_clear() else "best"
            elif name in found.as_good() and not math.isnan(found.p_of_others[name]):
                mark = "as good"
        spread = stdev(known) if len(known) > 1 else math.nan
        entries[name] = TableEntry(fmean(known), spread, len(known), mark)
    return entries


def _published(first: Record, rates: Sequence[Rates], score: str) -> list[TableLine]:
    """Lines of the paper, by our names of the methods."""
    found: dict[str, list[TableEntry | None]] = {}
    for figure in published_figures():
        pair = (figure.feature_rate, figure.label_rate)
        if (figure.data_set, figure.task, figure.score) != (first.data_set, first.task, score):
            continue
        if pair in rates:
            line = found.setdefault(figure.our_method, [None] * len(rates))
            spread = math.nan if figure.std is None else figure.std
            line[list(rates).index(pair)] = TableEntry(figure.mean, spread, 10)
    return [TableLine(name, True, tuple(entries)) for name, entries in found.items()]


def _notes(records: Sequence[Record]) -> Iterator[str]:
    """Who failed or was left out, whose completion an RMSE is, and what was not tuned in time."""
    reasons: dict[tuple[str, str, str], int] = {}
    for record in records:
        if record.status != "done":
            what = (method_name(record), record.status.replace("_", " "), record.why)
            reasons[what] = reasons.get(what, 0) + 1
    for (name, status, why), count in reasons.items():
        yield f"{name}: {count} {'cell' if count == 1 else 'cells'} {status}: {why}"
    sources = {method_name(r): r.feature_source for r in records if r.feature_source}
    for name, source in sources.items():
        yield f"{name}: its RMSE is that of {source}"
    done = [record for record in records if record.status == "done"]
    for name, why in dict.fromkeys((method_name(record), record.why) for record in done):
        if why:
            yield f"{name}: {why}"
    for name in dict.fromkeys(method_name(record) for record in done):
        yield from _untried([record for record in done if method_name(record) == name])


def _untried(records: Sequence[Record]) -> Iterator[str]:
    """How few settings of a method the tuner had time for, if not for all."""
    tuned = [record for record in records if record.n_planned]
    if all(record.n_tried >= record.n_planned for record in tuned):
        return
    fewest, most = min(r.n_tried for r in tuned), max(r.n_tried for r in tuned)
    planned = max(record.n_planned for record in tuned)
    tried = f"{most}" if fewest == most else f"{fewest} to {most}"
    what = "has its own settings" if most == 1 else f"settings chosen among {tried} of {planned}"
    others = f"another of {planned - 1}" if most == 1 else "more"
    yield f"{method_name(records[0])}: {what}; there was no time to try {others}"


def _value(record: Record, score: str) -> float:
    return record.seconds if score == "seconds" else record.scores.get(score, math.nan)


def _rates(record: Record) -> Rates:
    return record.feature_rate, record.label_rate


def _order(record: Record) -> tuple[int, str]:
    """The constant first, then our own, then the others by name."""
    ranks = {"column_prior": 0, OURS: 1, "rbm_mo": 2}
    return ranks.get(record.method, 3), method_name(record)

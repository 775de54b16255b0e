"""Tables of a study: methods by rates, the paper's figures beside ours, and what they come to."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, stdev
from typing import Final, Literal

from halfseen.experiments.published import PublishedFigure, published_figures
from halfseen.experiments.records import CellRecord
from halfseen.experiments.scores import SCORES
from halfseen.experiments.significance import LEVEL, SMALLER_IS_BETTER, against_best

SCORE_NAMES: Final = {**SCORES, "seconds": "seconds to fit and to predict"}
_OF_CLASSES = ("rmse", "averaged_auc", "accuracy", "accuracy_all_entries", "seconds")
_OF_LABELS = ("rmse", "micro_auc", "hamming_accuracy", "accuracy_all_entries", "seconds")
# Neither more nor less of these is better by itself.
_UNMARKED = ("seconds", "interval_coverage", "interval_width")
_MARKS = {"": "", "best": "*", "significantly best": "**", "as good": "~"}
LEGEND = (
    "Mean ± standard deviation over realisations. ** significantly better than every other (paired "
    "over realisations, corrected resampled t test, Holm over the methods, 5 %); * best, but not "
    "significantly; ~ not significantly worse than the best. 'paper' is the published figure."
)
OURS = "halfseen"
# How far below a printed figure still meets it: AUC and accuracies, and a share of an RMSE.
_MARGIN, _RMSE_MARGIN = 0.02, 0.05
Mark = Literal["", "best", "significantly best", "as good"]
Rates = tuple[float, float]  # of features and of labels


@dataclass(frozen=True)
class TableEntry:
    """Mean and spread of one method at one pair of rates."""

    mean: float
    std: float  # NaN for a single realisation and where it was not published
    n: int  # realisations
    mark: Mark = ""


@dataclass(frozen=True)
class TableLine:
    """One method, or what the paper says of one."""

    name: str
    is_published: bool
    entries: tuple[TableEntry | None, ...]  # one for each pair of rates


@dataclass(frozen=True)
class RecordTable:
    """One score of one question."""

    question: str  # data set (and rows, if they are a sample), task, how entries were hidden
    score: str
    rates: tuple[Rates, ...]  # one for each column
    lines: tuple[TableLine, ...]  # methods, each with the paper's figures below
    notes: tuple[str, ...]  # what did not come out and why, and what was not tuned in time


def record_tables(
    records: Sequence[CellRecord], scores: Sequence[str] | None = None
) -> list[RecordTable]:
    """Tables of everything that was recorded, or of some scores; by default those of the paper."""
    tables = []
    ordered = sorted(records, key=lambda record: record.cell.question)
    for question, group in groupby(ordered, key=lambda record: record.cell.question):
        of_question = list(group)
        done = [record for record in of_question if record.status == "done"]
        rates = tuple(sorted({record.cell.rates for record in of_question}))
        notes = tuple(_notes(of_question))
        usual = _OF_LABELS if done and done[0].target == "labels" else _OF_CLASSES
        for score in usual if scores is None else scores:
            scored = [record for record in done if not math.isnan(value_of(record, score))]
            if scored and not ("-inductive-" in question and score == "accuracy_all_entries"):
                lines = tuple(_lines(scored, rates, score))
                tables.append(RecordTable(question, score, rates, lines, notes))
    return tables


def value_of(record: CellRecord, score: str) -> float:
    """A score of a record, NaN where it has none."""
    value = record.seconds if score == "seconds" else record.scores.get(score)
    return math.nan if value is None else value


def _lines(
    records: Sequence[CellRecord], rates: Sequence[Rates], score: str
) -> Iterator[TableLine]:
    ranks = {"column_prior": 0, OURS: 1, "rbm_mo": 2}
    ordered = sorted(records, key=lambda r: (ranks.get(r.cell.method, 3), r.cell.name))
    columns = [_column([r for r in records if r.cell.rates == pair], score) for pair in rates]
    asked = (records[0].cell.data_set, records[0].cell.task, score)
    printed: list[dict[str, TableEntry]] = [
        {one.our_method: TableEntry(one.mean, math.nan, 10) for one in published_figures()
         if (one.data_set, one.task, one.score, one.rates) == (*asked, pair)}
        for pair in rates
    ]  # fmt: skip
    names = [record.cell.name for record in ordered] + [name for one in printed for name in one]
    for name in dict.fromkeys(names):
        for is_published, parts in ((False, columns), (True, printed)):
            if any(name in part for part in parts):
                yield TableLine(name, is_published, tuple(part.get(name) for part in parts))


def _column(records: Sequence[CellRecord], score: str) -> dict[str, TableEntry]:
    """What all methods scored at one pair of rates."""
    values: dict[str, dict[int, float]] = {}
    for record in records:
        own = values.setdefault(record.cell.name, {})
        own[record.cell.realisation] = value_of(record, score)
    best, p_of_others = None, dict[str, float]()
    if len(values) > 1 and score not in _UNMARKED:
        numbers = sorted({number for own in values.values() for number in own})
        paired = {name: [own.get(k, math.nan) for k in numbers] for name, own in values.items()}
        share = records[0].cell.rates[score not in ("rmse", "normalised_rmse")]  # that is hidden
        share = 0.3 if records[0].cell.task == "inductive" else share
        best, p_of_others = against_best(paired, score, share) or (None, {})
    entries = {}
    for name, own in values.items():
        mark: Mark = ""
        if name == best:
            is_clear = p_of_others and all(p < LEVEL for p in p_of_others.values())
            mark = "significantly best" if is_clear else "best"
        elif p_of_others.get(name, 0.0) >= LEVEL:
            mark = "as good"
        spread = stdev(own.values()) if len(own) > 1 else math.nan
        entries[name] = TableEntry(fmean(own.values()), spread, len(own), mark)
    return entries


def _notes(records: Sequence[CellRecord]) -> Iterator[str]:
    """Who failed or was left out, and what was not tuned, or not in time."""
    reasons = Counter((one.cell.name, one.status, one.why) for one in records if one.why)
    for (name, status, why), count in reasons.items():
        cells = "cell" if count == 1 else "cells"
        yield f"{name}: {count} {cells} {status.replace('_', ' ')}: {why}"
    for name in dict.fromkeys(record.cell.name for record in records):
        tuned = [r for r in records if r.cell.name == name and r.n_tried < r.n_planned]
        if tuned:
            tried, planned = min(r.n_tried for r in tuned), max(r.n_planned for r in tuned)
            yield f"{name}: there was time to try only {tried} of {planned} settings"


def tables_as_text(tables: Sequence[RecordTable], markdown: bool = False) -> str:
    """Tables for a terminal, or for a document in Markdown."""
    parts: list[str] = []
    for _, group in groupby(tables, key=lambda table: table.question):
        of_question = list(group)
        for table in of_question:
            label = "q_ml" if "micro" in table.score or "hamming" in table.score else "labels"
            rows = [[f"  {line.name} in the paper" if line.is_published else line.name,
                     *(_cell(e, table.score) for e in line.entries)]
                    for line in table.lines]  # fmt: skip
            title = f"{table.question}: {SCORE_NAMES[table.score]}"
            parts += _grid(title, f"features / {label} hidden", table.rates, rows, markdown)
        notes = [f"- {note}" for note in of_question[0].notes]
        parts += [*notes, ""] if notes else []
    return "\n".join([*parts, _escaped(LEGEND) if markdown else LEGEND, ""])


def tables_as_csv(tables: Sequence[RecordTable]) -> str:
    """All entries of all tables, one per line."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = "question feature_rate label_rate score method source mean std n mark"
    writer.writerow(names.split())
    for table in tables:
        for line in table.lines:
            source = "paper" if line.is_published else "run"
            for rates, entry in zip(table.rates, line.entries, strict=True):
                if entry is not None:
                    spread = "" if math.isnan(entry.std) else entry.std
                    asked = (table.question, *rates, table.score, line.name, source)
                    writer.writerow([*asked, entry.mean, spread, entry.n, entry.mark])
    return file.getvalue()


def _cell(entry: TableEntry | None, score: str) -> str:
    if entry is None:
        return "-"
    size = abs(entry.mean)
    digits = 3 if score != "seconds" or size < 10 else 0
    spread = "" if math.isnan(entry.std) else f" ± {entry.std:.{digits}f}"
    return f"{entry.mean:.{digits}f}{spread}{_MARKS[entry.mark]}"


def _grid(
    title: str, corner: str, rates: Sequence[Rates], rows: list[list[str]], markdown: bool
) -> list[str]:
    """Lines of a table, with a column for each pair of rates."""
    head = [corner, *(f"{a:.0%} / {b:.0%}" for a, b in rates)]
    if markdown:
        rows = [[_escaped(cell.strip()) for cell in row] for row in rows]
        table = (head, ["---", *["---:"] * len(rates)], *rows)
        return [f"**{title}**", "", *(f"| {' | '.join(row)} |" for row in table), ""]
    widths = [max(len(row[j]) for row in (head, *rows)) for j in range(len(head))]
    padded = [
        [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        for first, *others in (head, *rows)
    ]
    return [title, *("  ".join(row).rstrip() for row in padded), ""]


def _escaped(text: str) -> str:
    return text.replace("*", "\\*").replace("~", "\\~")


# The paper's tables.

# Which of our data sets stands beside a printed one; EventCat is private.
_STAND_INS = {"eventcat": "emotions"}
_PRINTED_SCORES = ("rmse", "averaged_auc", "micro_auc", "accuracy", "hamming_accuracy")


@dataclass(frozen=True)
class PaperCell:
    """A printed figure, and the mean of one of our methods, marked if RBM-MO is printed."""

    printed: PublishedFigure
    ours: float | None
    over_all: float | None = None  # accuracy in which observed entries count as correct
    n: int = 0  # realisations
    n_rows: int = 0

    @property
    def outcome(self) -> Literal["passed", "met", "missed", "not run"]:
        """Met within .02 of AUC and accuracy, and within 5 % of RMSE."""
        if self.ours is None:
            return "not run"
        ahead, margin = self.ours - self.printed.mean, _MARGIN
        if self.printed.score in SMALLER_IS_BETTER:
            ahead, margin = -ahead, _RMSE_MARGIN * self.printed.mean
        return "passed" if ahead >= 0 else "met" if ahead >= -margin - 1e-9 else "missed"

    def __str__(self) -> str:
        if self.ours is None:
            return ""
        if self.printed.our_method != "rbm_mo":
            return f"{self.ours:.3f}"
        mark = {"passed": "+", "met": "=", "missed": "-"}[self.outcome]
        shown = "" if self.over_all is None else f" [{self.over_all:.3f}]"
        return f"{self.ours:.3f}{shown} {mark}"


def paper_cells(
    records: Sequence[CellRecord], method: str, printed_method: str = "rbm_mo"
) -> list[PaperCell]:
    """Every figure that is printed for a method, beside the mean of ours, without variant."""
    by_cell: dict[tuple[object, ...], list[CellRecord]] = {}
    for record in records:
        cell = record.cell
        is_plain = (cell.feature_mechanism, cell.label_mechanism) == ("mcar", "mcar")
        if record.status == "done" and is_plain and cell.new_feature_rate is None:
            asked = (cell.data_set, cell.task, cell.rates, cell.name)
            by_cell.setdefault(asked, []).append(record)
    found = []
    for printed in [one for one in published_figures() if one.our_method == printed_method]:
        data_set = _STAND_INS.get(printed.data_set, printed.data_set)
        of_cell = by_cell.get((data_set, printed.task, printed.rates, method), [])
        # The largest sample of the rows that was run.
        largest = max((record.shape[0] for record in of_cell), default=0)
        of_cell = [record for record in of_cell if record.shape[0] == largest]
        over_all = _mean(of_cell, "accuracy_all_entries") if printed.note else None
        ours = _mean(of_cell, printed.score)
        found.append(PaperCell(printed, ours, over_all, len(of_cell), largest))
    return found


def _mean(records: Sequence[CellRecord], score: str) -> float | None:
    values = [value_of(record, score) for record in records]
    return fmean(values) if values and not any(map(math.isnan, values)) else None


def paper_tables(records: Sequence[CellRecord], markdown: bool = False) -> str:
    """The paper's five tables, our means below the printed ones, and how many cells are met."""
    parts: list[str] = []
    # Methods of ours beside each printed one.
    beside = {"rbm_mo": ("rbm_mo", OURS), **{name: (name,) for name in ("cle", "noisy_imc", "mc1")}}
    ours = {printed: [(name, paper_cells(records, name, printed)) for name in names]
            for printed, names in beside.items()}  # fmt: skip
    ordered = sorted(published_figures(), key=lambda f: (f.where, _PRINTED_SCORES.index(f.score)))
    for (where, score), group in groupby(ordered, key=lambda figure: (figure.where, figure.score)):
        figures = list(group)
        pairs = list(dict.fromkeys(one.rates for one in figures))
        rows = []
        for printed, our_method in dict.fromkeys((one.method, one.our_method) for one in figures):
            means = {one.rates: f"{one.mean:.3f}" for one in figures if one.method == printed}
            rows.append([f"paper: {printed}", *(means.get(pair, "-") for pair in pairs)])
            for name, cells in ours[our_method]:
                own = {cell.printed.rates: cell for cell in cells if cell.printed in figures}
                if any(cell.ours is not None for cell in own.values()):
                    shown = (str(own.get(pair, "")) for pair in pairs)
                    rows.append([f"  {name}{_basis(own.values())}", *shown])
        stand_in = _STAND_INS.get(figures[0].data_set)
        title = f"{where}: {figures[0].data_set}, {figures[0].task}"
        title += f" (private; ours is {stand_in}, which has its shape)" if stand_in else ""
        title += f": {SCORE_NAMES[score]}"
        parts += _grid(title, "features / labels hidden", pairs, rows, markdown)
    counts = [line for name, cells in ours["rbm_mo"] for line in _count(name, cells)]
    parts += [f"- {line}" for line in counts] if markdown else counts
    parts.append(
        "\n+ passed, = met (within .02 of an AUC or accuracy, 5 % of an RMSE), - missed; in "
        "brackets the accuracy in which observed labels count as correct, as they probably do in "
        "print."
    )
    return "\n".join([*parts, ""])


def _basis(cells: Collection[PaperCell]) -> str:
    """On how many realisations, and on how many rows of a sample, means rest."""
    n = sorted({cell.n for cell in cells if cell.n})
    masks = f"{n[0]}" if n[0] == n[-1] else f"{n[0]} to {n[-1]}"
    sample = " or ".join(f"{size:,}" for size in sorted({cell.n_rows for cell in cells if cell.n}))
    return f" ({masks} {'mask' if n[-1] == 1 else 'masks'}, {sample} rows)"


def _count(method: str, cells: Sequence[PaperCell]) -> Iterator[str]:
    """How many figures of Scene, MNIST and Pendigits at 50 % hidden features are met."""
    fair = [
        cell for cell in cells
        if cell.printed.data_set != "eventcat"
        and not (cell.printed.data_set == "pendigits" and cell.printed.feature_rate > 0.5)
    ]  # fmt: skip
    counts = Counter(cell.outcome for cell in fair)
    n_left = counts["not run"]
    yield (
        f"{method}: {counts['passed'] + counts['met']} of {len(fair) - n_left} figures of RBM-MO "
        f"met or passed, {n_left} of {len(fair)} not run (without EventCat, and without Pendigits "
        "at 80 %)."
    )
    for cell in fair:
        if cell.outcome == "missed":
            one, (of_x, of_y) = cell.printed, cell.printed.rates
            what = f"{one.data_set}, {SCORE_NAMES[one.score]}, {of_x:.0%} / {of_y:.0%}"
            yield f"{method} misses {what}: {cell.ours:.3f}, printed {one.mean:.3f}."

"""Tables in the paper's form: methods down, scores and rates across."""

from __future__ import annotations

from collections.abc import Sequence

from halfseen.report.experiment_sections.best import Best, best_of
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Course, Setting, rate_text
from halfseen.report.experiment_sections.paper_figures import PaperFigures
from halfseen.report.experiment_sections.score_kind import (
    SCORE_KINDS,
    ScoreKind,
    label_score,
    paper_scores,
    score_text,
)
from halfseen.report.experiment_sections.study import Study
from halfseen.report.experiment_sections.study_drawers import StudyDrawers
from halfseen.report.parts import Cell, CellTone, Details, Entry, Part, Table, TableColumn

_ALL_ROWS = 60
_MOST_COLUMNS = 9
_ACCURACIES = ("accuracy", "hamming_accuracy")
_OF_ALL = "of\N{NO-BREAK SPACE}all"

Column = tuple[ScoreKind, Setting, Best]


def score_tables(study: Study, course: Course, paper: PaperFigures) -> list[Part]:
    """The tables of a course: one for each rate of hidden features.

    Parameters
    ----------
    study : Study
        Everything that was run.
    course : Course
        Of which.
    paper : PaperFigures
        Published figures, which stand below ours.

    Returns
    -------
    list of Part
        The paper's scores open, all others folded.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> table, = score_tables(study, study.courses[0], PaperFigures({}, ()))
    >>> [row[0].text for row in table.rows]
    ['CLE', 'MC-1']
    """
    target = study.target_of(course)
    shown = paper_scores(target)
    others = [kind for kind in SCORE_KINDS.values() if kind not in shown]
    parts: list[Part] = []
    folded: list[Part] = []
    settings = study.settings_of(course)
    for rate in dict.fromkeys(setting.feature_rate for setting in settings):
        own = [setting for setting in settings if setting.feature_rate == rate]
        words = f"{course.title}, {rate_text(rate)} of the features hidden"
        for kinds, where in ((shown, parts), (others, folded)):
            where += _tables(study, own, kinds, paper, words)
    if folded:
        parts.append(Details("All other scores", folded))
    return parts


def _tables(
    study: Study,
    settings: Sequence[Setting],
    kinds: Sequence[ScoreKind],
    paper: PaperFigures,
    words: str,
) -> list[Part]:
    """As many tables as it takes to be no wider than a sheet of paper."""
    columns = [
        (kind, setting, best)
        for kind in kinds
        for setting in settings
        if (best := best_of(study, setting, kind)) is not None
    ]
    found = list(dict.fromkeys(kind for kind, *_ in columns))
    at_once = max(1, _MOST_COLUMNS // len(settings))
    return [
        _table(study, [c for c in columns if c[0] in found[i : i + at_once]], paper, words)
        for i in range(0, len(found), at_once)
    ]


def _table(study: Study, columns: Sequence[Column], paper: PaperFigures, words: str) -> Table:
    settings = list(dict.fromkeys(setting for _, setting, _ in columns))
    contenders = _ordered(study, settings)
    drawers = StudyDrawers(study)
    rows: list[list[Entry]] = []
    marked = False
    for one in contenders:
        row: list[Entry] = [Cell(one.title, tone="strong" if one.is_ours else "plain")]
        for kind, setting, best in columns:
            cell = _cell(study, setting, one, kind, best, paper, drawers)
            marked |= cell is not None and cell.text.endswith("†")
            row.append(cell)
        rows.append(row)
    heads: list[TableColumn | str] = ["method"]
    heads += [
        TableColumn(rate_text(setting.label_rate), True, group=_direction(kind))
        for kind, setting, _ in columns
    ]
    caption = (
        f"{words}; across, the share of hidden labels. Mean ± standard deviation over "
        "realisations. Bold is best; in italics, what the realisations do not tell from the best."
    )
    if any(isinstance(cell, Cell) and _OF_ALL in cell.below for row in rows for cell in row):
        caption += (
            f" “{_OF_ALL}”: our accuracy over all entries, observed ones counted as right, as the "
            "paper probably counts."
        )
    if marked:
        caption += " † features completed by another method, named behind the figure."
    return Table(heads, rows, caption, shown=_ALL_ROWS)


def _ordered(study: Study, settings: Sequence[Setting]) -> list[Contender]:
    """Contenders by the score of labels, the best first."""
    kind = label_score(study.target_of(settings[0].course))

    def key(one: Contender) -> tuple[bool, float, Contender]:
        tallies = [study.tally(setting, one, kind.name) for setting in settings]
        means = [tally.mean for tally in tallies if tally is not None]
        return not means, -kind.sign * (sum(means) / len(means) if means else 0.0), one

    return sorted(study.contenders_in(*settings), key=key)


def _direction(kind: ScoreKind) -> str:
    if kind.higher_is_better is None:
        return kind.title
    return f"{kind.title} {'↑' if kind.higher_is_better else '↓'}"


def _cell(
    study: Study,
    setting: Setting,
    contender: Contender,
    kind: ScoreKind,
    best: Best,
    paper: PaperFigures,
    drawers: StudyDrawers,
) -> Cell | None:
    records = study.by_place.get((setting, contender))
    if not records:
        return None
    opens = drawers.name(setting, contender)
    published = paper.text(setting, contender, kind.name)
    tally = study.tally(setting, contender, kind.name)
    if tally is None:
        if any(record.status == "done" for record in records):
            return None if not published else Cell("\N{EN DASH}", below=published, opens=opens)
        return Cell(records[0].status.replace("_", " "), "", below=published, opens=opens)
    text, _, spread = score_text(tally.mean, tally.spread).partition(" ")
    if kind.name.endswith("rmse") and any(record.feature_source for record in records):
        text += "†"
    below = [published] if published else []
    if published and kind.name in _ACCURACIES:
        every = study.tally(setting, contender, "accuracy_all_entries")
        below += [] if every is None else [f"{_OF_ALL}\N{NO-BREAK SPACE}{score_text(every.mean)}"]
    if tally.n < best.tally.n or tally.n < len(records):
        below.append(f"{tally.n} of {max(best.tally.n, len(records))} masks")
    return Cell(
        text,
        float(f"{tally.mean:.6g}"),
        tone=_tone(contender, kind, best),
        spread=spread,
        below="; ".join(below),
        opens=opens,
    )


def _tone(contender: Contender, kind: ScoreKind, best: Best) -> CellTone:
    if kind.higher_is_better is None:
        return "plain"
    if contender == best.contender:
        return "strong"
    level = {rival.contender for rival in best.equals if rival.p == rival.p}
    return "equal" if contender in level else "plain"

"""The study beside what was published."""

from __future__ import annotations

from collections.abc import Sequence

from halfseen.experiments.published import KNOWN_INCONSISTENCIES, PublishedFigure
from halfseen.report.experiment_sections.course import rate_text
from halfseen.report.experiment_sections.paper_figures import PaperFigures, figure_text
from halfseen.report.experiment_sections.score_kind import SCORE_KINDS, score_text
from halfseen.report.experiment_sections.study import Study
from halfseen.report.experiment_sections.study_drawers import StudyDrawers
from halfseen.report.number_text import MINUS
from halfseen.report.page import Section
from halfseen.report.parts import Cell, Details, Entry, Heading, Note, Part, Table, TableColumn

_ALL_ENTRIES = SCORE_KINDS["accuracy_all_entries"]
_ACCURACIES = ("accuracy", "hamming_accuracy")


def published_section(study: Study, paper: PaperFigures) -> Section:
    """Every published figure beside ours, and what is known to be wrong with the published ones.

    Parameters
    ----------
    study : Study
        Everything that was run.
    paper : PaperFigures
        Published figures.

    Returns
    -------
    Section

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> published_section(study, PaperFigures({}, ())).parts[0].tone
    'absent'
    """
    parts: list[Part] = []
    if paper.found:
        parts.append(
            Note(
                "Published figures beside those of this study, at the same rates. RBM-MO stands "
                "beside the paper's preset where that was run, else beside halfseen."
            )
        )
        parts.append(_table(study, paper))
    else:
        text = (
            "No published figure belongs to a cell of this study: the paper reports MNIST and "
            "Scene (transductive) and Pendigits (inductive), with 50 or 80 % of the features and "
            "30, 50 or 80 % of the labels hidden."
        )
        parts.append(Note(text, "absent"))
    if paper.without_record:
        title = f"{len(paper.without_record)} published figures without a cell here"
        parts.append(Details(title, [_alone(paper.without_record)]))
    title = "Known inconsistencies of the published figures"
    known = [
        Details(
            f"{one.title} ({', '.join(one.where)})", [Note(one.text), Note(f"Here: {one.ours}")]
        )
        for one in KNOWN_INCONSISTENCIES
    ]
    parts += [Heading(title), *known] if paper.found else [Details(title, known)]
    return Section("Beside the paper", "published", parts)


def _table(study: Study, paper: PaperFigures) -> Table:
    drawers = StudyDrawers(study)
    rows: list[list[Entry]] = []
    for (setting, contender, score), figure in paper.found.items():
        tally = study.tally(setting, contender, score)
        every = None
        if score in _ACCURACIES:
            every = study.tally(setting, contender, _ALL_ENTRIES.name)
        rows.append(
            [
                setting.course.title,
                setting.rates,
                _names(figure.method, contender.title),
                SCORE_KINDS[score].title,
                Cell(figure_text(figure), figure.mean),
                None
                if tally is None
                else Cell(
                    score_text(tally.mean, tally.spread),
                    tally.mean,
                    opens=drawers.name(setting, contender),
                ),
                None if tally is None else _difference(tally.mean - figure.mean),
                None if every is None else Cell(score_text(every.mean), every.mean),
                figure.note,
            ]
        )
    heads: list[TableColumn | str] = [
        "setting",
        "hidden",
        "method",
        "score",
        TableColumn("published", True),
        TableColumn("here", True),
        TableColumn("difference", True),
        TableColumn("observed entries counted as right", True),
        "remark",
    ]
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    caption = (
        "Published and found; below the paper's name of a method, ours. Accuracies count hidden "
        "entries alone; the paper's probably count observed entries as right, as one column does."
    )
    return Table(heads, rows, caption, shown=18)


def _names(published: str, here: str) -> Cell:
    return Cell(published, below="" if here == published else here)


def _difference(value: float) -> Cell:
    return Cell(f"{value:+.3f}".replace("-", MINUS), value)


def _rates(figure: PublishedFigure) -> str:
    return f"{rate_text(figure.feature_rate)} / {rate_text(figure.label_rate)}"


def _alone(figures: Sequence[PublishedFigure]) -> Table:
    rows: list[list[Entry]] = [
        [
            figure.where,
            f"{figure.data_set}, {figure.task}",
            _rates(figure),
            figure.method,
            SCORE_KINDS[figure.score].title if figure.score in SCORE_KINDS else figure.score,
            Cell(figure_text(figure), figure.mean),
        ]
        for figure in figures
    ]
    heads = ("where", "data set", "hidden", "method", "score", TableColumn("published", True))
    return Table(heads, rows, "Published figures of what was not run here.")

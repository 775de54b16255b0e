"""A study as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from halfseen.experiments.published import published_figures
from halfseen.report.experiment_sections.course_section import course_section
from halfseen.report.experiment_sections.not_done_section import not_done_section
from halfseen.report.experiment_sections.overview_section import overview_section
from halfseen.report.experiment_sections.paper_figures import paper_figures
from halfseen.report.experiment_sections.published_section import published_section
from halfseen.report.experiment_sections.ranking import colours
from halfseen.report.experiment_sections.run_section import run_section
from halfseen.report.experiment_sections.study import Study, read_study
from halfseen.report.experiment_sections.study_drawers import StudyDrawers
from halfseen.report.page import Page, Section
from halfseen.report.write_page import write_page


def experiment_report(run: Path, path: Path) -> Path:
    """Write the page of a study out of its run folder.

    Parameters
    ----------
    run : Path
        The folder that ``halfseen experiment run`` has written, finished or not.
    path : Path
        The page, for instance "report.html"; it needs nothing else.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ValueError
        The folder holds no records, or a damaged one; the message names it.
    OSError
        The page cannot be written; an old one stays as it is.

    Examples
    --------
    >>> import tempfile
    >>> from halfseen.experiments.record import Record, write_record
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1",
    ...                 scores={"rmse": 0.25, "micro_auc": 0.5})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_record(Path(folder), record)
    ...     page = experiment_report(Path(folder), Path(folder, "report.html"))
    ...     "<h1>" in page.read_text(encoding="utf-8")
    True
    """
    run, path = Path(run), Path(path)
    write_page(path, study_page(read_study(run)))
    return path


def study_page(study: Study, made_by: Sequence[str] = ()) -> Page:
    """The page of a study, before it is written.

    Parameters
    ----------
    study : Study
        What a run folder holds.
    made_by : sequence of str, default=()
        The command that makes the page; shown at its foot.

    Returns
    -------
    Page
        The same for the same records.

    Examples
    --------
    >>> from halfseen.experiments.record import Record
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1",
    ...                 scores={"rmse": 0.25, "micro_auc": 0.5})
    >>> page = study_page(Study("A study", [record], Path("run")))
    >>> [section.title for section in page.sections][:2]
    ['Overview', 'scene, transductive']
    """
    paper = paper_figures(study, published_figures())
    standing_out = colours(study)
    drawers = StudyDrawers(study).part
    run = run_section(study)
    sections = [
        overview_section(study),
        *(course_section(study, course, paper, standing_out) for course in study.courses),
        published_section(study, paper),
        not_done_section(study),
        Section(run.title, run.anchor, [*run.parts, drawers]),
    ]
    return Page(study.title, _lead(study), sections, made_by)


def _lead(study: Study) -> str:
    data_sets = list(dict.fromkeys(course.data_set for course in study.courses))
    n = len(study.contenders)
    text = f"{n} {'methods' if n > 1 else 'method'} on {_listed(data_sets)}"
    return f"{text}, with entries hidden from all of them and asked for again."


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"

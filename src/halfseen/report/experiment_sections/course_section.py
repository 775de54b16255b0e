"""Everything about one data set and task."""

from __future__ import annotations

from collections.abc import Mapping

from halfseen.experiments.published import KNOWN_INCONSISTENCIES
from halfseen.report.experiment_sections.calibration_pictures import calibration_pictures
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Course
from halfseen.report.experiment_sections.paper_figures import PaperFigures
from halfseen.report.experiment_sections.rate_pictures import rate_pictures
from halfseen.report.experiment_sections.reconstruction_pictures import reconstruction_pictures
from halfseen.report.experiment_sections.score_tables import score_tables
from halfseen.report.experiment_sections.study import Study
from halfseen.report.experiment_sections.time_pictures import time_pictures
from halfseen.report.page import Section
from halfseen.report.parts import Gallery, Heading, Note, Part


def course_section(
    study: Study, course: Course, paper: PaperFigures, colours: Mapping[Contender, int]
) -> Section:
    """Tables, curves, reconstructions, calibration and time of one course.

    Parameters
    ----------
    study : Study
        Everything that was run.
    course : Course
        Of which.
    paper : PaperFigures
        Published figures.
    colours : mapping from Contender to int
        Those that stand out in pictures.

    Returns
    -------
    Section

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> course_section(study, study.courses[0], PaperFigures({}, ()), {}).title
    'scene, transductive'
    """
    parts: list[Part] = [Note(_about(study, course))]
    tables = score_tables(study, course, paper)
    if not tables:
        parts.append(Note("No cell of it is done.", "absent"))
    parts += tables
    parts += _doubts(course, paper)
    for title, pictures in (
        ("Against the share of hidden entries", rate_pictures(study, course, colours)),
        ("Reconstructions", reconstruction_pictures(study, course, colours)),
        ("Time", time_pictures(study, course, colours)),
        ("Calibration", calibration_pictures(study, course, colours)),
    ):
        if title == "Reconstructions" and pictures:
            parts += [Heading(title), *pictures]
        elif pictures:
            parts += [Heading(title), Gallery(pictures)]
    return Section(course.title, course.anchor, parts)


def _doubts(course: Course, paper: PaperFigures) -> list[Part]:
    """What is known to be wrong with the published figures that stand in the tables."""
    where = {figure.where for (s, *_), figure in paper.found.items() if s.course == course}
    known = [one.title for one in KNOWN_INCONSISTENCIES if where & set(one.where)]
    if not known:
        return []
    text = f"Mind of the published figures: {'; '.join(known)}. More under “Beside the paper”."
    return [Note(text, "caution")]


def _about(study: Study, course: Course) -> str:
    settings = study.settings_of(course)
    records = [
        record
        for setting in settings
        for one in study.contenders_in(setting)
        for record in study.done(setting, one)
    ]
    n_methods = len(study.contenders_in(*settings))
    text = f"{n_methods} {'methods' if n_methods > 1 else 'method'}"
    if records:
        first = records[0]
        text = (
            f"{first.n_rows:,} rows, {first.n_features:,} features, {first.n_labels:,} "
            f"{first.target}; {text}"
        )
    if course.task == "inductive":
        text += "; asked for the labels of new rows"
    else:
        text += "; asked for the hidden entries of the rows learned from"
    if course.feature_hiding != "at_random" or course.label_hiding != "at_random":
        text += f"; features hidden {course.feature_hiding}, labels {course.label_hiding}"
    return text.replace("_", " ") + "."

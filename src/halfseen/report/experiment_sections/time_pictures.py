"""Time against accuracy."""

from __future__ import annotations

from collections.abc import Mapping

from halfseen.report.experiment_sections.chosen_setting import chosen_setting
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Course
from halfseen.report.experiment_sections.score_kind import FEATURE_SCORE, label_score
from halfseen.report.experiment_sections.study import Study
from halfseen.report.parts import Picture
from halfseen.report.pictures.named_points import NamedPoint, named_points_svg


def time_pictures(study: Study, course: Course, colours: Mapping[Contender, int]) -> list[Picture]:
    """Time against the scores of labels and of features, in one setting of a course.

    Parameters
    ----------
    study : Study
        Everything that was run.
    course : Course
        Of which.
    colours : mapping from Contender to int
        Those that stand out.

    Returns
    -------
    list of Picture
        None where fewer than two contenders have a time and a score.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> len(time_pictures(study, study.courses[0], {}))  # no times were taken
    0
    """
    setting = chosen_setting(study, course)
    pictures = []
    for kind in (label_score(study.target_of(course)), FEATURE_SCORE):
        points = []
        for one in study.contenders_in(setting):
            tally, seconds = study.tally(setting, one, kind.name), study.seconds(setting, one)
            if tally is None or seconds is None or seconds.mean <= 0:
                continue
            grouped = any(record.group_size > 1 for record in study.done(setting, one))
            points.append(
                NamedPoint(one.title, seconds.mean, tally.mean, colours.get(one), grouped)
            )
        if len(points) < 2:
            continue
        points.sort(key=lambda p: (p.position is None, -kind.sign * p.y))
        svg = named_points_svg(
            points,
            title=f"{kind.title} against time",
            description=", ".join(f"{p.name} {p.x:.3g} s, {p.y:.3f}" for p in points),
            x_label="seconds, log scale",
            y_label=kind.title,
            higher_is_better=bool(kind.higher_is_better),
        )
        way = "Higher" if kind.higher_is_better else "Lower"
        caption = (
            f"{kind.title} against the time of fitting and answering, {setting.rates} of features "
            f"and labels hidden. {way} and further left is better; along the dashed line nobody "
            "quicker is as good."
        )
        if any(point.hollow for point in points):
            caption += " Rings: realisations trained together, their time divided by their number."
        pictures.append(Picture(svg, caption))
    return pictures

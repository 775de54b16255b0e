"""Scores against the share of hidden entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Course, Setting, rate_text
from halfseen.report.experiment_sections.score_kind import FEATURE_SCORE, ScoreKind, label_score
from halfseen.report.experiment_sections.study import Study
from halfseen.report.parts import Picture
from halfseen.report.pictures.ranked_curves import RankedCurve, ranked_curves_svg


def rate_pictures(study: Study, course: Course, colours: Mapping[Contender, int]) -> list[Picture]:
    """Curves of a course: labels over their own rate, features over theirs.

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
        None where there is but one rate.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> len(rate_pictures(study, study.courses[0], {}))  # one pair of rates makes no curve
    0
    """
    settings = study.settings_of(course)
    kind = label_score(study.target_of(course))
    pictures = []
    for rate in dict.fromkeys(setting.feature_rate for setting in settings):
        own = [setting for setting in settings if setting.feature_rate == rate]
        words = f"{rate_text(rate)} of the features hidden"
        pictures.append(_picture(study, own, kind, colours, "label_rate", words))
    rates = sorted({setting.label_rate for setting in settings})
    middle = _most_often(settings, rates)
    own = [setting for setting in settings if setting.label_rate == middle]
    words = f"{rate_text(middle)} of the labels hidden"
    pictures.append(_picture(study, own, FEATURE_SCORE, colours, "feature_rate", words))
    drawn = [picture for picture in pictures if picture is not None]
    if drawn or len(settings) < 2:
        return drawn
    # Both rates change at once: then one axis stands for both.
    both = [
        _picture(study, settings, k, colours, "feature_rate", "") for k in (kind, FEATURE_SCORE)
    ]
    return [picture for picture in both if picture is not None]


def _most_often(settings: Sequence[Setting], rates: list[float]) -> float:
    """The rate of labels with most rates of features beside it, the middle one of several."""
    counts = [sum(setting.label_rate == rate for setting in settings) for rate in rates]
    often = [rate for rate, n in zip(rates, counts, strict=True) if n == max(counts)]
    return often[len(often) // 2]


def _picture(
    study: Study,
    settings: Sequence[Setting],
    kind: ScoreKind,
    colours: Mapping[Contender, int],
    along: str,
    words: str,
) -> Picture | None:
    rates = sorted({getattr(setting, along) for setting in settings})
    if len(rates) < 2:
        return None
    curves = []
    for one in study.contenders_in(*settings):
        points = [
            (100 * getattr(setting, along), tally.mean, tally.spread or 0.0)
            for setting in settings
            if (tally := study.tally(setting, one, kind.name)) is not None
        ]
        if points:
            x, y, spread = np.array(points).T
            curves.append((one, float(-kind.sign * y.mean()), x, y, spread))
    if not curves:
        return None
    curves.sort(key=lambda curve: (curve[1], curve[0]))
    first = curves[0][0]
    drawn = [
        RankedCurve(one.title, x, y, spread, colours.get(one), one in colours or one == first)
        for one, _, x, y, spread in curves
    ]
    drawn.sort(key=lambda curve: curve.position is None)
    n_grey = sum(curve.position is None for curve in drawn)
    of = "labels" if along == "label_rate" else "features"
    svg = ranked_curves_svg(
        drawn,
        title=f"{kind.title} against the share of hidden {of}",
        description=f"Best first: {', '.join(one.title for one, *_ in curves)}.",
        x_label=f"hidden {of}, %" if words else "hidden features and labels, %",
        y_label=kind.title,
        x_ticks=[round(100 * rate, 4) for rate in rates],
        higher_is_better=bool(kind.higher_is_better),
    )
    way = "higher" if kind.higher_is_better else "lower"
    caption = f"{kind.title}, {way} is better{'; ' if words else ''}{words}."
    caption += " Bands are one standard deviation over realisations."
    if n_grey:
        caption += f" {n_grey} other methods in grey."
    return Picture(svg, caption)

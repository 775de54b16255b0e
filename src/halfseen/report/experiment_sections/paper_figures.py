"""Published figures beside those of the study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from halfseen.experiments.published import PublishedFigure
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Setting
from halfseen.report.experiment_sections.study import Study


class PaperFigures(NamedTuple):
    """Published figures, found by setting, contender and score.

    Examples
    --------
    >>> len(PaperFigures({}, ()).found)
    0
    """

    found: dict[tuple[Setting, Contender, str], PublishedFigure]
    without_record: tuple[PublishedFigure, ...]

    def text(self, setting: Setting, contender: Contender, score: str) -> str:
        """A few words to stand below a figure; empty if nothing was published."""
        figure = self.found.get((setting, contender, score))
        return "" if figure is None else f"paper {figure_text(figure)}"


def figure_text(figure: PublishedFigure) -> str:
    """A published figure as it was printed.

    Examples
    --------
    >>> cell = ("Table 1", "transductive", "mnist", "MC-1", 0.5, 0.3)
    >>> figure_text(PublishedFigure(*cell, "rmse", 0.33))
    '0.330'
    """
    text = f"{figure.mean:.3f}"
    return text if figure.std is None else f"{text} ± {figure.std:g}"


def paper_figures(study: Study, figures: Sequence[PublishedFigure]) -> PaperFigures:
    """Find to every published figure what the study has in its place.

    RBM-MO stands beside the paper's preset where that was run, else beside halfseen as it is.

    Parameters
    ----------
    study : Study
        What was run; only entries hidden at random count.
    figures : sequence of PublishedFigure
        What was published.

    Returns
    -------
    PaperFigures

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> cell = ("Table 2", "transductive", "scene", "MC-1", 0.5, 0.5)
    >>> paper = paper_figures(study, [PublishedFigure(*cell, "micro_auc", 0.528)])
    >>> paper.text(study.settings[0], study.contenders[1], "micro_auc")
    'paper 0.528'
    """
    settings = {
        (s.course.data_set, s.course.task, round(s.feature_rate, 6), round(s.label_rate, 6)): s
        for s in reversed(study.settings)
        if (s.course.feature_hiding, s.course.label_hiding) == ("at_random", "at_random")
        and s.course.new_feature_rate is None
    }
    found: dict[tuple[Setting, Contender, str], PublishedFigure] = {}
    alone = []
    for figure in figures:
        rates = (round(figure.feature_rate, 6), round(figure.label_rate, 6))
        setting = settings.get((figure.data_set, figure.task, *rates))
        contender = None if setting is None else _contender(study, setting, figure.our_method)
        if setting is None or contender is None:
            alone.append(figure)
        else:
            found[setting, contender, figure.score] = figure
    return PaperFigures(found, tuple(alone))


def _contender(study: Study, setting: Setting, method: str) -> Contender | None:
    names = (method, "halfseen") if method == "halfseen_paper" else (method,)
    for name in names:
        if study.by_place.get((setting, Contender(name, ""))):
            return Contender(name, "")
    return None

"""Contenders by their ranks over settings, and which of them get a colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from halfseen.report.experiment_sections.contender import OURS, Contender
from halfseen.report.experiment_sections.course import Setting
from halfseen.report.experiment_sections.score_kind import FEATURE_SCORE, ScoreKind, label_score
from halfseen.report.experiment_sections.study import Study

N_COLOURS = 7
PRIOR_POSITION = 7  # the quiet colour


class Rank(NamedTuple):
    """The mean rank of a contender, in how many settings, and in how many it was first.

    Examples
    --------
    >>> Rank(1.5, 0.25, 2, 1).n_first
    1
    """

    mean: float
    relative: float  # from 0 (always first) to 1 (always last)
    n_settings: int
    n_first: int


def kinds_of(study: Study, setting: Setting) -> tuple[ScoreKind, ScoreKind]:
    """The two scores by which a setting is judged: of labels and of features.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> [kind.title for kind in kinds_of(study, study.settings[0])]
    ['micro-AUC', 'RMSE']
    """
    return label_score(study.target_of(setting.course)), FEATURE_SCORE


def ranks(study: Study, settings: Sequence[Setting], *, of_labels: bool) -> dict[Contender, Rank]:
    """Mean ranks over settings; 1 is the best, and equals share their ranks.

    Parameters
    ----------
    study : Study
        Everything that was run.
    settings : sequence of Setting
        Over which.
    of_labels : bool
        Whether answers about labels are judged, else those about features.

    Returns
    -------
    dict from Contender to Rank
        Of those that have the score anywhere, the best first.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> found = ranks(study, study.settings, of_labels=True)
    >>> [(one.title, rank.mean) for one, rank in found.items()]
    [('CLE', 1.0), ('MC-1', 2.0)]
    """
    places: dict[Contender, list[tuple[float, float]]] = {}
    for setting in settings:
        kind = kinds_of(study, setting)[0 if of_labels else 1]
        means = study.levelled_means(setting, kind.name)
        if not means:
            continue
        order = rankdata([-kind.sign * mean for mean in means.values()], method="average")
        last = max(len(means) - 1, 1)
        for one, place in zip(means, order.tolist(), strict=True):
            places.setdefault(one, []).append((place, (place - 1) / last))
    made = {
        one: Rank(
            float(np.mean([place for place, _ in own])),
            float(np.mean([share for _, share in own])),
            len(own),
            sum(place == 1 for place, _ in own),
        )
        for one, own in places.items()
    }
    return dict(sorted(made.items(), key=lambda item: (item[1].relative, item[0])))


def colours(study: Study) -> dict[Contender, int]:
    """Positions of colours for those few contenders that stand out in pictures.

    halfseen and the paper's preset come first, then whoever has the best ranks; the constant prior
    always has the quiet colour. The same contender has the same colour all over the page.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> [one.title for one in colours(study)]
    ['CLE', 'MC-1']
    """
    score: dict[Contender, list[float]] = {}
    for of_labels in (True, False):
        for one, rank in ranks(study, study.settings, of_labels=of_labels).items():
            score.setdefault(one, []).append(rank.relative)
    by_rank = sorted(score, key=lambda one: (float(np.mean(score[one])), one))
    ours = [one for method in OURS for one in by_rank if one == Contender(method, "")]
    others = [one for one in by_rank if one not in ours and not one.is_prior]
    made = {one: place for place, one in enumerate((ours + others)[:N_COLOURS])}
    made.update({one: PRIOR_POSITION for one in by_rank if one.is_prior})
    return made

"""Who is best in a setting, and who cannot be told from the best."""

from __future__ import annotations

from typing import NamedTuple

from halfseen.experiments.significance import LEVEL, against_best, share_asked
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Setting
from halfseen.report.experiment_sections.score_kind import ScoreKind
from halfseen.report.experiment_sections.study import Study, Tally


class Rival(NamedTuple):
    """Another contender beside the best: how far behind, and how likely by chance.

    ``p`` is NaN where fewer than two realisations are common to both.

    Examples
    --------
    >>> Rival(Contender("mc1", ""), 0.25, 0.01).behind
    0.25
    """

    contender: Contender
    behind: float
    p: float


class Best(NamedTuple):
    """The best mean of a score in a setting, and all others by their distance.

    Examples
    --------
    >>> rival = Rival(Contender("mc1", ""), 0.25, 0.01)
    >>> Best(Contender("cle", ""), Tally(0.75, 0.01, 10), (rival,)).is_alone
    True
    """

    contender: Contender
    tally: Tally
    rivals: tuple[Rival, ...]

    @property
    def equals(self) -> tuple[Rival, ...]:
        """Rivals of which the realisations do not show that they are behind."""
        return tuple(rival for rival in self.rivals if not rival.p < LEVEL)

    @property
    def is_alone(self) -> bool:
        """Whether it is better than each of the others, beyond chance."""
        return bool(self.rivals) and not self.equals


def best_of(study: Study, setting: Setting, kind: ScoreKind) -> Best | None:
    """The best contender of a setting by one score.

    Differences are paired over realisations, by the corrected resampled t test of Nadeau and
    Bengio, and the p of all rivals are corrected after Holm.

    Parameters
    ----------
    study : Study
        Everything that was run.
    setting : Setting
        Where.
    kind : ScoreKind
        By which score.

    Returns
    -------
    Best or None
        None if nobody has the score.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> from halfseen.report.experiment_sections.score_kind import label_score
    >>> best_of(study, study.settings[0], label_score("labels")).contender.title
    'CLE'
    """
    aligned = study.aligned(setting, kind.name)
    contenders = list(aligned)
    hidden = share_asked(setting.course.task, kind.name, setting.feature_rate, setting.label_rate)
    # Names of methods may come twice, with other settings; their places do not.
    by_place = {str(place): values for place, values in enumerate(aligned.values())}
    compared = against_best(by_place, kind.name, hidden)
    if compared is None:
        return None
    winner = contenders[int(compared.best)]
    own = study.tally(setting, winner, kind.name)
    assert own is not None
    means = study.levelled_means(setting, kind.name)
    rivals = []
    for place, p in compared.p_of_others.items():
        one = contenders[int(place)]
        rivals.append(Rival(one, kind.sign * (means[winner] - means[one]), float(p)))
    rivals.sort(key=lambda rival: (rival.behind, rival.contender))
    return Best(winner, own, tuple(rivals))

"""The one setting of a course that is shown where all would be too many."""

from __future__ import annotations

from halfseen.report.experiment_sections.course import Course, Setting
from halfseen.report.experiment_sections.study import Study


def chosen_setting(study: Study, course: Course) -> Setting:
    """The setting with most contenders done; of several the one nearest to half hidden.

    Parameters
    ----------
    study : Study
        Everything that was run.
    course : Course
        Of which.

    Returns
    -------
    Setting

    Examples
    --------
    >>> from pathlib import Path
    >>> from halfseen.experiments.record import Record
    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None)
    >>> scores = {"mc1": 0.5, "cle": 0.9}
    >>> records = [Record(*asked, name, scores={"micro_auc": auc}) for name, auc in scores.items()]
    >>> study = Study("A study", records, Path("run"))
    >>> chosen_setting(study, study.courses[0]).feature_rate
    0.5
    """

    def key(setting: Setting) -> tuple[int, float]:
        n_done = sum(bool(study.done(setting, one)) for one in study.contenders_in(setting))
        return -n_done, abs(setting.feature_rate - 0.5) + abs(setting.label_rate - 0.5)

    return min(study.settings_of(course), key=key)

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
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> chosen_setting(study, study.courses[0]).feature_rate
    0.5
    """

    def key(setting: Setting) -> tuple[int, float]:
        n_done = sum(bool(study.done(setting, one)) for one in study.contenders_in(setting))
        return -n_done, abs(setting.feature_rate - 0.5) + abs(setting.label_rate - 0.5)

    return min(study.settings_of(course), key=key)

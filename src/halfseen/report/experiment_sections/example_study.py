"""A study of two records, for the examples of the sections."""

from __future__ import annotations

from pathlib import Path

from halfseen.experiments.record import Record
from halfseen.report.experiment_sections.study import Study


def example_study() -> Study:
    """MC-1 and CLE on one realisation of Scene with half of everything hidden; CLE is better.

    The figures are invented.

    Returns
    -------
    Study

    Examples
    --------
    >>> study = example_study()
    >>> [(one.title, study.tally(study.settings[0], one, "micro_auc").mean)
    ...     for one in study.contenders]
    [('CLE', 0.9), ('MC-1', 0.5)]
    """
    records = [
        Record(
            *("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, method),
            scores={"micro_auc": auc},
        )
        for method, auc in (("mc1", 0.5), ("cle", 0.9))
    ]
    return Study("A study", records, Path("run"))

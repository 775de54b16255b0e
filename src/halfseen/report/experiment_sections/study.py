"""A run folder as it was read: records by what was asked and who was asked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from halfseen.experiments.record import Record, read_records
from halfseen.experiments.significance import levelled_means
from halfseen.report.experiment_sections.contender import Contender, contender_of
from halfseen.report.experiment_sections.course import Course, Setting, setting_of


class Tally(NamedTuple):
    """A score over realisations.

    Examples
    --------
    >>> tally_of([1.0, 3.0]).mean, tally_of([2.0]).spread is None
    (2.0, True)
    """

    mean: float
    spread: float | None
    n: int


def tally_of(values: Sequence[float]) -> Tally | None:
    """Mean and standard deviation of finite values; None if there are none.

    Examples
    --------
    >>> tally_of([float("nan")]) is None
    True
    """
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return None
    spread = float(np.std(finite, ddof=1)) if len(finite) > 1 else None
    return Tally(float(np.mean(finite)), spread, len(finite))


@dataclass(frozen=True)
class Study:
    """Everything that a run folder tells.

    Parameters
    ----------
    title : str
        What the plan is called.
    records : sequence of Record
        In any order.
    run : Path
        The folder, in which pictures may lie.
    plan : str, default=""
        The plan as it was given.
    about : mapping, default={}
        What ``run.json`` holds.

    Examples
    --------
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1",
    ...                 scores={"rmse": 0.25})
    >>> study = Study("A study", [record], Path("run"))
    >>> [course.title for course in study.courses]
    ['scene, transductive']
    >>> study.tally(study.settings[0], study.contenders[0], "rmse").mean
    0.25
    """

    title: str
    records: Sequence[Record]
    run: Path
    plan: str = ""
    about: Mapping[str, Any] | None = None

    @cached_property
    def by_place(self) -> dict[tuple[Setting, Contender], list[Record]]:
        """Records of each contender in each setting, by realisation."""
        found: dict[tuple[Setting, Contender], list[Record]] = {}
        for record in sorted(self.records, key=lambda record: (record.realisation, record.key)):
            found.setdefault((setting_of(record), contender_of(record)), []).append(record)
        return found

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, by course and rates."""
        return tuple(sorted({setting for setting, _ in self.by_place}, key=_order))

    @cached_property
    def courses(self) -> tuple[Course, ...]:
        """All courses: data sets by name, transductive before inductive."""
        return tuple(dict.fromkeys(setting.course for setting in self.settings))

    @cached_property
    def contenders(self) -> tuple[Contender, ...]:
        """All contenders, by name."""
        return tuple(sorted({contender for _, contender in self.by_place}))

    @cached_property
    def _tallies(self) -> dict[tuple[Setting, Contender, str], Tally | None]:
        return {}

    @cached_property
    def _targets(self) -> dict[Course, str]:
        found: dict[Course, str] = {}
        for (setting, _), records in self.by_place.items():
            for record in sorted(records, key=lambda record: record.status == "done"):
                if record.status == "done" or setting.course not in found:
                    found[setting.course] = record.target
        return found

    def settings_of(self, course: Course) -> tuple[Setting, ...]:
        """The settings of a course, by rates."""
        return tuple(setting for setting in self.settings if setting.course == course)

    def contenders_in(self, *settings: Setting) -> tuple[Contender, ...]:
        """Those with a record in any of some settings."""
        return tuple(
            one for one in self.contenders if any((s, one) in self.by_place for s in settings)
        )

    def target_of(self, course: Course) -> str:
        """Whether its labels are "labels" or "classes"."""
        return self._targets[course]

    def done(self, setting: Setting, contender: Contender) -> list[Record]:
        """Records that hold scores."""
        return [r for r in self.by_place.get((setting, contender), []) if r.status == "done"]

    def values(self, setting: Setting, contender: Contender, score: str) -> dict[int, float]:
        """Finite values of a score by realisation."""
        return {
            record.realisation: value
            for record in self.done(setting, contender)
            if math.isfinite(value := record.scores.get(score, math.nan))
        }

    def tally(self, setting: Setting, contender: Contender, score: str) -> Tally | None:
        """A score over realisations, if there is one."""
        place = (setting, contender, score)
        if place not in self._tallies:
            self._tallies[place] = tally_of(list(self.values(*place).values()))
        return self._tallies[place]

    def aligned(self, setting: Setting, score: str) -> dict[Contender, list[float]]:
        """Of contenders that have a score, its values over the same realisations; NaN for none."""
        values = {
            one: found
            for one in self.contenders_in(setting)
            if (found := self.values(setting, one, score))
        }
        realisations = sorted({which for found in values.values() for which in found})
        return {
            one: [found.get(which, math.nan) for which in realisations]
            for one, found in values.items()
        }

    def levelled_means(self, setting: Setting, score: str) -> dict[Contender, float]:
        """Means of a score that compare, though some contenders have fewer realisations."""
        aligned = self.aligned(setting, score)
        by_place = {str(place): values for place, values in enumerate(aligned.values())}
        return dict(zip(aligned, levelled_means(by_place).values(), strict=True))

    def seconds(self, setting: Setting, contender: Contender) -> Tally | None:
        """Time over realisations."""
        return tally_of([record.seconds for record in self.done(setting, contender)])


def read_study(run: Path) -> Study:
    """Read a run folder.

    Parameters
    ----------
    run : Path
        As ``halfseen experiment run`` writes it.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        There is no record in it, or a file in it is damaged; the message names the file.

    Examples
    --------
    >>> import tempfile
    >>> from halfseen.experiments.record import write_record
    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_record(Path(folder), Record(*asked, "mc1"))
    ...     len(read_study(Path(folder)).records)
    1
    """
    records = read_records(run)
    if not records:
        raise ValueError(
            f"{run} holds no records (cells/*.json): give the folder that "
            "`halfseen experiment run` has written, or resume the run until a cell is done"
        )
    about = _about(run / "run.json")
    plan = run / "plan.toml"
    text = plan.read_text(encoding="utf-8", errors="replace") if plan.is_file() else ""
    title = str(about.get("title") or about.get("plan") or run.name)
    return Study(title, records, run, text, about)


def _about(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(
            f"{path} is not JSON: {error}. Resume the run to write it anew."
        ) from error
    return document if isinstance(document, dict) else {}


_TASKS = ("transductive", "inductive")


def _order(setting: Setting) -> tuple[Any, ...]:
    course = setting.course
    task = _TASKS.index(course.task) if course.task in _TASKS else len(_TASKS)
    new = -1.0 if course.new_feature_rate is None else course.new_feature_rate
    at = (course.data_set, task, course.feature_hiding, course.label_hiding, new)
    return (*at, course.sample or 0, setting.feature_rate, setting.label_rate)

"""What is asked of the methods: a course is one table of the paper, a setting one column of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from halfseen.experiments.record import Record


class Course(NamedTuple):
    """A data set, a task, and a way of hiding entries; only the rates differ within it.

    Examples
    --------
    >>> course = Course("scene", None, "transductive", "at_random", "at_random", None)
    >>> course.title, course.anchor
    ('scene, transductive', 'scene-transductive')
    """

    data_set: str
    sample: int | None  # rows drawn from the data set, if not all
    task: str
    feature_hiding: str
    label_hiding: str
    new_feature_rate: float | None

    @property
    def title(self) -> str:
        """Data set and task, and how entries were hidden where that is not at random."""
        return ", ".join([f"{self.data_set}, {self.task}", *self._remarks])

    @property
    def anchor(self) -> str:
        """What a link to it ends with."""
        words = re.sub(r"[^A-Za-z0-9]+", "-", self.title)
        return words.strip("-").lower() or "course"

    @property
    def _remarks(self) -> list[str]:
        remarks = []
        if self.sample is not None:
            remarks.append(f"{self.sample:,} rows")
        if self.feature_hiding != "at_random":
            remarks.append(f"features hidden {_spoken(self.feature_hiding)}")
        if self.label_hiding != "at_random":
            remarks.append(f"labels hidden {_spoken(self.label_hiding)}")
        if self.new_feature_rate is not None:
            remarks.append(f"{rate_text(self.new_feature_rate)} hidden in new rows")
        return remarks


class Setting(NamedTuple):
    r"""A course at one pair of rates.

    Examples
    --------
    >>> course = Course("scene", None, "transductive", "at_random", "at_random", None)
    >>> Setting(course, 0.5, 0.8).rates
    '50\xa0/\xa080\xa0%'
    """

    course: Course
    feature_rate: float
    label_rate: float

    @property
    def rates(self) -> str:
        """Shares of hidden features and of hidden labels."""
        pair = f"{rate_text(self.feature_rate)[:-2]} / {rate_text(self.label_rate)}"
        return pair.replace(" ", "\N{NO-BREAK SPACE}")


def setting_of(record: Record) -> Setting:
    r"""What was asked in a record.

    Examples
    --------
    >>> record = Record("scene", "inductive", "blocks", "at_random", 0.5, 0.3, 0.8, "mc1")
    >>> setting_of(record).course.title
    'scene, inductive, features hidden blocks, 80\xa0% hidden in new rows'
    """
    new = record.new_feature_rate
    course = Course(
        record.data_set,
        _sample(record),
        record.task,
        record.feature_hiding,
        record.label_hiding,
        None if new == record.feature_rate else new,
    )
    return Setting(course, record.feature_rate, record.label_rate)


def rate_text(rate: float) -> str:
    r"""A rate as a percentage, with no more digits than it has.

    Examples
    --------
    >>> rate_text(0.5), rate_text(0.125)
    ('50\xa0%', '12.5\xa0%')
    """
    return f"{round(100 * rate, 4):g}\N{NO-BREAK SPACE}%"


def _sample(record: Record) -> int | None:
    # A cell that failed before its data were there knows no rows, but its name does.
    found = re.match(re.escape(record.data_set) + r"-(\d+)rows-", record.key)
    return int(found[1]) if found else None


def _spoken(hiding: str) -> str:
    return hiding.replace("_", " ")

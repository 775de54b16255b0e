"""Every realisation of every contender in every setting, behind the figures that sum them up."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from halfseen.experiments.record import Record
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Setting
from halfseen.report.experiment_sections.score_kind import SCORE_KINDS, score_text
from halfseen.report.experiment_sections.study import Study, tally_of
from halfseen.report.number_text import measured_text
from halfseen.report.parts import Drawer, Drawers
from halfseen.report.safe_text import shortened

_LONGEST_WHY = 2000
_DASH = "\N{EN DASH}"


@dataclass(frozen=True)
class StudyDrawers:
    """The drawers of a study, by setting and contender.

    Examples
    --------
    >>> from pathlib import Path
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> drawers = StudyDrawers(Study("A study", [record], Path("run")))
    >>> drawers.name(*next(iter(drawers.study.by_place)))
    'd0'
    """

    study: Study

    @cached_property
    def _names(self) -> dict[tuple[Setting, Contender], str]:
        return {place: f"d{number}" for number, place in enumerate(self.study.by_place)}

    def name(self, setting: Setting, contender: Contender) -> str:
        """What a cell gives in order to open it; empty if there is no record."""
        return self._names.get((setting, contender), "")

    @property
    def part(self) -> Drawers:
        """All of them, to stand once on the page."""
        return Drawers(
            {
                self._names[place]: _drawer(*place, records)
                for place, records in self.study.by_place.items()
            }
        )


def _drawer(setting: Setting, contender: Contender, records: Sequence[Record]) -> Drawer:
    scores = [
        kind
        for kind in SCORE_KINDS.values()
        if any(math.isfinite(record.scores.get(kind.name, math.nan)) for record in records)
    ]
    rows = [
        [
            str(record.realisation),
            *(_figure(record.scores.get(kind.name, math.nan)) for kind in scores),
            _measured(record.seconds),
            _measured(record.megabytes),
            record.status.replace("_", " "),
        ]
        for record in records
    ]
    done = [record for record in records if record.status == "done"]
    if len(done) > 1:
        tallies = [tally_of([r.scores.get(kind.name, math.nan) for r in done]) for kind in scores]
        means = [_figure(tally.mean) if tally else _DASH for tally in tallies]
        spreads = [
            _figure(tally.spread) if tally and tally.spread is not None else _DASH
            for tally in tallies
        ]
        used = [tally_of([getattr(r, name) for r in done]) for name in ("seconds", "megabytes")]
        rows.append(["mean", *means, *(_measured(u.mean) if u else _DASH for u in used), ""])
        rows.append(["std", *spreads, _DASH, _DASH, ""])
    heads = ["realisation", *(kind.title for kind in scores), "seconds", "MB", "status"]
    title = f"{contender.title} on {setting.course.title}, {setting.rates} hidden"
    return Drawer(title, heads, rows, _facts(setting, records))


def _figure(value: float) -> str:
    if not math.isfinite(value):
        return _DASH
    return f"{value:.4f}" if abs(value) < 10 else score_text(value)


def _measured(value: float) -> str:
    return measured_text(value) if math.isfinite(value) else _DASH


def _facts(setting: Setting, records: Sequence[Record]) -> list[tuple[str, str]]:
    first = next((record for record in records if record.status == "done"), records[0])
    facts = [
        (
            "hidden",
            f"{setting.rates} of features and labels; features {first.feature_hiding}, labels "
            f"{first.label_hiding}".replace("_", " "),
        )
    ]
    if first.n_rows:
        facts.append(
            (
                "data",
                f"{first.n_rows:,} rows, {first.n_features:,} features, {first.n_labels:,} "
                f"{first.target}",
            )
        )
    facts += _distinct("settings", [(r, _settings(r.settings)) for r in records])
    facts += _distinct("tuning", [(r, _tuning(r)) for r in records if r.status == "done"])
    facts += _distinct("time", [(r, _grouped(r)) for r in records])
    facts += _distinct("features from", [(r, r.feature_source) for r in records])
    for status in ("failed", "left_out"):
        own = [(r, shortened(r.why, _LONGEST_WHY)) for r in records if r.status == status]
        facts += _distinct(status.replace("_", " "), own, say_which=True)
    versions = [
        (r, ", ".join(f"{name} {found}" for name, found in r.versions.items())) for r in records
    ]
    return facts + _distinct("versions", versions)


def _distinct(
    name: str, texts: Sequence[tuple[Record, str]], say_which: bool = False
) -> list[tuple[str, str]]:
    """Each text once, and of which realisations it is where there are several."""
    by_text: dict[str, list[int]] = {}
    for record, text in texts:
        if not text and not say_which:
            continue
        by_text.setdefault(text, []).append(record.realisation)
    if len(by_text) < 2 and not say_which:
        return [(name, text) for text in by_text]
    return [
        (name, f"realisation {', '.join(map(str, which))}: {text or 'no reason given'}")
        for text, which in by_text.items()
    ]


def _settings(settings: Mapping[str, Any]) -> str:
    if not settings:
        return "the method's own"
    return ", ".join(f"{name}={json.dumps(value)}" for name, value in settings.items())


def _tuning(record: Record) -> str:
    if not record.n_planned:
        return "nothing tuned"
    return f"best of {record.n_tried} tried, of {record.n_planned} planned, on observed entries"


def _grouped(record: Record) -> str:
    if record.group_size <= 1:
        return ""
    return f"of {record.group_size} realisations trained together, divided by their number"

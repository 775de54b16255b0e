"""All that one run found, and its file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from halfseen.storage import write_beside
from speed.finding import Finding
from speed.goals import ratio_findings, share_findings
from speed.growth import GrowthPoint
from speed.machine_facts import MachineFacts
from speed.matrix_peak import MatrixPeak
from speed.measurement import Measurement

FORMAT = 1


@dataclass
class RunRecord:
    """What is found in the course of a run."""

    began: str  # ISO 8601, UTC
    is_quick: bool
    machine: MachineFacts
    peak: MatrixPeak
    measurements: list[Measurement] = field(default_factory=list)
    points: list[GrowthPoint] = field(default_factory=list)
    single: list[Finding] = field(default_factory=list)
    not_measured: list[str] = field(default_factory=list)
    peak_after: MatrixPeak | None = None  # the limit once more, at the end

    @property
    def findings(self) -> list[Finding]:
        """Figures that stand alone, and those that follow from what was measured."""
        return [
            *share_findings(self.measurements, self.peak.best),
            *ratio_findings(self.measurements),
            *self.single,
        ]

    def to_document(self) -> dict[str, Any]:
        """Everything as plain JSON."""
        return {
            "format": FORMAT,
            "began": self.began,
            "quick": self.is_quick,
            "machine": asdict(self.machine),
            "sgemm": self.peak._asdict(),
            "sgemm_after": None if self.peak_after is None else self.peak_after._asdict(),
            "measurements": [
                asdict(one)
                | {
                    "median": one.median,
                    "quartiles": one.quartiles,
                    "microseconds_per_row": one.microseconds_per_row,
                    "share_of_peak": one.share_of(self.peak.best),
                }
                for one in self.measurements
            ],
            "growth": [asdict(point) | {"size": point.size} for point in self.points],
            "findings": [
                asdict(finding) | {"verdict": finding.verdict} for finding in self.findings
            ],
            "not_measured": self.not_measured,
        }

    def write(self, folder: Path) -> Path:
        """Write the run to a file of its own among those of earlier runs."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"speed-{self.began.replace(':', '').replace('-', '')}.json"
        text = json.dumps(self.to_document(), indent=1, allow_nan=False)
        write_beside(path, [text.encode()])
        return path


def earlier_shares(folder: Path, section: str, case: tuple[int, ...]) -> list[tuple[str, float]]:
    """When, and what share of the limit our machine reached in a case, in all runs of a folder."""
    shares = []
    for path in sorted(folder.glob("speed-*.json")):
        document = json.loads(path.read_text())
        for one in document["measurements"]:
            own = (one["n_visible"], one["n_hidden"], one["batch_size"], one["n_replicas"])
            if (one["section"], one["name"], own) == (section, "halfseen", case):
                shares.append((document["began"], one["share_of_peak"]))
    return shares

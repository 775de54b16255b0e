"""A run as a page with pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from halfseen.report import Cell, Gallery, Note, Page, Picture, Section, Table, TableColumn
from halfseen.report.pictures import Bar, Curve, bars_svg, curves_svg
from halfseen.report.write_page import write_page
from speed.goals import described
from speed.measurement import Measurement, matching
from speed.run_record import RunRecord, earlier_shares

_SHAPE = (794, 100)


def write_speed_page(path: Path, run: RunRecord, history: Path) -> None:
    """Write the page of a run; ``history`` holds the files of earlier ones."""
    sections = [
        Section("The machine", "machine", tuple(Note(line) for line in run.machine.lines)),
        Section("Goals", "goals", _goals(run)),
        Section("Share of the limit", "share", _shares(run, history)),
        Section("Peers", "peers", _peers(run.measurements)),
        Section("Growth", "growth", _growth(run)),
    ]
    if run.not_measured:
        notes = tuple(Note(text, "absent") for text in run.not_measured)
        sections.append(Section("Not measured", "not-measured", notes))
    lead = (
        f"Measured in one run, begun {run.began}. Products of large float32 matrices reach "
        f"{run.peak.best / 1e9:.0f} GFLOP/s on it (numpy {run.peak.by_numpy / 1e9:.0f}, JAX "
        f"{run.peak.by_jax / 1e9:.0f}); this is the limit that every share is taken of."
    )
    shown = [section for section in sections if section.parts]
    write_page(path, Page("Speed of halfseen", lead, shown, ("make bench",)))


def _goals(run: RunRecord) -> tuple[Table, ...]:
    rows = [
        (
            finding.what,
            finding.value,
            finding.unit,
            finding.goal,
            Cell(finding.verdict, tone="strong" if finding.verdict == "holds" else "plain"),
            finding.note,
        )
        for finding in run.findings
    ]
    columns = ("figure", TableColumn("value", numeric=True), "unit", "goal", "", "how")
    return (Table(columns, rows, "Figures, and the goals they are held against.", shown=60),)


def _shares(run: RunRecord, history: Path) -> tuple[Picture | Table, ...]:
    parts: list[Picture | Table] = []
    ours = [one for one in run.measurements if one.name == "halfseen"]
    curves = []
    in_shape = [one for one in ours if (one.n_visible, one.n_hidden) == _SHAPE and one.batch_size]
    for (section, n_replicas), group in groupby(
        sorted(in_shape, key=lambda one: (one.section, one.n_replicas, one.batch_size)),
        key=lambda one: (one.section, one.n_replicas),
    ):
        some = [*group]
        name = section.replace("_", " ") + (", ten together" if n_replicas > 1 else "")
        shares = [100 * one.share_of(run.peak.best) for one in some]
        curves.append(Curve(name, [one.batch_size for one in some], shares))
    if curves:
        parts.append(
            Picture(
                curves_svg(
                    curves,
                    title="Share of the limit by batch size",
                    description="Curves of each objective, for one machine and for ten.",
                    x_label="rows in a minibatch",
                    y_label="% of sgemm peak",
                    x_is_log=True,
                ),
                "794 visible and 100 hidden units: operations of the model's products per second.",
            )
        )
    rows = [
        (
            one.section.replace("_", " "),
            one.name,
            described(one),
            one.microseconds_per_row,
            100 * one.spread,
            100 * one.share_of(run.peak.best),
        )
        for one in run.measurements
    ]
    columns = (
        "what",
        "who",
        "shape",
        TableColumn("microseconds per row", numeric=True),
        TableColumn("quartiles apart, %", numeric=True, digits=2),
        TableColumn("% of peak", numeric=True),
    )
    if rows:
        parts.append(Table(columns, rows, "Everything measured; medians.", shown=20))
    past = earlier_shares(history, "lossy_cd", (*_SHAPE, 100, 1))
    if len(past) > 1:
        parts.append(
            Picture(
                bars_svg(
                    [Bar(when, 100 * share) for when, share in past],
                    title="Lossy-CD in this and earlier runs",
                    description="One bar for each run.",
                    x_label="% of sgemm peak",
                ),
                "Lossy-CD-1, 794 x 100, batch 100, in all runs that were kept.",
            )
        )
    return tuple(parts)


def _peers(measurements: Sequence[Measurement]) -> tuple[Picture, ...]:
    peers = sorted({one.name for one in measurements} - {"halfseen"})
    bars = [
        Bar(f"{peer}, {described(one)}", other.microseconds_per_row / one.microseconds_per_row)
        for one in measurements
        if one.name == "halfseen" and (one.n_visible, one.n_hidden) == _SHAPE
        for peer in peers
        if (other := matching(measurements, one, peer)) is not None
    ]
    if not bars:
        return ()
    svg = bars_svg(
        bars,
        title="Times as fast as peers",
        description="One bar for each peer and shape.",
        x_label="times as fast per row",
    )
    return (Picture(svg, "Rows per second of Lossy-CD-1 over those of each peer's own step."),)


def _growth(run: RunRecord) -> tuple[Gallery, ...]:
    galleries = []
    for grown, group in groupby(run.points, key=lambda point: point.grown):
        points = [*group]
        name = grown.removeprefix("n_").replace("_", " ")
        sizes = [point.size for point in points]
        pictures = []
        for values, unit in (
            ([point.median for point in points], "seconds per epoch"),
            ([max(point.megabytes, 0.1) for point in points], "peak MB"),
        ):
            svg = curves_svg(
                [Curve(unit, sizes, values)],
                title=f"{unit} by {name}",
                description="One curve on logarithmic axes.",
                x_label=name,
                y_label=unit,
                x_is_log=grown != "missing_rate",
                y_is_log=True,
            )
            pictures.append(Picture(svg, f"Lossy-CD-1: {unit} by {name}."))
        galleries.append(Gallery(tuple(pictures)))
    return tuple(galleries)

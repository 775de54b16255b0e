"""Whether probabilities come true, and intervals hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from halfseen.experiments.record import Record
from halfseen.report.experiment_sections.chosen_setting import chosen_setting
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Course
from halfseen.report.experiment_sections.study import Study
from halfseen.report.parts import Picture
from halfseen.report.pictures import Reliability
from halfseen.report.pictures.reliability_panels import reliability_panels_svg

_MOST_PANELS = 9
_N_BINS = 10  # of a record
_UNKNOWN = 9.0  # larger than any calibration error


def calibration_pictures(
    study: Study, course: Course, colours: Mapping[Contender, int]
) -> list[Picture]:
    """Reliability of those that say probabilities, in one setting of a course.

    Parameters
    ----------
    study : Study
        Everything that was run.
    course : Course
        Of which.
    colours : mapping from Contender to int
        Those that stand out and are shown first.

    Returns
    -------
    list of Picture
        At most one; none if nobody said probabilities.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> len(calibration_pictures(study, study.courses[0], {}))  # nobody said probabilities
    0
    """
    setting = chosen_setting(study, course)
    found = []
    for one in study.contenders_in(setting):
        curve = pooled_reliability(one.title, study.done(setting, one))
        if curve is not None:
            tally = study.tally(setting, one, "calibration_error")
            error = tally.mean if tally else float("nan")
            found.append((one not in colours, np.nan_to_num(error, nan=_UNKNOWN), one, curve))
    if not found:
        return []
    shown = sorted(sorted(found, key=lambda own: own[:3])[:_MOST_PANELS], key=lambda own: own[1:3])
    errors = ["" if error >= _UNKNOWN else f"{error:.3f}" for _, error, *_ in shown]
    svg = reliability_panels_svg(
        [curve for *_, curve in shown],
        [colours.get(one) for _, _, one, _ in shown],
        errors,
        title="Probabilities said against shares that came true",
        description="Calibration errors: "
        + ", ".join(f"{one.title} {e}" for (*_, one, _), e in zip(shown, errors, strict=True)),
    )
    left_out = len(found) - len(shown)
    caption = (
        f"Calibration with {setting.rates} of features and labels hidden: the probability said "
        "(across) and the share that came true (up), all realisations together; on the diagonal "
        "the two agree. In the corner the calibration error, best first."
    )
    if left_out:
        caption += f" {left_out} more say probabilities; their errors are among all other scores."
    return [Picture(svg, caption)]


def pooled_reliability(name: str, records: Sequence[Record]) -> Reliability | None:
    """The bins of all realisations put together, weighted by their entries.

    Records leave out bins of no entries, so that a bin is known by its mean probability.

    Examples
    --------
    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> one = Record(*asked, reliability=((0.25, 0.5, 4.0),))
    >>> two = Record(*asked, reliability=((0.25, 1.0, 4.0), (0.75, 1.0, 2.0)))
    >>> pooled_reliability("MC-1", [one, two])
    Reliability(name='MC-1', said=(0.25, 0.75), came_true=(0.75, 1.0), n_entries=(8, 2))
    """
    bins = np.array([b for record in records for b in record.reliability], np.float64)
    bins = bins.reshape(-1, 3)
    bins = bins[np.isfinite(bins).all(axis=1) & (bins[:, 2] > 0)]
    if not len(bins):
        return None
    place = np.searchsorted(np.linspace(0, 1, _N_BINS + 1)[1:-1], bins[:, 0])
    n = np.bincount(place, bins[:, 2], _N_BINS)
    kept = n > 0
    said = np.bincount(place, bins[:, 0] * bins[:, 2], _N_BINS)[kept] / n[kept]
    true = np.bincount(place, bins[:, 1] * bins[:, 2], _N_BINS)[kept] / n[kept]
    return Reliability(
        name, tuple(said.tolist()), tuple(true.tolist()), tuple(n[kept].astype(int).tolist())
    )

"""Whether the model means what it says."""

from __future__ import annotations

import numpy as np

from halfseen.estimators.conformal import LEVELS as CONFORMAL_LEVELS
from halfseen.estimators.fitted_prediction import FittedPrediction
from halfseen.report.number_text import number_text, percent_text
from halfseen.report.page import Section
from halfseen.report.parts import (
    Cell,
    Entry,
    Facts,
    Gallery,
    Note,
    Part,
    Picture,
    Table,
    TableColumn,
)
from halfseen.report.pictures import (
    Cloud,
    Reliability,
    reliability_of,
    reliability_svg,
    scatter_svg,
)
from halfseen.report.sections.asked_entries import LEVELS, AskedEntries, AskedNumbers, Said
from halfseen.tables import Schema

_FEWEST = 5
_FAR = 4.0
_MANY = 300


def calibration_section(
    schema: Schema, prediction: FittedPrediction | None, asked: AskedEntries | None
) -> Section:
    """Probabilities against frequencies, intervals against how often they hold the truth.

    Parameters
    ----------
    schema : Schema
        The columns.
    prediction : FittedPrediction or None
        The ensemble, which remembers what it said of labels put aside in training.
    asked : AskedEntries or None
        Entries that were hidden and asked for, if rows were given.

    Returns
    -------
    Section

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> schema = Schema(learn_columns(read_table([[0.5], [1.5]])), (), None)
    >>> calibration_section(schema, None, None).parts[0].tone
    'absent'
    """
    parts: list[Part] = []
    pictures: list[Picture] = []
    if prediction is not None and schema.target_kind == "labels":
        pictures += _put_aside(prediction)
    if asked is not None:
        pictures += _pictures(schema, asked)
    if asked is None:
        text = (
            "Give rows and their labels, X and y (on the command line: --data), to see whether "
            "probabilities and intervals keep what they promise on them."
        )
        parts.append(Note(text, "absent"))
    else:
        parts.append(
            Note(
                "Known labels were hidden, and so were some of the entries that are seen, and the "
                "model was asked for them. Rows that the model was fitted to flatter it here: give "
                "rows that were kept aside, or read the held-out scores above.",
                "caution",
            )
        )
        parts.append(_facts(schema, asked))
    if pictures:
        parts.append(Gallery(pictures))
    if asked is not None:
        parts += _by_column(asked)
    return Section("Calibration", "calibration", parts)


def _facts(schema: Schema, asked: AskedEntries) -> Facts:
    items = []
    if len(asked.labels.probability):
        name = "labels" if schema.target_kind == "labels" else "classes"
        items.append((f"{name} asked", f"{len(asked.labels.probability):,}"))
        items.append((f"calibration error, {name}", number_text(_error(asked.labels), 2)))
    if len(asked.discrete.probability):
        items.append(("categories asked", f"{len(asked.discrete.probability):,}"))
    n_numbers = sum(len(column.truth) for column in asked.numbers)
    if n_numbers:
        items.append(("numbers asked", f"{n_numbers:,}"))
    covered = _covered(asked.numbers)
    if covered is not None:
        items.append(("inside 90 % intervals", percent_text(covered[0][LEVELS.index(0.9)])))
    return Facts(items)


def _error(said: Said) -> float:
    bins = reliability_of("", said.probability, said.came_true)
    n = np.asarray(bins.n_entries, np.float64)
    away = np.abs(np.asarray(bins.said) - np.asarray(bins.came_true))
    return float(np.sum(n * away) / n.sum())


def _put_aside(prediction: FittedPrediction) -> list[Picture]:
    """What was said of labels put aside in training, from the levels that the ensemble keeps."""
    distance = prediction.conformal.label[0]
    if not np.isfinite(distance).all():
        return []
    # Quantiles of 1 - p(truth), read off evenly, stand for the entries themselves.
    even = np.interp(np.arange(0.0025, 1, 0.005), CONFORMAL_LEVELS, distance)
    surest = np.maximum(even, 1 - even)
    bins = reliability_of("", surest, even < 0.5, n_bins=10)
    svg = reliability_svg(
        [Reliability("labels", bins.said, bins.came_true, bins.n_entries)],
        title="Calibration on labels put aside in training",
        description="How often the likelier value of a label was right, against how likely it was "
        "said to be.",
        x_label="probability of the likelier value",
        y_label="share of right ones",
        counts=False,
        whiskers=False,
        lowest=0.5,
    )
    caption = (
        "Labels that were put aside in training, all labels of their row hidden: how often the "
        "likelier value was right."
    )
    return [Picture(svg, caption)]


def _pictures(schema: Schema, asked: AskedEntries) -> list[Picture]:
    pictures = []
    most = max(len(asked.labels.probability), len(asked.discrete.probability))
    n_bins = 10 if most >= _MANY else 5
    curves = [
        reliability_of(name, said.probability, said.came_true, n_bins)
        for name, said in (
            ("labels" if schema.target_kind == "labels" else "classes", asked.labels),
            ("features", asked.discrete),
        )
        if len(said.probability) >= _FEWEST
    ]
    if curves:
        kind = "a label, or of the class thought likeliest"
        svg = reliability_svg(
            curves,
            title="Calibration on the rows given",
            description="; ".join(
                f"{curve.name}: {sum(curve.n_entries):,} entries" for curve in curves
            ),
        )
        caption = f"The rows given: probability of {kind}, against how often it came true."
        pictures.append(Picture(svg, caption))
    covered = _covered(asked.numbers)
    if covered is not None:
        shares, n = covered
        svg = reliability_svg(
            [Reliability("intervals", LEVELS, shares.tolist(), [n] * len(LEVELS))],
            title="Coverage of intervals",
            description="; ".join(
                f"{percent_text(share)} inside the {percent_text(level)} interval"
                for level, share in zip(LEVELS, shares.tolist(), strict=True)
            ),
            x_label="level asked for",
            y_label="share of numbers inside",
            counts=False,
        )
        pictures.append(Picture(svg, f"How often intervals held the {n:,} numbers hidden."))
    truth = np.concatenate([column.truth for column in asked.numbers] or [np.zeros(0)])
    answer = np.concatenate([column.answer for column in asked.numbers] or [np.zeros(0)])
    near = np.abs(truth) <= _FAR
    if near.sum() >= _FEWEST:
        svg = scatter_svg(
            [Cloud("numbers", truth[near], answer[near])],
            title="Hidden numbers and answers",
            description=f"{len(truth):,} numbers of all numeric columns, standardised.",
            x_label="truth, in standard deviations of its column",
            y_label="answer",
            diagonal=True,
        )
        pictures.append(Picture(svg, "Numbers that were hidden, against what was expected there."))
    return pictures


def _covered(
    numbers: tuple[AskedNumbers, ...],
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], int] | None:
    held = [column.covered for column in numbers if len(column.covered)]
    if not held:
        return None
    together = np.concatenate(held)
    return together.mean(axis=0), len(together)


def _by_column(asked: AskedEntries) -> list[Part]:
    at = LEVELS.index(0.9)
    has_intervals = any(len(column.covered) for column in asked.numbers)
    rows: list[list[Entry]] = []
    for column in asked.numbers:
        if not len(column.truth):
            continue
        error = float(np.sqrt(np.mean((column.truth - column.answer) ** 2)))
        alone = float(np.sqrt(np.mean(column.truth**2)))
        row: list[Entry] = [column.column, len(column.truth), error, alone]
        if len(column.covered):
            inside = float(column.covered[:, at].mean())
            row += [Cell(percent_text(inside), inside), float(column.width[:, at].mean())]
        elif has_intervals:
            row += [None, None]
        rows.append(row)
    if not rows:
        return []
    heads: list[TableColumn | str] = [
        "column",
        TableColumn("hidden", numeric=True),
        TableColumn("RMSE", numeric=True),
        TableColumn("RMSE of the mean", numeric=True),
    ]
    caption = (
        "Numbers that were hidden and asked for, in standard deviations of their columns: error of "
        "the answers, and error of always saying the mean"
    )
    if has_intervals:
        heads += [TableColumn("inside", numeric=True), TableColumn("mean width", numeric=True)]
        caption += f"; share inside intervals of {percent_text(LEVELS[at])}, and their width"
    caption += "."
    return [Table(heads, rows, caption)]

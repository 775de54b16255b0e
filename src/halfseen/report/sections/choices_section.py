"""What training chose by entries it had put aside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blind_readers import GAUSSIANS
from halfseen.estimators.choices import PRIOR_ALONE
from halfseen.estimators.conformal import LEVELS, at_level
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fitted_prediction import FittedPrediction
from halfseen.estimators.predictive_settings import BOLD, CAREFUL, CAREFUL_WITH_LABELS
from halfseen.report.number_text import number_text, percent_text
from halfseen.report.page import Section
from halfseen.report.parts import (
    Details,
    Entry,
    Facts,
    Gallery,
    Note,
    Part,
    Picture,
    Table,
    TableColumn,
)
from halfseen.report.pictures import Bar, Curve, bars_svg, curves_svg
from halfseen.tables import Schema

_LEVELS_SHOWN = (0.5, 0.8, 0.9, 0.95)
_MOST_WEIGHTS = 12
_KNOWN_KINDS = (
    (CAREFUL_WITH_LABELS, BOLD),
    (CAREFUL, CAREFUL_WITH_LABELS, BOLD),  # of models of older files
)


def choices_section(
    schema: Schema, prediction: FittedPrediction | None, thresholds: NDArray[Any] | None
) -> Section:
    """Weights of the members, calibration, conformal levels and thresholds.

    Parameters
    ----------
    schema : Schema
        The columns.
    prediction : FittedPrediction or None
        The predictive ensemble, if the model has one.
    thresholds : ndarray of shape (n_labels,) or None
        Probability above which each label is predicted.

    Returns
    -------
    Section

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> schema = Schema(learn_columns(read_table([[0.5], [1.5]])), (), None)
    >>> choices_section(schema, None, None).parts[0].tone
    'absent'
    """
    parts: list[Part] = []
    if prediction is None:
        text = (
            'This model holds no predictive ensemble; fit with objective="predictive", the '
            "default, to see which members were blended, how they were calibrated, and how wide "
            "intervals are."
        )
        parts.append(Note(text, "absent"))
    else:
        parts += _of_ensemble(schema, prediction)
    if thresholds is not None and len(thresholds):
        parts.append(_thresholds(schema, thresholds))
    return Section("What was chosen, and why", "choices", parts)


def _of_ensemble(schema: Schema, prediction: FittedPrediction) -> list[Part]:
    ensemble, kinds = prediction.ensemble, kind_names(prediction.ensemble)
    text = (
        f"Members of {len(kinds)} kinds were trained in {_times(ensemble.n_folds)}. Each put some "
        "observed entries aside; what the members said of those decided what each is worth, how "
        "far probabilities are to be believed, and how wide intervals must be. Nothing was chosen "
        "by the entries that the model is asked for."
        + (" The prior of a kind “+ labels” covers the labels, too." if schema.targets else "")
    )
    facts = [
        ("members", f"{len(ensemble.weights):,}"),
        ("hidden units each", f"{ensemble.shape.n_hidden:,}"),
        ("sweeps", f"{ensemble.shape.n_sweeps:,}"),
        ("knots per number", f"{ensemble.knots.shape[1]:,}"),
        ("prior over the columns", _prior(ensemble)),
        ("mask units", "yes" if ensemble.shape.sees_missing else "no"),
    ]
    pictures = []
    if schema.targets:
        pictures.append(_label_weights(schema, prediction, kinds))
    if schema.n_gaussian:
        pictures.append(_number_weights(prediction, kinds))
        pictures.append(_widths(prediction))
    parts: list[Part] = [Note(text), Facts(facts), Gallery(pictures)]
    if prediction.choices:
        columns = [TableColumn(title) for title in ("what", "chosen", "why")]
        caption = "What the fit settled by itself."
        parts.insert(2, Table(columns, prediction.choices, caption, sorts=False))
    if schema.targets:
        parts.append(_calibration(schema, prediction))
    parts.append(_levels(schema, prediction))
    if schema.n_gaussian:
        parts.append(_weights_by_column(schema, prediction, kinds))
    return parts


def _times(n_folds: int) -> str:
    return "one fold" if n_folds == 1 else f"{n_folds} folds"


def _prior(ensemble: Ensemble) -> str:
    if ensemble.prior_covariance.shape[2]:
        return "full rank"
    return f"rank {ensemble.prior_loading.shape[2]}"


def kind_names(ensemble: Ensemble) -> list[str]:
    """Names of the kinds of members, as far as the ensemble tells them.

    Two kinds of which the first has no prior over labels differ in that alone.
    """
    sees = ensemble.prior_sees_labels[: ensemble.n_kinds].tolist()
    names = [f"kind {k + 1}" for k in range(len(sees))]
    for known in _KNOWN_KINDS:
        if sees == [kind.prior_sees_labels for kind in known]:
            names = [kind.name.split(",")[0] for kind in known]
    if sees == [False, True]:
        names = ["machine", "machine"]
    return [f"{name} + labels" if also else name for name, also in zip(names, sees, strict=True)]


def _target_powers(schema: Schema, prediction: FittedPrediction) -> NDArray[np.float64]:
    blend = prediction.blend
    return blend.label_power if schema.target_kind == "labels" else blend.class_power


def _pooled_names(prediction: FittedPrediction, kinds: list[str]) -> list[str]:
    """Names of what is pooled; models of older files pool one mixture of all kinds."""
    names = [*kinds, PRIOR_ALONE, *prediction.blind.names]
    return names if prediction.blend.target.shape[1] == len(names) else ["mixture of all"]


def _label_weights(schema: Schema, prediction: FittedPrediction, kinds: list[str]) -> Picture:
    powers = _target_powers(schema, prediction)
    contexts = ("none known", "some known")[: 2 if len(schema.targets) > 1 else 1]
    bars = [
        Bar(f"{name}; {context}", float(power), text=number_text(float(power), 2), series=c)
        for c, context in enumerate(contexts)
        for name, power in zip(_pooled_names(prediction, kinds), powers[c], strict=True)
    ]
    svg = bars_svg(
        bars,
        title="Powers of the members for labels",
        description="; ".join(f"{bar.name}: {bar.text}" for bar in bars),
        x_label="power",
        highest=max(1.0, float(powers[: len(contexts)].max())),
    )
    caption = (
        "What each kind of member, the prior by itself, and those who read features alone, "
        "if there are any, are worth for labels, in rows of which no label is known and, if there "
        "are several, in rows of which some are: the power to which its odds are taken before all "
        "are multiplied."
    )
    return Picture(svg, caption)


def _candidates(kinds: list[str], weights: NDArray[np.float64]) -> list[str]:
    """Names of the predictions of a number, in the order of the blend."""
    sources = ("prior", "value", "knots")[: weights.shape[1] // len(kinds)]
    of_members = [f"{source}, {kind}" for source in sources for kind in kinds]
    return of_members + [GAUSSIANS] * (weights.shape[1] - len(of_members))


def _number_weights(prediction: FittedPrediction, kinds: list[str]) -> Picture:
    weights = prediction.blend.number
    names = [*_candidates(kinds, weights), "mean of the column"]
    mean = weights.mean(axis=0)
    mean = np.append(mean, max(0.0, 1.0 - mean.sum()))
    order = np.argsort(-mean, kind="stable")[:_MOST_WEIGHTS].tolist()
    bars = [Bar(names[k], float(mean[k]), text=percent_text(float(mean[k]))) for k in order]
    svg = bars_svg(
        bars,
        title="Weights of the predictions of numbers",
        description="; ".join(f"{bar.name}: {bar.text}" for bar in bars),
        x_label="weight, mean over the numeric columns",
        highest=max(1.0, float(mean.max())) if mean.max() > 0.6 else None,
    )
    caption = (
        "What each prediction of a number is worth: the prior alone, the value that a member "
        "gives, its distribution over knots, what Gaussians of the classes expect, and the mean of "
        "the column."
    )
    return Picture(svg, caption)


def _widths(prediction: FittedPrediction) -> Picture:
    quantiles = prediction.conformal.number
    finite = np.where(np.isfinite(quantiles), quantiles, np.nan)
    shown = LEVELS <= 0.99
    known = np.isfinite(finite).all(axis=0) & shown
    low, middle, high = np.percentile(finite[:, known], [10, 50, 90], axis=0)
    curves = [Curve("half-width", 100 * LEVELS[known], middle, low, high)]
    svg = curves_svg(
        curves,
        title="Width of intervals",
        description="Half-width of intervals against the level asked for.",
        x_label="level, %",
        y_label="half-width, in the spread that the members expect",
        x_ticks=(0, 25, 50, 75, 100),
    )
    caption = (
        "How wide intervals are: the middle column, and a band for the middle 80 % of the columns. "
        "For a Gaussian error of the spread expected it would be 0.67 at 50 % and 1.64 at 90 %."
    )
    return Picture(svg, caption)


def _calibration(schema: Schema, prediction: FittedPrediction) -> Table:
    contexts = ("no label of the row known", "some label of the row known")
    sums = _target_powers(schema, prediction).sum(axis=1)
    caption = "Calibration: a sum of powers below 1 says that members were too sure."
    heads: list[TableColumn | str] = ["context", TableColumn("sum of powers", numeric=True)]
    rows: list[list[Entry]] = [[context, float(sums[c])] for c, context in enumerate(contexts)]
    if schema.target_kind == "labels":
        heads.append(TableColumn("shift of log-odds", numeric=True))
        for row, shift in zip(rows, prediction.blend.label_shift, strict=True):
            row.append(float(shift))
    return Table(heads, rows, caption, sorts=False)


def _levels(schema: Schema, prediction: FittedPrediction) -> Table:
    heads: list[TableColumn | str] = ["level asked for"]
    has_numbers, has_labels = bool(schema.n_gaussian), bool(schema.targets)
    if has_numbers:
        heads.append(TableColumn("half-width of intervals, in spreads", numeric=True))
    if has_labels:
        heads.append(TableColumn("smallest probability in a set", numeric=True))
        heads.append(TableColumn("the same, some label known", numeric=True))
    rows: list[list[Entry]] = []
    for level in _LEVELS_SHOWN:
        row: list[Entry] = [percent_text(level)]
        if has_numbers:
            row.append(float(np.median(at_level(prediction.conformal.number, level))))
        if has_labels:
            row += [
                max(0.0, prediction.smallest_probability(level, known)) for known in (False, True)
            ]
        rows.append(row)
    caption = (
        "Conformal levels, learned on entries put aside: how wide an interval (of the middle "
        "column), and how improbable a member of a set may be, so that the truth is inside as "
        "often as asked."
    )
    return Table(heads, rows, caption, sorts=False)


def _weights_by_column(schema: Schema, prediction: FittedPrediction, kinds: list[str]) -> Details:
    names = _candidates(kinds, prediction.blend.number)
    columns = [column.name for column in schema.columns if column.unit == "gaussian"]
    rows: list[list[Entry]] = [
        [name, *(number_text(float(weight), 2) for weight in weights)]
        for name, weights in zip(columns, prediction.blend.number, strict=True)
    ]
    heads: list[TableColumn | str] = ["column"]
    heads += [TableColumn(name, numeric=True) for name in names]
    return Details(
        "Weights of every numeric column",
        [Table(heads, rows, "Weights of the predictions of each number; they add up to one.")],
    )


def _thresholds(schema: Schema, thresholds: NDArray[Any]) -> Part:
    rows = [
        (column.name, float(threshold))
        for column, threshold in zip(schema.targets, thresholds, strict=True)
    ]
    table = Table(
        ("label", TableColumn("threshold", numeric=True)),
        rows,
        "Probability above which each label is predicted.",
    )
    if len({threshold for _, threshold in rows}) == 1:
        text = f"A label is predicted when its probability is above {number_text(rows[0][1], 2)}."
        return Note(text)
    return table

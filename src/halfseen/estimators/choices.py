"""What a predictive fit chose by entries put aside, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from halfseen.estimators.blind_readers import BOOSTED, FOREST, GAUSSIANS
from halfseen.estimators.conformal import at_level
from halfseen.estimators.fitted_prediction import FittedPrediction
from halfseen.estimators.predictive_settings import PredictiveSettings
from halfseen.estimators.training_length import LEAST_OF_A_ROUND, Trained
from halfseen.learning.choice import Choice
from halfseen.learning.prior_fit import MOST_UNITS_OF_FULL_RANK

PRIOR_ALONE = "prior alone"
_LEVEL = 0.9
_BY_SHAPE = "by the rows and columns of the table and the effort"


def choices_of(
    prediction: FittedPrediction,
    settings: PredictiveSettings,
    loss_of_shrinkage: Mapping[float, float],
    trained: Trained,
) -> tuple[Choice, ...]:
    """Everything that was settled without the user, in the order of fitting."""
    return (
        *_capacity(prediction, settings),
        _length(trained, settings),
        *_prior(prediction, loss_of_shrinkage),
        *_forest(prediction),
        *_of_classes(prediction),
        *_numbers(prediction),
        *_mixture(prediction, settings),
        *_pools(prediction, settings),
    )


def choices_html(choices: Sequence[Choice]) -> str:
    """A small table for a notebook; empty if nothing was chosen.

    Examples
    --------
    >>> choices_html([])
    ''
    >>> "<td>5 %</td>" in choices_html([Choice("shrinkage", "5 %", "nearest")])
    True
    """
    if not choices:
        return ""
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(part)}</td>" for part in choice) + "</tr>"
        for choice in choices
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("what", "chosen", "why"))
    return (
        "<details><summary>What the fit chose, and why</summary>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _capacity(prediction: FittedPrediction, settings: PredictiveSettings) -> list[Choice]:
    shape = prediction.ensemble.shape
    names = "; ".join(kind.name for kind in settings.kinds)
    knots = shape.columns.wide.n_knots
    return [
        Choice(
            "members",
            f"{settings.n_members}: {_counted(len(settings.kinds), 'kind')} ({names}) in "
            f"{_counted(settings.n_folds, 'fold')}",
            _BY_SHAPE,
        ),
        Choice(
            "each member",
            f"{shape.n_hidden} hidden units, {knots or 'no'} knots per number, {shape.n_sweeps} "
            f"sweeps",
            _BY_SHAPE,
        ),
    ]


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _length(trained: Trained, settings: PredictiveSettings) -> Choice:
    rounds = " + ".join(f"{n_steps:,}" for n_steps in trained.rounds)
    chosen = f"{rounds} steps of {settings.batch_size} rows"
    if trained.n_kept < sum(trained.rounds):
        what = "interrupted" if trained.is_cut_short else "the last round was too much"
        chosen += f"; {what}, those of the first {trained.n_kept:,} are kept"
    if not trained.left_over:
        return Choice("length of training", chosen, _BY_SHAPE)
    left = ", ".join(f"{100 * share:.1f} %" for share in trained.left_over)
    why = (
        f"of the priors' squared error of entries put aside {left} was left after each round, that "
        f"of features times that of labels; "
        f"another one follows, if there is room for it within {settings.n_most_steps:,} steps, "
        f"where a round takes away {100 * LEAST_OF_A_ROUND:g} %"
    )
    return Choice("length of training", chosen, why)


def _prior(prediction: FittedPrediction, losses: Mapping[float, float]) -> list[Choice]:
    n_visible = prediction.ensemble.prior_mean.shape[1]
    rank = f"a covariance of rank {prediction.ensemble.prior_loading.shape[2]}"
    why = f"more than {MOST_UNITS_OF_FULL_RANK} units"
    if n_visible <= MOST_UNITS_OF_FULL_RANK:
        rank, why = "a full covariance", f"at most {MOST_UNITS_OF_FULL_RANK} units"
    found = [Choice("correlated prior", rank, why)]
    if losses:
        best = min(losses, key=lambda shrinkage: losses[shrinkage])
        others = ", ".join(
            f"{loss:.4f} at {100 * shrinkage:g} %"
            for shrinkage, loss in losses.items()
            if shrinkage != best
        )
        why = f"mean squared error {losses[best]:.4f} on entries put aside, {others}"
        found.append(Choice("shrinkage of the prior", f"{100 * best:g} %", why))
    return found


def _forest(prediction: FittedPrediction) -> list[Choice]:
    forest = prediction.blind.forest
    if forest is None:
        return []
    n_trees = forest.n_folds * forest.n_trees
    chosen = f"{n_trees} trees for every target, on rows as the prior completes them"
    return [Choice(FOREST, chosen, _BY_SHAPE)]


def _of_classes(prediction: FittedPrediction) -> list[Choice]:
    gaussians, boosted = prediction.blind.gaussians, prediction.blind.boosted
    found = []
    if gaussians is not None:
        found.append(Choice(GAUSSIANS, f"{len(gaussians.share)}, one for each", _BY_SHAPE))
    if boosted is not None:
        chosen = f"{len(boosted.first_node)}, on rows as the prior completes them"
        found.append(Choice(BOOSTED, chosen, _BY_SHAPE))
    return found


def _numbers(prediction: FittedPrediction) -> list[Choice]:
    weights, n_kinds = prediction.blend.number, prediction.ensemble.n_kinds
    if not len(weights):
        return []
    of_members = weights[:, : 3 * n_kinds].reshape(len(weights), 3, n_kinds).sum(axis=2)
    parts = np.concatenate([of_members, weights[:, 3 * n_kinds :]], axis=1).mean(axis=0)
    parts = np.append(parts, max(0.0, 1.0 - parts.sum()))
    more = [GAUSSIANS] * prediction.blind.n_of_numbers
    names = ["prior", "values", "knots", *more, "mean of the column"]
    chosen = ", ".join(
        f"{100 * part:.0f} % {name}" for name, part in zip(names, parts, strict=True)
    )
    half = np.nanmedian(at_level(prediction.conformal.number, _LEVEL))
    return [
        Choice("numbers by", chosen, "least squares on entries put aside; mean of columns"),
        Choice(
            "half width of 90 % intervals",
            f"{half:.2f} predicted standard deviations",
            "holds as many of the entries put aside, median of columns",
        ),
    ]


def _mixture(prediction: FittedPrediction, settings: PredictiveSettings) -> list[Choice]:
    columns = prediction.ensemble.shape.columns
    is_discrete = np.arange(len(columns.is_target_unit)) >= columns.wide.layer.n_gaussian
    if not (is_discrete & ~columns.is_target_unit).any():
        return []
    shares = (f"{100 * weight:.0f} %" for weight in prediction.blend.discrete)
    what, why = "binary and categorical features by", "gives entries put aside the most probability"
    return [Choice(what, _of_candidates(shares, _names(settings)), why)]


def _pools(prediction: FittedPrediction, settings: PredictiveSettings) -> list[Choice]:
    columns, blend = prediction.ensemble.shape.columns, prediction.blend
    layer, is_target = columns.wide.layer, columns.is_target_unit
    first_group = layer.n_gaussian + layer.n_bernoulli
    why = (
        "gives entries put aside the most probability; powers of a product, whose sum is below 1 "
        "if members were too sure"
    )
    kinds = (
        ("labels", is_target[layer.n_gaussian : first_group], blend.label_power),
        ("classes", is_target[first_group:], blend.class_power),
    )
    names = [*_names(settings), *prediction.blind.names]
    found = []
    for what, units, powers in kinds:
        for context, applies in (("without", True), ("with", columns.n_targets > 1)):
            if units.any() and applies:
                own = (f"{power:.2f}" for power in powers[int(context == "with")])
                name = f"{what} of rows {context} a known one by"
                found.append(Choice(name, _of_candidates(own, names), why))
    return found


def _names(settings: PredictiveSettings) -> list[str]:
    """What has a say in everything discrete."""
    return [*(kind.name for kind in settings.kinds), PRIOR_ALONE]


def _of_candidates(amounts: Iterable[str], names: Sequence[str]) -> str:
    return "; ".join(f"{amount} {name}" for amount, name in zip(amounts, names, strict=True))

"""An evaluation in plain words: how far to trust this on one's own data."""

from __future__ import annotations

import math

from halfseen.cli.evaluation import Evaluation, MethodScores
from halfseen.cli.rival_answers import TRIVIAL
from halfseen.cli.scored_cells import CELL_KINDS, CellKind

_FEWEST_CELLS = 100
_TOLERATED = 0.03
_CALIBRATED = 0.03
_WHAT: dict[CellKind, str] = {
    "numbers": "Numbers",
    "categories": "Categories",
    "labels": "Labels",
}
_NEARER = "its probabilities are clearly nearer to the truth"
_OBVIOUS: dict[CellKind, str] = {
    "numbers": "mean of the column",
    "categories": "most frequent value",
    "labels": "most frequent value",
}


def verdict(evaluation: Evaluation) -> list[str]:
    """What an evaluation means, one sentence or two for each kind of cells, and caveats.

    Parameters
    ----------
    evaluation : Evaluation
        How hidden entries were found again.

    Returns
    -------
    list of str
        Paragraphs.
    """
    lines = [_of_kind(evaluation, kind) for kind in CELL_KINDS if kind in evaluation.n_hidden]
    lines += _of_honesty(evaluation)
    lines.append(
        "All of this holds for holes like those that were made: at random. Where values are "
        "missing because of what they are, trust less; 'halfseen inspect' looks for signs of it."
    )
    return lines


def _of_kind(evaluation: Evaluation, kind: CellKind) -> str:
    ours, trivial, best = _contenders(evaluation, kind)
    n_cells = evaluation.n_hidden[kind]
    methods = [ours, trivial, *([] if best is None else [best])]
    facts = "; ".join(f"{method.name}: {_said(kind, method)}" for method in methods)
    what = _WHAT[kind]
    if n_cells < _FEWEST_CELLS:
        return f"{what}: too few to tell. Only {n_cells:,} known cells could be hidden ({facts})."
    against_trivial = evaluation.comparison(kind, trivial.name)
    if against_trivial is None or against_trivial.outcome != "better":
        return (
            f"{what}: not beyond the obvious. Always saying the {_OBVIOUS[kind]} does as well "
            f"({facts})."
        )
    against_best = evaluation.comparison(kind, best.name) if best is not None else None
    outcome = against_best.outcome if against_best is not None else "better"
    if outcome == "worse" and best is not None:
        return f"{what}: {best.name} is clearly nearer to the truth; use it instead ({facts})."
    if outcome == "alike":
        return f"{what}: yes, as much as the best of the usual pipelines ({facts})."
    nearer = "it errs clearly less" if kind == "numbers" else _NEARER
    return f"{what}: yes, {nearer} than the usual pipelines ({facts})."


def _contenders(
    evaluation: Evaluation, kind: CellKind
) -> tuple[MethodScores, MethodScores, MethodScores | None]:
    """Ourselves, the trivial answer, and the best of the other pipelines for a kind of cells."""
    ours, *others = evaluation.methods
    trivial = next(method for method in others if method.name == TRIVIAL)
    able = [m for m in others if m.name != TRIVIAL and _loss(kind, m) is not None]
    best = min(able, key=lambda method: _loss(kind, method) or 0.0, default=None)
    return ours, trivial, best


def _loss(kind: CellKind, method: MethodScores) -> float | None:
    if kind == "numbers":
        return method.rmse_of_numbers
    if kind == "labels":
        return method.brier_of_labels
    return None if method.right_categories is None else 1 - method.right_categories


def _said(kind: CellKind, method: MethodScores) -> str:
    if kind == "numbers":
        return f"{method.rmse_of_numbers:.2f} standard deviations off"
    share = method.right_labels if kind == "labels" else method.right_categories
    text = f"{100 * (share or 0.0):.1f} % right"
    if kind == "labels" and method.auc_of_labels is not None:
        text += f", AUC {method.auc_of_labels:.3f}"
    return text


def _of_honesty(evaluation: Evaluation) -> list[str]:
    honesty, lines = evaluation.honesty, []
    asked = f"{100 * honesty.level:g} %"
    if honesty.interval_coverage is not None:
        found = f"{100 * honesty.interval_coverage:.1f} %"
        slack = _slack(honesty.level, evaluation.n_hidden.get("numbers", 0))
        holds = honesty.interval_coverage >= honesty.level - slack
        lines.append(
            f"Intervals: {'honest' if holds else 'too narrow here; ask for a higher --level'}. "
            f"Asked to hold {asked} of the numbers, they held {found}; they are "
            f"{honesty.interval_width:.1f} standard deviations wide on average."
        )
    if honesty.set_coverage is not None and honesty.share_sure is not None:
        found = f"{100 * honesty.set_coverage:.1f} %"
        slack = _slack(honesty.level, evaluation.n_hidden.get("labels", 0))
        holds = honesty.set_coverage >= honesty.level - slack
        sure = f"{100 * honesty.share_sure:.0f} %"
        right = (
            f", and then right in {100 * honesty.right_when_sure:.1f} %"
            if honesty.right_when_sure is not None
            else ""
        )
        lines.append(
            f"'Not sure': {'honest' if holds else 'too bold here; ask for a higher --level'}. "
            f"Asked to hold {asked} of the labels, sets of possible values held {found}; the model "
            f"is sure of {sure} of the labels{right}."
        )
    if honesty.calibration_error is not None:
        chance = honesty.chance_error or 0.0
        good = honesty.calibration_error <= max(_CALIBRATED, chance)
        lines.append(
            f"Probabilities: {'take them at their word' if good else 'take them with care'}. They "
            f"are off by {100 * honesty.calibration_error:.1f} points on average; chance alone "
            f"makes up to {100 * chance:.1f}."
        )
    return lines


def _slack(level: float, n_cells: int) -> float:
    """How far below the level a share of so many cells may lie and still be called honest."""
    return max(_TOLERATED, 2 * math.sqrt(level * (1 - level) / max(n_cells, 1)))

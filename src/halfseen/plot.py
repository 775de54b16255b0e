"""Charts of tables, models and explanations, one by one, with matplotlib.

Each function draws one result, on `ax` or on a figure of its own, and returns the Axes. Colours are
few and stay apart for most eyes; the report maps them to those of a light or a dark page.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from halfseen.data import raw
from halfseen.data.frames import read_table, read_target
from halfseen.explain import Couplings, ExplainedPrediction, Importance
from halfseen.explain.columns import METRICS
from halfseen.metrics import ReliabilityBin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from halfseen.experiments.scores import LabelScore

COLOURS: Final = {
    "ink": "#1c2126", "quiet": "#59626b", "grid": "#e6e7e3", "main": "#0067a3",
    "contrast": "#bb4a00",
}  # fmt: skip
_MOST_BANDS: Final = 32
_SHADES: Final = 8
_LONGEST_NAME: Final = 22


def missingness(X: Any, y: Any = None, *, top: int = 30, ax: Axes | None = None) -> Axes:
    """Where entries are missing: a strip per column, from the first row at the left to the last.

    Parameters
    ----------
    X, y : a table, and if there are any its targets, as further strips
    top : number of columns: those with the largest share of missing entries, in their order

    Examples
    --------
    >>> ax = missingness([[1.0, None], [2.0, None], [None, 5.0]], ["yes", None, "no"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['column 0', 'column 1', 'target 0']
    """
    names, observed = observed_entries(X, y)
    share = 1.0 - observed.mean(axis=0)
    shown = np.sort(np.argsort(-share, kind="stable")[:top])
    bands = np.array_split(~observed[:, shown], min(_MOST_BANDS, len(observed)))
    missing = np.array([band.mean(axis=0) for band in bands])
    shades = np.ceil(missing * _SHADES) / _SHADES  # few, so that neighbours merge
    ends = np.cumsum([0, *map(len, bands)])
    ax = framed(ax)
    for place, column in enumerate(shades.T):
        changes = [0, *(np.flatnonzero(np.diff(column)) + 1), len(column)]
        for first, last in pairwise(changes):
            if column[first]:
                ax.barh(
                    place, ends[last] - ends[first], 0.86, ends[first],
                    color=COLOURS["contrast"], alpha=column[first], linewidth=0,
                )  # fmt: skip
    _name_rows(ax, [names[j] for j in shown])
    ax.set_xlim(0, len(observed))
    ax.set_xlabel("row")
    return ax


def observed_entries(X: Any, y: Any = None) -> tuple[list[str], NDArray[np.bool_]]:
    """Names of all columns, targets last, and where they are observed."""
    table = read_table(X)
    names = [column_label(table.label(j)) for j in range(len(table.columns))]
    if y is None:
        return names, table.observed
    # This type is not checked, and nothing depends on it here.
    target = read_target(y, table.n_rows, "multiclass-multioutput")
    names += [column_label(target.label(j), is_target=True) for j in range(len(target.columns))]
    return names, np.hstack([table.observed, target.observed])


def reliability(bins: Sequence[ReliabilityBin], *, ax: Axes | None = None) -> Axes:
    """Predicted probabilities and how often they come true; on the diagonal they are calibrated.

    Vertical lines are 95 % confidence intervals; the numbers on top count the entries of each bin.

    Parameters
    ----------
    bins : from :func:`halfseen.metrics.reliability_bins`

    Examples
    --------
    >>> from halfseen.metrics import reliability_bins
    >>> ax = reliability(reliability_bins([0, 0, 1, 1], [0.15, 0.2, 0.6, 0.9]))
    >>> ax.get_xlabel()
    'predicted probability'
    """
    ax = framed(ax)
    x, share, n = np.array(bins, np.float64).T
    low, high = _confidence(share * n, n)
    ax.plot([0, 1], [0, 1], color=COLOURS["quiet"], linewidth=1, dashes=(3, 3))
    ax.vlines(x, low, high, color=COLOURS["main"], linewidth=1.2)
    ax.plot(x, share, color=COLOURS["main"], linewidth=1.6, marker="o", markersize=4)
    ends = [-1.0]  # of the numbers in each line of them
    for place, count in zip(x, n, strict=True):
        text = _count(int(count))
        line = next((i for i, end in enumerate(ends) if place - end > 0.02 * len(text)), len(ends))
        ends[line : line + 1] = [place + 0.02 * len(text)]
        height = 1.05 + 0.05 * line
        ax.text(place, height, text, ha="center", va="bottom", size=7.5, color=COLOURS["quiet"])
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    ax.set_xlabel("predicted probability")
    ax.set_ylabel("share that came true")
    return ax


def coverage(
    labels: Sequence[LabelScore], *, asked: float = 0.9, top: int = 20, ax: Axes | None = None
) -> Axes:
    """Coverage of prediction sets by class, beside the coverage that was asked for.

    Parameters
    ----------
    labels : from :func:`halfseen.experiments.scores.label_scores`, or `new_rows` of an evaluation
    asked : coverage that was asked of the sets
    top : number of classes: those with the lowest coverage, in their order

    Examples
    --------
    >>> from halfseen import RBMClassifier
    >>> from halfseen.experiments.scores import label_scores
    >>> X, y = [[0], [1]] * 50, ["a", "b"] * 50
    >>> model = RBMClassifier(2, validation_fraction=0.2, random_state=0).fit(X, y)
    >>> ax = coverage(label_scores(model, X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    ax = framed(ax)
    classes = [(label.name, c) for label in labels for c in label.classes]
    classes = [(name, c) for name, c in classes if c.set_coverage is not None]
    n, share = np.array([(c.n_known, c.set_coverage) for _, c in classes], np.float64).T
    shown = np.sort(np.argsort(share, kind="stable")[:top])
    n, share, places = n[shown], share[shown], np.arange(len(shown))
    low, high = _confidence(share * n, n)
    ax.axvline(asked, color=COLOURS["quiet"], linewidth=1, dashes=(3, 3))
    ax.hlines(places, low, high, color=COLOURS["main"], linewidth=1.2)
    ax.plot(share, places, "o", color=COLOURS["main"], markersize=4.5)
    several = len({name for name, _ in classes}) > 1
    names = [(f"{name}: " if several else "") + shortened(c.value) for name, c in classes]
    _name_rows(ax, [names[i] for i in shown])
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("share of sets that contain the truth")
    return ax


def couplings(found: Couplings, *, top: int = 16, ax: Axes | None = None) -> Axes:
    """How strongly columns hang together, as a triangle of cells; the strongest is opaque.

    The colour is that of the direction: blue where more of one column goes with more of the other,
    orange where it goes with less, grey where categories have no order.

    Parameters
    ----------
    found : from :func:`halfseen.explain.couplings`
    top : number of columns: those of the strongest pairs, in their order
    """
    ax = framed(ax)
    strongest = found.strength.max(axis=0)
    shown = np.sort(np.argsort(-strongest, kind="stable")[:top])
    scale = strongest.max() or 1.0
    colours = {1: COLOURS["main"], -1: COLOURS["contrast"], 0: COLOURS["quiet"]}
    for row, i in enumerate(shown):
        for place, j in enumerate(shown[:row]):
            shade = round(float(found.strength[i, j] / scale), 2)
            ax.barh(
                row, 0.92, 0.92, place - 0.46, color=colours[int(found.direction[i, j])],
                alpha=max(shade, 0.02), linewidth=0,
            )  # fmt: skip
    names = [column_label(found.columns[j], is_target=found.is_target[j]) for j in shown]
    _name_rows(ax, names)
    ax.set_xticks(range(len(shown)), list(map(_short, names)), rotation=90)
    ax.set_xlim(-0.5, len(shown) - 1.5)
    ax.set_ylim(len(shown) - 0.5, 0.5)
    return ax


def effects(prediction: ExplainedPrediction, *, top: int = 10, ax: Axes | None = None) -> Axes:
    """What the observed entries of a row did to a prediction.

    Parameters
    ----------
    prediction : one of those that :func:`halfseen.explain.explain_rows` finds
    top : number of entries, the largest effects first
    """
    shown = prediction.effects[:top]
    names = [
        f"{column_label(effect.column, is_target=effect.is_target)} = {value_label(effect.value)}"
        for effect in shown
    ]
    of = column_label(prediction.column, is_target=prediction.is_target)
    if prediction.event is not None:
        of = f"log-odds of {of} = {value_label(prediction.event)}"
    changes = [effect.change for effect in shown]
    return _signed_bars(names, changes, _short(f"change in {of}", 44), ax)


def importance(found: Importance, *, top: int = 15, ax: Axes | None = None) -> Axes:
    """How much worse predictions become without each feature, on average over what is predicted.

    Parameters
    ----------
    found : from :func:`halfseen.explain.importance`
    top : number of features, the most important first
    """
    mean = found.increase.mean(axis=0)
    shown = np.argsort(-mean, kind="stable")[:top]
    what = " and ".join(METRICS[metric] for metric in dict.fromkeys(found.metric))
    names = [column_label(found.features[j]) for j in shown]
    return _signed_bars(names, mean[shown].tolist(), f"increase in {what} without the feature", ax)


def history(model: Any, *, ax: Axes | None = None) -> Axes:
    """Validation loss of an RBM estimator, epoch by epoch; the lowest is marked.

    Parameters
    ----------
    model : RBMClassifier or RBMImputer, fitted with early stopping

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMImputer
    >>> model = RBMImputer(4, n_iter=3, early_stopping=True, validation_fraction=0.1)
    >>> ax = history(model.fit(load_iris().data))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('epoch', 'validation loss')
    """
    epochs, losses = validation_losses(model)
    if not losses:
        so = "RBM estimators have them when they are fitted with early_stopping=True."
        raise ValueError(f"This {type(model).__name__} has no validation losses. {so}")
    ax, best = framed(ax), int(np.argmin(losses))
    ax.plot(epochs, losses, color=COLOURS["main"], linewidth=1.6)
    ax.plot(epochs[best], losses[best], "o", color=COLOURS["contrast"], markersize=5)
    ax.set_xlabel("epoch")
    ax.set_ylabel("validation loss")
    return ax


def validation_losses(model: Any) -> tuple[list[int], list[float]]:
    """Epochs with a validation loss, and the losses."""
    records = [r for r in getattr(model, "history_", []) if r.validation_loss is not None]
    return [record.epoch for record in records], [record.validation_loss for record in records]


def column_label(name: str | int, *, is_target: bool = False) -> str:
    """The name of a column, or what stands for it in a table without names."""
    if isinstance(name, str):
        return shortened(name)
    return f"target {name}" if is_target else f"column {name}"


def value_label(value: Any) -> str:
    """A value of a column as text: a float with at most six digits, and whole where it is."""
    return f"{value:.6g}" if isinstance(value, float) else shortened(str(value))


def shortened(text: str, longest: int = 100) -> str:
    """Text on one line, its end cut off where it is too long."""
    return raw.shortened(" ".join(text.split()), longest)


def framed(ax: Axes | None) -> Axes:
    """The Axes that were given, or new ones, with a quiet frame."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ModuleNotFoundError as error:
            message = "Charts need matplotlib: pip install 'halfseen[report]'"
            raise ModuleNotFoundError(message) from error
        ax = plt.subplots(layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(COLOURS["quiet"])
    ax.tick_params(color=COLOURS["quiet"], labelcolor=COLOURS["ink"], length=3)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(COLOURS["ink"])
    return ax


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Rows from the top downwards, without ticks."""
    ax.set_yticks(range(len(names)), [_short(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def _signed_bars(names: list[str], sizes: Sequence[float], label: str, ax: Axes | None) -> Axes:
    ax = framed(ax)
    colours = [COLOURS["main" if size >= 0 else "contrast"] for size in sizes]
    ax.barh(range(len(sizes)), sizes, 0.7, color=colours)
    _name_rows(ax, names)
    ax.axvline(0, color=COLOURS["quiet"], linewidth=1)
    ax.set_xlabel(label)
    return ax


def _confidence(hits: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wilson's 95 % confidence intervals of shares, of shape (2, n_shares)."""
    pairs = zip(np.rint(hits).astype(int), n.astype(int), strict=True)
    return np.array([binomtest(*pair).proportion_ci(method="wilson") for pair in pairs]).T


def _count(n: int) -> str:
    return str(n) if n < 1000 else f"{n / 1000:.2g}k" if n < 10_000 else f"{n // 1000}k"


def _short(name: str, longest: int = _LONGEST_NAME) -> str:
    """A short name of characters that can be shown, in which a dollar sign starts no formula."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shortened(name))
    if len(text) > longest:  # names often differ at their ends
        text = f"{text[: longest - 9]}\N{HORIZONTAL ELLIPSIS}{text[-8:]}"
    return text.replace("$", r"\$")

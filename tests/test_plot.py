"""Charts, by what is on their axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from halfseen import plot
from halfseen.experiments.scores import ClassScore, LabelScore
from halfseen.explain import Couplings, EntryEffect, ExplainedPrediction, Importance
from halfseen.metrics import reliability_bins


@pytest.fixture
def ax() -> Any:
    return Figure(layout="constrained").add_subplot()


@pytest.fixture(autouse=True)
def without_windows() -> Iterator[None]:
    import matplotlib.pyplot as plt

    with mpl.rc_context({"backend": "agg"}):
        yield
        plt.close("all")


def names(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_missingness_shows_the_columns_that_lack_the_most(ax: Any) -> None:
    X = np.zeros((100, 5))
    X[:50, 1] = X[:, 3] = np.nan
    X[0, 4] = np.nan
    assert plot.missingness(X, top=2, ax=ax) is ax
    assert names(ax) == ["column 1", "column 3"]
    ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    assert (ends[0][0], ends[-1]) == (0, (0, 100))
    assert ends[0][1] == pytest.approx(50, abs=2)


def test_reliability(ax: Any) -> None:
    bins = reliability_bins([0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75])
    plot.reliability(bins, ax=ax)
    x, y = ax.lines[1].get_data()
    assert (x.tolist(), y.tolist()) == ([0.25, 0.75], [0.5, 1.0])
    assert [text.get_text() for text in ax.texts] == ["2", "2"]


def test_coverage_shows_the_lowest_classes(ax: Any) -> None:
    labels = [
        LabelScore(name=name, n_known=10, classes=(
            ClassScore(value="1", n_known=10, recall=0.5, set_coverage=share),
        ))
        for name, share in (("target 0", 0.9), ("b", 0.5), ("c", 1.0))
    ]  # fmt: skip
    plot.coverage(labels, top=2, ax=ax)
    assert names(ax) == ["target 0: 1", "b: 1"]
    assert ax.lines[1].get_xdata().tolist() == [0.9, 0.5]


def test_couplings_are_a_triangle_in_colours_of_their_direction(ax: Any) -> None:
    strength = np.array([[0, 0.4, 0.2], [0.4, 0, 0.1], [0.2, 0.1, 0]])
    direction = np.array([[0, 1, -1], [1, 0, 0], [-1, 0, 0]], np.int8)
    found = Couplings(("a", "b", 0), (False, False, True), strength, direction, "weights")
    plot.couplings(found, ax=ax)
    assert names(ax) == ["a", "b", "target 0"]
    shown = [(mpl.colors.to_hex(bar.get_facecolor()), bar.get_alpha()) for bar in ax.patches]
    colours = [plot.COLOURS[name] for name in ("main", "contrast", "quiet")]
    assert shown == list(zip(colours, [1.0, 0.5, 0.25], strict=True))


def test_effects_and_importance(ax: Any) -> None:
    effects = tuple(EntryEffect(name, False, 2.0, change, None) for name, change in
                    (("$a$", 3.0), ("b", -1.0)))  # fmt: skip
    plot.effects(ExplainedPrediction(0, "c", False, 5.0, None, None, effects), ax=ax)
    assert [bar.get_width() for bar in ax.patches] == [3.0, -1.0]
    assert names(ax) == [r"\$a\$ = 2", "b = 2"]  # no formula
    assert ax.get_xlabel() == "change in c"
    found = Importance(
        ("a", "b", "c"), ("y",), (True,), ("log_loss",), np.ones(1), np.array([[0.1, 0.3, 0.2]])
    )
    ax = plot.importance(found, top=2)
    assert names(ax) == ["b", "c"]
    assert ax.get_xlabel() == "increase in log-loss without the feature"


def test_history_without_losses_is_an_error() -> None:
    with pytest.raises(ValueError, match="fitted with early_stopping=True"):
        plot.history(object())

"""A forest on file: as it was, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from estimators.test_forest import forest_by_hand
from halfseen.estimators.forest_file import forest_from_arrays, forest_to_arrays
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.predictive_sweeps import PredictiveLayer
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.storage import Sealed

COLUMNS = PredictiveColumns(PredictiveLayer(VisibleLayer(2, 1, ()), 0), (0, 1, 2), 2, 1)


def read(arrays: dict[str, Any], n_trees: int = 1) -> Any:
    return forest_from_arrays(n_trees, 2, Sealed(5, {}, arrays), "p.", COLUMNS)


def test_what_is_written_is_read() -> None:
    forest = forest_by_hand()
    again = read(forest_to_arrays(forest, "p."))
    for name in ("first_node", "unit", "threshold", "left", "right", "share", "widths"):
        np.testing.assert_array_equal(getattr(again, name), getattr(forest, name))
    assert forest_to_arrays(None, "p.") == {}
    assert read({}, n_trees=0) is None


@pytest.mark.parametrize(
    ("name", "place", "value", "says"),
    [
        ("left", 0, 0, "come after it"),  # would walk for ever
        ("right", 0, 9, "children are nodes"),
        ("left", 2, 1, "come after it"),
        ("unit", 0, 2, "units of features"),
        ("unit", 0, -1, "units of features"),
        ("first_node", 0, 4, "begin at a node"),
        ("threshold", 0, np.nan, "thresholds are numbers"),
        ("share", 1, 1.5, "from 0 to 1"),
        ("share", 1, np.nan, "from 0 to 1"),
    ],
)
def test_wrong_nodes_are_refused(name: str, place: int, value: Any, says: str) -> None:
    arrays = {key: array.copy() for key, array in forest_to_arrays(forest_by_hand(), "p.").items()}
    arrays[f"p.forest.{name}"].reshape(-1)[place] = value
    with pytest.raises(ValueError, match=says):
        read(arrays)


def test_trees_of_endless_depth_are_refused() -> None:
    n_nodes = 20_000
    node = np.arange(n_nodes, dtype=np.int32)
    below = np.minimum(node + 1, n_nodes - 1).astype(np.int32)
    arrays = forest_to_arrays(forest_by_hand(), "p.")
    arrays |= {"p.forest.left": below, "p.forest.right": below}
    arrays |= {"p.forest.unit": np.zeros(n_nodes, np.int32)}
    arrays |= {"p.forest.threshold": np.zeros(n_nodes, np.float32)}
    arrays |= {"p.forest.share": np.zeros((n_nodes, 1), np.float32)}
    with pytest.raises(ValueError, match="levels deep"):
        read(arrays)


def test_wrong_shapes_and_types_are_refused() -> None:
    arrays = forest_to_arrays(forest_by_hand(), "p.")
    with pytest.raises(ValueError, match="another shape"):
        read(arrays, n_trees=2)
    for name in list(arrays):
        with pytest.raises(ValueError, match="must be of type"):
            read(arrays | {name: arrays[name].astype(np.float64)})
        with pytest.raises(ValueError, match="another shape"):
            read(arrays | {name: arrays[name][:, None]})

"""Tables made up on the spot: random bits, half of them hidden."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.machine.visible_layer import VisibleLayer


class RandomRows(NamedTuple):
    """Rows in units, and which are seen."""

    visible: NDArray[np.float32]
    observed: NDArray[np.bool_]


def layer_of_width(n_visible: int, n_classes: int = 0) -> VisibleLayer:
    """Binary units, the last few of them a group of classes."""
    groups = (n_classes,) if n_classes else ()
    return VisibleLayer(0, n_visible - n_classes, groups)


def random_rows(
    n_rows: int, layer: VisibleLayer, missing_rate: float = 0.5, seed: int = 0
) -> RandomRows:
    """As many rows of this layer; units of a group are hidden together.

    Examples
    --------
    >>> rows = random_rows(10, layer_of_width(7, n_classes=3))
    >>> rows.visible[:, 4:].sum(axis=1).tolist() == [1.0] * 10
    True
    """
    generator = np.random.default_rng(seed)
    # A byte is a quarter of a float: tables of many rows are made in less memory than they take.
    bytes_ = generator.integers(0, 256, (n_rows, layer.n_visible), np.uint8)
    visible = (bytes_ < 64).astype(np.float32)
    visible[:, : layer.n_gaussian] = (bytes_[:, : layer.n_gaussian] - 127.5) / 73.9
    observed = generator.integers(0, 256, visible.shape, np.uint8) >= round(256 * missing_rate)
    first = layer.n_gaussian + layer.n_bernoulli
    for size in layer.group_sizes:
        group = slice(first, first + size)
        visible[:, group] = np.eye(size, dtype=np.float32)[generator.integers(0, size, n_rows)]
        observed[:, group] = observed[:, first : first + 1]
        first += size
    return RandomRows(visible, observed)

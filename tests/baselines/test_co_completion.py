"""What MC-1 and COCO share: the way of mu, and what they say of the solution."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from halfseen.baselines._co_completion import CoCompletion, continuation
from halfseen.baselines.coco import COCO
from halfseen.baselines.mc1 import MC1


def test_continuation_ends_where_it_should() -> None:
    assert continuation(2.0, 1.0, 0.25) == [2.0]
    values = continuation(1e-3, 1.0, 0.25)
    assert values[-1] == 1e-3
    assert all(a > b for a, b in pairwise(values))


@pytest.mark.parametrize("of_method", [MC1, COCO])
def test_it_says_how_it_ended(of_method: type[CoCompletion]) -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.standard_normal((20, 4)), generator.integers(0, 2, (20, 2)).astype(float)
    long, short = of_method().fit(X, Y), of_method(max_iter=1).fit(X, Y)
    assert short.n_iter_ < long.n_iter_
    assert long.movement_ < long.tol
    assert short.movement_ > short.tol
    assert long.mu_ == pytest.approx(short.mu_)

from __future__ import annotations

import numpy as np

from halfseen.demo.answer import Answer


def test_parts_in_order() -> None:
    labels, scores, classes = np.array([4]), np.array([[0.1, 0.9]]), np.array([3, 4])
    answer = Answer(labels, scores, classes, None)
    assert answer.labels is labels
    assert answer.scores is scores
    assert answer.classes is classes
    assert answer.pixels is None

from __future__ import annotations

from explanations.tiny import people
from halfseen.explanations import explain_row, explain_rows
from halfseen.explanations.example_model import example_model


def test_one_row_is_explained_as_among_others() -> None:
    model, X = example_model(), people()
    everything = explain_rows(model, X, range(len(X)), target="ill", method="exact", patterns=())
    for row, expected in enumerate(everything):
        assert explain_row(model, X, row, target="ill", method="exact", patterns=()) == expected

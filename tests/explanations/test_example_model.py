from __future__ import annotations

import numpy as np

from explanations.tiny import enumerated_example, people
from halfseen.explanations.example_model import example_model


def test_it_answers_as_a_fitted_model_does() -> None:
    model, X = example_model(), people()
    assert model.predict(X).shape == (5, 2)
    filled = model.transform(X)
    assert not filled.isna().any(axis=None)
    assert filled.loc[0].tolist() == X.loc[0].tolist()


def test_rows_are_weighed_as_by_brute_force() -> None:
    X = people()
    expected = enumerated_example().score_samples(X)
    np.testing.assert_allclose(example_model().score_samples(X), expected, atol=1e-4)

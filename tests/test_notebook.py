"""What notebooks show of an estimator."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

from halfseen import RBMClassifier

NAME = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def fitted() -> RBMClassifier:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=80), NAME: rng.choice([NAME, "y", "z"], 80)})
    X.loc[:9, "size"] = np.nan
    model = RBMClassifier(4, n_iter=3, validation_fraction=0.2, random_state=0)
    return model.fit(X, rng.integers(0, 2, 80))


def test_what_was_learned_stands_below_the_parameters(fitted: RBMClassifier) -> None:
    html = fitted._repr_html_()
    assert fitted._repr_mimebundle_()["text/html"].endswith(html[html.index("<details class=") :])
    learned = html.partition("Learned: ")[2]
    assert "2 features (1 numeric, 1 categorical) and 1 target" in learned
    assert "<script" not in learned
    rows = [re.findall("<td>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", learned)[1:]]
    assert [row[:3] for row in rows[:2]] == [
        ["target 0", "binary", "80"],
        ["size", "numeric", "70"],
    ]
    schema, intervals = fitted.schema_, fitted.calibration_.intervals
    median = intervals.error_quantile(0.5)[0] * schema.features[0].scale
    assert rows[1][4] == f"error: {median:.3g}"
    assert rows[0][4].startswith("probability of the truth, by class: 0.")


def test_an_estimator_that_is_not_fitted_shows_its_parameters_alone() -> None:
    assert "Learned" not in RBMClassifier()._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in RBMClassifier()._repr_mimebundle_()

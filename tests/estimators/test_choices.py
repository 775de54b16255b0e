"""What a fit chose can be read: in its history, in a notebook, and after loading."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from halfseen import HalfseenClassifier, load
from halfseen.estimators.choices import choices_html
from halfseen.estimators.predictive_settings import shrinkages_offered
from halfseen.learning.choice import Choice


def test_choices_say_what_the_model_does(predicts_classes: HalfseenClassifier) -> None:
    said = {choice.what: choice for choice in predicts_classes.history_.choices}
    ensemble, blend = predicts_classes.prediction_.ensemble, predicts_classes.prediction_.blend
    assert said["members"].chosen.startswith(f"{len(ensemble.weights)}: ")
    assert f"{ensemble.shape.n_hidden} hidden units" in said["each member"].chosen
    offered = shrinkages_offered(40, predicts_classes.schema_.n_visible, "default")
    assert said["shrinkage of the prior"].chosen in [f"{100 * share:g} %" for share in offered]
    prior = blend.number[:, : ensemble.n_kinds].sum(axis=1).mean()
    assert said["numbers by"].chosen.startswith(f"{100 * prior:.0f} % prior")
    powers = said["classes of rows without a known one by"].chosen.split("; ")
    assert [power.split()[0] for power in powers] == [f"{p:.2f}" for p in blend.class_power[0]]
    assert [power.split(" ", 1)[1] for power in powers[-2:]] == ["prior alone", "forest"]
    assert not any(what.startswith("labels") for what in said)


def test_the_smallest_loss_is_the_reason(predicts_classes: HalfseenClassifier) -> None:
    (choice,) = [c for c in predicts_classes.history_.choices if c.what.startswith("shrinkage")]
    losses = [float(word) for word in re.findall(r"\d\.\d{4}", choice.why)]
    assert (
        2
        <= len(losses)
        <= len(shrinkages_offered(40, predicts_classes.schema_.n_visible, "default"))
    )
    assert losses[0] == min(losses)


def test_a_notebook_shows_them_safely(predicts_classes: HalfseenClassifier) -> None:
    shown = predicts_classes._repr_mimebundle_()["text/html"]
    assert "What the fit chose" in shown
    assert "shrinkage of the prior" in shown
    assert "What the fit chose" not in HalfseenClassifier()._repr_mimebundle_()["text/html"]
    assert "<script>" not in choices_html([Choice("<script>", "a", "b")])


def test_a_loaded_model_knows_them(
    predicts_classes: HalfseenClassifier, table: pd.DataFrame, tmp_path: Path
) -> None:
    predicts_classes.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.history_.choices == predicts_classes.history_.choices
    assert again.prediction_.choices == predicts_classes.history_.choices
    np.testing.assert_array_equal(again.predict_proba(table), predicts_classes.predict_proba(table))

"""The methods by name: all there, and told where they do not apply."""

from __future__ import annotations

import pytest

import halfseen.baselines
from halfseen.baselines import OurMachine
from halfseen.baselines.baseline import Baseline
from halfseen.experiments.data_sets import CATALOGUE
from halfseen.experiments.methods import (
    IMAGES,
    METHODS,
    UnknownSetting,
    method_named,
    method_with,
    why_not,
)


def test_every_public_method_has_a_name() -> None:
    public = {getattr(halfseen.baselines, name) for name in halfseen.baselines.__all__}
    named = {type(method_named(name)) for name in METHODS}
    assert named == {
        of for of in public if isinstance(of, type) and issubclass(of, Baseline) and of != Baseline
    }


def test_an_unknown_name_is_answered_with_all_names() -> None:
    with pytest.raises(ValueError, match=r"unknown method 'mice'; there are column_prior, .*gain"):
        method_named("mice")


def test_images_have_as_many_pixels_as_features() -> None:
    for name, (height, width) in IMAGES.items():
        assert height * width == CATALOGUE[name].n_features
        assert not why_not("misgan_convolutional", name)
    assert "those of yeast are not" in why_not("misgan_convolutional", "yeast")


def test_settings_reach_the_estimator() -> None:
    method = method_with("rbm_mo", {"n_iter": 2, "n_gibbs_steps": 5}, seed=7)
    assert isinstance(method, OurMachine)
    assert (method.estimator, method.random_state) == ("RBMClassifier", 7)
    assert method.parameters == {"n_iter": 2, "n_gibbs_steps": 5}


def test_a_method_without_a_seed_needs_none() -> None:
    assert method_with("column_prior", {}, seed=3).get_params() == {}


@pytest.mark.parametrize("name", ["rbm_mo", "gain"])
def test_the_seed_is_no_setting(name: str) -> None:
    with pytest.raises(UnknownSetting, match="random_state"):
        method_with(name, {"random_state": 1})

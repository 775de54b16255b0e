from __future__ import annotations

import pytest

from halfseen.baselines.our_machine import OurMachine
from halfseen.experiments.method_with import UnknownSetting, method_with


def test_settings_reach_the_estimator() -> None:
    method = method_with("halfseen_paper", {"effort": "fast", "n_gibbs_steps": 5}, seed=7)
    assert isinstance(method, OurMachine)
    assert (method.preset, method.effort, method.random_state) == ("paper", "fast", 7)
    assert method.further == {"n_gibbs_steps": 5}


def test_a_method_without_a_seed_needs_none() -> None:
    assert method_with("column_prior", {}, seed=3).get_params() == {}


@pytest.mark.parametrize("name", ["halfseen", "mc1"])
def test_the_seed_is_no_setting(name: str) -> None:
    with pytest.raises(UnknownSetting, match="random_state"):
        method_with(name, {"random_state": 1})

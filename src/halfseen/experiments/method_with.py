"""A method by name, with settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfseen.baselines.baseline import Baseline
from halfseen.baselines.our_machine import OurMachine
from halfseen.estimators import HalfseenClassifier
from halfseen.experiments.methods import method_named
from halfseen.experiments.plan_values import did_you_mean

# What a study decides itself, or what changes no answer.
_OF_THE_STUDY = {
    "callbacks",
    "checkpoint",
    "checkpoint_every",
    "further",
    "oracle_y",
    "random_state",
    "resume",
    "target_kind",
    "verbose",
}


class UnknownSetting(ValueError):
    """A method has no such parameter."""


def method_with(name: str, settings: Mapping[str, Any], seed: int | None = None) -> Baseline:
    """A method with some of its settings replaced.

    Parameters
    ----------
    name : str
        One of ``METHODS``.
    settings : mapping
        Parameters of the method; for our own, also any of `halfseen.HalfseenClassifier`.
    seed : int or None
        Its ``random_state``, if it has one; None for its own.

    Returns
    -------
    Baseline

    Raises
    ------
    UnknownSetting
        There is no such parameter; the nearest is named.

    Examples
    --------
    >>> method_with("halfseen", {"effort": "fast", "n_hidden": 20}, seed=3).further
    {'n_hidden': 20}
    >>> method_with("mc1", {"ranks": 3})
    Traceback (most recent call last):
    ...
    halfseen.experiments.method_with.UnknownSetting: there is no setting 'ranks'. ...
    """
    method = method_named(name)
    own = set(method.get_params(deep=False)) - _OF_THE_STUDY
    further = set()
    if isinstance(method, OurMachine):
        further = set(HalfseenClassifier().get_params()) - own - _OF_THE_STUDY
    for setting in settings:
        if setting not in own | further:
            known = sorted(own | further)
            raise UnknownSetting(
                f"there is no setting {setting!r}.{did_you_mean(setting, known)} There are: "
                f"{', '.join(known) or 'none'}."
            )
    values: dict[str, Any] = {key: value for key, value in settings.items() if key in own}
    rest = {key: value for key, value in settings.items() if key in further}
    if rest:
        values["further"] = rest
    if seed is not None and "random_state" in method.get_params(deep=False):
        values["random_state"] = seed
    chosen: Baseline = method.set_params(**values)
    return chosen

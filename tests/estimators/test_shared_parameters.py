"""Parameters that are described once."""

from __future__ import annotations

import inspect
import re

import pytest

from halfseen import HalfseenClassifier, HalfseenImputer
from halfseen.estimators.shared_parameters import SHARED_PARAMETERS, with_shared_parameters


@pytest.mark.parametrize("estimator", [HalfseenClassifier, HalfseenImputer])
def test_every_parameter_is_described(estimator: type) -> None:
    text = inspect.getdoc(estimator) or ""
    assert "{shared_parameters}" not in text
    described = text.split("Parameters\n", 1)[1].split("Attributes\n", 1)[0]
    names = re.findall(r"^(\w+(?:, \w+)*) : ", described, re.MULTILINE)
    flat = [name for together in names for name in together.split(", ")]
    assert sorted(flat) == sorted(inspect.signature(estimator).parameters)


def test_nothing_else_is_touched() -> None:
    class Plain:
        pass

    class Described:
        """First.

        {shared_parameters}
        Last.
        """

    assert with_shared_parameters(Plain).__doc__ is None
    assert with_shared_parameters(Described) is Described
    assert SHARED_PARAMETERS in (Described.__doc__ or "")

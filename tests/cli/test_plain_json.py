from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from halfseen.cli.plain_json import plain_json


class Colour(StrEnum):
    RED = "red"


class Pair(NamedTuple):
    left: int
    right: float


@dataclass(frozen=True)
class Record:
    pair: Pair
    colour: Colour


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("inf"), None),
        (np.float64("-inf"), None),
        (np.int8(3), 3),
        (np.bool_(True), True),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        (Colour.RED, "red"),
        ({Colour.RED: {2, 1}}, {"red": [1, 2]}),
        (Path("a") / "b", "a/b"),
        (Record(Pair(1, 0.5), Colour.RED), {"pair": {"left": 1, "right": 0.5}, "colour": "red"}),
    ],
)
def test_values(value: Any, expected: Any) -> None:
    plain = plain_json(value)
    assert plain == expected
    assert type(plain) is type(expected)
    json.dumps(plain, allow_nan=False)

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.packed import ASKED, near
from halfseen.experiments.packed_record import (
    NOTHING_ABOVE,
    changes,
    packed_record,
    unpacked_record,
    without_folders,
)
from halfseen.experiments.record import SCORES, Record

NO_SCORES = dict.fromkeys(SCORES, math.nan)


@given(
    names=st.lists(st.integers(0, 9), unique=True, min_size=1, max_size=4),
    rates=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    scores=st.dictionaries(st.sampled_from(SCORES), st.floats(allow_infinity=False)),
    bins=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**9)), max_size=3),
    seconds=st.floats(0, 1e9) | st.just(math.nan),
    why=st.text(st.characters(exclude_characters="/", codec="utf-8"), max_size=20),
    setting=st.sampled_from([1, 1.0, True, None, "\u2028", [1, [2]], {"a": 1 / 3}]),
    versions=st.sampled_from([{}, {"halfseen": "1"}, {"halfseen": "2"}]),
)
def test_records_come_back(
    names: list[int],
    rates: tuple[float, float],
    scores: dict[str, float],
    bins: list[tuple[float, float, float]],
    seconds: float,
    why: str,
    setting: object,
    versions: dict[str, str],
) -> None:
    usual = Record(*ASKED, "cle", settings={"a": 1}, versions={"halfseen": "1"})
    unusual = Record(
        "yeast", "inductive", "blocks", "at_random", *rates, 0.25, "mc1", "k5",
        settings={"a": setting}, status="failed", why=why, scores=scores, reliability=tuple(bins),
        seconds=seconds, versions=versions,
    )  # fmt: skip
    records = [usual, *(replace(unusual, realisation=one, key="") for one in names)]
    all_versions: list[Mapping[str, str]] = []
    above = read_above = NOTHING_ABOVE
    for record in records:
        packed = packed_record(record, all_versions)
        line = json.loads(json.dumps(changes(packed, above), allow_nan=False))
        read = {**read_above, **line}
        again = unpacked_record(read, record.key, SCORES, all_versions, "here")
        assert near(again, replace(record, scores={**NO_SCORES, **record.scores}))
        assert packed_record(again, all_versions) == packed
        above, read_above = packed, read


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("no '/home/ann/a.csv'", "no 'a.csv'"),
        ("/a/b.csv:3: bad", "b.csv:3: bad"),
        ("file:///srv/data/x", "file://x"),
        ("https://openml.org/d/1", "https://openml.org/d/1"),
        ("and/or, 1 / 2, ~/a/b, ./a/b", "and/or, 1 / 2, ~/a/b, ./a/b"),
    ],
)
def test_paths_are_cut_to_file_names(text: str, left: str) -> None:
    assert without_folders(text) == left

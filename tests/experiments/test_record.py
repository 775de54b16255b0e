from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.experiments.record import (
    CELLS,
    SCORES,
    NotARecord,
    Record,
    read_record,
    read_records,
    write_json,
    write_record,
)

ASKED = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")


def same(one: Record, other: Record) -> bool:
    texts = [repr({**vars(r), "scores": sorted(r.scores.items())}) for r in (one, other)]
    return texts[0] == texts[1]  # NaN equals NaN there


@given(
    rates=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    new_rate=st.none() | st.floats(0, 1),
    scores=st.fixed_dictionaries({name: st.floats(allow_infinity=False) for name in SCORES}),
    bins=st.lists(st.tuples(*[st.floats(0, 1)] * 3), max_size=3),
    seconds=st.floats(0, 1e9) | st.just(math.nan),
    why=st.text(max_size=20),
)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    rates: tuple[float, float],
    new_rate: float | None,
    scores: dict[str, float],
    bins: list[tuple[float, float, float]],
    seconds: float,
    why: str,
) -> None:
    record = Record(
        "scene", "inductive", "blocks", "at_random", *rates, new_rate, "mc1", scores=scores,
        reliability=tuple(bins), seconds=seconds, why=why, settings={"a": 1, "b": [1.5, "c"]},
    )  # fmt: skip
    run = tmp_path_factory.mktemp("run")
    path = write_record(run, record)
    assert same(read_record(path), record)
    assert "NaN" not in path.read_text()
    assert same(read_records(run)[0], record)


def test_numbers_of_numpy_are_written(tmp_path: Path) -> None:
    write_json(tmp_path / "a", {"a": np.float32(0.5), "b": np.array([1, 2]), "c": np.nan})
    assert json.loads((tmp_path / "a").read_text()) == {"a": 0.5, "b": [1, 2], "c": None}


def test_keys_tell_cells_apart() -> None:
    record = Record(*ASKED)
    others = [
        replace(record, key="", **change)
        for change in (
            {"data_set": "yeast"},
            {"task": "inductive"},
            {"feature_hiding": "blocks"},
            {"label_hiding": "positives_only"},
            {"feature_rate": 0.55},
            {"label_rate": 0.3},
            {"new_feature_rate": 0.8},
            {"method": "cle"},
            {"variant": "x"},
            {"realisation": 1},
        )
    ]
    assert len({record.key, *(other.key for other in others)}) == 11


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 2}', '{"format": 1}'])
def test_what_is_no_record_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / CELLS).mkdir()
    (tmp_path / CELLS / "a.json").write_text(text)
    with pytest.raises(NotARecord, match=r"a\.json"):
        read_records(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("status", "fine"), ("realisation", 0.5), ("scores", []), ("reliability", [[1, 2]])],
)
def test_a_value_that_cannot_be_is_named(tmp_path: Path, name: str, value: object) -> None:
    path = write_record(tmp_path, Record(*ASKED))
    write_json(path, {**json.loads(path.read_text()), name: value})
    with pytest.raises(NotARecord, match=rf"json holds .* as {name}\. Remove it"):
        read_record(path)

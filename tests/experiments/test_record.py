from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.experiments.record import (
    RECORDS,
    SCORES,
    NotARecord,
    Record,
    TunedSettings,
    append_record,
    read_records,
    read_run_records,
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
    append_record(run, record)
    assert "NaN" not in (run / RECORDS).read_text()
    assert same(read_records(run)[0], record)


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


def test_settings_are_read_as_the_tuner_chose_them(tmp_path: Path) -> None:
    tuned = TunedSettings({"hidden": (3, 4)}, 1, 2, series="scene-miwae")
    append_record(tmp_path, tuned)
    assert read_run_records(tmp_path).tunings == {"scene-miwae": tuned}
    assert read_records(tmp_path) == []


def test_the_last_line_about_a_cell_counts(tmp_path: Path) -> None:
    record = Record(*ASKED, status="failed", why="too large")
    append_record(tmp_path, record)
    append_record(tmp_path, Record(*ASKED, realisation=1))
    append_record(tmp_path, replace(record, status="done", why=""))
    assert [one.status for one in read_records(tmp_path)] == ["done", "done"]
    assert len((tmp_path / RECORDS).read_text().splitlines()) == 3


def test_a_line_that_was_cut_off_is_passed_over_and_replaced(tmp_path: Path) -> None:
    append_record(tmp_path, Record(*ASKED))
    whole = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(whole + whole[:50])
    assert len(read_records(tmp_path)) == 1
    append_record(tmp_path, Record(*ASKED, realisation=1))
    assert len(read_records(tmp_path)) == 2
    assert (tmp_path / RECORDS).read_bytes().startswith(whole)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"done"', '"fine"', "status: Input should be 'done'"),
        ('"realisation":0', '"realisation":0.5', "realisation: Input should be a valid integer"),
        ('"scores":{', '"score":{', "scores?: "),
        ('"cell"', '"cel"', "the line|cel: "),
        ("}", "", "the line: Invalid JSON"),
    ],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    append_record(tmp_path, Record(*ASKED))
    append_record(tmp_path, Record(*ASKED, realisation=1))
    first, second = (tmp_path / RECORDS).read_text().splitlines()
    (tmp_path / RECORDS).write_text(f"{first.replace(old, new)}\n{second}\n")
    with pytest.raises(NotARecord, match=rf"jsonl, line 1, is no record: .*({said}).*Remove the"):
        read_records(tmp_path)

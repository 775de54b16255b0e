from __future__ import annotations

from pathlib import Path

import pytest

from halfseen.cli.evaluation import Evaluation, Honesty, MethodScores
from halfseen.cli.evaluation_file import read_evaluation, write_evaluation
from halfseen.cli.problem import Problem


def test_scores_come_back(tmp_path: Path) -> None:
    path = str(tmp_path / "e.json")
    ours = MethodScores("halfseen", 0.5, None, 0.9, None, 0.2, 3.0)
    write_evaluation(path, Evaluation(5, 9, 0.2, {"labels": 3}, (ours,), (), (), Honesty(0.9)))
    rows = read_evaluation(path)
    assert [(row.method, row.value, row.better_when_higher) for row in rows] == [
        ("halfseen", 0.9, True),
        ("halfseen", 0.2, False),
        ("halfseen", 0.5, False),
    ]
    assert {row.seconds for row in rows} == {3.0}


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"kind": "x"}', b'{"kind": "halfseen evaluation"}', b"\xff"]
)
def test_what_is_no_evaluation(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "e.json").write_bytes(content)
    with pytest.raises(Problem, match="is no evaluation"):
        read_evaluation(str(tmp_path / "e.json"))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="No such file"):
        read_evaluation(str(tmp_path / "none.json"))

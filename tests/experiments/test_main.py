"""The command: a table, progress, and a file to go on from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halfseen.experiments import __main__ as command
from halfseen.experiments.data_sets import DataSet, DataSetUnavailable

WORDS = ["scene", "--masks", "1", "--budget", "2"]


@pytest.fixture
def at_hand(tiny: DataSet, monkeypatch: pytest.MonkeyPatch) -> DataSet:
    monkeypatch.setattr(command, "load_data_set", lambda name, n_rows=None: tiny)
    return tiny


def test_it_prints_a_table_and_progress(
    at_hand: DataSet, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([*WORDS, "--methods", "column_prior", "misgan_convolutional"]) == 0
    printed = capsys.readouterr()
    assert "column_prior  0." in printed.out
    assert "misgan_convolutional: convolutions need rows that are images" in printed.out
    assert "0 of 2 methods done] column_prior: mask 1 of 1" in printed.err


def test_it_goes_on_where_it_was(
    at_hand: DataSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.json"
    words = [*WORDS, "--save", str(path), "--methods"]
    assert command.main([*words, "column_prior"]) == 0
    assert command.main([*words, "column_prior", "soft_impute"]) == 1
    assert "add --resume to go on from it" in capsys.readouterr().err
    assert command.main([*words, "soft_impute", "column_prior", "--resume"]) == 0
    printed = capsys.readouterr()
    assert "column_prior: mask" not in printed.err
    assert "1 of 2 methods done] soft_impute: mask 1 of 1" in printed.err
    assert printed.out.index("column_prior") < printed.out.index("soft_impute")
    kept = json.loads(path.read_text())["methods"]
    assert [method["method"] for method in kept] == ["column_prior", "soft_impute"]
    assert command.main([*words, "misgan_convolutional", "--resume"]) == 0
    assert command.main([*words, "column_prior", "--resume"]) == 0
    assert "misgan_convolutional: convolutions need" in capsys.readouterr().out
    assert command.main([*WORDS[:-1], "3", "--save", str(path), "--resume"]) == 1
    assert "another comparison" in capsys.readouterr().err


def test_a_data_set_that_is_nowhere_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(name: str, n_rows: int | None = None) -> DataSet:
        raise DataSetUnavailable("put it into a folder")

    monkeypatch.setattr(command, "load_data_set", absent)
    assert command.main(WORDS) == 1
    assert capsys.readouterr().err == "put it into a folder\n"

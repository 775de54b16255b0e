from __future__ import annotations

from pathlib import Path

import pytest

from halfseen.cli.chosen_columns import chosen_columns, column_named
from halfseen.cli.problem import Problem, UsageProblem

NAMES = ["id", "age", "tox_a", "tox_b", "a,b", "@odd", "x[1]", "Tox"]


def choose(*words: str) -> tuple[str, ...]:
    return chosen_columns(words, NAMES, "--labels")


def test_names_commas_patterns_and_repeats_in_table_order() -> None:
    assert choose("tox_b, age") == ("age", "tox_b")
    assert choose("tox_*", "tox_a") == ("tox_a", "tox_b")
    assert choose("tox_?", "Tox") == ("tox_a", "tox_b", "Tox")
    assert choose() == ()


def test_a_column_as_it_stands_comes_before_commas_signs_and_patterns() -> None:
    assert choose("a,b") == ("a,b",)
    assert choose("@odd") == ("@odd",)
    assert choose("x[1]") == ("x[1]",)


def test_names_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_bytes("﻿# labels\nage\n\n tox_* \n".encode())
    assert choose(f"@{path}") == ("age", "tox_a", "tox_b")


def test_near_spellings_are_named() -> None:
    with pytest.raises(UsageProblem, match=r"--labels: the table has no column 'agee'") as caught:
        choose("agee")
    assert caught.value.remedy == "Did you mean 'age'?"
    assert caught.value.exit_code == 2
    with pytest.raises(UsageProblem, match="no column that fits 'tax_\\*'") as caught:
        choose("tax_*")
    assert "'tox_a'" in caught.value.remedy


def test_without_near_spellings_the_columns_are_listed() -> None:
    with pytest.raises(UsageProblem) as caught:
        chosen_columns(["zzzzzz"], [f"c{k}" for k in range(40)], "--ignore")
    assert "'c0'" in caught.value.remedy
    assert "and 28 more" in caught.value.remedy


def test_a_list_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="No such file"):
        choose(f"@{tmp_path / 'none.txt'}")
    (tmp_path / "latin.txt").write_bytes(b"gr\xf6\xdfe")
    with pytest.raises(Problem, match="not UTF-8"):
        choose(f"@{tmp_path / 'latin.txt'}")


def test_column_named() -> None:
    assert column_named("age", NAMES, "--column") == "age"
    with pytest.raises(UsageProblem, match="--column"):
        column_named("ages", NAMES, "--column")

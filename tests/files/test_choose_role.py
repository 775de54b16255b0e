from __future__ import annotations

from dataclasses import replace

import pytest

from halfseen.files import ColumnRole
from halfseen.files.choose_role import choose_role, says_identifier
from halfseen.files.column_facts import ColumnFacts

NUMBERS = ColumnFacts(
    "x", n_rows=100, n_missing=10, n_numbers=90, n_distinct=90, n_distinct_about=90, all_differ=True
)
WHOLE = replace(NUMBERS, is_integer=True)
WORDS = ColumnFacts(
    "x", n_rows=100, n_missing=0, n_distinct=5, n_distinct_about=5, mean_length=6, examples=("a",)
)


@pytest.mark.parametrize(
    ("facts", "role"),
    [
        (NUMBERS, "number"),
        (replace(NUMBERS, name="id"), "number"),
        (WHOLE, "number"),
        (replace(WHOLE, name="patient_id"), "identifier"),
        (replace(WHOLE, name="patient_id", n_distinct=9, n_distinct_about=9), "number"),
        (replace(WHOLE, counts_rows=True), "identifier"),
        (replace(WHOLE, counts_rows=True, n_rows=9, n_missing=0, n_numbers=9), "number"),
        (replace(WHOLE, is_huge=True), "identifier"),
        (replace(WHOLE, n_distinct=2, n_distinct_about=2, all_differ=False), "yes_no"),
        (replace(NUMBERS, n_distinct=2, n_distinct_about=2, all_differ=False), "number"),
        (replace(NUMBERS, n_distinct=1, examples=("4",)), "constant"),
        (replace(NUMBERS, n_missing=100, n_numbers=0), "empty"),
        (WORDS, "category"),
        (replace(WORDS, n_distinct=2), "yes_no"),
        (replace(WORDS, are_truths=True, n_distinct=2), "yes_no"),
        (replace(WORDS, are_truths=True, n_distinct=1), "constant"),
        (replace(WORDS, are_dates=True), "date"),
        (replace(WORDS, is_opaque=True), "text"),
        (replace(WORDS, all_differ=True, n_distinct=100, n_distinct_about=100), "identifier"),
        (replace(WORDS, n_distinct=60, n_distinct_about=60), "identifier"),
        (replace(WORDS, n_distinct=60, n_distinct_about=60, n_with_space=80), "text"),
        (replace(WORDS, n_distinct=60, n_distinct_about=60, mean_length=80), "text"),
        (replace(WORDS, n_rows=10_000, n_distinct=60, n_distinct_about=60), "category"),
        (replace(WORDS, n_rows=10_000, n_distinct=None, n_distinct_about=4500), "identifier"),
        (replace(WORDS, n_rows=3, n_distinct=3, n_distinct_about=3, all_differ=True), "category"),
        (replace(WORDS, n_numbers=100, is_coded=True), "category"),
        (replace(WORDS, n_numbers=100, is_declared_text=True), "category"),
    ],
)  # fmt: skip
def test_roles(facts: ColumnFacts, role: str) -> None:
    chosen = choose_role(facts)
    assert chosen.role is ColumnRole(role)
    assert chosen.reason


@pytest.mark.parametrize(
    ("name", "is_identifier"),
    [("id", True), ("ID", True), ("row", True), ("user-id", True), ("deviceId", True),
     ("__index_level_0__", True), ("uuid", True), ("paid", False), ("Covid", False),
     ("keyboard", False), ("index_of_refraction", False), ("grid", False)],
)  # fmt: skip
def test_names(name: str, is_identifier: bool) -> None:
    assert says_identifier(name) is is_identifier


def test_reasons_are_one_clause() -> None:
    facts = replace(WORDS, n_rows=1000, all_differ=True, n_distinct=1000, n_distinct_about=1000)
    assert choose_role(facts).reason == "all 1,000 values differ and look like codes or names"

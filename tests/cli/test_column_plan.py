from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from halfseen.cli.column_plan import ColumnPlan, plan_columns
from halfseen.cli.problem import Problem
from halfseen.files import ColumnRole, FileColumn


def source_of(**roles: str) -> Any:
    columns = tuple(
        FileColumn(name, ColumnRole(role), "it looks so", 2, False, 5, ("a",))
        for name, role in roles.items()
    )
    by_name = {column.name: column for column in columns}
    return SimpleNamespace(columns=columns, column=by_name.__getitem__)


SOURCE = source_of(
    id="identifier",
    age="number",
    site="category",
    when="date",
    note="text",
    same="constant",
    none="empty",
    ill="yes_no",
    also="yes_no",
)


def planned(labels: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> ColumnPlan:
    return plan_columns(SOURCE, labels, ignore, {})


def test_what_is_learned_and_what_passes_through() -> None:
    plan = planned(("ill,also",), ("site",))
    assert (plan.features, plan.labels) == (("age",), ("ill", "also"))
    assert {column.name: column.reason for column in plan.passed} == {
        "id": "identifiers",
        "site": "ignored as asked",
        "when": "dates",
        "note": "free text",
        "same": "always the same",
        "none": "nothing known",
    }
    assert "identifiers: id (2 holes stay)" in plan.passed_by_reason()


def test_a_label_that_is_never_known_is_left_out_and_said() -> None:
    plan = planned(("ill", "none"))
    assert plan.labels == ("ill",)
    assert ("none", "labels never known", 2) in plan.passed


@pytest.mark.parametrize(
    ("labels", "ignore", "words"),
    [
        (("none",), (), "No entry of 'none' is known"),
        (("id",), (), "'id' cannot be a label"),
        (("ill",), ("ill",), "ignored, too"),
        (("age,site,ill,also",), (), "no feature to learn from"),
    ],
)
def test_what_cannot_be_learned(
    labels: tuple[str, ...], ignore: tuple[str, ...], words: str
) -> None:
    with pytest.raises(Problem, match=words) as caught:
        planned(labels, ignore)
    assert caught.value.remedy

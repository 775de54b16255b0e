from __future__ import annotations

import pytest

from halfseen.cli.column_kinds import parse_kinds
from halfseen.cli.problem import UsageProblem
from halfseen.files import ColumnRole


def test_roles_and_kinds() -> None:
    told = parse_kinds(["zip=category", "a=b=log", "when=date"])
    assert told.roles == {
        "zip": ColumnRole.CATEGORY,
        "a=b": ColumnRole.NUMBER,
        "when": ColumnRole.DATE,
    }
    assert told.kinds == {"zip": "categorical", "a=b": "log"}


@pytest.mark.parametrize("word", ["zip", "=category", "zip=colour", "zip="])
def test_what_is_not_understood(word: str) -> None:
    with pytest.raises(UsageProblem, match="--as"):
        parse_kinds([word])

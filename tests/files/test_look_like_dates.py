from __future__ import annotations

import pyarrow as pa
import pytest

from halfseen.files.look_like_dates import look_like_dates


@pytest.mark.parametrize(
    "text",
    ["2024-05-31", "2024-05", "2024/5/31", "31.5.2024", "5/31/24", "31-05-2024", "31 May 2024",
     "May 31, 2024", "2024-05-31T12:30", "2024-05-31 12:30:59.123+02:00", "12:30", "1:05 PM",
     "2024-05-31T12:30:00Z"],
)  # fmt: skip
def test_dates(text: str) -> None:
    assert look_like_dates(pa.array([None, text]))


@pytest.mark.parametrize(
    "text",
    ["20240531", "2024", "1.5", "10.0.254.7", "2024-13-01", "45/45/2024", "May", "x", "12-", ""],
)
def test_no_dates(text: str) -> None:
    assert not look_like_dates(pa.array([text]))
    assert not look_like_dates(pa.array(["2024-05-31", text]))

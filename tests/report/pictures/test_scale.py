from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.report.number_text import MINUS
from halfseen.report.pictures.scale import (
    SMALLEST_OF_LOG,
    Scale,
    round_step,
    scale_around,
    tick_texts,
)

finite = st.floats(-1e9, 1e9)


@given(finite, st.floats(1e-3, 1e9))
def test_ticks_lie_between_the_ends_and_are_few(low: float, length: float) -> None:
    ticks = Scale(low, low + length, 0, 1).ticks()
    slack = 1e-6 * (abs(low) + length)
    assert all(low - slack <= tick <= low + length + slack for tick in ticks)
    assert 2 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))


@given(st.floats(1e-6, 1e3), st.floats(1.2, 1e9))
def test_ticks_of_a_log_scale(low: float, ratio: float) -> None:
    ticks = Scale(low, low * ratio, 0, 1, is_log=True).ticks()
    assert all(low * (1 - 1e-9) <= tick <= low * ratio * (1 + 1e-9) for tick in ticks)
    assert len(ticks) <= 12


def test_ends_go_to_ends() -> None:
    assert Scale(2.0, 6.0, 10.0, 50.0)([2.0, 4.0, 6.0]).tolist() == [10.0, 30.0, 50.0]
    log = Scale(0.1, 10.0, 0.0, 2.0, is_log=True)
    assert log([0.1, 1.0, 10.0]) == pytest.approx([0.0, 1.0, 2.0])


@given(st.lists(finite | st.just(np.nan) | st.just(np.inf), max_size=20), st.booleans())
def test_all_finite_values_find_room(values: list[float], is_log: bool) -> None:
    scale = scale_around(values, 0, 100, is_log=is_log)
    assert scale.low < scale.high
    shown = [v for v in values if np.isfinite(v) and (v >= SMALLEST_OF_LOG or not is_log)]
    if shown:
        places = scale(shown)
        assert places.min() >= -1e-6
        assert places.max() <= 100 + 1e-6


def test_a_log_scale_may_span_all_numbers() -> None:
    values = [SMALLEST_OF_LOG, 1.0, 1e308]
    places = scale_around(values, 0, 100, is_log=True)(values)
    assert 0 <= places[0] < places[1] < places[2] <= 100


@given(st.floats(1e-9, 1e9))
def test_steps_are_round(rough: float) -> None:
    step = round_step(rough)
    assert 0.9 * rough <= step <= 2.5 * rough
    assert float(f"{step:.1e}") == pytest.approx(step)


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5))
def test_ticks_are_told_apart(low: float, length: float) -> None:
    ticks = Scale(low, low + length, 0, 1).ticks()
    texts = tick_texts(ticks)
    assert len(set(texts)) == len(ticks)
    for tick, text in zip(ticks, texts, strict=True):
        if text[-1] not in "MGT":
            read = float(text.replace(MINUS, "-").replace(",", ""))
            assert read == pytest.approx(tick, abs=1e-6 * (1 + abs(tick)))


def test_large_and_small_ticks() -> None:
    assert tick_texts([0.0, 2e9, 4e9]) == ["0", "2G", "4G"]
    assert tick_texts([0.0, 1e-5]) == ["0", f"1e{MINUS}05"]

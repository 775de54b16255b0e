from __future__ import annotations

from halfseen.experiments.time_left import Took, seconds_left


def test_nothing_done_nothing_known() -> None:
    assert seconds_left([], [("mc1", "scene")], 2) is None


def test_the_longest_cell_takes_its_time_however_many_run_side_by_side() -> None:
    done = [Took("mc1", "scene", 100.0), Took("cle", "scene", 1.0)]
    assert seconds_left(done, [("mc1", "scene"), ("cle", "scene")], 50) == 100.0
    assert seconds_left(done, [], 2) == 0.0

from __future__ import annotations

from pathlib import Path

from experiments.test_read_plan import GOOD
from halfseen.experiments.cell import cells_of
from halfseen.experiments.read_plan import parse_plan


def test_cells_are_those_of_all_grids_once_and_balanced() -> None:
    cells = cells_of(parse_plan(GOOD, Path("plan.toml"), Path("nowhere")))
    assert len(cells) == 3 * 2 * 2 * 3 + 2
    assert len({cell.key for cell in cells}) == len(cells)
    realisations = [cell.realisation for cell in cells]
    assert realisations == sorted(realisations)
    again = cells_of(parse_plan(GOOD + "\n[[grid]]\n", Path("plan.toml"), Path("nowhere")))
    assert [cell.key for cell in again] == [cell.key for cell in cells]


def test_a_series_is_all_realisations() -> None:
    cells = cells_of(parse_plan(GOOD, Path("plan.toml"), Path("nowhere")))
    assert len({cell.series for cell in cells}) == 3 * 2 * 2 + 2


def test_only_new_rows_have_a_rate_of_their_own() -> None:
    cells = cells_of(parse_plan(GOOD, Path("plan.toml"), Path("nowhere")))
    rates = {(cell.task, cell.new_feature_rate) for cell in cells if cell.feature_rate == 0.1}
    assert rates == {("transductive", None), ("inductive", 0.9)}

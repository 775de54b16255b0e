from __future__ import annotations

import pytest

from halfseen.experiments.cell import cells_of
from halfseen.experiments.methods import METHODS
from halfseen.experiments.read_plan import read_plan
from halfseen.experiments.shipped_plans import shipped_plans

RATES = {(of_x, of_y) for of_x in (0.5, 0.8) for of_y in (0.3, 0.5, 0.8)}


@pytest.mark.parametrize("name", shipped_plans())
def test_a_shipped_plan_can_be_followed(name: str) -> None:
    plan = read_plan(name)
    assert plan.name == name
    assert plan.about
    assert {cell.method for cell in cells_of(plan)} >= {"column_prior"}
    assert plan.title.endswith("(quick)") == name.startswith("quick/")


def test_every_full_plan_but_those_behind_pages_has_a_quick_one() -> None:
    names = set(shipped_plans())
    full = {name for name in names if not name.startswith("quick/")}
    assert {name.removeprefix("quick/") for name in names - full} == full - {"results", "baselines"}


@pytest.mark.parametrize("task", ["transductive", "inductive"])
@pytest.mark.parametrize(
    "data_set", ["scene", "yeast", "pendigits", "mnist", "emotions", "cptc2017"]
)
def test_the_papers_tables_have_all_rates_and_ten_realisations(task: str, data_set: str) -> None:
    (grid,) = read_plan(f"{task}-{data_set}").grids
    assert (set(grid.rates), grid.realisations, grid.tasks) == (RATES, 10, (task,))


def test_the_results_hold_every_method() -> None:
    full, wide, _ = read_plan("results").grids
    assert (set(full.rates), full.realisations) == (RATES, 10)
    named = {choice.method for grid in (full, wide) for choice in grid.methods}
    assert named == set(METHODS) - {"misgan_convolutional"}  # which is for images alone


def test_the_baselines_stand_side_by_side_without_ours() -> None:
    cells = cells_of(read_plan("baselines"))
    ours = {"halfseen", "halfseen_paper"}
    slow = {"miss_forest", "misgan_convolutional"}
    assert {cell.method for cell in cells} == set(METHODS) - ours - slow
    assert {(cell.feature_rate, cell.label_rate) for cell in cells} == {(0.5, 0.5)}

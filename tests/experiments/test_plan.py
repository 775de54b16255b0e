from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.experiments.pipeline import METHODS
from halfseen.experiments.plan import (
    Plan,
    PlanError,
    cells_of,
    parse_plan,
    read_plan,
    shipped_plans,
)

GOOD = """
title = "A study"
data_sets = ["digits"]
tasks = ["transductive", "inductive"]
feature_rates = [0.5, 0.8]
label_rates = [0.3]
realisations = 3
methods = ["mc1", {method = "halfseen", variant = "fast", settings = {effort = "fast"}}]
[limits]
seconds = 5
[[grid]]
[[grid]]
rates = [[0.1, 0.2]]
methods = ["column_prior"]
realisations = 1
new_feature_rate = 0.9
limits = {tuning_tries = 2}
"""


RATES = {(of_x, of_y) for of_x in (0.5, 0.8) for of_y in (0.3, 0.5, 0.8)}


def parsed(text: str) -> Plan:
    return parse_plan(text, "plan.toml", Path("nowhere"))


def test_grids_take_over_what_the_plan_says() -> None:
    first, second = parsed(GOOD).grids
    assert first.pairs == ((0.5, 0.3), (0.8, 0.3))
    assert [choice.name for choice in first.methods] == ["column_prior", "mc1", "halfseen (fast)"]
    assert (first.limits.seconds, second.limits.seconds) == (5, 5)
    assert (first.limits.tuning_tries, second.limits.tuning_tries) == (20, 2)
    assert (second.pairs, second.realisations, second.new_feature_rate) == (((0.1, 0.2),), 1, 0.9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("title", "titel", "there is no key 'titel'. Did you mean 'title'?"),
        ('title = "A study"', "", "key 'title': is needed"),
        ("realisations = 3", "realisations = 0", "[[grid]] 1: key 'realisations': Input should"),
        ("realisations = 3", "realisations = true", "valid integer, got True"),
        ('["digits"]', '["digit"]', "Did you mean 'digits'?"),
        ('["digits"]', "[]", "key 'data_sets': List should have at least 1 item"),
        ('"mc1"', '"mc2"', "key 'method': says 'mc2'. Did you mean 'mc1'?"),
        ("effort", "efort", "settings of halfseen: there is no setting 'efort'. Did you mean"),
        ("settings", "setting", "there is no key 'setting'. Did you mean 'settings'?"),
        ("inductive", "inductiv", "Did you mean 'inductive'?"),
        ("[0.5, 0.8]", "[50, 80]", "For 50 % write 0.5."),
        ("[[0.1, 0.2]]", "[0.1, 0.2]", "[[grid]] 2: key 'rates': Input should be a valid list"),
        ("[0.3]", "0.3", "key 'label_rates': Input should be a valid list, got 0.3"),
        ("label_rates", "label_rate", "Did you mean 'label_rates'?"),
        ("seconds = 5", "seconds = 0", "limits: key 'seconds': Input should be greater than 0"),
        ("[[grid]]\nrates", "[[grid]]\nlabel_rates = [0.1]\nrates", "give either rates"),
        ('variant = "fast"', 'variant = "a/b"', "key 'variant': String should match"),
        ('"transductive", "inductive"', '"transductive"', "is for tasks = "),
        ('["mc1",', '["mc1", "mc1",', "names mc1 more than once"),
        ("[0.3]\n", "[0.3]\nfeature_mechanism = 'mca'\n", "Did you mean 'mcar'?"),
        ("realisations = 3", "realisations = 9999", "key 'realisations': the plan has 119,990"),
        ("= ", "", "is not TOML"),
    ],
)  # fmt: skip
def test_errors_name_file_and_key_and_what_is_allowed(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(PlanError) as raised:
        parsed(GOOD.replace(old, new))
    assert "plan.toml" in str(raised.value)
    assert said in str(raised.value)


@given(cut=st.integers(0, len(GOOD)), text=st.text(max_size=5))
def test_whatever_is_written_it_is_a_plan_or_a_plan_error(cut: int, text: str) -> None:
    said, grids = "plan.toml", ()
    try:
        grids = parsed(GOOD[:cut] + text + GOOD[cut:]).grids
    except PlanError as error:
        said = str(error)
    assert "plan.toml" in said
    assert all(grid.methods and grid.pairs for grid in grids)


def test_tables_are_looked_for_beside_the_plan(tmp_path: Path) -> None:
    text = 'title = "a"\ndata_sets = ["mine"]\nrates = [[0, 0]]\nmethods = ["mc1"]\n'
    text += '[[table]]\nname = "mine"\nfile = "a.csv"\nlabels = "b"\n'
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(PlanError, match="where there is no file"):
        read_plan(path)
    (tmp_path / "a.csv").touch()
    assert read_plan(path).tables[0].labels == ("b",)
    path.write_text(text.replace('"mine"', '"scene"'))
    with pytest.raises(PlanError, match="'scene', which is taken"):
        read_plan(path)


def test_a_plan_that_is_nowhere_gets_the_nearest_name() -> None:
    with pytest.raises(PlanError, match=r"Did you mean 'quick/transductive-scene'\?"):
        read_plan("quick/transductiv-scene")


def test_two_grids_may_not_disagree_about_a_method() -> None:
    text = GOOD + '\n[[grid]]\nmethods = [{method = "mc1", settings = {lam = 0.5}}]\n'
    with pytest.raises(PlanError, match="give mc1 on digits different"):
        cells_of(parsed(text))


def test_cells_are_those_of_all_grids_once_and_balanced() -> None:
    cells = cells_of(parsed(GOOD))
    assert len(cells) == 3 * 2 * 2 * 3 + 2
    assert len({cell.key for cell in cells}) == len(cells)
    assert len({cell.series for cell in cells}) == 3 * 2 * 2 + 2
    assert "digits-transductive-mcar-50-30-mc1-r0" in {cell.key for cell in cells}
    realisations = [cell.realisation for cell in cells]
    assert realisations == sorted(realisations)
    again = cells_of(parsed(GOOD + "\n[[grid]]\n"))
    assert [cell.key for cell in again] == [cell.key for cell in cells]
    new_rates = {(cell.task, cell.new_feature_rate) for cell in cells if cell.feature_rate == 0.1}
    assert new_rates == {("transductive", None), ("inductive", 0.9)}


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
    assert {name.removeprefix("quick/") for name in names - full} == full - {
        "results", "baselines", "missingness",
    }  # fmt: skip


@pytest.mark.parametrize("task", ["transductive", "inductive"])
@pytest.mark.parametrize(
    "data_set", ["scene", "yeast", "pendigits", "mnist", "emotions", "cptc2017"]
)
def test_the_papers_tables_have_all_rates_and_ten_realisations(task: str, data_set: str) -> None:
    (grid,) = read_plan(f"{task}-{data_set}").grids
    assert (set(grid.pairs), grid.realisations, grid.tasks) == (RATES, 10, (task,))


def test_the_results_hold_every_method() -> None:
    cells = cells_of(read_plan("results"))
    assert {cell.method for cell in cells} == set(METHODS) - {"misgan_convolutional"}  # of images
    for task in ("transductive", "inductive"):
        ours = [c for c in cells if (c.method, c.task, c.data_set) == ("halfseen", task, "yeast")]
        assert {(cell.feature_rate, cell.label_rate) for cell in ours} == RATES
        assert max(cell.realisation for cell in ours) == 9
    # What the paper prints of its own method comes first, half hidden before all else.
    first = {(cell.method, cell.data_set) for cell in cells[:28]}
    assert {data_set for method, data_set in first if method == "rbm_mo"} == {
        "scene", "pendigits", "mnist",
    }  # fmt: skip
    assert {data_set for method, data_set in first if method == "halfseen"} == {
        "scene", "pendigits",
    }  # fmt: skip

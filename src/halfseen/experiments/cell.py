"""One cell of a study: one method on one realisation, and all cells of a plan in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from halfseen.experiments.plan import Grid, Limits, Plan, TableChoice
from halfseen.experiments.plan_values import PlanError
from halfseen.experiments.record import TaskName, record_key


@dataclass(frozen=True)
class Cell:
    """All that decides the result of one method on one realisation.

    Attributes
    ----------
    data_set, task, feature_hiding, label_hiding, feature_rate, label_rate, new_feature_rate
        What is asked, as in `Record`.
    method, variant, settings
        Who answers, as in `MethodChoice`.
    realisation : int
        Seed of the mask, of the split into old and new rows, and of the method.
    n_rows : int or None
        Rows drawn from the data set; None for all.
    table : TableChoice or None
        The user's own table, if it is one.
    limits : Limits
        How much it may take.

    Examples
    --------
    >>> Cell("scene", "transductive", "at_random", "at_random", 0.5, 0.3, None, "mc1").key
    'scene-transductive-at_random-50-30-mc1-r0'
    """

    data_set: str
    task: TaskName
    feature_hiding: str
    label_hiding: str
    feature_rate: float
    label_rate: float
    new_feature_rate: float | None
    method: str
    variant: str = ""
    realisation: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    n_rows: int | None = None
    table: TableChoice | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def key(self) -> str:
        """Name of its files."""
        return record_key(self, self.n_rows)

    @property
    def series(self) -> str:
        """What all realisations of it have in common; they share one choice of settings."""
        return self.key.rpartition("-r")[0]


def cells_of(plan: Plan) -> list[Cell]:
    """All cells of a plan, the first realisation of all of them first.

    A study that is stopped early has then seen like numbers of realisations everywhere.

    Parameters
    ----------
    plan : Plan
        The plan.

    Returns
    -------
    list of Cell
        Each once, however many grids hold it.

    Raises
    ------
    PlanError
        Two grids give the same method of the same name different settings.

    Examples
    --------
    >>> from halfseen.experiments.read_plan import read_plan
    >>> cells = cells_of(read_plan("quick/transductive-scene"))
    >>> cells[0].method, cells[0].realisation, cells[-1].realisation
    ('column_prior', 0, 1)
    """
    found: dict[str, Cell] = {}
    most = max(grid.realisations for grid in plan.grids)
    for realisation in range(most):
        for grid in plan.grids:
            if realisation >= grid.realisations:
                continue
            for cell in _cells(plan, grid, realisation):
                known = found.setdefault(cell.key, cell)
                if known.settings != cell.settings:
                    name = f"{cell.method} ({cell.variant})" if cell.variant else cell.method
                    raise PlanError(
                        f"{plan.name}: two grids give {name} on {cell.data_set} different "
                        f"settings, {dict(known.settings)} and {dict(cell.settings)}; give one of "
                        "them another variant."
                    )
    return list(found.values())


def _cells(plan: Plan, grid: Grid, realisation: int) -> Iterator[Cell]:
    for data_set in grid.data_sets:
        for task in grid.tasks:
            for feature_rate, label_rate in grid.rates:
                for choice in grid.methods:
                    new_rate = grid.new_feature_rate if task == "inductive" else None
                    yield Cell(
                        data_set,
                        task,
                        grid.feature_hiding,
                        grid.label_hiding,
                        feature_rate,
                        label_rate,
                        None if new_rate == feature_rate else new_rate,
                        choice.method,
                        choice.variant,
                        realisation,
                        choice.settings,
                        grid.n_rows,
                        plan.table(data_set),
                        grid.limits,
                    )

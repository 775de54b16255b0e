"""Hide some of what is known, ask for it, and score the answers."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfseen.cli.completed_units import completed_units
from halfseen.cli.evaluation import (
    ColumnScores,
    Comparison,
    Evaluation,
    Honesty,
    MethodScores,
)
from halfseen.cli.hidden_entries import hide_entries
from halfseen.cli.honesty_of import honesty_of
from halfseen.cli.label_auc import label_auc, mean_auc
from halfseen.cli.method_answer import MethodAnswer
from halfseen.cli.rival_answers import rival_answers
from halfseen.cli.scored_cells import (
    CELL_KINDS,
    CellKind,
    ScoredCells,
    loss_difference,
    score_cells,
)
from halfseen.cli.table_units import encoded_units
from halfseen.learning.trainer import interruption_is_the_end
from halfseen.tables import Encoded, Schema

if TYPE_CHECKING:
    import pyarrow

OURS = "halfseen"
_SMALLEST_SPREAD = 1e-6


def evaluate_table(
    table: pyarrow.Table,
    labels: Sequence[str],
    new_model: Callable[[], Any],
    *,
    n_rows_of_table: int,
    hidden_share: float,
    level: float,
    seed: int,
    tell: Callable[[str], None] = lambda what: None,
) -> Evaluation:
    """Hide some of what is known, fit, ask for it, and score the answers beside usual pipelines.

    Parameters
    ----------
    table : pyarrow.Table
        Features and labels.
    labels : sequence of str
        Columns of it that are labels; none for features alone.
    new_model : callable
        Gives an estimator to fit.
    n_rows_of_table : int
        Rows of which those of ``table`` are a sample.
    hidden_share : float
        Share of the known entries to hide.
    level : float
        Share of truths that intervals and sets shall hold.
    seed : int
        Decides what is hidden.
    tell : callable, default does nothing
        Is told what is going on.

    Returns
    -------
    Evaluation
    """
    hidden_table = hide_entries(table, hidden_share, seed)
    features = [name for name in table.column_names if name not in labels]
    tell("learning")
    started = time.perf_counter()
    model = new_model()
    with interruption_is_the_end():
        if labels:
            model.fit(hidden_table.select(features), hidden_table.select(labels))
        else:
            model.fit(hidden_table.select(features))
    schema = model.schema_
    seen = encoded_units(schema, hidden_table)
    completed = completed_units(model, seen)
    ours = MethodAnswer(OURS, completed.astype(np.float64), time.perf_counter() - started)
    with warnings.catch_warnings():
        # Of a category that is hidden wherever it occurs nothing can be learned, nor scored.
        warnings.simplefilter("ignore")
        true = encoded_units(schema, table)
    hidden = true.observed & ~seen.observed
    answers = [ours]
    tell("asking the usual pipelines")
    for answer in rival_answers(schema, seen, seed):
        answers.append(answer)
        tell(f"asked: {answer.name}")
    spread = _spread(true, schema.n_gaussian)
    return _scored(
        schema,
        [replace(answer, units=answer.units / spread) for answer in answers],
        true.visible / spread,
        hidden,
        honesty=honesty_of(model, seen, true.visible, hidden, completed, spread, level),
        n_rows_of_table=n_rows_of_table,
        hidden_share=hidden_share,
        seed=seed,
    )


def _spread(true: Encoded, n_gaussian: int) -> NDArray[np.float64]:
    """Standard deviation of all known values of a number, hidden or not; 1 for other units.

    A rare large value may be among the hidden ones: what is left of its column then hardly varies,
    and would make a small measure.
    """
    spread = np.ones(true.visible.shape[1])
    for unit in range(n_gaussian):
        values = true.visible[true.observed[:, unit], unit].astype(np.float64)
        deviation = float(values.std()) if len(values) else 0.0
        spread[unit] = deviation if deviation > _SMALLEST_SPREAD else 1.0
    return spread


def _scored(
    schema: Schema,
    answers: Sequence[MethodAnswer],
    truth: NDArray[np.float64],
    hidden: NDArray[np.bool_],
    *,
    honesty: Honesty,
    n_rows_of_table: int,
    hidden_share: float,
    seed: int,
) -> Evaluation:
    cells: dict[tuple[CellKind, str], ScoredCells] = {}
    for answer in answers:
        for kind in CELL_KINDS:
            if kind == "labels" or answer.fills_features:
                scored = score_cells(schema, kind, truth, hidden, answer.units)
                if len(scored.loss):
                    cells[kind, answer.name] = scored
    aucs = {a.name: label_auc(schema, truth, hidden, a.units) for a in answers}
    comparisons = tuple(
        Comparison(kind, name, *loss_difference(cells[kind, OURS], theirs, seed))
        for (kind, name), theirs in cells.items()
        if name != OURS
    )
    return Evaluation(
        n_rows=len(truth),
        n_rows_of_table=n_rows_of_table,
        hidden_share=hidden_share,
        n_hidden={k: len(cells[k, OURS].loss) for k in CELL_KINDS if (k, OURS) in cells},
        methods=tuple(_method_scores(a, cells, mean_auc(aucs[a.name])) for a in answers),
        comparisons=comparisons,
        columns=tuple(_column_scores(schema, answers, cells, aucs[OURS])),
        honesty=honesty,
    )


def _method_scores(
    answer: MethodAnswer, cells: dict[tuple[CellKind, str], ScoredCells], auc: float | None
) -> MethodScores:
    numbers = cells.get(("numbers", answer.name))
    categories = cells.get(("categories", answer.name))
    labels = cells.get(("labels", answer.name))
    return MethodScores(
        name=answer.name,
        rmse_of_numbers=numbers.rmse if numbers else None,
        right_categories=categories.accuracy if categories else None,
        right_labels=labels.accuracy if labels else None,
        auc_of_labels=auc if labels else None,
        brier_of_labels=float(labels.loss.mean()) if labels else None,
        seconds=answer.seconds,
    )


def _column_scores(
    schema: Schema,
    answers: Sequence[MethodAnswer],
    cells: dict[tuple[CellKind, str], ScoredCells],
    aucs: dict[str, float],
) -> list[ColumnScores]:
    trivial = next(answer.name for answer in answers if answer.is_trivial)
    rows = []
    for kind in CELL_KINDS:
        if (kind, OURS) not in cells:
            continue
        others = [
            a.name for a in answers if a.name not in (OURS, trivial) and (kind, a.name) in cells
        ]
        for j in np.unique(cells[kind, OURS].column).tolist():
            mine = cells[kind, OURS].of_column(j)
            scores = [_score(cells[kind, name].of_column(j)) for name in (trivial, *others)]
            better = min if kind == "numbers" else max
            name = schema.columns[j].name
            rows.append(
                ColumnScores(
                    name=name,
                    kind=kind,
                    n_hidden=len(mine.loss),
                    score=_score(mine),
                    of_trivial=scores[0],
                    of_best_rival=better(scores[1:], default=scores[0]),
                    auc=aucs.get(name) if kind == "labels" else None,
                )
            )
    return rows


def _score(cells: ScoredCells) -> float:
    return cells.rmse if cells.kind == "numbers" else cells.accuracy

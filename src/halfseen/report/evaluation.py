"""An evaluation on the page: whether it is of this model, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from halfseen.base.estimator import TableModel
from halfseen.data.raw import category_key
from halfseen.report.facts import COVERAGE, listed

# Parameters that change neither what is learned nor what it is compared with.
_INCIDENTAL = {"random_state", "verbose", "n_jobs", "feature_types", "target_type"}


def check_evaluation(evaluation: Any, model: TableModel) -> None:
    """Refuse an evaluation of other columns, classes, or another estimator."""
    schema = model.schema_
    if evaluation.model != type(model).__name__:
        raise ValueError(
            f"The evaluation is of a {evaluation.model}, and the model is a "
            f"{type(model).__name__}. Evaluate this one."
        )
    # `evaluate` calls a single target without a name "target".
    is_unnamed = len(schema.targets) == 1 and not isinstance(schema.targets[0].name, str)
    labels = ["target"] if is_unnamed else [str(column.name) for column in schema.targets]
    for what, found, expected in (
        ("features", evaluation.features, [str(column.name) for column in schema.features]),
        ("targets", evaluation.labels, labels),
    ):
        if sorted(found) != sorted(expected):
            differing = sorted(set(found) ^ set(expected)) or sorted(found)
            raise ValueError(
                f"The evaluation is of another table: its {what} are not those of the model "
                f"({listed(differing)}). Evaluate with the columns of the fit."
            )
    for label in evaluation.new_rows:
        known = schema.targets[labels.index(label.name)].categories
        values = {category_key(one.value) for one in label.classes}
        if unknown := values - set(map(category_key, known)):
            raise ValueError(
                f"The evaluation is of another table: the model does not know the "
                f"{listed(sorted(unknown))} of {label.name}. Evaluate the table of the fit."
            )


def evaluation_warnings(
    evaluation: Any, model: TableModel, n_rows: int | None, is_sample: bool
) -> list[str]:
    """Where an evaluation may differ from the model and the table of the page.

    Of a table of which a sample is shown, the evaluation may be of a sample, too.
    """
    found = []
    parameters = model.get_params(deep=False)
    changed = [
        f"{name}={value!r}"
        for name, value in evaluation.parameters.items()
        if name not in _INCIDENTAL and parameters.get(name) != value
    ]
    if changed:
        found.append(f"The evaluation is of other parameters than the model's: {listed(changed)}.")
    is_other = n_rows is not None and n_rows != evaluation.n_rows
    if is_other and not (is_sample and n_rows > evaluation.n_rows):
        found.append(
            f"The evaluation is of {evaluation.n_rows:,} rows, and the table has {n_rows:,}; make "
            "sure that both are of the same table."
        )
    return found


def score_tables(evaluation: Any) -> Iterator[dict[str, Any]]:
    """Scores of methods: one table for each kind of entries, a column for each metric."""
    for what in dict.fromkeys(score.what for score in evaluation.scores):
        scores = [score for score in evaluation.scores if score.what == what]
        metrics = list(dict.fromkeys(score.metric for score in scores))
        by_key = {(score.method, score.metric): score for score in scores}
        methods = dict.fromkeys(score.method for score in scores)
        yield {
            "what": what,
            "n_entries": scores[0].n_entries,
            "heads": [f"#{metric}" for metric in metrics],
            "rows": [(name, [by_key.get((name, m)) for m in metrics]) for name in methods],
        }


def asked_coverage(evaluation: Any) -> float:
    """Coverage that the evaluation asked of its prediction sets."""
    return next((one.asked for one in evaluation.coverage if one.what == "sets"), COVERAGE)

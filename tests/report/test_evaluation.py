"""An evaluation on the page, and refused where it is of another table or model."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from halfseen.report import report_html
from report.conftest import NEW, y_of
from report.parsed import check_page

NAMES = tuple(NEW.columns)


def evaluation(of: Any, /, **changed: Any) -> Any:
    """A result with the fields of one of `halfseen.experiments.evaluate`, of invented figures."""
    classes = tuple(
        SimpleNamespace(value=value, n_known=10 * k, recall=0.5, set_coverage=0.8)
        for k, value in enumerate(("high", "low", "mid"), start=1)
    )
    label = SimpleNamespace(
        name="target", n_known=60, auc=0.81, log_loss=0.53, accuracy=0.75, calibration_error=0.04,
        set_coverage=0.8, set_size=1.5, share_abstained=0.3, accuracy_where_sure=0.9,
        classes=classes,
    )  # fmt: skip
    scores = [
        SimpleNamespace(what=what, method=method, metric=metric, mean=mean, std=0.01, n_entries=99)
        for what, method, metric, mean in (
            ("labels of new rows", "RBMClassifier", "log-loss", 0.53125),
            ("labels of new rows", "RBMClassifier", "AUC", 0.8125),
            ("labels of new rows", "mean, most frequent", "log-loss", 0.75),
            ("hidden numbers", "RBMClassifier", "normalised RMSE", 0.625),
        )
    ]
    covered = SimpleNamespace(
        what="sets", asked=0.8, found=0.85, n_entries=60, size=1.5, least="target = high",
        least_found=0.7,
    )  # fmt: skip
    verdict = SimpleNamespace(
        what="labels of new rows", metric="log-loss", outcome="better", best_baseline="mean",
        sentence="Labels of new rows: yes, clearly better than all baselines.",
    )  # fmt: skip
    fields = {
        "model": "RBMClassifier", "parameters": {**of.get_params(), "random_state": 7},
        "features": NAMES, "labels": ("target",), "n_rows": len(NEW), "n_repeats": 3,
        "test_fraction": 0.2, "hidden_fraction": 0.25, "verdicts": (verdict,),
        "scores": tuple(scores), "new_rows": (label,), "coverage": (covered,), "seconds": {},
    }  # fmt: skip
    return SimpleNamespace(**fields | changed)


def test_its_figures_are_shown(models: Any) -> None:
    model = models["multiclass"]
    html = report_html(model, NEW, y_of("multiclass"), evaluation=evaluation(model))
    page = check_page(html)
    assert "Labels of new rows: yes, clearly better than all baselines." in page.text
    [label] = page.tables["evaluated-labels"]
    assert [cell.values[0] for cell in label[1:]] == [60, 0.75, 0.81, 0.53, 0.04, 0.8, 1.5]
    ours, trivial = page.tables["scores-1"]
    assert ours[1].values == [0.53125, 0.01]
    assert ours[2].values == [0.8125, 0.01]
    assert trivial[2].values == []  # a method without this score
    assert page.tables["scores-2"][0][1].values == [0.625, 0.01]
    # Coverage is that of rows that the model has not seen, not of the given ones.
    assert [row[3].values[0] for row in page.tables["coverage"]] == [8, 16, 24]
    assert "the dashed line is the 80 % they were asked for" in page.text
    assert "The evaluation is of" not in page.text


def test_it_needs_no_rows(models: Any) -> None:
    page = check_page(
        report_html(models["multiclass"], evaluation=evaluation(models["multiclass"]))
    )
    assert "No known targets were given" not in page.text
    assert "Calibration and coverage" in page.headings


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"features": (*NAMES[1:], "weight")}, r"its features are not .* \(size, weight\)"),
        ({"features": NAMES[1:]}, r"its features are not .* \(size\)"),
        ({"labels": ("risk",)}, r"its targets are not those of the model \(risk, target\)"),
        ({"labels": ()}, r"its targets are not"),
        ({"model": "HalfseenClassifier"}, "of a HalfseenClassifier, and the model is a RBMClass"),
    ],
)
def test_another_table_or_model_is_refused(models: Any, changed: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        report_html(models["multiclass"], evaluation=evaluation(models["multiclass"], **changed))


def test_other_classes_are_refused(models: Any) -> None:
    with pytest.raises(
        ValueError, match="of another table: the model does not know the high of target"
    ):
        report_html(models["binary"], evaluation=evaluation(models["binary"]))


def test_other_rows_and_parameters_are_named(models: Any) -> None:
    model = models["multiclass"]
    parameters = {**model.get_params(), "n_components": 99}
    found = evaluation(model, n_rows=1000, parameters=parameters)
    page = check_page(report_html(model, NEW, evaluation=found))
    assert "of other parameters than the model's: n_components=99" in page.text
    assert "of 1,000 rows, and the table has 30" in page.text
    for n_rows, is_warned in ((500, True), (5000, False)):
        page = check_page(report_html(model, NEW, n_rows=n_rows, evaluation=found))
        assert (f"and the table has {n_rows}" in page.text) == is_warned

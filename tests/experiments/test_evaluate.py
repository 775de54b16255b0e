"""`evaluate`: what is held out is not seen, scores are those of scikit-learn, and verdicts hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from halfseen import RBMClassifier, RBMImputer, evaluate
from halfseen.experiments.evaluate import SHOWN, Evaluation
from halfseen.experiments.scores import label_answers, score_label
from halfseen.experiments.significance import auc_influence

TRIVIAL, NATIVE = SHOWN["column_prior"], SHOWN["boosted_native"]

N = 300
MODEL = RBMClassifier(n_iter=6, n_components=4, learning_rate=0.1, validation_fraction=0.1)


def make_table(seed: int = 0, signal: float = 3.0) -> tuple[pd.DataFrame, pd.DataFrame]:
    random = np.random.default_rng(seed)
    cause = random.normal(size=N)
    X = pd.DataFrame(
        {
            "a": cause + 0.3 * random.normal(size=N),
            "b": cause + 0.3 * random.normal(size=N),
            "kind": np.where(cause > 0, "p", random.choice(["q", "r"], N)),
        }
    )
    y = pd.DataFrame(
        {f"y{k}": (signal * cause + random.normal(size=N) > k) * 1.0 for k in range(2)}
    )
    return X.mask(random.random(X.shape) < 0.1), y.mask(random.random(y.shape) < 0.2)


def score(found: Evaluation, what: str, method: str, metric: str) -> float:
    (mean,) = [
        s.mean for s in found.scores if (s.what, s.method, s.metric) == (what, method, metric)
    ]
    return mean


def test_what_comes_of_an_evaluation() -> None:
    X, y = make_table()
    calls: list[Any] = []
    found = evaluate(
        X, y, model=MODEL, n_repeats=2, progress=lambda *state: calls.append(state), coverage=0.8
    )
    assert [done for _, done, _ in calls] == list(range(8))
    assert (found.model, found.labels, found.n_rows) == ("RBMClassifier", ("y0", "y1"), N)
    assert found.parameters["n_iter"] == 6
    assert {verdict.what for verdict in found.verdicts} == {
        "labels of new rows", "hidden labels", "hidden categories", "hidden numbers",
    }  # fmt: skip
    assert score(found, "labels of new rows", TRIVIAL, "AUC") == 0.5
    assert score(found, "hidden numbers", TRIVIAL, "normalised RMSE") == pytest.approx(1, abs=0.1)
    assert score(found, "labels of new rows", NATIVE, "AUC") > 0.7
    n_known = sum(label.n_known for label in found.new_rows)
    assert n_known == pytest.approx(2 * 0.2 * y.notna().to_numpy().sum(), rel=0.2)
    assert {one.what for one in found.coverage} == {"intervals", "sets"}
    assert Evaluation.model_validate_json(found.model_dump_json()) == found
    text = found.text(80)
    assert text.count("Rule:") == 1
    for verdict in found.verdicts:
        assert verdict.metric in verdict.sentence
    assert (
        evaluate(X, y, model=MODEL, n_repeats=1).scores
        == evaluate(X, y, model=MODEL, n_repeats=1).scores
    )


class Spy(RBMClassifier):
    """Keeps what it is given."""

    seen: list[Any] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any) -> Any:  # type: ignore[override]
        Spy.seen.append((X.to_pandas(), y.to_pandas()))
        return super().fit(X, y)


def test_the_model_sees_neither_held_out_rows_nor_hidden_entries() -> None:
    X, y = make_table()
    X["row"] = np.arange(N) * 1.0
    Spy.seen.clear()
    model = Spy(n_iter=1, n_components=2)
    evaluate(X, y, model=model, n_repeats=2, test_fraction=0.3, hidden_fraction=0.5)
    for seen_X, seen_y in Spy.seen:
        assert len(seen_X) == round(0.7 * N)
        for seen, whole in ((seen_X[["a", "b", "kind"]], X), (seen_y, y)):
            share = seen.notna().to_numpy().mean() / whole[seen.columns].notna().to_numpy().mean()
            assert share == pytest.approx(0.5, abs=0.07)
        rows = seen_X["row"].dropna().astype(int)
        assert (seen_X["a"][rows.index].dropna() == X["a"][rows].set_axis(rows.index).dropna()[
            seen_X["a"][rows.index].dropna().index]).all()  # fmt: skip


def test_groups_and_time() -> None:
    X, y = make_table()
    X["row"] = np.arange(N) * 1.0
    groups, model = np.arange(N) // 30, Spy(n_iter=1, n_components=2)
    for options in ({"groups": groups}, {"time_order": -np.arange(N)}):
        Spy.seen.clear()
        evaluate(X, y, model=model, n_repeats=1, hidden_fraction=0.01, **options)
        ((seen_X, _),) = Spy.seen
        rows = set(seen_X["row"].dropna().astype(int))
        if "groups" in options:
            used = {int(groups[row]) for row in rows}
            assert len(used) == 8
        else:
            assert min(rows) >= 60
    with pytest.raises(ValueError, match="One group holds nearly all rows"):
        evaluate(X, y, model=model, groups=np.zeros(N))
    with pytest.raises(ValueError, match="test_fraction is a share"):
        evaluate(X, y, model=model, test_fraction=20)


def test_a_model_that_learned_nothing_is_not_recommended() -> None:
    X, y = make_table()
    model = RBMClassifier(n_iter=1, n_components=1, learning_rate=1e-9)
    found = evaluate(X, y, model=model, n_repeats=2)
    for verdict in found.verdicts:
        assert verdict.outcome in ("worse", "not beyond trivial", "too few")
        assert " yes, " not in verdict.sentence
    (new,) = [v for v in found.verdicts if v.what == "labels of new rows"]
    assert new.outcome == "worse"
    assert "gradient boosting" in new.best_baseline
    assert "significantly worse than a baseline" in new.sentence


def test_labels_that_nothing_tells_are_not_beyond_trivial() -> None:
    X, _ = make_table()
    y = pd.Series(np.random.default_rng(5).choice(["u", "v", "w"], N), name="y")
    found = evaluate(X, y, model=MODEL, n_repeats=2)
    (new,) = [v for v in found.verdicts if v.what == "labels of new rows"]
    assert new.outcome == "not beyond trivial"


def test_too_few_entries_and_no_labels() -> None:
    X, y = make_table()
    few = evaluate(X[:60], y[:60], model=MODEL, n_repeats=1)
    assert {verdict.outcome for verdict in few.verdicts} == {"too few"}
    alone = evaluate(X, model=RBMImputer(n_iter=2, n_components=2), n_repeats=1)
    assert {verdict.what for verdict in alone.verdicts} == {"hidden categories", "hidden numbers"}
    assert alone.new_rows == ()


def test_scores_of_labels_are_those_of_scikit_learn() -> None:
    X, y = make_table()
    model = RBMClassifier(n_iter=6, n_components=4, validation_fraction=0.1, random_state=0).fit(
        X, y
    )
    answers = label_answers(model, X, y)
    proba = model.predict_proba(X)
    for j, name in enumerate(y):
        known = y[name].notna().to_numpy()
        found = score_label(name, answers[j])
        assert found.n_known == known.sum()
        assert found.auc == pytest.approx(roc_auc_score(y[name][known], proba[known, j]))
        assert found.log_loss == pytest.approx(log_loss(y[name][known], proba[known, j]), abs=1e-6)
    unknown = score_label("y", answers[0]._replace(truth=np.full(N, np.nan)))
    assert (unknown.n_known, unknown.auc) == (0, None)


def test_the_influence_of_rows_on_the_auc_gives_its_standard_error() -> None:
    random = np.random.default_rng(0)
    aucs, errors = [], []
    for _ in range(300):
        truth = random.random(200) < 0.3
        score = truth + 1.5 * random.normal(size=200)
        found = auc_influence(truth, score)
        assert found is not None
        auc, influence = found
        assert auc == pytest.approx(roc_auc_score(truth, score))
        assert influence.mean() == pytest.approx(0, abs=1e-12)
        aucs.append(auc)
        errors.append(influence.std(ddof=1) / np.sqrt(200))
    assert np.mean(errors) == pytest.approx(np.std(aucs), rel=0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_repeats": 0}, "n_repeats is at least 1"),
        ({"coverage": 90}, "coverage is a share between 0 and 1"),
        ({"baselines": ["mc1"]}, "baselines: mc1 predicts no new rows"),
        ({"baselines": ["cle"]}, "baselines: cle gives no probabilities"),
        ({"model": RBMImputer()}, "RBMImputer is an imputer, which takes no y"),
        ({"y": None}, "RBMClassifier is a classifier, which needs y"),
        ({"groups": ["a", None] * (N // 2)}, "groups has a missing value, in row 1"),
        ({"time_order": [pd.Timestamp(0), pd.NaT] * (N // 2)}, "time_order has a missing value"),
        ({"groups": [1]}, "groups has 1 entries, and the table 300 rows"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_before_anything_is_fitted(
    options: dict[str, Any], message: str
) -> None:
    X, y = make_table()
    with pytest.raises(ValueError, match=message):
        evaluate(X, options.pop("y", y), **{"model": MODEL, **options})


def test_a_table_of_few_rows_is_refused() -> None:
    X, y = make_table()
    with pytest.raises(ValueError, match="The table has 3 rows; evaluate needs 20 or more"):
        evaluate(X[:3], y[:3], model=MODEL)

"""Is a model to be trusted on this table? Hide what is known, predict it, and score.

Rows are held out: their labels are predicted from features alone, as ``predict`` does for new rows.
In the other rows entries are hidden completely at random, and filled as ``complete`` does. Simple
baselines answer for the same entries. This is repeated, and a stated rule gives a verdict.
"""

from __future__ import annotations

import math
import textwrap
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from halfseen.base.estimator import TableModel
from halfseen.data.frames import read_table, read_target
from halfseen.data.schema import Schema
from halfseen.experiments.label_scores import (
    Bools,
    Floats,
    LabelAnswers,
    LabelScore,
    Record,
    label_answers,
    score_label,
)

What = Literal["labels of new rows", "hidden labels", "hidden categories", "hidden numbers"]

TRIVIAL: Final = "mean, most frequent"
IMPUTED: Final = "iterative imputation, gradient boosting"
NATIVE: Final = "gradient boosting on missing values"
_METRICS: Final[dict[What, str]] = {
    "labels of new rows": "log-loss", "hidden labels": "log-loss",
    "hidden categories": "error rate", "hidden numbers": "normalised RMSE",
}  # fmt: skip
RULE: Final = (
    "Rule: methods are compared by the deciding metric and, for labels, by AUC. A difference is "
    "clear if its 95 % confidence interval over rows excludes 0."
)
_CAVEAT: Final = (
    "All of this holds for values that are missing completely at random, as the hidden ones are."
)
_Z: Final = 1.96
_FEWEST_ENTRIES: Final = 100
_MANY_ROWS: Final = 20_000
_CALIBRATED: Final = 0.05


class MethodScore(Record):
    """Mean and standard deviation over repeats of one score of one method."""

    what: What
    method: str
    metric: str
    mean: float
    std: float
    n_entries: int  # in all repeats


class Verdict(Record):
    """What comes of the comparison with the baselines."""

    what: What
    metric: str  # that decides
    outcome: Literal["better", "no clear difference", "worse", "not beyond trivial", "too few"]
    best_baseline: str
    sentence: str


class Coverage(Record):
    """How often intervals or prediction sets held the truth."""

    what: Literal["intervals", "sets"]
    asked: float
    found: float
    n_entries: int
    size: float  # mean width in standard deviations, or mean number of classes
    least: str  # column, or label and class, that was covered least
    least_found: float


class Evaluation(Record):
    """How well a model predicts what was hidden; printed, it is a page of text."""

    model: str
    parameters: dict[str, Any]
    features: tuple[str, ...]
    labels: tuple[str, ...]
    n_rows: int
    n_repeats: int
    test_fraction: float
    hidden_fraction: float
    verdicts: tuple[Verdict, ...]
    scores: tuple[MethodScore, ...]
    new_rows: tuple[LabelScore, ...]  # labels of held-out rows, all repeats together
    coverage: tuple[Coverage, ...]
    seconds: dict[str, float]  # per repeat

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = 88) -> str:
        """The evaluation as text."""
        return _text(self, width)


class _Losses(NamedTuple):
    """Losses of one method for one kind of entries in one repeat."""

    metric: float
    n_entries: int
    auc: float | None
    rows: NDArray[np.int64]  # rows of the table with scored entries
    of_rows: Floats  # losses of rows, whose mean is the metric (of squares for RMSE)
    auc_of_rows: Floats | None  # influence of rows on the AUC


def evaluate(
    X: Any,
    y: Any = None,
    *,
    model: TableModel | None = None,
    n_repeats: int = 3,
    test_fraction: float = 0.2,
    hidden_fraction: float = 0.2,
    coverage: float = 0.9,
    groups: ArrayLike | None = None,
    time_order: ArrayLike | None = None,
    random_state: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
) -> Evaluation:
    """Hold out rows and hide entries, fit, predict, and compare with simple baselines.

    Parameters
    ----------
    X : data frame of shape (n_rows, n_features)
        Features, with missing values.
    y : data frame or series, optional
        Labels, unknown ones among them.
    model : estimator, optional
        What to evaluate, not fitted; by default HalfseenClassifier or, without labels,
        HalfseenImputer.
    n_repeats : int, default=3
        How often rows are held out and entries hidden, each time others.
    test_fraction, hidden_fraction : float, default=0.2
        Share of the rows to hold out, and of the observed entries of the other rows to hide.
    coverage : float, default=0.9
        How often intervals and prediction sets shall hold the truth.
    groups : array-like of shape (n_rows,), optional
        Rows of a group are held out together.
    time_order : array-like of shape (n_rows,), optional
        The latest rows are held out, the same in every repeat.
    random_state : int, default=0
        Seed.
    progress : callable, optional
        Called with a text, and the number of steps done and in all.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen import RBMClassifier
    >>> X = pd.DataFrame({"a": [0, 1, None] * 40, "b": [0, 1, 1] * 40, "c": [1, 0, 0] * 40})
    >>> y = pd.Series(["no", "yes", "yes"] * 40, name="sick")
    >>> model = RBMClassifier(n_iter=5, learning_rate=0.1)
    >>> evaluation = evaluate(X, y, model=model, n_repeats=1)
    >>> [verdict.what for verdict in evaluation.verdicts]
    ['labels of new rows', 'hidden labels', 'hidden categories']
    """
    X = _arrow(X)
    y = None if y is None else _arrow(y)
    if model is None:
        import halfseen

        model = halfseen.HalfseenImputer() if y is None else halfseen.HalfseenClassifier()
    for name, share in (("test_fraction", test_fraction), ("hidden_fraction", hidden_fraction)):
        if not 0 < share < 1:
            raise ValueError(f"{name} is a share between 0 and 1, such as 0.2; got {share}.")
    splits = _splits(X.num_rows, n_repeats, test_fraction, groups, time_order, random_state)
    losses: dict[tuple[What, str], list[_Losses]] = {}
    answers: list[list[LabelAnswers]] = []
    intervals: list[tuple[Floats, ...]] = []
    seconds: dict[str, list[float]] = {}
    for repeat, test in enumerate(splits):
        if progress is not None:
            progress(f"repeat {repeat + 1} of {n_repeats}", repeat, n_repeats)
        one = _Repeat(X, y, test, hidden_fraction, random_state + repeat)
        for method, found, took in one.run(model, coverage):
            seconds.setdefault(method, []).append(took)
            for what, of_method in found.items():
                losses.setdefault((what, method), []).append(of_method)
        answers.append(one.answers)
        intervals.append(one.intervals)
    name = type(model).__name__
    labels = () if y is None else tuple(y.column_names)
    whats = [what for what in _METRICS if (what, name) in losses]
    new_rows = [
        score_label(label, _pooled([of_repeat[j] for of_repeat in answers]))
        for j, label in enumerate(labels)
    ]
    parameters = {k: v for k, v in model.get_params(deep=False).items() if _is_plain(v)}
    return Evaluation(
        model=name, parameters=parameters, features=tuple(X.column_names), labels=labels,
        n_rows=X.num_rows, n_repeats=n_repeats, test_fraction=test_fraction,
        hidden_fraction=hidden_fraction,
        verdicts=tuple(_verdict(what, name, losses) for what in whats),
        scores=tuple(score for key, found in losses.items() for score in _scores(*key, found)),
        new_rows=tuple(new_rows),
        coverage=tuple(_coverages(coverage, new_rows, intervals, X.column_names)),
        seconds={method: float(np.mean(took)) for method, took in seconds.items()},
    )  # fmt: skip


class _Repeat:
    """One split of the rows, with entries hidden in the rows that are left for training."""

    def __init__(self, X: Any, y: Any, test: Bools, hidden_fraction: float, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.seed, self.train_rows, self.test_rows = seed, *map(np.flatnonzero, (~test, test))
        self.X, self.y = X.take(self.train_rows), None if y is None else y.take(self.train_rows)
        self.X_test, self.y_test = (
            X.take(self.test_rows),
            None if y is None else y.take(self.test_rows),
        )
        observed = read_table(self.X).observed
        self.hidden = observed & (random.random(observed.shape) < hidden_fraction)
        self.X_masked = _masked(self.X, self.hidden)
        if y is not None:
            known = read_target(self.y, target_type="multiclass-multioutput").observed
            self.hidden_y = known & (random.random(known.shape) < hidden_fraction)
            self.y_masked = _masked(self.y, self.hidden_y)
        self.answers: list[LabelAnswers] = []
        self.intervals: tuple[Floats, ...] = ()

    def run(self, model: Any, coverage: float) -> Any:
        """Name, losses by kind of entries, and seconds, of the model and of each baseline."""
        began = time.perf_counter()
        fitted = clone(model).set_params(random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = (self.X_masked,) if self.y is None else (self.X_masked, self.y_masked)
            fitted.fit(*given)
        self.schema: Schema = fitted.schema_
        self.truth = self.schema.encode(read_table(self.X))
        found: dict[What, _Losses] = {}
        found |= self._feature_losses(fitted._complete_units(fitted._encode(*given)[1]))
        if self.y is not None:
            self.answers = label_answers(fitted, self.X_test, self.y_test, coverage)
            proba = fitted.complete(*given).proba
            self.hidden_answers = label_answers(fitted, self.X, self.y, None, proba)
            found |= self._label_losses(
                [a.proba for a in self.answers], [a.proba for a in self.hidden_answers]
            )
        if fitted.calibration_ is not None:
            self._check_intervals(fitted.predict_interval(self.X_masked, coverage))
        yield type(model).__name__, found, time.perf_counter() - began
        for name in (TRIVIAL, IMPUTED, NATIVE)[: 2 if self.y is None else 3]:
            began = time.perf_counter()
            yield name, self._baseline(name), time.perf_counter() - began

    def _baseline(self, name: str) -> dict[What, _Losses]:
        features = np.setdiff1d(np.arange(self.schema.n_units), self.schema.target_units)
        train, test = (
            np.where(seen, values, np.nan)[:, features]
            for values, seen in map(
                self.schema.encode, map(read_table, (self.X_masked, self.X_test))
            )
        )
        units = np.tile(self.schema.marginals.astype(np.float64), (len(train), 1))
        # On small tables threads wait for each other longer than they compute.
        n_threads = 1 if len(train) < _MANY_ROWS else None
        with threadpool_limits(n_threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name == IMPUTED:
                imputer = _imputer(train, self.seed)
                train, test = imputer.fit_transform(train), imputer.transform(test)
                units[:, features] = train
            found: dict[What, _Losses] = {}
            if self.y is not None:
                pairs = [self._classify(j, name, train, test) for j in range(len(self.answers))]
                found |= self._label_losses([p[0] for p in pairs], [p[1] for p in pairs])
        return found if name == NATIVE else found | self._feature_losses(units)

    def _classify(self, j: int, name: str, train: Floats, test: Floats) -> tuple[Floats, Floats]:
        """Probabilities of a label for held-out rows, and for rows of training."""
        from sklearn.dummy import DummyClassifier
        from sklearn.ensemble import HistGradientBoostingClassifier

        codes = self.hidden_answers[j].truth
        known = ~np.isnan(codes) & ~self.hidden_y[:, j]
        classifier: Any = DummyClassifier()
        if name != TRIVIAL and len(np.unique(codes[known])) > 1:
            n_iterations = 100 if len(self.answers) <= 10 else 40
            classifier = HistGradientBoostingClassifier(
                max_iter=n_iterations, random_state=self.seed
            )
        classifier.fit(train[known], codes[known])
        n_classes = self.answers[j].proba.shape[1]
        results = []
        for rows in (test, train):
            proba = np.zeros((len(rows), n_classes))
            proba[:, classifier.classes_.astype(int)] = classifier.predict_proba(rows)
            results.append(proba)
        return results[0], results[1]

    def _label_losses(self, new: list[Floats], hidden: list[Floats]) -> dict[What, _Losses]:
        of_new = _log_losses([a.truth for a in self.answers], new, self.test_rows)
        truths = [
            np.where(self.hidden_y[:, j], a.truth, np.nan)
            for j, a in enumerate(self.hidden_answers)
        ]
        of_hidden = _log_losses(truths, hidden, self.train_rows)
        found = {"labels of new rows": of_new, "hidden labels": of_hidden}
        return {what: one for what, one in found.items() if one is not None}  # type: ignore[misc]

    def _feature_losses(self, units: NDArray[Any]) -> dict[What, _Losses]:
        """Squared errors of hidden numbers on the scale of their units, errors of categories."""
        squares, errors = [], []
        for j, column in enumerate(self.schema.features):
            if not column.n_units:
                continue
            own, hidden = self.schema.units_of(j), self.hidden[:, j]
            truth, guess = self.truth.values[:, own], units[:, own]
            if column.is_number or column.type == "ordinal":
                scale = float(np.std(truth[hidden])) if hidden.any() else 0.0
                if scale > 0:
                    squares.append((np.square((guess - truth)[:, 0] / scale), hidden))
            elif column.n_units == 1:
                errors.append(((guess >= 0.5)[:, 0] != (truth >= 0.5)[:, 0], hidden))
            else:
                errors.append((guess.argmax(axis=1) != truth.argmax(axis=1), hidden))
        found: dict[What, _Losses] = {}
        kinds: tuple[tuple[What, Any], ...] = (
            ("hidden numbers", squares),
            ("hidden categories", errors),
        )
        for what, parts in kinds:
            if parts:
                found[what] = _losses(
                    np.stack([p[0] for p in parts], 1), np.stack([p[1] for p in parts], 1),
                    self.train_rows, is_square=what == "hidden numbers",
                )  # fmt: skip
        return found

    def _check_intervals(self, bounds: Floats) -> None:
        """Where intervals of hidden numbers hold the truth: column, hit, width."""
        parts = []
        table = read_table(self.X)
        for j, column in enumerate(self.schema.features):
            rows = np.flatnonzero(self.hidden[:, j])
            if column.is_number and len(rows):
                numbers = np.full(table.n_rows, np.nan)
                numbers[table.columns[j].observed] = table.columns[j].numbers(column.name)
                low, high = bounds[rows, j].T
                slack = 1e-6 * np.abs(numbers[rows])
                held = (low - slack <= numbers[rows]) & (numbers[rows] <= high + slack)
                width = (high - low) / (np.nanstd(numbers) or 1.0)
                parts.append((np.full(len(rows), float(j)), held.astype(float), width))
        if parts:
            self.intervals = tuple(np.concatenate(group) for group in zip(*parts, strict=True))


def _losses(values: Any, scored: Bools, rows: NDArray[np.int64], is_square: bool) -> _Losses:
    n_entries = int(scored.sum())
    of_rows = np.where(scored, values, 0.0).sum(axis=1)
    used = scored.any(axis=1)
    mean = float(of_rows.sum() / max(n_entries, 1))
    weighted = of_rows[used] * used.sum() / max(n_entries, 1)
    metric = math.sqrt(mean) if is_square else mean
    return _Losses(metric, n_entries, None, rows[used], weighted, None)


def _log_losses(
    truths: list[Floats], probas: list[Floats], rows: NDArray[np.int64]
) -> _Losses | None:
    known = ~np.isnan(np.stack(truths, axis=1))
    if not known.any():
        return None
    values, influences, aucs = np.zeros(known.shape), [], []
    for j, (truth, proba) in enumerate(zip(truths, probas, strict=True)):
        codes = truth[known[:, j]].astype(np.int64)
        of_truth = proba[known[:, j]][np.arange(len(codes)), codes]
        values[known[:, j], j] = -np.log(np.clip(of_truth, 1e-6, 1.0))
        for code in range(1 if proba.shape[1] == 2 else 0, proba.shape[1]):
            found = _auc_influence(codes == code, proba[known[:, j], code])
            if found is not None:
                aucs.append(found[0])
                influence = np.zeros(len(truth))
                influence[known[:, j]] = found[1] * len(truth) / len(codes)
                influences.append(influence)
    found_losses = _losses(values, known, rows, is_square=False)
    if not aucs:
        return found_losses
    of_rows = np.mean(influences, axis=0)[known.any(axis=1)]
    scale = len(of_rows) / len(known)  # the mean over used rows stays
    return found_losses._replace(auc=float(np.mean(aucs)), auc_of_rows=of_rows * scale)


def _auc_influence(is_positive: Bools, score: Floats) -> tuple[float, Floats] | None:
    """AUC, and what each row adds to its error (DeLong); the mean over rows is 0."""
    n_positive, n = int(is_positive.sum()), len(score)
    n_negative = n - n_positive
    if min(n_positive, n_negative) < 2:
        return None
    ranks, own = rankdata(score), np.zeros(n)
    own[is_positive], own[~is_positive] = (
        rankdata(score[is_positive]),
        rankdata(score[~is_positive]),
    )
    # Share of the other class that lies on the right side of the row.
    below = (ranks - own) / np.where(is_positive, n_negative, n_positive)
    placed = np.where(is_positive, below, 1 - below)
    auc = float(placed[is_positive].mean())
    return auc, (placed - auc) * n / np.where(is_positive, n_positive, n_negative)


def _compare(ours: list[_Losses], theirs: list[_Losses], of_auc: bool = False) -> int:
    """1 if our losses are clearly lower, -1 if clearly higher, else 0; or our AUC higher, lower."""
    changes: dict[int, list[float]] = {}
    offset = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if of_auc and (a.auc_of_rows is None or b.auc_of_rows is None):
            return 0
        of_rows = b.of_rows - a.of_rows
        if a.auc_of_rows is not None and b.auc_of_rows is not None and of_auc:
            of_rows = a.auc_of_rows - b.auc_of_rows
            offset += ((a.auc or 0.0) - (b.auc or 0.0)) / len(ours)
        for row, change in zip(a.rows.tolist(), of_rows.tolist(), strict=True):
            changes.setdefault(row, []).append(change)
    # A row that is scored in several repeats counts once.
    means = np.array([np.mean(of_row) for of_row in changes.values()])
    half = _Z * float(means.std(ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else math.inf
    difference = offset if of_auc else float(means.mean())
    return int(difference > half) - int(difference < -half)


def _verdict(what: What, name: str, losses: dict[tuple[What, str], list[_Losses]]) -> Verdict:
    metric, ours = _METRICS[what], losses[what, name]
    others = {method: found for (kind, method), found in losses.items() if kind == what}
    del others[name]
    by_metric = {method: _compare(ours, found) for method, found in others.items()}
    by_auc = {method: _compare(ours, found, of_auc=True) for method, found in others.items()}
    ahead = [method for method in others if by_metric[method] == 1]
    better = {
        method: " and ".join(
            score for score, found in ((metric, by_metric), ("AUC", by_auc)) if found[method] == -1
        )
        for method in others
    }
    better = {method: scores for method, scores in better.items() if scores}
    rivals = [m for m in others if m in better] or [m for m in others if m not in ahead] or others
    best = min(rivals, key=lambda method: sum(one.metric for one in others[method]))
    n_entries = sum(one.n_entries for one in ours)
    outcome: Any = "better"
    text = "yes, clearly better than all baselines"
    if n_entries < _FEWEST_ENTRIES:
        outcome, text = "too few", f"too few to tell, with {n_entries} entries"
    elif better:
        listed = "; ".join(f"{method}, by {scores}" for method, scores in better.items())
        outcome, text = "worse", f"no, baselines are clearly better ({listed})"
    elif TRIVIAL not in ahead:
        outcome, text = (
            "not beyond trivial",
            "no, not clearly better than without the rest of a row",
        )
    elif len(ahead) < len(others):
        outcome, text = "no clear difference", "yes, with no clear difference to the best baseline"
    methods = dict.fromkeys((name, best, TRIVIAL))
    facts = "; ".join(f"{method}: {_figures(metric, losses[what, method])}" for method in methods)
    sentence = f"{what[0].upper()}{what[1:]}: {text}. {facts}."
    return Verdict(what=what, metric=metric, outcome=outcome, best_baseline=best, sentence=sentence)


def _figures(metric: str, found: list[_Losses]) -> str:
    text = f"{metric} {np.mean([one.metric for one in found]):.3f}"
    aucs = [one.auc for one in found if one.auc is not None]
    return f"{text}, AUC {np.mean(aucs):.3f}" if aucs else text


def _scores(what: What, method: str, found: list[_Losses]) -> list[MethodScore]:
    columns = {_METRICS[what]: [one.metric for one in found]}
    if found[0].auc is not None:
        columns["AUC"] = [one.auc for one in found if one.auc is not None]
    n_entries = sum(one.n_entries for one in found)
    return [
        MethodScore(
            what=what, method=method, metric=metric, mean=float(np.mean(values)),
            std=float(np.std(values, ddof=1)) if len(values) > 1 else 0.0, n_entries=n_entries,
        )
        for metric, values in columns.items()
    ]  # fmt: skip


def _coverages(
    asked: float, labels: Sequence[LabelScore], intervals: list[tuple[Floats, ...]], names: Any
) -> list[Coverage]:
    found = []
    parts = [one for one in intervals if one]
    if parts:
        column, held, width = (np.concatenate(group) for group in zip(*parts, strict=True))
        shares = {int(j): float(held[column == j].mean()) for j in np.unique(column)}
        least = min(shares, key=lambda j: shares[j])
        found.append(
            Coverage(
                what="intervals", asked=asked, found=float(held.mean()), n_entries=len(held),
                size=float(width.mean()), least=names[least], least_found=shares[least],
            )
        )  # fmt: skip
    scored = [label for label in labels if label.set_coverage is not None]
    if scored:
        n = np.array([label.n_known for label in scored])
        classes = [(label.name, c) for label in scored for c in label.classes]
        name, least_class = min(classes, key=lambda pair: pair[1].set_coverage or 0.0)
        found.append(
            Coverage(
                what="sets", asked=asked, n_entries=int(n.sum()),
                found=float(np.average([label.set_coverage for label in scored], weights=n)),
                size=float(np.average([label.set_size for label in scored], weights=n)),
                least=f"{name} = {least_class.value}", least_found=least_class.set_coverage or 0.0,
            )
        )  # fmt: skip
    return found


def _splits(
    n_rows: int, n_repeats: int, share: float, groups: Any, time_order: Any, seed: int
) -> list[Bools]:
    """Test rows of each repeat."""
    n_test = max(1, round(share * n_rows))
    if time_order is not None:
        order = np.argsort(np.asarray(time_order), kind="stable")
        return [np.isin(np.arange(n_rows), order[-n_test:])] * n_repeats
    splits = []
    codes = (
        np.arange(n_rows)
        if groups is None
        else np.unique(np.asarray(groups), return_inverse=True)[1]
    )
    for repeat in range(n_repeats):
        order = np.random.default_rng([seed, repeat]).permutation(codes.max() + 1)
        # Whole groups, as many as make up the share.
        sizes = np.cumsum(np.bincount(codes)[order])
        chosen = order[: int(np.searchsorted(sizes, n_test)) + 1]
        if len(chosen) == len(order):
            raise ValueError("One group holds nearly all rows; evaluate without groups.")
        splits.append(np.isin(codes, chosen))
    return splits


def _pooled(answers: list[LabelAnswers]) -> LabelAnswers:
    """Answers of several repeats together; classes that a repeat lacks have probability 0."""
    widest = max(answers, key=lambda one: one.proba.shape[1]).column
    place = {value: k for k, value in enumerate(widest.categories)}
    parts = []
    for one in answers:
        to = np.array([place.get(value, 0) for value in one.column.categories])
        proba = np.zeros((len(one.proba), len(place)))
        proba[:, to] = one.proba
        inside = np.zeros(proba.shape, bool)
        if one.inside is not None:
            inside[:, to] = one.inside
        truth = np.where(np.isnan(one.truth), np.nan, to[np.nan_to_num(one.truth).astype(int)])
        parts.append((truth, proba, to[one.decided], inside))
    truth, proba, decided, inside = (np.concatenate(group) for group in zip(*parts, strict=True))
    return LabelAnswers(
        widest, truth, proba, decided, inside if answers[0].inside is not None else None
    )


def _imputer(train: Floats, seed: int) -> Any:
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    nearest = 30 if train.shape[1] > 50 else None
    return IterativeImputer(
        max_iter=3, n_nearest_features=nearest, keep_empty_features=True, random_state=seed
    )


def _arrow(data: Any) -> Any:
    import pyarrow as pa

    frame = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(frame, nw.Series):
        frame = frame.alias(frame.name or "target").to_frame()
    if isinstance(frame, nw.DataFrame):
        return frame.to_arrow()
    array = np.asarray(data)
    names = ["target"] if array.ndim == 1 else [str(j) for j in range(array.shape[1])]
    columns = array.reshape(len(array), -1).T.tolist()
    return pa.table([pa.array(column, from_pandas=True) for column in columns], names=names)


def _masked(table: Any, hidden: Bools) -> Any:
    """The table without the hidden entries."""
    import pyarrow as pa

    rows = np.arange(table.num_rows)
    columns = [
        column.take(pa.array(rows, mask=of_column))
        for column, of_column in zip(table.columns, hidden.T, strict=True)
    ]
    return pa.table(columns, names=table.column_names)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _text(found: Evaluation, width: int) -> str:
    lines = []
    for what in dict.fromkeys(score.what for score in found.scores):
        rows = [score for score in found.scores if score.what == what]
        names = list(dict.fromkeys(score.metric for score in rows))
        title = f"{what[0].upper()}{what[1:]} ({rows[0].n_entries:,})"
        lines.append(f"{title:40}" + "".join(f"{name:>17}" for name in names))
        for method in dict.fromkeys(score.method for score in rows):
            cells = [f"{s.mean:.3f} ± {s.std:.3f}" for s in rows if s.method == method]
            lines.append(f"{method:40}" + "".join(f"{cell:>17}" for cell in cells))
        lines.append("")
    sentences = [verdict.sentence for verdict in found.verdicts]
    sentences += [_coverage_sentence(one) for one in found.coverage]
    errors = [one.calibration_error for one in found.new_rows if one.calibration_error is not None]
    if errors:
        good = max(errors) <= _CALIBRATED
        advice = "can be taken at their word" if good else "are to be taken with care"
        figures = f"{np.mean(errors):.3f} on average over labels, {max(errors):.3f} at most"
        sentences.append(f"Probabilities {advice}: calibration error {figures}.")
    bullets = (f"- {sentence}" for sentence in [*sentences, RULE, _CAVEAT])
    wrapped = [textwrap.fill(line, width, subsequent_indent="  ") for line in bullets]
    return "\n".join([*lines, "Should I trust this on my data?", *wrapped])


def _coverage_sentence(one: Coverage) -> str:
    slack = max(0.02, 2 * math.sqrt(one.asked * (1 - one.asked) / max(one.n_entries, 1)))
    what, unit = "Prediction sets", "classes"
    if one.what == "intervals":
        what, unit = "Intervals", "standard deviations wide"
    holds = "hold what they promise" if one.found >= one.asked - slack else "hold less than asked"
    return (
        f"{what} {holds}: asked for {one.asked:.0%}, found {one.found:.1%} of {one.n_entries:,} "
        f"entries, {one.size:.2g} {unit} on average; least in {one.least}, {one.least_found:.1%}."
    )

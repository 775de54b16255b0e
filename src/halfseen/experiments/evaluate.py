"""Whether to trust a model on a table: hide what is known, predict it, and score.

Rows are held out: their labels are predicted from features alone, as ``predict`` does for new rows.
In the other rows entries are hidden completely at random, and filled as ``complete`` does. Simple
baselines get the same entries. This is repeated, and a stated rule gives a verdict.
"""

from __future__ import annotations

import math
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from halfseen.base.estimator import TableModel
from halfseen.experiments.data_sets import Bools, DataSet, Record, frame_data_set
from halfseen.experiments.pipeline import Hidden, Prediction, fit_and_predict, hide, method_named
from halfseen.experiments.scores import (
    IntervalEntries,
    LabelScore,
    interval_entries,
    pooled_answers,
    row_losses,
    score_label,
)
from halfseen.experiments.significance import RowLosses, compare_rows
from halfseen.metrics import known

What = Literal["labels of new rows", "hidden labels", "hidden categories", "hidden numbers"]

TRIVIAL: Final = "column_prior"
BASELINES: Final = (TRIVIAL, "boosted_imputed", "boosted_native")
SHOWN: Final = {
    TRIVIAL: "mean, most frequent",
    "boosted_imputed": "imputation, gradient boosting",
    "boosted_native": "gradient boosting on missing values",
    "gaussian_em": "Gaussian EM",
}
_METRICS: Final[dict[What, str]] = {
    "labels of new rows": "log-loss", "hidden labels": "log-loss",
    "hidden categories": "error rate", "hidden numbers": "normalised RMSE",
}  # fmt: skip
RULE: Final = (
    "Rule: methods are compared by the metric and, for labels, by AUC. A difference is significant "
    "if its 95 % confidence interval over rows excludes 0."
)
_CAVEAT: Final = (
    "Hidden entries are missing completely at random; where real ones are not, scores may differ."
)
_FEWEST_ENTRIES: Final = 100
_FEWEST_ROWS: Final = 20
_MANY_ROWS: Final = 20_000
_FEWEST_OF_A_COLUMN: Final = 20
_CALIBRATED: Final = 0.05

Losses = dict[tuple[What, str], list[RowLosses]]


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

    def __str__(self) -> str:
        slack = max(0.02, 2 * math.sqrt(self.asked * (1 - self.asked) / max(self.n_entries, 1)))
        is_kept, what, unit = self.found >= self.asked - slack, "Prediction sets", "classes"
        if self.what == "intervals":
            what, unit = "Intervals", "standard deviations wide"
        return (
            f"{what} {'keep their coverage' if is_kept else 'cover less than asked'}: asked for "
            f"{self.asked:.0%}, found {self.found:.1%} of {self.n_entries:,} entries, "
            f"{self.size:.2g} {unit} on average; least in {self.least}, {self.least_found:.1%}."
        )


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
        lines = []
        for what in dict.fromkeys(score.what for score in self.scores):
            rows = [score for score in self.scores if score.what == what]
            table = [[f"{_headline(what)} ({rows[0].n_entries:,})",
                      *dict.fromkeys(score.metric for score in rows)]]  # fmt: skip
            for method in dict.fromkeys(score.method for score in rows):
                cells = [f"{s.mean:.3f} ± {s.std:.3f}" for s in rows if s.method == method]
                table.append([method, *(c if self.n_repeats > 1 else c.split()[0] for c in cells)])
            lines += [f"{name:40}" + "".join(f"{cell:>17}" for cell in row) for name, *row in table]
            lines.append("")
        sentences = [verdict.sentence for verdict in self.verdicts]
        sentences += [label.warning for label in self.new_rows if label.warning]
        sentences += map(str, self.coverage)
        found = (label.calibration_error for label in self.new_rows)
        if errors := [error for error in found if error is not None]:
            good = max(errors) <= _CALIBRATED
            advice = "are calibrated" if good else "are not well calibrated for every label"
            figures = f"{np.mean(errors):.3f} on average over labels, {max(errors):.3f} at most"
            sentences.append(f"Probabilities {advice}: calibration error {figures}.")
        bullets = (f"- {sentence}" for sentence in [*sentences, RULE, _CAVEAT])
        wrapped = [textwrap.fill(line, width, subsequent_indent="  ") for line in bullets]
        return "\n".join([*lines, "Should I trust this on my data?", *wrapped])


def evaluate(
    X: Any, y: Any = None, *, model: TableModel | None = None,
    baselines: Sequence[str] = BASELINES, n_repeats: int = 3, test_fraction: float = 0.2,
    hidden_fraction: float = 0.1, coverage: float = 0.9, groups: ArrayLike | None = None,
    time_order: ArrayLike | None = None, random_state: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
) -> Evaluation:  # fmt: skip
    """Hold out rows and hide entries, fit, predict, and compare with simple baselines.

    Two questions are answered apart. *New rows*: labels given the features of a row alone, what
    `predict` does; this is the headline. *Hidden entries* of training rows, given everything else
    in the row, other labels among it: what `complete` does.

    Parameters
    ----------
    X, y : data frame, series or array; y is optional
        Features, with missing values, and labels, unknown ones among them.
    model : estimator, optional
        What to evaluate, not fitted; by default HalfseenClassifier or, without labels,
        HalfseenImputer.
    baselines : sequence of str, default=("column_prior", "boosted_imputed", "boosted_native")
        Methods to compare with, by the names that plans of studies use.
    n_repeats : int, default=3
        How often rows are held out and entries hidden, each time others.
    test_fraction, hidden_fraction : float, default=0.2, 0.1
        Share of the rows to hold out, and of the observed entries of the other rows to hide.
        What is hidden is not learned from, so scores of new rows are slightly pessimistic.
    coverage : float, default=0.9
        How often intervals and prediction sets shall hold the truth.
    groups, time_order : array-like of shape (n_rows,), optional
        Rows of a group are held out together; or the latest rows, the same in every repeat.
    random_state : int, default=0
        Seed.
    progress : callable, optional
        Called with a text, and the number of steps done and in all.

    Returns
    -------
    Evaluation
        `new_rows` has the scores of each label and class, `scores` those of all methods,
        `verdicts` and `coverage` what follows; `print` shows them as a page of text.

    Examples
    --------
    >>> from halfseen import RBMClassifier, evaluate
    >>> X, y = np.array([[0, 0, 1], [1, 1, 0], [np.nan, 1, 0]] * 40), ["no", "yes", "yes"] * 40
    >>> evaluation = evaluate(X, y, model=RBMClassifier(n_iter=5), n_repeats=1)
    >>> [verdict.what for verdict in evaluation.verdicts]
    ['labels of new rows', 'hidden labels', 'hidden categories']
    """
    if model is None:
        import halfseen

        model = halfseen.HalfseenImputer() if y is None else halfseen.HalfseenClassifier()
    shares = {"test_fraction": test_fraction, "hidden_fraction": hidden_fraction}
    _check(model, y, baselines, n_repeats, {**shares, "coverage": coverage})
    data = frame_data_set("table", X, y, getattr(model, "feature_types", "auto"))
    splits = _splits(len(data.X), n_repeats, test_fraction, groups, time_order, random_state)
    name, losses, seconds = type(model).__name__, Losses(), dict[str, list[float]]()
    of_new: list[tuple[Hidden, Prediction]] = []
    intervals: list[IntervalEntries] = []
    for repeat, is_new in enumerate(splits):
        seed = random_state + repeat
        hidden = hide(
            data, feature_rate=hidden_fraction, label_rate=hidden_fraction, seed=seed,
            new_rows=is_new, new_feature_rate=0.0,
        )  # fmt: skip
        for place, method in enumerate((name, *baselines)):
            if progress is not None:
                step = repeat * (1 + len(baselines)) + place
                what = f"repeat {repeat + 1} of {n_repeats}: {SHOWN.get(method, method)}"
                progress(what, step, n_repeats * (1 + len(baselines)))
            began = time.perf_counter()
            made = clone(model).set_params(random_state=seed)
            made = method_named(method, seed=seed) if place else made
            # On small tables threads wait for each other longer than they compute.
            with threadpool_limits(1 if len(data.X) < _MANY_ROWS else None):
                found = fit_and_predict(made, hidden, ("new rows", "training rows"), coverage)
            seconds.setdefault(method, []).append(time.perf_counter() - began)
            for kind, of_kind in row_losses(hidden, found).items():
                losses.setdefault((kind, method), []).append(of_kind)
            if not place:
                of_new.append((hidden, found["new rows"]))
                if held := interval_entries(hidden, "training rows", found["training rows"]):
                    intervals.append(held)
    new_rows = [
        score_label(output.name, pooled_answers(of_new, j, output.classes))
        for j, output in enumerate(data.outputs)
    ]
    whats = [what for what in _METRICS if (what, name) in losses]
    assert data.frames is not None
    return Evaluation(
        model=name,
        parameters={name: value for name, value in model.get_params(deep=False).items()
                    if isinstance(value, bool | int | float | str | None)},
        features=tuple(data.frames.X.column_names),
        labels=() if data.frames.y is None else tuple(data.frames.y.column_names),
        n_rows=len(data.X), n_repeats=n_repeats, **shares,
        verdicts=tuple(_verdict(what, name, losses) for what in whats),
        scores=tuple(score for key, found in losses.items() for score in _scores(*key, found)),
        new_rows=tuple(new_rows),
        coverage=tuple(_coverages(coverage, new_rows, intervals, data)),
        seconds={method: float(np.mean(took)) for method, took in seconds.items()},
    )  # fmt: skip


def _check(
    model: TableModel, y: Any, baselines: Sequence[str], n_repeats: int, shares: dict[str, float]
) -> None:
    """Refuse what cannot be evaluated, before anything is fitted."""
    for name, share in shares.items():
        if not 0 < share < 1:
            raise ValueError(f"{name} is a share between 0 and 1, such as 0.2; got {share}.")
    if n_repeats < 1:
        raise ValueError(f"n_repeats is at least 1; got {n_repeats}.")
    if (y is None) == hasattr(model, "predict_proba"):
        other = "a classifier, which needs y" if y is None else "an imputer, which takes no y"
        raise ValueError(f"{type(model).__name__} is {other}.")
    needs = {"gives_probabilities": "gives no probabilities", "inductive": "predicts no new rows"}
    for method, (can, what) in product(baselines, needs.items()):
        if not getattr(method_named(method), can, True):
            raise ValueError(f"baselines: {method} {what}; choose another.")


def _verdict(what: What, name: str, losses: Losses) -> Verdict:
    metric, ours = _METRICS[what], losses[what, name]
    others = {method: found for (kind, method), found in losses.items() if kind == what}
    del others[name]
    if not others:
        text = f"{_headline(what)}: no baseline. {name}: {_figures(metric, ours)}."
        return Verdict(what=what, metric=metric, outcome="too few", best_baseline="", sentence=text)
    by_metric = {method: compare_rows(ours, found) for method, found in others.items()}
    by_auc = {method: compare_rows(ours, found, of_auc=True) for method, found in others.items()}
    ahead = [method for method in others if by_metric[method] == 1]
    scores = {metric: by_metric, "AUC": by_auc}
    worse = {method: [score for score, found in scores.items() if found[method] == -1]
             for method in others}  # fmt: skip
    better = {method: by for method, by in worse.items() if by}
    strongest = better or [method for method in others if method not in ahead] or others
    best = min(strongest, key=lambda method: sum(one.metric for one in others[method]))
    n_entries = sum(one.n_entries for one in ours)
    outcome: Any = "better"
    text = "yes, significantly better than all baselines"
    if n_entries < _FEWEST_ENTRIES:
        outcome, text = "too few", f"too few to tell, with {n_entries} entries"
    elif better:
        listed = "; ".join(f"{SHOWN.get(m, m)}, by {' and '.join(by)}" for m, by in better.items())
        outcome, text = "worse", f"no, significantly worse than a baseline ({listed})"
    elif TRIVIAL in others and TRIVIAL not in ahead:
        outcome = "not beyond trivial"
        text = "no, not significantly better than without the rest of a row"
    elif len(ahead) < len(others):
        outcome = "no clear difference"
        text = "yes, with no significant difference to the best baseline"
    methods = dict.fromkeys((name, best, *(m for m in (TRIVIAL,) if m in others)))
    facts = "; ".join(f"{SHOWN.get(m, m)}: {_figures(metric, losses[what, m])}" for m in methods)
    return Verdict(
        what=what, metric=metric, outcome=outcome, best_baseline=SHOWN.get(best, best),
        sentence=f"{_headline(what)}: {text}. {facts}.",
    )  # fmt: skip


def _headline(what: str) -> str:
    return what[0].upper() + what[1:]


def _figures(metric: str, found: list[RowLosses]) -> str:
    text = f"{metric} {np.mean([one.metric for one in found]):.3f}"
    aucs = [one.auc for one in found if not math.isnan(one.auc)]
    return f"{text}, AUC {np.mean(aucs):.3f}" if aucs else text


def _scores(what: What, method: str, found: list[RowLosses]) -> Iterator[MethodScore]:
    columns = {_METRICS[what]: [one.metric for one in found],
               "AUC": [one.auc for one in found if not math.isnan(one.auc)]}  # fmt: skip
    for metric, values in columns.items():
        if values:
            yield MethodScore(
                what=what, method=SHOWN.get(method, method), metric=metric,
                mean=float(np.mean(values)), n_entries=sum(one.n_entries for one in found),
                std=float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
            )  # fmt: skip


def _coverages(
    asked: float, labels: Sequence[LabelScore], intervals: list[IntervalEntries], data: DataSet
) -> Iterator[Coverage]:
    if intervals:
        block, held, width = (np.concatenate(group) for group in zip(*intervals, strict=True))
        shares = {int(j): float(held[block == j].mean()) for j in np.unique(block)}
        # Of a few entries a share says nothing.
        many = np.flatnonzero(np.bincount(block) >= _FEWEST_OF_A_COLUMN).tolist()
        least = min(many or shares, key=lambda j: shares[j])
        yield Coverage(
            what="intervals", asked=asked, found=float(held.mean()), n_entries=len(held),
            size=float(width.mean()), least=data.feature_names[least], least_found=shares[least],
        )  # fmt: skip
    scored = [label for label in labels if label.set_coverage is not None]
    if scored:
        n = np.array([label.n_known for label in scored])
        classes = [(label.name, c) for label in scored for c in label.classes]
        name, least_class = min(classes, key=lambda pair: pair[1].set_coverage or 0.0)
        yield Coverage(
            what="sets", asked=asked, n_entries=int(n.sum()),
            found=float(np.average([label.set_coverage for label in scored], weights=n)),
            size=float(np.average([label.set_size for label in scored], weights=n)),
            least=f"{name} = {least_class.value}", least_found=least_class.set_coverage or 0.0,
        )  # fmt: skip


def _splits(
    n_rows: int, n_repeats: int, share: float, groups: Any, time_order: Any, seed: int
) -> list[Bools]:
    """New rows of each repeat."""
    if n_rows < _FEWEST_ROWS:
        raise ValueError(f"The table has {n_rows} rows; evaluate needs {_FEWEST_ROWS} or more.")
    n_new = max(1, round(share * n_rows))
    for name, given in (("groups", groups), ("time_order", time_order)):
        if given is not None and len(given) != n_rows:
            raise ValueError(f"{name} has {len(given)} entries, and the table {n_rows} rows.")
        if given is not None and not (is_known := known(given)).all():
            row = int(is_known.argmin())
            raise ValueError(f"{name} has a missing value, in row {row}; rows cannot be split.")
    splits, codes = [], np.arange(n_rows)
    if time_order is not None:
        order = np.argsort(np.asarray(time_order), kind="stable")
        return [np.isin(codes, order[-n_new:])] * n_repeats
    if groups is not None:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
    for repeat in range(n_repeats):
        order = np.random.default_rng([seed, repeat]).permutation(codes.max() + 1)
        # Whole groups, as many as make up the share.
        sizes = np.cumsum(np.bincount(codes)[order])
        chosen = order[: int(np.searchsorted(sizes, n_new)) + 1]
        if len(chosen) == len(order):
            raise ValueError("One group holds nearly all rows; evaluate without groups.")
        splits.append(np.isin(codes, chosen))
    return splits

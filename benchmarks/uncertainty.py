"""Whether intervals, sets, draws and log-probabilities hold what they promise; one JSON line each.

``HALFSEEN_DATA=folder python benchmarks/uncertainty.py COMMAND --save FILE`` appends what is not in
FILE yet and prints a summary of it. The commands:

- ``coverage``: fits to rows with 30 % of features and labels missing, and asks of new rows with 10,
  30, 60 and 90 % missing. Intervals at 90 %, by columns in which no value makes up more than 2 % of
  the entries; sets at 90 %, by class, beside the smallest thresholds that would reach 90 % of each
  class of the test labels; draws outside the support.
- ``rubin``: a simulation of multiple imputation; how often pooled 95 % intervals hold the truth.
- ``rows``: whether the probabilities of all rows of a binary table sum to one, and how well
  log-probabilities find rows with planted errors (AUC).

Fits run under the interpreter that ``--python`` names, as in ``accuracy.py``. Masks 0 to 4 are
there to choose by, masks 100 to 104 to report.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from accuracy import COVERAGE, MaskedTable, predictions
from accuracy import _write_table as write_table
from numpy.typing import NDArray
from scipy.stats import binom, norm

from halfseen import HalfseenClassifier, HalfseenImputer, metrics, pool
from halfseen.baselines.gaussian import GaussianCompletion
from halfseen.experiments.data_sets import FOLDER_VARIABLE, load_data_set
from halfseen.masks import mcar

TRAINED_AT, ASKED_AT = 0.3, (0.1, 0.3, 0.6, 0.9)
MOST_NEW_ROWS, NEW_SHARE = 3000, 0.3
MOST_FREQUENT = 0.02  # share of the most frequent value of a column whose intervals are scored
FEWEST_ROWS, LEAST_COVERAGE, SIGNIFICANCE = 50, 0.88, 0.01
TABLES = ("scene", "yeast", "pendigits", "emotions", "adult", "tox21", "mushroom")
_ROWS_STREAM = 15_487_469  # rows held out are drawn apart from masks, as in accuracy.py
N_REPETITIONS, N_SIMULATED, N_COPIES = 200, 300, 20
PLANTED_ROWS, PLANTED_CELLS = 0.1, 0.2


class Table(NamedTuple):
    """A data set: numbers, or a data frame with text in columns of categories."""

    X: Any
    y: NDArray[np.float64]  # labels (n, labels), or classes (n,)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Values of the numeric columns, NaN in the others."""
        if isinstance(self.X, np.ndarray):
            return self.X
        return self.X.apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)

    def take(self, rows: Any) -> Table:
        """Some of the rows."""
        return Table(
            self.X[rows] if isinstance(self.X, np.ndarray) else self.X.iloc[rows], self.y[rows]
        )


def load(name: str) -> Table:
    """A shared data set."""
    if name not in ("adult", "mushroom", "soybean"):
        data = load_data_set(name, 10_000 if name == "mnist" else None)
        y = data.Y.argmax(axis=1).astype(np.float64) if data.target == "classes" else data.Y
        return Table(data.X, y)
    with np.load(Path(os.environ[FOLDER_VARIABLE]) / f"{name}.npz") as found:
        X, kinds, levels = found["X"], found["feature_kind"], found["feature_levels"]
        columns: dict[str, Any] = {}
        for j, column in enumerate(found["feature_names"].tolist()):
            columns[column] = X[:, j].astype(np.float64)
            if kinds[j] != "numeric":
                words = pd.Series(levels[j].split("|"))
                columns[column] = words.reindex(X[:, j]).where(~np.isnan(X[:, j])).to_numpy(object)
        return Table(pd.DataFrame(columns), found["Y"].astype(np.float64).reshape(len(X)))


def asked_table(name: str, mask: int) -> tuple[MaskedTable, NDArray[np.float64]]:
    """Training rows, then the new rows once for each share asked, and these shares by row."""
    table = load(name)
    draw = np.random.default_rng([mask, _ROWS_STREAM])
    is_new = draw.random(len(table.y)) < NEW_SHARE
    new = draw.permutation(np.flatnonzero(is_new))[:MOST_NEW_ROWS]
    rates = np.repeat([0.0, *ASKED_AT], [np.sum(~is_new), *[len(new)] * len(ASKED_AT)])
    whole = table.take(np.concatenate([np.flatnonzero(~is_new), np.tile(new, len(ASKED_AT))]))
    of_training = rates == 0
    known = pd.notna(pd.DataFrame(whole.X)).to_numpy()
    seen = known & mcar(np.zeros(known.shape), TRAINED_AT, mask)
    for k, rate in enumerate(ASKED_AT):  # other masks than those of training, and of each other
        own = rates == rate
        seen[own] = known[own] & mcar(np.zeros((own.sum(), known.shape[1])), rate, 1000 * k + mask)
    X = pd.DataFrame(whole.X).where(seen)
    truth = whole.y.reshape(len(rates), -1)
    labelled = mcar(np.zeros(truth.shape), TRAINED_AT, mask) & of_training[:, None]
    y = np.where(labelled, truth, np.nan).reshape(whole.y.shape)
    asked_y = (~np.isnan(truth) & ~of_training[:, None]).reshape(whole.y.shape)
    kept = X[of_training].notna().any().to_numpy()
    asked_X = known & ~seen & ~of_training[:, None] & kept & ~np.isnan(whole.numbers)
    return MaskedTable(
        X if isinstance(whole.X, pd.DataFrame) else X.to_numpy(),
        y, whole.numbers, whole.y, asked_X, asked_y, ~of_training,
    ), rates  # fmt: skip


def coverage_record(name: str, mask: int, options: Any) -> dict[str, Any]:
    """Intervals, sets and support of one mask of one table."""
    table, rates = asked_table(name, mask)
    if options.estimator == "GaussianEM":
        found, timings = {"intervals": gaussian_intervals(table)}, {}
    else:
        found, timings = predictions(
            table, options.python, options.estimator, options.parameters, options.timeout
        )
    asked_at = rates[table.is_new]
    record = {"masks_sha256": table.sha256(), **timings,
              "intervals": interval_scores(table, asked_at, found["intervals"])}  # fmt: skip
    if "sets" in found:
        record["sets"] = {
            str(rate): set_scores(table, asked_at == rate, found) for rate in ASKED_AT
        }
        record["outside"] = draws_outside(table, found["draws"])
    return record


def interval_scores(
    table: MaskedTable, asked_at: NDArray[np.float64], bounds: NDArray[np.float64]
) -> dict[str, Any]:
    """Coverage and mean width by share missing, over columns without frequent values and all."""
    new = table.is_new
    truth, asked = table.truth_X[new], table.asked_X[new]
    scale = np.nan_to_num(np.nanstd(table.truth_X, axis=0))
    asked = asked & (scale > 0) & ~np.isnan(bounds[..., 0])
    fine = np.array([largest_share(column) <= MOST_FREQUENT for column in table.truth_X.T])
    found: dict[str, Any] = {}
    for rate, (name, columns) in product(
        ASKED_AT, (("fine", fine), ("all", np.ones(len(fine), bool)))
    ):
        where = asked & columns & (asked_at == rate)[:, None]
        if where.any():
            lower, upper = bounds[..., 0], bounds[..., 1]
            found[f"{name}@{rate}"] = {
                "coverage": float(metrics.interval_coverage(truth, lower, upper, where)),
                "width": float(metrics.interval_width(truth, lower, upper, where, scale)),
                "columns": int(columns.sum()),
            }
    return found


def largest_share(column: NDArray[np.float64]) -> float:
    """Share of the most frequent value among the known ones."""
    known = column[~np.isnan(column)]
    return np.unique(known, return_counts=True)[1].max() / len(known) if len(known) else 1.0


def set_scores(
    table: MaskedTable, rows: NDArray[np.bool_], found: dict[str, Any]
) -> dict[str, Any]:
    """Rows and covered rows of each class of each label, and sizes beside the best thresholds."""
    truth = table.truth_y[table.is_new][rows]
    proba, sets = found["proba"][rows], found["sets"][rows]
    if truth.ndim == 1:
        n_classes = int(np.nanmax(table.truth_y)) + 1
        whole, inside = np.zeros((len(truth), n_classes)), np.zeros((len(truth), n_classes), bool)
        codes = found["classes"].astype(int)
        whole[:, codes], inside[:, codes] = proba, sets
        truth, proba, sets = truth[:, None], whole[:, None], inside[:, None]
    else:
        proba = np.stack([1 - proba, proba], axis=2)
    groups, sizes, best = [], [], []
    for j in range(truth.shape[1]):
        known = ~np.isnan(truth[:, j])
        code, p, own = truth[known, j].astype(int), proba[known, j], sets[known, j]
        thresholds = np.zeros(p.shape[1])
        for c in np.unique(code):
            of_class = np.sort(p[code == c, c])
            thresholds[c] = of_class[int(np.floor((1 - COVERAGE) * len(of_class)))]
            covered = int(own[code == c, c].sum())
            groups.append({"label": j, "class": int(c), "n": len(of_class), "covered": covered})
        oracle = p >= thresholds
        oracle[np.arange(len(p)), p.argmax(axis=1)] = True
        sizes.append(own.sum(axis=1))
        best.append(oracle.sum(axis=1))
    return {"groups": groups, "size": float(np.concatenate(sizes).mean()),
            "best_size": float(np.concatenate(best).mean())}  # fmt: skip


def draws_outside(table: MaskedTable, draws: NDArray[np.float64]) -> int:
    """Drawn numbers outside the observed range, or fractional where all observed are whole."""
    shown = table.X if isinstance(table.X, np.ndarray) else None
    seen = np.where(pd.notna(pd.DataFrame(table.X)).to_numpy(), table.truth_X, np.nan)
    seen = seen[~table.is_new] if shown is None else shown[~table.is_new]
    outside = 0
    for j in np.flatnonzero(~np.isnan(seen).all(axis=0)):
        known = seen[~np.isnan(seen[:, j]), j]
        drawn = draws[:, np.isnan(table.X[table.is_new][:, j]) if shown is not None
                      else table.X[table.is_new].iloc[:, j].isna().to_numpy(), j]  # fmt: skip
        close = 1e-6 * max(1.0, np.abs(known).max())
        bad = (drawn < known.min() - close) | (drawn > known.max() + close)
        if (known == np.floor(known)).all():
            bad |= drawn != np.floor(drawn)
        outside += int(bad.sum())
    return outside


def gaussian_intervals(table: MaskedTable) -> NDArray[np.float64]:
    """Bounds of a joint Gaussian: conditional means and standard deviations."""
    shown = pd.DataFrame(table.X)
    text = [c for c in shown if not pd.api.types.is_numeric_dtype(shown[c])]
    for column in text:
        of_column = pd.get_dummies(shown[column], prefix=column, dtype=float)
        of_column[shown[column].isna()] = np.nan
        shown = pd.concat([shown, of_column], axis=1)
    numbers = shown.drop(columns=text).to_numpy(np.float64)
    places = [c for c, name in enumerate(pd.DataFrame(table.X)) if name not in text]
    model = GaussianCompletion(shrinkage=0.05, n_rounds=20, seed=0).fit(numbers[~table.is_new])
    new = numbers[table.is_new]
    mean, spread = model.transform(new), np.zeros(new.shape)
    loading = np.asarray(model.gaussian.loading, np.float64)
    precision = np.linalg.inv(loading @ loading.T + np.diag(np.asarray(model.gaussian.noise)))
    scale = model.scale.restored(np.ones((1, new.shape[1]))) - model.scale.restored(
        np.zeros((1, new.shape[1]))
    )
    for row, missing in zip(spread, np.isnan(new), strict=True):
        row[missing] = np.sqrt(np.diag(np.linalg.inv(precision[np.ix_(missing, missing)])))
    reach = norm.ppf((1 + COVERAGE) / 2) * spread * scale
    bounds = np.full((*table.X[table.is_new].shape, 2), np.nan)
    bounds[:, places] = np.stack([mean - reach, mean + reach], axis=2)[:, : len(places)]
    return bounds


def simulated(seed: int, n_rows: int = N_SIMULATED) -> pd.DataFrame:
    """Five correlated columns, one of them skewed, one of categories."""
    correlation = np.full((5, 5), 0.5) + 0.5 * np.eye(5)
    z = np.random.default_rng(seed).multivariate_normal(np.zeros(5), correlation, n_rows)
    kind = np.array(["low", "middle", "high"])[np.digitize(z[:, 4], [-0.5, 0.5])]
    return pd.DataFrame(
        {"a": z[:, 0], "b": 10 + 2 * z[:, 1], "c": z[:, 2], "skewed": np.exp(0.6 * z[:, 3]),
         "kind": kind}
    )  # fmt: skip


def estimands(table: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and a share, a correlation (Fisher's z), a slope; and their squared errors."""
    n = len(table)
    numbers = table[["a", "b", "c", "skewed"]].to_numpy(np.float64)
    share = float((table["kind"] == "high").mean())
    correlation = np.arctanh(np.corrcoef(numbers[:, 0], numbers[:, 1])[0, 1])
    design = np.column_stack([np.ones(n), numbers[:, 1:]])
    slopes, (squares,), *_ = np.linalg.lstsq(design, numbers[:, 0])
    error = squares / (n - design.shape[1]) * np.linalg.inv(design.T @ design)[1, 1]
    values = [*numbers.mean(axis=0), share, correlation, slopes[1]]
    errors = [*numbers.var(axis=0, ddof=1) / n, share * (1 - share) / n, 1 / (n - 3), error]
    return np.array(values), np.array(errors)


ESTIMANDS = ("mean a", "mean b", "mean c", "mean skewed", "share high", "correlation", "slope")


def rubin_record(_: str, repetition: int, options: Any) -> dict[str, Any]:
    """Pooled and complete-data intervals of one simulated table."""
    whole = simulated(repetition)
    shown = whole.where(mcar(np.zeros(whole.shape), TRAINED_AT, repetition))
    model = HalfseenImputer(random_state=repetition, **({"effort": "fast"} | options.parameters))
    draws = model.fit(shown).impute(shown, n_draws=N_COPIES)
    found = pool(*zip(*map(estimands, draws), strict=True), complete_dof=N_SIMULATED - 1)
    complete, errors = estimands(whole)
    return {
        "estimate": found.estimate.tolist(), "standard_error": found.standard_error.tolist(),
        "lower": found.lower.tolist(), "upper": found.upper.tolist(),
        "missing_share": found.missing_share.tolist(),
        "complete": complete.tolist(), "complete_error": np.sqrt(errors).tolist(),
    }  # fmt: skip


def rows_record(name: str, mask: int, options: Any) -> dict[str, Any]:
    """The sum over all rows of a binary table, or the AUC of rows with planted errors."""
    if name == "binary":
        return {"sum": sum_over_all_rows(mask)}
    table = load(name)
    draw = np.random.default_rng([mask, _ROWS_STREAM])
    table = table.take(np.sort(draw.permutation(len(table.y))[:MOST_NEW_ROWS]))
    X = pd.DataFrame(table.X)
    bad = draw.random(len(X)) < PLANTED_ROWS
    cells = bad[:, None] & (draw.random(X.shape) < PLANTED_CELLS)
    cells[bad, draw.integers(X.shape[1], size=bad.sum())] = True
    others = X.iloc[draw.integers(len(X), size=X.size)].to_numpy().reshape(*X.shape, -1)
    X = X.mask(cells, np.stack([others[:, j, j] for j in range(X.shape[1])], axis=1))
    scores = row_scores(X if isinstance(table.X, pd.DataFrame) else X.to_numpy(), table.y, options)
    return {"auc": float(metrics.micro_auc(bad[:, None] * 1.0, -scores[:, None]))}


def row_scores(X: Any, y: NDArray[np.float64], options: Any) -> NDArray[np.float64]:
    """Log-probabilities of the rows that a model is fitted to."""
    request = {"estimator": options.estimator, "parameters": options.parameters, "new_rows": False,
               "uncertainty": False, "row_scores": True}  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "request.json").write_text(json.dumps(request))
        write_table(folder, "X", X)
        np.save(folder / "y.npy", y)
        script = str(Path(__file__).parent / "one_fit.py")
        subprocess.run(
            [options.python, script, name], check=True, timeout=options.timeout, stdout=sys.stderr
        )
        with np.load(folder / "predictions.npz") as found:
            return np.asarray(found["row_scores"])


def sum_over_all_rows(seed: int, n_columns: int = 6) -> float:
    """The sum of the probabilities of all complete rows of a table of binary columns."""
    cause = np.random.default_rng(seed).random((300, 1)) < 0.5
    X = np.where(np.random.default_rng(seed + 1).random((300, n_columns)) < 0.8, cause, ~cause) * 1
    model = HalfseenClassifier("fast", random_state=seed).fit(X[:, 1:], X[:, 0])
    rows = np.array(list(product((0, 1), repeat=n_columns - 1)))
    return float(np.exp(model.score_samples(rows)).sum())


def show_coverage(records: list[dict[str, Any]]) -> None:
    """Means over masks, and classes whose coverage is rejected."""
    by_table = defaultdict(list)
    for record in records:
        by_table[record["table"], record["estimator"]].append(record)
    for (table, estimator), own in by_table.items():
        print(f"\n{table}, {estimator}, masks {[record['mask'] for record in own]}")
        for key in sorted({key for record in own for key in record["intervals"]}):
            pair = [(r["intervals"][key]["coverage"], r["intervals"][key]["width"]) for r in own]
            print(f"  intervals {key}: coverage {np.mean(pair, 0)[0]:.3f}, by mask "
                  f"{[round(p[0], 3) for p in pair]}; width {np.mean(pair, 0)[1]:.3f}")  # fmt: skip
        for rate in map(str, ASKED_AT):
            sets = [record["sets"][rate] for record in own if "sets" in record]
            if sets:
                rejected = [f"{r}" for one in sets for r in rejections(one["groups"])]
                sizes = [one["size"] / one["best_size"] for one in sets]
                print(f"  sets @{rate}: size {np.mean([one['size'] for one in sets]):.3f}, "
                      f"{np.mean(sizes):.3f} of the best; rejected {rejected or None}")  # fmt: skip
        if any("outside" in record for record in own):
            print(f"  draws outside the support: {sum(record['outside'] for record in own)}")


def rejections(groups: list[dict[str, int]]) -> list[str]:
    """Classes whose coverage is significantly too low, by Holm's procedure."""
    tested = [group for group in groups if group["n"] >= FEWEST_ROWS]
    p = [binom.cdf(group["covered"], group["n"], LEAST_COVERAGE) for group in tested]
    found = []
    for rank, place in enumerate(np.argsort(p)):
        if p[place] >= SIGNIFICANCE / (len(p) - rank):
            break
        one = tested[place]
        found.append(f"{one['label']}={one['class']}: {one['covered']} of {one['n']}")
    return found


def show_rubin(records: list[dict[str, Any]]) -> None:
    """Coverage and error of the pooled estimates, beside those of complete tables."""
    truth = estimands(simulated(10**6, 10**6))[0]

    def stacked(key: str) -> NDArray[np.float64]:
        return np.array([record[key] for record in records])

    held = (stacked("lower") <= truth) & (truth <= stacked("upper"))
    complete = np.abs(stacked("complete") - truth) <= 1.96 * stacked("complete_error")
    away = (stacked("estimate") - stacked("complete")).mean(axis=0)
    ratio = stacked("standard_error").mean(axis=0) / stacked("estimate").std(axis=0)
    print(f"{len(records)} repetitions: coverage, of complete tables, bias in standard errors of "
          "complete tables, stated over actual standard error")  # fmt: skip
    bias = away / stacked("complete_error").mean(axis=0)
    for row in zip(ESTIMANDS, held.mean(0), complete.mean(0), bias, ratio, strict=True):
        print("  {:12s} {:.3f}  {:.3f}  {:+.2f}  {:.2f}".format(*row))


def show_rows(records: list[dict[str, Any]]) -> None:
    """What was recorded, by table."""
    for record in records:
        print({key: value for key, value in record.items() if key not in ("parameters",)})


class Command(NamedTuple):
    """How a point is measured and shown."""

    record: Callable[[str, int, Any], dict[str, Any]]
    show: Callable[[list[dict[str, Any]]], None]
    tables: tuple[str, ...]
    masks: Sequence[int]


COMMANDS = {
    "coverage": Command(coverage_record, show_coverage, TABLES, range(100, 105)),
    "rubin": Command(rubin_record, show_rubin, ("simulated",), range(N_REPETITIONS)),
    "rows": Command(rows_record, show_rows, ("binary", *TABLES), range(100, 105)),
}


def new_records(command: Command, options: Any) -> Iterator[dict[str, Any]]:
    """What is not in the file yet."""
    old = read(options.save)
    done = {(record["table"], record["mask"], record["estimator"]) for record in old}
    masks = command.masks if options.masks is None else options.masks
    for table, mask in product(options.tables or command.tables, masks):
        if (table, mask, options.estimator) in done:
            continue
        try:
            found = command.record(table, mask, options)
        except subprocess.SubprocessError as error:
            print(f"{table} mask {mask} not recorded: {error}", file=sys.stderr, flush=True)
            continue
        yield {"table": table, "mask": mask, "estimator": options.estimator,
               "parameters": options.parameters, **found}  # fmt: skip


def read(path: Path) -> list[dict[str, Any]]:
    """Records of a file, none if it does not exist."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main(words: Sequence[str] | None = None) -> None:
    """Measure what is asked for, append records, and show all of the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--masks", nargs="*", type=int, help="or repetitions; none only shows")
    parser.add_argument("--estimator", default="HalfseenClassifier",
                        help="a name of halfseen's, or GaussianEM for intervals")  # fmt: skip
    parser.add_argument("--parameters", type=json.loads, default={}, metavar="JSON")
    parser.add_argument("--python", default=sys.executable, help="interpreter that fits")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds for one fit")
    parser.add_argument("--save", type=Path, required=True)
    options = parser.parse_args(words)
    for record in new_records(COMMANDS[options.command], options):
        with options.save.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(record["table"], record["mask"], flush=True)
    COMMANDS[options.command].show(read(options.save))


if __name__ == "__main__":
    main()

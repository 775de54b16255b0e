"""Compare two files of records that ``accuracy.py`` wrote, mask by mask.

``python benchmarks/compare.py OLD NEW`` prints a table per task, the mean over tasks, and a
verdict. Records are paired by task and mask. Tables of KEEL enter the mean as one task per rate of
missing features. Exit code 2: the files cannot be compared; 1, with ``--check``: NEW fails.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from accuracy import is_for_ablation

RELATIVE = ("normalised_rmse", "energy_score")  # differences in percent
RATIO = ("fit_seconds",)  # new / old
METRICS = (
    "auc", "accuracy", "log_loss", "calibration_error", "normalised_rmse", "energy_score",
    "interval_coverage", "interval_width", "set_coverage", "set_size", "fit_seconds",
)  # fmt: skip
# How much worse the mean over tasks may be, and one task by more than one standard error.
MEAN_MARGINS = {
    "auc": -0.003,
    "log_loss": 0.005,
    "normalised_rmse": 1.0,
    "calibration_error": 0.005,
}
TASK_MARGINS = {"auc": -0.010, "normalised_rmse": 2.0}

Key = tuple[str, int]  # task and mask
Record = dict[str, Any]


class NotComparable(Exception):
    """Two files without a fair comparison."""


class Change(NamedTuple):
    """Means of one metric in one task, and their paired difference."""

    old: float
    new: float
    difference: float
    standard_error: float  # NaN of a single mask


def read_records(path: Path) -> dict[Key, Record]:
    """Records by task and mask, in the order of the file."""
    records = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return {(record["task"], record["mask"]): record for record in records}


def pairs(old: dict[Key, Record], new: dict[Key, Record]) -> dict[str, list[tuple[Record, Record]]]:
    """Pairs of records by task; refuses pairs whose masks differ."""
    found: dict[str, list[tuple[Record, Record]]] = {}
    for (task, mask), record in old.items():
        if (task, mask) not in new:
            continue
        partner = new[task, mask]
        if record["masks_sha256"] != partner["masks_sha256"]:
            raise NotComparable(
                f"The entries hidden in task {task}, mask {mask} differ between the two files; "
                "record it again with the same data and masks."
            )
        found.setdefault(task, []).append((record, partner))
    if not found:
        raise NotComparable("The two files have no task and mask in common.")
    return found


def change(metric: str, records: Iterable[tuple[Record, Record]]) -> Change | None:
    """Mean over masks of one metric, old and new; None where it is not recorded."""
    both = [(old.get(metric), new.get(metric)) for old, new in records]
    values = np.array([pair for pair in both if None not in pair], dtype=np.float64)
    if not len(values):
        return None
    old, new = values.T
    if metric in RELATIVE or metric in RATIO:
        with np.errstate(divide="ignore", invalid="ignore"):
            difference = new / old if metric in RATIO else 100 * (new / old - 1)
    else:
        difference = new - old
    error = difference.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Change(float(old.mean()), float(new.mean()), float(difference.mean()), float(error))


def mean_change(changes: Sequence[Change]) -> Change:
    """The mean over tasks, with the standard error of independent tasks."""
    old, new, difference, errors = np.array(changes).T
    return Change(
        float(old.mean()), float(new.mean()), float(difference.mean()),
        float(np.sqrt(np.nansum(errors**2)) / len(changes)) if np.any(errors >= 0) else math.nan,
    )  # fmt: skip


def group_of(task: str) -> str:
    """The task itself, or the group of KEEL tables with the same rates."""
    if not task.startswith("keel-"):
        return task
    return "keel-" + "-".join(task.rsplit("-", 2)[1:])


def is_chosen(task: str, keel: str) -> bool:
    """Whether a task is no KEEL table, or one of the kind that is compared."""
    if keel == "all" or not task.startswith("keel-"):
        return True
    table = task.removeprefix("keel-").rsplit("-", 2)[0]
    return is_for_ablation(table) == (keel == "ablation")


def compare(old: dict[Key, Record], new: dict[Key, Record], keel: str = "gate") -> dict[str, Any]:
    """Changes per task, per group and on average, records without a partner, and failures."""
    old, new = (
        {key: record for key, record in records.items() if is_chosen(key[0], keel)}
        for records in (old, new)
    )
    tasks: dict[str, dict[str, Change]] = {}
    for task, records in pairs(old, new).items():
        found = {metric: change(metric, records) for metric in METRICS}
        tasks[task] = {metric: one for metric, one in found.items() if one is not None}
    members: dict[str, list[dict[str, Change]]] = {}
    for task, changes in tasks.items():
        members.setdefault(group_of(task), []).append(changes)
    groups = {name: _mean(of_group) for name, of_group in members.items()}
    mean = _mean(list(groups.values()))
    return {
        "tasks": tasks,
        "groups": groups,
        "mean": mean,
        "only_old": [key for key in old if key not in new],
        "only_new": [key for key in new if key not in old],
        "failures": failures(groups, mean),
    }


def _mean(all_changes: list[dict[str, Change]]) -> dict[str, Change]:
    by_metric = {m: [changes[m] for changes in all_changes if m in changes] for m in METRICS}
    return {metric: mean_change(changes) for metric, changes in by_metric.items() if changes}


def failures(groups: dict[str, dict[str, Change]], mean: dict[str, Change]) -> list[str]:
    """A sentence per margin that is exceeded."""
    found = [
        f"mean {metric}: {_signed(metric, mean[metric].difference)}, margin "
        f"{_signed(metric, margin)}"
        for metric, margin in MEAN_MARGINS.items()
        if metric in mean and not _is_within(mean[metric].difference, margin, 0.0)
    ]
    for name, changes in groups.items():
        for metric, margin in TASK_MARGINS.items():
            if metric in changes:
                _, _, difference, error = changes[metric]
                # Nothing is known of the spread of a single mask.
                if not _is_within(difference, margin, 0.0 if math.isnan(error) else error):
                    found.append(
                        f"{name} {metric}: {_signed(metric, difference)}, margin "
                        f"{_signed(metric, margin)} and one standard error of {error:.4f}"
                    )
    return found


def _is_within(difference: float, margin: float, error: float) -> bool:
    """Whether a change is no worse than a margin; NaN is not."""
    worse = -difference if margin < 0 else difference
    return worse - error <= abs(margin) + 1e-12


def _signed(metric: str, value: float) -> str:
    if metric in RATIO:
        return f"x{value:.2f}"
    return f"{value:+.2f} %" if metric in RELATIVE else f"{value:+.4f}"


def table(name: str, changes: dict[str, Change], metrics: Sequence[str]) -> str:
    """A plain-text table of one task."""
    lines = [f"{name:28s}{'old':>10s}{'new':>10s}{'change':>12s}{'std. error':>12s}"]
    for metric in metrics:
        if metric in changes:
            old, new, difference, error = changes[metric]
            signed = _signed(metric, difference)
            shown = "-" if math.isnan(error) else f"{error:.{2 if metric in RELATIVE else 4}f}"
            lines.append(f"  {metric:26s}{old:10.4f}{new:10.4f}{signed:>12s}{shown:>12s}")
    return "\n".join(lines)


def plain(value: Any) -> Any:
    """As JSON has it: changes by name, NaN as null."""
    if isinstance(value, Change):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main(words: Sequence[str] | None = None) -> int:
    """Print the comparison and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--keel", choices=["ablation", "gate", "all"], default="gate",
                        help="which KEEL tables are compared (gate)")  # fmt: skip
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=METRICS, metavar="METRIC",
                        help=f"print these of {', '.join(METRICS)}")  # fmt: skip
    parser.add_argument("--check", action="store_true", help="exit with 1 if NEW fails")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    try:
        found = compare(read_records(options.old), read_records(options.new), options.keel)
    except NotComparable as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(plain(found), indent=1))
    else:
        keel_groups = {
            name: one for name, one in found["groups"].items() if name not in found["tasks"]
        }
        for name, changes in [*found["tasks"].items(), *keel_groups.items()]:
            print(table(name, changes, options.metrics) + "\n")
        print(table(f"mean of {len(found['groups'])} tasks", found["mean"], options.metrics) + "\n")
        for file, keys in ((options.old, found["only_old"]), (options.new, found["only_new"])):
            for task, mask in keys:
                print(f"only in {file}: {task}, mask {mask}")
        print("\n".join(["fails", *found["failures"]]) if found["failures"] else "passes")
    return 1 if options.check and found["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())

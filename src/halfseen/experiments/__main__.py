"""``python -m halfseen.experiments``: compare methods on a data set with hidden entries."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from halfseen.experiments.comparison import Limits, MethodResult, compare
from halfseen.experiments.comparison_cell import Task
from halfseen.experiments.comparison_file import OtherComparison, load_results, save_results
from halfseen.experiments.comparison_table import comparison_table
from halfseen.experiments.data_sets import CATALOGUE, DataSetUnavailable, load_data_set
from halfseen.experiments.methods import METHODS
from halfseen.learning.progress import clock


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(
        prog="python -m halfseen.experiments",
        description="Compare methods on the same masks: hide entries of a data set completely at "
        "random, let every method complete it, and score what was hidden.",
        epilog="Example: HALFSEEN_DATA=data python -m halfseen.experiments scene --masks 2 "
        "--methods halfseen gaussian_em boosted_imputed",
    )
    parser.add_argument("data_set", choices=sorted(CATALOGUE), help="which data set")
    parser.add_argument(
        "--hide-features", type=float, default=0.5, metavar="RATE", help="0 to 1 (default 0.5)"
    )
    parser.add_argument(
        "--hide-labels", type=float, default=0.5, metavar="RATE", help="0 to 1 (default 0.5)"
    )
    parser.add_argument("--masks", type=int, default=5, help="how many masks (default 5)")
    parser.add_argument("--rows", type=int, help="take so many rows, drawn at random")
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=sorted(METHODS),
        metavar="METHOD",
        help=f"default: all. There are: {', '.join(METHODS)}",
    )
    parser.add_argument(
        "--budget", type=int, default=20, help="most settings tried per method (default 20)"
    )
    parser.add_argument(
        "--tuning-seconds",
        type=float,
        default=600,
        metavar="S",
        help="after so many seconds no further setting of a method is tried (default 600)",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=600,
        metavar="S",
        help="seconds for one method on one mask, after which it is not run (default 600)",
    )
    parser.add_argument(
        "--new-rows",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="inductive: fit on the other rows, ask for all labels of these (default 0)",
    )
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="keep results in a JSON file, method by method"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on from the file of --save: methods that it holds are not run again, except "
        "those that it says were not run",
    )
    return parser.parse_args(words)


def kept_results(
    path: Path | None, resume: bool, task: Task, n_masks: int, limits: Limits
) -> list[MethodResult]:
    """What an earlier run has done already."""
    if path is None or not path.exists():
        return []
    if not resume:
        raise OtherComparison(f"{path} exists; add --resume to go on from it, or name another file")
    return load_results(path, task, n_masks, limits)


def main(words: Sequence[str] | None = None) -> int:
    """Run the comparison and print its table."""
    chosen = arguments(words)
    task = Task(
        chosen.data_set, chosen.hide_features, chosen.hide_labels, chosen.rows, chosen.new_rows
    )
    limits = Limits(chosen.budget, chosen.tuning_seconds, chosen.timeout)
    try:
        data = load_data_set(chosen.data_set, chosen.rows)
        results = kept_results(chosen.save, chosen.resume, task, chosen.masks, limits)
    except (DataSetUnavailable, OtherComparison) as error:
        print(error, file=sys.stderr)
        return 1
    names = chosen.methods or list(METHODS)
    done = {result.method for result in results if not result.not_run}
    to_run = [name for name in names if name not in done]
    results = [result for result in results if result.method not in to_run]
    started = time.monotonic()

    def tell(what: str) -> None:
        gone = clock(time.monotonic() - started)
        n_done = len(done.intersection(names))
        print(f"[{gone}, {n_done} of {len(names)} methods done] {what}", file=sys.stderr)

    for result in compare(task, to_run, chosen.masks, limits, tell):
        results.append(result)
        done.add(result.method)
        if chosen.save is not None:
            save_results(chosen.save, task, chosen.masks, limits, results)
    results.sort(key=lambda result: list(METHODS).index(result.method))
    print(comparison_table(task, data, results, chosen.masks))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m halfseen.experiments``: compare methods on a data set with hidden entries."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from halfseen.experiments.comparison import Task, compare
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
        "--timeout", type=float, default=600, help="seconds for one method on one mask (600)"
    )
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """Run the comparison and print its table."""
    chosen = arguments(words)
    try:
        data = load_data_set(chosen.data_set, chosen.rows)
    except DataSetUnavailable as error:
        print(error, file=sys.stderr)
        return 1
    names = chosen.methods or list(METHODS)
    task = Task(chosen.data_set, chosen.hide_features, chosen.hide_labels, chosen.rows)
    started = time.monotonic()
    done: list[str] = []

    def tell(what: str) -> None:
        gone = clock(time.monotonic() - started)
        print(f"[{gone}, {len(done)} of {len(names)} methods done] {what}", file=sys.stderr)

    results = []
    for result in compare(
        task, names, chosen.masks, budget=chosen.budget, timeout=chosen.timeout, tell=tell
    ):
        done.append(result.method)
        results.append(result)
    print(comparison_table(task, data, results, chosen.masks))
    return 0


if __name__ == "__main__":
    sys.exit(main())

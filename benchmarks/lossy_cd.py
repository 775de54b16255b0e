"""Rows per second of Lossy-CD at 794 x 100, beside BernoulliRBM and the first edition.

``python benchmarks/lossy_cd.py --first-edition FOLDER`` times all three by turns in one run. FOLDER
is a checkout of commit 7ffd8e3 with an environment in ``.venv``; without it, two are timed. The
literal Algorithm 1 (both chains start at random) and the default are timed on half-observed rows;
BernoulliRBM on complete ones.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import jax
import numpy as np
from sklearn.neural_network import BernoulliRBM

from halfseen.rbm.model import Rows
from halfseen.rbm.training import Algorithm, initial_states, train
from halfseen.rbm.units import VisibleLayer

N_PIXELS, N_CLASSES, N_HIDDEN = 784, 10, 100
N_ROWS = {10: 4_000, 100: 10_000, 1_000: 20_000}
LITERAL = Algorithm(chain_start="random", centering=False, learn_variance=False, momentum=0.0)
FIRST_EDITION = """
import json, sys
sys.path.insert(0, sys.argv[1] + "/benchmarks")
from speed.lossy_cd_epoch import Case, likelihood_epochs
case = Case(794, 100, int(sys.argv[2]))
tell = lambda found: print(json.dumps(found.n_rows / min(found.seconds)))
likelihood_epochs("lossy_cd", [case], 5, tell)
"""


def random_rows(n_rows: int) -> Rows:
    """Random pixels and classes, half of the entries observed."""
    generator = np.random.default_rng(0)
    visible = np.zeros((n_rows, N_PIXELS + N_CLASSES), np.float32)
    visible[:, :N_PIXELS] = generator.random((n_rows, N_PIXELS)) < 0.25
    visible[np.arange(n_rows), N_PIXELS + generator.integers(0, N_CLASSES, n_rows)] = 1.0
    observed = generator.random(visible.shape) < 0.5
    marginals = visible.mean(axis=0)
    return Rows(*map(jax.numpy.asarray, (visible, observed, marginals)))


def rate_of_halfseen(algorithm: Algorithm, batch_size: int) -> Callable[[], float]:
    """Rows per second of an epoch, the first of which compiles."""
    rows = random_rows(N_ROWS[batch_size])
    layer = VisibleLayer(0, N_PIXELS, (N_CLASSES,))
    keys = jax.random.split(jax.random.key(0), 1)
    states = initial_states(keys, layer, N_HIDDEN, batch_size, rows.marginals, 1.0, algorithm)
    epochs = train(
        states, rows, algorithm=algorithm, learning_rate=0.001, batch_size=batch_size, seed=0
    )
    next(epochs)

    def rate() -> float:
        began = time.perf_counter()
        jax.block_until_ready(next(epochs))
        return len(rows.visible) / (time.perf_counter() - began)

    return rate


def rate_of_scikit_learn(batch_size: int) -> Callable[[], float]:
    """Rows per second of a pass of BernoulliRBM."""
    table = np.asarray(random_rows(N_ROWS[batch_size]).visible)

    def rate() -> float:
        model = BernoulliRBM(
            n_components=N_HIDDEN, learning_rate=0.001, batch_size=batch_size, n_iter=2,
            random_state=0,
        )  # fmt: skip
        began = time.perf_counter()
        model.fit(table)
        return 2 * len(table) / (time.perf_counter() - began)

    return rate


def rate_of_first_edition(folder: Path, batch_size: int) -> Callable[[], float]:
    """Rows per second of the first edition's Lossy-CD, in a process of its own."""

    def rate() -> float:
        words = [str(folder / ".venv/bin/python"), "-E", "-c", FIRST_EDITION, str(folder),
                 str(batch_size)]  # fmt: skip
        found = subprocess.run(words, check=True, capture_output=True, text=True)
        return float(json.loads(found.stdout.splitlines()[-1]))

    return rate


def main(words: Sequence[str] | None = None) -> None:
    """Print a table of rates and ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--first-edition", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=5, help="times each is timed, by turns")
    options = parser.parse_args(words)
    for batch_size in N_ROWS:
        timed = {
            "literal": rate_of_halfseen(LITERAL, batch_size),
            "default": rate_of_halfseen(Algorithm(), batch_size),
            "BernoulliRBM": rate_of_scikit_learn(batch_size),
        }
        if options.first_edition:
            timed["first edition"] = rate_of_first_edition(options.first_edition, batch_size)
        rates = [{name: rate() for name, rate in timed.items()} for _ in range(options.rounds)]
        medians = {name: float(np.median([found[name] for found in rates])) for name in timed}
        shown = ", ".join(f"{name} {rate:,.0f}" for name, rate in medians.items())
        print(f"batch {batch_size}: rows per second {shown}")
        for name in list(timed)[2:]:
            print(f"  literal / {name}: {medians['literal'] / medians[name]:.2f}", flush=True)


if __name__ == "__main__":
    main()

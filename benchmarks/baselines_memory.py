"""Time and peak memory of every baseline on a tall and on a wide table.

Run with ``python benchmarks/baselines_memory.py``; ``--help`` shows the options. The tables are
synthetic: 20 factors give the features and ten labels, and half of either is hidden. Methods that
iterate for long are cut to a few iterations, which the table says. Full runs take longer; by their
code they hold no more memory, except for methods that keep what every iteration makes, such as the
trees of miss_forest. That was not measured.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from halfseen.experiments.methods import METHODS, method_named
from halfseen.experiments.run_cell import forget_peak, peak_megabytes
from numpy.typing import NDArray
from pebble import ProcessExpired, ProcessPool

from halfseen.masks import MaskedTable, mask_table

N_LABELS = 10
N_FACTORS = 20
SHAPES = {"tall": (70_000, 100), "wide": (2_000, 1_000)}
IMAGE_SHAPES = {"tall": (10, 10), "wide": (25, 40)}
# What is cut; everything else is the method's default.
FEW: dict[str, dict[str, Any]] = {
    "cle": {"max_iter": 5},
    "noisy_imc": {"max_iter": 50},
    "mc1": {"max_iter": 5},
    "gaussian_em": {"n_iterations": 2},
    "iterative_imputer": {"n_rounds": 1},
    "miss_forest": {"n_rounds": 1, "n_trees": 2},
    "boosted_native": {"n_rounds": 10},
    "boosted_imputed": {"n_rounds": 10, "n_iterations": 2},
    "masked_network": {"n_epochs": 1},
    "miwae": {"n_epochs": 1, "n_imputation_samples": 10},
    "gain": {"n_steps": 100},
    "misgan": {"n_generator_rounds": 20, "n_imputer_rounds": 20, "n_draws": 2},
    "misgan_convolutional": {"n_generator_rounds": 2, "n_imputer_rounds": 2, "n_draws": 2},
}


class Cost(NamedTuple):
    """What one method took for one table."""

    seconds: float
    megabytes: float  # peak, with libraries and table
    before: float  # of these, what the process held before the method began


def masked_table(shape: tuple[int, int]) -> MaskedTable:
    """A table of a few factors, half of it hidden."""
    generator = np.random.default_rng(0)
    factors = generator.standard_normal((shape[0], N_FACTORS))
    X: NDArray[np.float64] = factors @ generator.standard_normal((N_FACTORS, shape[1]))
    X += generator.standard_normal(X.shape)
    Y = (factors[:, :N_LABELS] > 0.5).astype(np.float64)
    return mask_table(X, Y, feature_rate=0.5, label_rate=0.5, seed=0)


def cost(name: str, settings: dict[str, Any], shape: tuple[int, int]) -> Cost:
    """Fit and complete in this process."""
    X, Y, _, _ = masked_table(shape)
    method = method_named(name).set_params(**settings)
    forget_peak()
    before, started = peak_megabytes(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        completed = method.fit(X, Y).complete()
    if not (np.isfinite(completed.features).all() and np.isfinite(completed.scores).all()):
        raise ArithmeticError("a completed entry is not finite")
    return Cost(time.perf_counter() - started, peak_megabytes(), before)


def line(name: str, table: str, timeout: float) -> str:
    """One line of the table."""
    settings = dict(FEW.get(name, {}))
    if name == "misgan_convolutional":
        settings["shape"] = IMAGE_SHAPES[table]
    cut = ", ".join(f"{key}={value}" for key, value in settings.items()) or "its defaults"
    shape = "{} x {}".format(*SHAPES[table])
    try:
        with ProcessPool(1, context=get_context("spawn")) as pool:
            arguments = (name, settings, SHAPES[table])
            took: Cost = pool.schedule(cost, arguments, timeout=timeout).result()
    except TimeoutError:
        return f"{name:22}{shape:>13}  longer than {timeout:g} s  {cut}"
    except ProcessExpired:
        return f"{name:22}{shape:>13}  its process died (out of memory?)  {cut}"
    except ImportError as error:
        return f"{name:22}{shape:>13}  {error}"
    return f"{name:22}{shape:>13}{took.seconds:9.1f}{took.before:9.0f}{took.megabytes:9.0f}  {cut}"


def main(words: Sequence[str] | None = None) -> int:
    """Print the table line by line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    others = [name for name in METHODS if name not in ("halfseen", "rbm_mo")]
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=others, metavar="M")
    parser.add_argument("--tables", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each (600)")
    chosen = parser.parse_args(words)
    print(f"{'method':22}{'table':>13}{'seconds':>9}{'MB then':>9}{'peak MB':>9}  settings")
    for name in chosen.methods:
        for table in chosen.tables:
            print(line(name, table, chosen.timeout), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a user waits for before anything is learned: importing, and compiling."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from speed.finding import Finding

_CACHE = "HALFSEEN_COMPILATION_CACHE"
_SCRIPT = Path(__file__).with_name("first_fit.py")


def start_up(n_repeats: int, tell: Callable[[Finding], None]) -> None:
    """Tell of importing, and of a first and a second fit, each in processes of their own.

    "Cold" has an empty folder of compiled programs, "warm" the one that the cold fit has filled.
    """
    fresh = [in_fresh_process("import") for _ in range(n_repeats)]
    imports, at_hand = ([process[name] for process in fresh] for name in ("import", "at_hand"))
    tell(Finding("import halfseen", float(np.median(imports)), "s", 0.5, note=_spread(imports)))
    what = "from import to an estimator, not yet fitted"
    tell(Finding(what, float(np.median(at_hand)), "s", note=_spread(at_hand)))
    cold, warm = [], []
    for _ in range(n_repeats):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(in_fresh_process(str(_SCRIPT.parents[1]), cache=folder))
            warm.append(in_fresh_process(str(_SCRIPT.parents[1]), cache=folder))
    what = 'fit of digits with effort="fast", '
    for name, fits, most in (("cold", cold, 5.0), ("warm", warm, 2.0)):
        seconds = [fit["first"] for fit in fits]
        median = float(np.median(seconds))
        tell(Finding(f"first {what}{name}", median, "s", most, note=_spread(seconds)))
        seconds = [fit["made"] + fit["first"] for fit in fits]
        median = float(np.median(seconds))
        tell(Finding("the same, and importing JAX before it", median, "s", note=_spread(seconds)))
    seconds = [fit["second"] for fit in cold]
    tell(Finding(f"second {what}same shape", float(np.median(seconds)), "s", note=_spread(seconds)))
    for which, key, goal in (
        ("a second fit, other seed", "compiled", 0.0),
        ("a third fit, other holes", "compiled_for_other_holes", None),
    ):
        compiled = max((fit[key] for fit in cold), key=len)
        names = ", ".join(f"{name} {times}" for name, times in Counter(compiled).most_common(6))
        tell(Finding(f"programs compiled in {which}", len(compiled), "", goal, note=names))


def in_fresh_process(word: str, cache: str = "off") -> dict[str, Any]:
    """What ``first_fit.py`` measured."""
    process = subprocess.run(
        [sys.executable, "-P", str(_SCRIPT), word],
        env=os.environ | {_CACHE: cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise RuntimeError(f"the first fit failed:\n{process.stderr[-2000:]}")
    measured: dict[str, Any] = json.loads(process.stdout)
    return measured


def _spread(values: list[float]) -> str:
    low, high = np.quantile(values, (0.25, 0.75))
    return f"quartiles {low:.2f} and {high:.2f}, {len(values)} times"

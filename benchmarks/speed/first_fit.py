"""A fresh process: import halfseen, fit digits with ``effort="fast"``, and fit again.

Prints the seconds, and which programs later fits compiled, as JSON. Run by ``start_up.py`` with the
word "import" to stop after that, or with the folder in which the package ``speed`` is.
"""

from __future__ import annotations

import json
import sys
import time
from typing import NamedTuple

began = time.perf_counter()
import halfseen  # noqa: E402  (the clock must run before)

import_seconds = time.perf_counter() - began

_COMPILED = "/jax/core/compile/backend_compile_duration"


class FitSeconds(NamedTuple):
    """Seconds of one fit, and of making the estimator, which imports JAX the first time.

    scikit-learn is imported before, by the digits.
    """

    made: float
    fitted: float


def fit_seconds(holes: int, seed: int) -> FitSeconds:
    """Make an estimator, and fit it."""
    from speed.hidden_digits import hidden_digits

    X, y = hidden_digits(holes)
    started = time.perf_counter()
    model = halfseen.HalfseenClassifier(effort="fast", random_state=seed, verbose=False)
    made = time.perf_counter()
    model.fit(X, y)
    return FitSeconds(made - started, time.perf_counter() - made)


def main() -> None:
    """Import, fit, fit again with another seed, and once more with other holes."""
    if sys.argv[1] == "import":
        halfseen.HalfseenClassifier()
        print(json.dumps({"import": import_seconds, "at_hand": time.perf_counter() - began}))
        return
    sys.path.insert(0, sys.argv[1])
    first = fit_seconds(holes=0, seed=0)
    # Only now: before the first fit, this would import JAX at nobody's expense.
    import jax

    compiled: list[str] = []

    def note(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == _COMPILED:
            compiled.append(str(kwargs.get("fun_name", "?")))

    jax.monitoring.register_event_duration_secs_listener(note)
    second, compiled_again = fit_seconds(holes=0, seed=1).fitted, compiled.copy()
    compiled.clear()
    # Other holes may show a column in another light: constant, of two values, or of many.
    fit_seconds(holes=1, seed=1)
    print(
        json.dumps(
            {
                "import": import_seconds,
                "made": first.made,
                "first": first.fitted,
                "second": second,
                "compiled": compiled_again,
                "compiled_for_other_holes": compiled,
            }
        )
    )


if __name__ == "__main__":
    main()

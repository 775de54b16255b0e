"""Estimators from options, and fits with progress."""

from __future__ import annotations

import json
import warnings
from difflib import get_close_matches
from inspect import signature
from typing import Any

from halfseen.cli.console import Console, Interrupts, UsageProblem
from halfseen.cli.options import ModelOptions
from halfseen.cli.tables import TrainingTable


def make_estimator(chosen: ModelOptions, table: TrainingTable, seed: int) -> Any:
    """An estimator for this table, with the parameters that the command line gives."""
    import halfseen

    kind = "Imputer" if table.y is None else "Classifier"
    name = ("Halfseen" if chosen.family == "halfseen" else "RBM") + kind
    parameters: dict[str, Any] = {"effort": chosen.effort, "max_seconds": chosen.max_seconds}
    parameters = {key: value for key, value in parameters.items() if value is not None}
    if parameters and chosen.family == "rbm":
        option = next(iter(parameters)).replace("_", "-")
        raise UsageProblem(f"--{option} is for the recommended model.", "Use --set for the other.")
    estimator_class = getattr(halfseen, name)
    known = list(estimator_class().get_params())
    for setting in chosen.settings:
        key, sign, value = setting.partition("=")
        if not sign or key not in known:
            near = get_close_matches(key, known, n=3) or known
            message = f"--set {setting}: {name} has no parameter {key!r}."
            message = message if sign else f"--set takes NAME=VALUE, not {setting!r}."
            raise UsageProblem(message, f"Parameters are {', '.join(near)}.")
        parameters[key] = _value(value)
    if table.feature_types:
        parameters["feature_types"] = table.feature_types
    return estimator_class(random_state=seed, **parameters)


def _value(text: str) -> Any:
    """A number, true, false or null, as JSON writes them; other text as it is."""
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except ValueError:
        return None if text == "None" else text


def fit(estimator: Any, table: TrainingTable, console: Console) -> bool:
    """Fit with progress; gives whether it was interrupted and the model is that of a part."""
    from halfseen import TrainingInterrupted

    accepted = signature(estimator.fit).parameters
    with console.progress("Fitting") as advance:
        options: dict[str, Any] = {}
        if "progress" in accepted:
            options["progress"] = lambda stage, done, total: advance(
                what=f"Fitting: {stage}", done=done, total=total
            )
        elif "callbacks" in accepted:
            options["callbacks"] = [
                lambda record: advance(what=f"Fitting: pass {record.epoch + 1}")
            ]
        arguments = (table.X,) if table.y is None else (table.X, table.y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(*arguments, **options)
        is_interrupted = any(issubclass(w.category, TrainingInterrupted) for w in caught)
        if is_interrupted:
            Interrupts.pressed = False
    for warning in caught:
        if not issubclass(warning.category, TrainingInterrupted):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, "halfseen"
            )
    return is_interrupted

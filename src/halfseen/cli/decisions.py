"""Decisions from probabilities: thresholds and costs, as the command line gives them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from halfseen.cli.console import Problem, UsageProblem
from halfseen.cli.filling import class_text
from halfseen.cli.options import per_column
from halfseen.cli.tables import ModelTable
from halfseen.experiments.scores import LabelAnswers

Floats = NDArray[np.float64]

threshold_option = click.option(
    "--threshold", "thresholds", multiple=True, metavar="[LABEL=]P",
    help="Predict a label of two states above this probability, of all labels or of one. "
    "[default: what the model learned]",
)  # fmt: skip
costs_option = click.option(
    "--costs", multiple=True, metavar="[LABEL=]COSTS",
    help="Decide by least expected cost: MISS:ALARM for labels of two states, or a CSV file with a "
    "row for each true class and a column for each decision.",
)  # fmt: skip


@dataclass(frozen=True)
class Decisions:
    """How each label is decided."""

    thresholds: dict[str, float]
    costs: dict[str, Floats]  # (true class, decision)

    @classmethod
    def make(
        cls, model_table: ModelTable, thresholds: Sequence[str], costs: Sequence[str]
    ) -> Decisions:
        """From what ``--threshold`` and ``--costs`` give."""
        targets = model_table.targets
        two_states = [name for name, column in targets.items() if len(column.categories) == 2]
        return cls(
            per_column(thresholds, two_states, "--threshold", _share),
            per_column(
                costs, list(targets), "--costs",
                lambda name, text: _matrix(name, text, targets[name].categories),
            ),
        )  # fmt: skip

    def decided(self, name: str, found: LabelAnswers) -> LabelAnswers:
        """The same predictions, decided as asked; by default as the model does."""
        if name in self.costs:
            return found._replace(decided=(found.proba @ self.costs[name]).argmin(axis=1))
        if name in self.thresholds:
            above = found.proba[:, 1] > self.thresholds[name]
            return found._replace(decided=above.astype(np.int64))
        return found


def _share(_: str, text: str) -> float:
    if not _is_number(text) or float(text) > 1:
        raise UsageProblem(f"--threshold takes a probability from 0 to 1, not {text!r}.")
    return float(text)


def _matrix(name: str, text: str, categories: Sequence[Any]) -> Floats:
    """Cost of each decision, given each true class."""
    miss, sign, alarm = text.partition(":")
    if sign and len(categories) == 2 and _is_number(miss) and _is_number(alarm):
        return np.array([[0.0, float(alarm)], [float(miss), 0.0]])
    classes = [class_text(value) for value in categories]
    if not text.lower().endswith(".csv"):
        remedy = "Give MISS:ALARM for two states, such as 5:1, or a CSV file of costs."
        raise UsageProblem(f"--costs of {name!r}: {text!r} cannot be read.", remedy)
    try:
        with open(text, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row] or [[]]
        costs = {
            row[0]: dict(zip(rows[0][1:], map(float, row[1:]), strict=True)) for row in rows[1:]
        }
        found = np.array([[costs[truth][decision] for decision in classes] for truth in classes])
        if not np.isfinite(found).all():
            raise ValueError("a cost is no finite number")
        return found
    except (OSError, ValueError, KeyError) as error:
        reason = f"there is no class {error}" if isinstance(error, KeyError) else str(error)
        remedy = f"It needs a row and a column for each of {', '.join(classes)}."
        raise Problem(f"The costs in {text!r} cannot be used: {reason}.", remedy) from error


def _is_number(text: str) -> bool:
    try:
        return float(text) >= 0
    except ValueError:
        return False

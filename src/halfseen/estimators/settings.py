"""Settings of a model: two presets, what the user set, and what came of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np

from halfseen.estimators.predictive_settings import Effort
from halfseen.learning.data_started_cd import DataStartedCD
from halfseen.learning.lossy_cd import LossyCD
from halfseen.learning.mean_field_cd import MeanFieldCD
from halfseen.learning.objective import Objective
from halfseen.learning.optimiser import Optimiser, OptimiserName, ScheduleName
from halfseen.learning.persistent_cd import FullyPersistentCD, PersistentCD
from halfseen.machine.completion import Averaging, CompletionMethod, CompletionSettings

ObjectiveName = Literal[
    "predictive",
    "lossy_cd",
    "data_started_cd",
    "persistent_cd",
    "fully_persistent_cd",
    "mean_field_cd",
]
ClassUnits = Literal["softmax", "independent"]
RandomStarts = Literal["marginals", "uniform"]
Stopping = Literal["held_out", "oracle", "none"]
Threshold = Literal["shared", "per_label"] | float
Variance = Literal["learned"] | float

LOWEST_VARIANCE = 0.01
HIGHEST_VARIANCE = 1.21
FIRST_LEARNED_VARIANCE = 0.5
_OFFSET_RATE = 0.01
_STEP, _UPDATES = 0.002, 2000  # of a companion
_FAST_LONGER = 3  # are the first steps of a companion of effort "fast"
_LONGER = {"default": 4.0, "best": 3.0}  # of another effort
_PART_OF_EPOCHS = {"default": 0.5, "best": 1.0}


@dataclass(frozen=True)
class Settings:
    """Every setting, resolved: no "auto" is left.

    The names are those of the estimators' parameters; their meaning stands there.

    Examples
    --------
    >>> paper = resolve_settings("paper", {}, n_rows=1000, n_visible=20)
    >>> paper.n_hidden, paper.learning_rate, paper.batch_size, paper.n_gibbs_steps
    (100, 0.001, 10, 1)
    """

    n_hidden: int
    objective: ObjectiveName
    n_gibbs_steps: int
    n_chains: int
    learning_rate: float
    batch_size: int
    n_epochs: int
    optimizer: OptimiserName
    momentum: float
    weight_decay: float
    clip_norm: float
    schedule: ScheduleName
    centered: bool
    variance: Variance
    class_units: ClassUnits
    random_starts: RandomStarts
    n_machines: int
    completion: CompletionMethod
    n_restarts: int
    n_sweeps: int
    tolerance: float
    damping: float
    averaging: Averaging
    threshold: Threshold
    stopping: Stopping
    held_out_share: float
    patience: int
    monitor_every: int
    effort: Effort
    companion: bool
    label_weight: float
    max_seconds: float
    sees_missing: bool
    forest: bool
    class_gaussians: bool

    def of_companion(self) -> Settings:
        """The settings of the likelihood-trained machine that these settings ask for.

        Beside a predictive ensemble it is a single machine, trained by data-started contrastive
        divergence.
        """
        if self.objective != "predictive":
            return self
        return replace(self, objective="data_started_cd", n_machines=1)

    def of_parts(self) -> Settings:
        """The settings of learning in parts, which has no end that steps could grow small towards.

        A companion goes on at a constant pace.
        """
        settings = self.of_companion()
        is_companion = self.objective == "predictive"
        if not is_companion or (self.schedule, self.stopping) != ("cosine", "none"):
            return settings
        rate = self.learning_rate / _LONGER.get(self.effort, _FAST_LONGER)
        return replace(settings, schedule="constant", learning_rate=rate)

    def learning_objective(self) -> Objective:
        """The objective these settings name; a predictive ensemble has none of this kind."""
        rate = _OFFSET_RATE if self.centered else 0.0
        match self.objective:
            case "predictive":
                raise ValueError("a predictive ensemble is not trained by its likelihood")
            case "lossy_cd":
                return LossyCD(self.n_gibbs_steps, rate)
            case "data_started_cd":
                return DataStartedCD(self.n_gibbs_steps, rate)
            case "persistent_cd":
                return PersistentCD(self.n_gibbs_steps, self.n_chains, rate)
            case "fully_persistent_cd":
                return FullyPersistentCD(self.n_gibbs_steps, self.n_chains, rate)
            case "mean_field_cd":
                return MeanFieldCD(self.n_gibbs_steps, rate)

    def learning_optimiser(self) -> Optimiser:
        """The optimiser these settings name."""
        return Optimiser(self.optimizer, self.momentum, self.clip_norm)

    def completion_settings(self) -> CompletionSettings:
        """How missing entries are found."""
        return CompletionSettings(
            self.completion, self.n_sweeps, self.tolerance, self.damping, self.averaging
        )

    def variance_bounds(self) -> tuple[float, float, float]:
        """First, lowest and highest variance of a standardised number given the hidden units."""
        if self.variance == "learned":
            return FIRST_LEARNED_VARIANCE, LOWEST_VARIANCE, HIGHEST_VARIANCE
        return self.variance, self.variance, self.variance

    def to_document(self) -> dict[str, Any]:
        """The settings as plain JSON; an infinite number is written as text."""
        document = asdict(self)
        return {name: "inf" if value == math.inf else value for name, value in document.items()}

    @classmethod
    def from_document(cls, document: Any) -> Settings:
        """The settings that :meth:`to_document` wrote."""
        if not isinstance(document, dict) or set(document) != {f.name for f in fields(cls)}:
            raise ValueError("The settings of the model are not those of this format.")
        values: dict[str, Any] = {
            name: math.inf if value == "inf" else value for name, value in document.items()
        }
        settings = cls(**values)
        check_settings(settings)
        return plain_numbers(settings)


def default_settings(n_rows: int, n_visible: int) -> Settings:
    """The default preset for a table of this shape.

    Small tables are cut into about ten minibatches, and the number of epochs gives tables of very
    different length a like number of updates: 2,000, or fewer and longer ones where there are fewer
    than twenty minibatches, down to 1,000.
    """
    batch_size = min(100, max(10, n_rows // 10))
    batches = -(-n_rows // batch_size)
    updates = min(_UPDATES, max(_UPDATES // 2, 100 * batches))
    return Settings(
        n_hidden=min(200, max(20, 4 * n_visible)),
        objective="predictive",
        n_gibbs_steps=1,
        n_chains=100,
        learning_rate=_STEP * _UPDATES / updates,
        batch_size=batch_size,
        n_epochs=min(500, max(10, updates // batches)),
        optimizer="adam",
        momentum=0.0,
        weight_decay=0.01,
        clip_norm=10.0,
        schedule="constant",
        centered=True,
        variance="learned",
        class_units="softmax",
        random_starts="marginals",
        n_machines=1,
        completion="mean_field",
        n_restarts=5,
        n_sweeps=50,
        tolerance=1e-4,
        damping=0.0,
        averaging="free_energy",
        threshold="shared",
        stopping="held_out",
        held_out_share=0.1,
        patience=max(10, 4000 // batches),
        monitor_every=5,
        effort="default",
        companion=True,
        label_weight=1.0,
        max_seconds=math.inf,
        sees_missing=False,
        forest=True,
        class_gaussians=True,
    )


def paper_settings(n_rows: int, n_visible: int) -> Settings:
    """The paper's settings; ``docs/paper.md`` goes through the text line by line."""
    return Settings(
        n_hidden=100,
        objective="lossy_cd",
        n_gibbs_steps=1,
        n_chains=100,
        learning_rate=0.001,
        batch_size=10,
        n_epochs=1000,
        optimizer="sgd",
        momentum=0.0,
        weight_decay=0.0,
        clip_norm=math.inf,
        schedule="constant",
        centered=False,
        variance=1.0,
        class_units="independent",
        random_starts="uniform",
        n_machines=1,
        completion="mean_field",
        n_restarts=10,
        n_sweeps=10,
        tolerance=0.0,
        damping=0.0,
        averaging="equal",
        threshold="shared",
        stopping="held_out",
        held_out_share=0.1,
        patience=500,
        monitor_every=5,
        effort="default",
        companion=True,
        label_weight=1.0,
        max_seconds=math.inf,
        sees_missing=False,
        forest=True,
        class_gaussians=True,
    )


PRESETS = {"default": default_settings, "paper": paper_settings}


def resolve_settings(
    preset: str, given: Mapping[str, Any], *, n_rows: int, n_visible: int
) -> Settings:
    """A preset with everything that is not "auto" in ``given`` put over it.

    Raises
    ------
    ValueError
        Naming the parameter, its value and what it may be.

    Examples
    --------
    >>> resolve_settings("default", {"n_hidden": 7}, n_rows=50, n_visible=3).n_hidden
    7
    """
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ValueError(f"preset must be one of {sorted(PRESETS)}, got {preset!r}")
    chosen = asdict(PRESETS[preset](n_rows, n_visible))
    asked = {name: value for name, value in given.items() if not _is(value, "auto")}
    is_predictive = _is(asked.get("objective", chosen["objective"]), "predictive")
    effort = asked.get("effort", chosen["effort"])
    has_own_pace = preset == "paper" and not _is(effort, "fast")
    if is_predictive and not has_own_pace and not asked.keys() & _PACE:
        chosen |= _pace_of_companion(chosen, effort)
    chosen.update(asked)
    for name in _TRUTHS:
        chosen[name] = _plain_truth(chosen[name])
    settings = Settings(**chosen)
    check_settings(settings)
    return plain_numbers(settings)


def _pace_of_companion(chosen: Mapping[str, Any], effort: Any) -> dict[str, Any]:
    """A companion takes half of the epochs, and longer steps that end small.

    Their end is as good as any moment before it, so that nothing need be put aside to judge them,
    and better than the best moment of twice as many steps of one length. Effort "best" takes all
    epochs; "fast" a quarter of the steps. Who sets anything of its pace gets that of a machine that
    is trained by its likelihood alone for the rest.
    """
    longer = chosen["learning_rate"] / _STEP
    pace = {
        "n_epochs": max(10, int(longer * chosen["n_epochs"]) // 4),
        "learning_rate": _FAST_LONGER * _STEP,
        "schedule": "cosine",
        "stopping": "none",
    }
    if isinstance(effort, str) and effort in _LONGER:
        pace["n_epochs"] = max(10, int(_PART_OF_EPOCHS[effort] * chosen["n_epochs"]))
        pace["learning_rate"] = _LONGER[effort] * chosen["learning_rate"]
    return pace


def check_settings(settings: Settings) -> None:
    """Raise a ValueError that names the first setting out of its range."""
    for name, allowed in _CHOICES.items():
        value = getattr(settings, name)
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"{name} must be one of {sorted(allowed)}, got {value!r}")
    for name, (kind, lowest, highest) in _RANGES.items():
        _check_number(name, getattr(settings, name), kind, lowest, highest)
    if not _is(settings.variance, "learned"):
        _check_number("variance", settings.variance, float, 1e-6, 1e6, or_else='"learned"')
    if not _is(settings.threshold, "shared", "per_label"):
        _check_number("threshold", settings.threshold, float, 0, 1, '"shared" or "per_label"')
    for name in _TRUTHS:
        if not isinstance(getattr(settings, name), bool):
            raise ValueError(f"{name} must be True or False, got {getattr(settings, name)!r}")


def plain_numbers(settings: Settings) -> Settings:
    """Checked settings with every number as Python's own int or float.

    Searches over parameters hand in numpy's numbers, which a document cannot hold.
    """
    kinds: dict[str, type] = {name: kind for name, (kind, _, _) in _RANGES.items()}
    kinds |= {"variance": float, "threshold": float}
    values: dict[str, Any] = {name: getattr(settings, name) for name in kinds}
    for name, value in values.items():
        if not isinstance(value, str):
            values[name] = kinds[name](value)
    return replace(settings, **values)


def _plain_truth(value: Any) -> Any:
    return bool(value) if isinstance(value, np.bool_) else value


def _is(value: Any, *words: str) -> bool:
    return isinstance(value, str) and value in words


def _check_number(
    name: str, value: Any, kind: type, lowest: float, highest: float, or_else: str = ""
) -> None:
    is_number = isinstance(value, Integral if kind is int else Real)
    if isinstance(value, bool) or not is_number or not lowest <= value <= highest:
        what = "a whole number" if kind is int else "a number"
        also = f" or {or_else}" if or_else else ""
        raise ValueError(
            f"{name} must be {what} from {lowest:g} to {highest:g}{also}, got {value!r}"
        )


_PACE = {
    "n_epochs",
    "learning_rate",
    "schedule",
    "stopping",
    "held_out_share",
    "patience",
    "monitor_every",
}
_TRUTHS = ("centered", "companion", "sees_missing", "forest", "class_gaussians")
_CHOICES: dict[str, tuple[str, ...]] = {
    "objective": get_args(ObjectiveName),
    "optimizer": get_args(OptimiserName),
    "schedule": get_args(ScheduleName),
    "class_units": get_args(ClassUnits),
    "random_starts": get_args(RandomStarts),
    "completion": get_args(CompletionMethod),
    "averaging": get_args(Averaging),
    "stopping": get_args(Stopping),
    "effort": get_args(Effort),
}
_RANGES: dict[str, tuple[type, float, float]] = {
    "n_hidden": (int, 1, 100_000),
    "n_gibbs_steps": (int, 1, 100_000),
    "n_chains": (int, 1, 1_000_000),
    "learning_rate": (float, 1e-12, 1e12),
    "batch_size": (int, 1, 10_000_000),
    "n_epochs": (int, 1, 10_000_000),
    "momentum": (float, 0, 0.999999),
    "weight_decay": (float, 0, 1e6),
    "clip_norm": (float, 1e-12, math.inf),
    "n_machines": (int, 1, 10_000),
    "n_restarts": (int, 1, 100_000),
    "n_sweeps": (int, 1, 1_000_000),
    "tolerance": (float, 0, 1e6),
    "damping": (float, 0, 0.999999),
    "held_out_share": (float, 0, 0.9),
    "patience": (int, 1, 10_000_000),
    "monitor_every": (int, 1, 10_000_000),
    "label_weight": (float, 0, 1e6),
    "max_seconds": (float, 0, math.inf),
}

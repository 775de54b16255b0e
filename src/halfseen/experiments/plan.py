"""Plans, TOML files: data sets, what is hidden of them, methods, how often; and their cells."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from halfseen.experiments.data_sets import DATA_SETS
from halfseen.experiments.methods import METHODS, UnknownSetting, did_you_mean, method_with
from halfseen.experiments.record import TaskName, record_key

PRIOR: Final = "column_prior"

# The mechanisms of halfseen.masks by the names that plans and records have.
FEATURE_HIDING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "at_random": "mcar",
        "exact_per_row": "mcar_per_row",
        "by_other_columns": "mar",
        "by_own_value": "mnar",
        "blocks": "blocks",
    }
)
LABEL_HIDING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "at_random": "mcar",
        "positives_only": "positives_missing",
        "all_but_positives": "positives_only",
        "where_features": "where_features",
    }
)


class PlanError(ValueError):
    """A plan that cannot be followed; the message names the file, the key and what is allowed."""


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _one_of(value: str, allowed: Mapping[str, Any] | tuple[str, ...] | list[str]) -> str:
    if value not in allowed:
        hint = did_you_mean(value, allowed)
        raise ValueError(f"says {value!r}.{hint} Allowed are: {', '.join(allowed)}.")
    return value


def _once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


_Section = TypeVar("_Section", bound="Section")
Rate = Annotated[float, Field(strict=True, ge=0, le=1)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_one_or_many), AfterValidator(_once)]
Tasks = Annotated[tuple[TaskName, ...], BeforeValidator(_one_or_many), AfterValidator(_once)]
FeatureHiding = Annotated[str, AfterValidator(lambda value: _one_of(value, FEATURE_HIDING))]
LabelHiding = Annotated[str, AfterValidator(lambda value: _one_of(value, LABEL_HIDING))]


class Section(BaseModel):
    """A table of a TOML document, of which every key must be known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _know_all_keys(cls, values: Any) -> Any:
        values = cls._as_table(values)
        for key in values:
            if key not in cls.model_fields:
                known = list(cls.model_fields)
                hint = did_you_mean(key, known)
                raise ValueError(f"there is no key {key!r}.{hint} Keys here are: {_listed(known)}.")
        return values

    @classmethod
    def _as_table(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            raise ValueError(f"must be a table with some of {_listed(cls.model_fields)}")
        return values


class Limits(Section):
    """How much a method may take."""

    # For one method on one realisation, after which it is stopped and recorded as failed.
    seconds: float = Field(default=600.0, strict=True, gt=0)
    # Most settings that the tuner tries; 0 or 1 tunes nothing.
    tuning_tries: int = Field(default=20, strict=True, ge=0)
    # The tuner starts no setting that would not be done in so many seconds.
    tuning_seconds: float = Field(default=600.0, strict=True, ge=0)


class MethodChoice(Section):
    """A method, and settings of it that have a name of their own.

    >>> MethodChoice(method="halfseen", variant="fast", settings={"effort": "fast"}).name
    'halfseen (fast)'
    """

    method: str
    variant: str = Field(default="", pattern=r"^[A-Za-z0-9_.]*$")
    settings: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def _as_table(cls, values: Any) -> Any:
        return {"method": values} if isinstance(values, str) else super()._as_table(values)

    @property
    def name(self) -> str:
        """How it is called in tables."""
        return f"{self.method} ({self.variant})" if self.variant else self.method

    @field_validator("method")
    @classmethod
    def _is_known(cls, method: str) -> str:
        return _one_of(method, METHODS)

    @model_validator(mode="after")
    def _has_such_settings(self) -> Self:
        if self.settings:
            try:
                method_with(self.method, self.settings)
            except UnknownSetting as error:
                raise ValueError(f"settings of {self.method}: {error}") from error
        return self


class TableChoice(Section):
    """A table of the user's own."""

    name: str = Field(pattern=r"^[A-Za-z0-9_]+$")
    file: Path
    labels: Texts = Field(min_length=1)  # columns to predict, by name or pattern
    features: Texts = ()  # all others if there are none
    ignore: Texts = ()
    target: Literal["auto", "labels", "classes"] = "auto"
    missing: Texts = ()  # further texts that mean "missing"

    @field_validator("name")
    @classmethod
    def _is_free(cls, name: str) -> str:
        if name in DATA_SETS:
            raise ValueError(f"{name!r}, which is taken by a data set; choose another")
        return name

    @field_validator("file")
    @classmethod
    def _is_there(cls, file: Path, info: ValidationInfo) -> Path:
        path: Path = file if info.context is None else info.context["folder"] / file
        if not path.is_file():
            raise ValueError(f"names {str(path)!r}, where there is no file")
        return path


class Grid(Section):
    """All combinations of some data sets, tasks, rates and methods."""

    data_sets: Texts = Field(min_length=1)  # of the catalogue, or tables of the plan
    methods: tuple[MethodChoice, ...] = Field(min_length=1)
    # Shares hidden of features and of labels: pairs, or two lists whose combinations are run.
    rates: tuple[tuple[Rate, Rate], ...] = ()
    feature_rates: tuple[Rate, ...] = ()
    label_rates: tuple[Rate, ...] = ()
    # Whether hidden entries of the fitted rows are asked for, or labels of new rows.
    tasks: Tasks = Field(default=("transductive",), min_length=1)
    feature_hiding: FeatureHiding = "at_random"
    label_hiding: LabelHiding = "at_random"
    new_feature_rate: Rate | None = None  # of the features of new rows, if it is another
    realisations: int = Field(default=10, strict=True, ge=1)  # masks, numbered from 0
    # Drawn from each data set; None for all.
    n_rows: int | None = Field(default=None, strict=True, ge=10)
    limits: Limits = Limits()

    @field_validator("data_sets")
    @classmethod
    def _are_known(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        known = [*DATA_SETS, *(info.context or {}).get("tables", ())]
        return tuple(_one_of(name, known) for name in names)

    @field_validator("methods")
    @classmethod
    def _have_names_of_their_own(
        cls, methods: tuple[MethodChoice, ...]
    ) -> tuple[MethodChoice, ...]:
        names = [choice.name for choice in methods]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"names {name} more than once; give different variants")
        # What a constant scores is always shown.
        has_prior = any(choice.method == PRIOR for choice in methods)
        return methods if has_prior else (MethodChoice(method=PRIOR), *methods)

    @model_validator(mode="after")
    def _has_rates(self) -> Self:
        pairs = self.rates or tuple(product(self.feature_rates, self.label_rates))
        if not pairs or (self.rates and (self.feature_rates or self.label_rates)):
            raise ValueError(
                "give either rates, pairs such as [[0.5, 0.3], [0.8, 0.8]], or feature_rates and "
                "label_rates, two lists whose combinations are run"
            )
        if self.new_feature_rate is not None and "inductive" not in self.tasks:
            raise ValueError('new_feature_rate is for tasks = ["inductive"], which has new rows')
        for name, value in {"rates": pairs, "feature_rates": (), "label_rates": ()}.items():
            object.__setattr__(self, name, value)
        return self


class Plan(Section):
    """A study: grids that are run one beside the other; a cell of several grids is run once."""

    name: str
    title: str
    about: str = ""
    grids: tuple[Grid, ...]
    tables: tuple[TableChoice, ...] = ()

    def table(self, name: str) -> TableChoice | None:
        """The user's table of that name; None if it is a data set of the catalogue."""
        return next((table for table in self.tables if table.name == name), None)


@dataclass(frozen=True)
class Cell:
    """One method on one realisation, with all that decides its result.

    >>> Cell("scene", "transductive", "at_random", "at_random", 0.5, 0.3, None, "mc1").key
    'scene-transductive-at_random-50-30-mc1-r0'
    """

    data_set: str
    task: TaskName
    feature_hiding: str
    label_hiding: str
    feature_rate: float
    label_rate: float
    new_feature_rate: float | None
    method: str
    variant: str = ""
    realisation: int = 0  # seed of the mask, of the split into old and new rows, of the method
    settings: Mapping[str, Any] = field(default_factory=dict)
    n_rows: int | None = None
    table: TableChoice | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def key(self) -> str:
        """A name, unique in a plan."""
        return record_key(self, self.n_rows)

    @property
    def series(self) -> str:
        """What all realisations of it have in common; they share one choice of settings."""
        return self.key.rpartition("-r")[0]


def cells_of(plan: Plan) -> list[Cell]:
    """All cells of a plan, each once, the first realisation of all of them first.

    A study that is stopped early has then seen like numbers of realisations everywhere.

    >>> cells = cells_of(read_plan("quick/transductive-scene"))
    >>> cells[0].method, cells[0].realisation, cells[-1].realisation
    ('column_prior', 0, 1)
    """
    found: dict[str, Cell] = {}
    for realisation in range(max(grid.realisations for grid in plan.grids)):
        for grid in plan.grids:
            if realisation >= grid.realisations:
                continue
            for cell in _cells(plan, grid, realisation):
                known = found.setdefault(cell.key, cell)
                if known.settings != cell.settings:
                    name = f"{cell.method} ({cell.variant})" if cell.variant else cell.method
                    raise PlanError(
                        f"{plan.name}: two grids give {name} on {cell.data_set} different "
                        f"settings, {dict(known.settings)} and {dict(cell.settings)}; give one of "
                        "them another variant."
                    )
    return list(found.values())


def read_plan(plan: str | Path) -> Plan:
    """Read a TOML file, or a shipped plan such as "quick/transductive-scene", and check all of it.

    >>> plan = read_plan("quick/transductive-scene")
    >>> plan.grids[0].tasks, plan.grids[0].methods[0].method
    (('transductive',), 'column_prior')
    """
    path = plan_path(plan)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{path} is not UTF-8 text, so it is no TOML.") from error
    read = parse_plan(text, path)
    return read.model_copy(update={"name": str(plan)}) if str(plan) in shipped_plans() else read


def plan_path(plan: str | Path) -> Path:
    """The file of a plan, the user's or a shipped one."""
    path, shipped = Path(plan), shipped_plans()
    if path.is_file():
        return path
    if str(plan) in shipped:
        return _shipped_folder() / f"{plan}.toml"
    hint = did_you_mean(str(plan), shipped)
    raise PlanError(
        f"{plan} is neither a file nor a shipped plan.{hint} 'halfseen experiment list' shows the "
        "shipped ones."
    )


def shipped_plans() -> tuple[str, ...]:
    """Names of the plans that ship with halfseen: the full ones, then the quick ones.

    >>> "transductive-scene" in shipped_plans(), "quick/transductive-scene" in shipped_plans()
    (True, True)
    """
    folder = _shipped_folder()
    paths = sorted(folder.glob("*.toml")) + sorted(folder.glob("*/*.toml"))
    return tuple(path.relative_to(folder).with_suffix("").as_posix() for path in paths)


def parse_plan(text: str, path: Path, folder: Path | None = None) -> Plan:
    """The plan that a TOML text describes.

    ``path`` is its file, for messages and the plan's name; files of tables are looked for in
    ``folder``, by default that of ``path``.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{path} is not TOML: {error}.") from error
    known = ["title", "about", "grid", "table", *Grid.model_fields]
    for key in document:
        if key not in known:
            hint = did_you_mean(key, known)
            raise PlanError(f"{path}: there is no key {key!r}.{hint} Keys are: {_listed(known)}.")
    context: dict[str, Any] = {"folder": path.parent if folder is None else folder}
    tables = [
        _checked(TableChoice, part, f"{path}: [[table]] {place}", context)
        for place, part in enumerate(_parts(document, "table", path), start=1)
    ]
    context["tables"] = [table.name for table in tables]
    if len(set(context["tables"])) < len(tables):
        raise PlanError(f"{path}: key 'name': two tables have the same; choose another.")
    shared = {key: value for key, value in document.items() if key in Grid.model_fields}
    parts = _parts(document, "grid", path)
    grids = [
        _checked(Grid, _over(shared, part), f"{path}: [[grid]] {place}", context)
        for place, part in enumerate(parts, start=1)
    ] or [_checked(Grid, shared, str(path), context)]
    of_plan = {key: document[key] for key in ("title", "about") if key in document}
    whole: dict[str, Any] = {"name": path.stem, "grids": grids, "tables": tables}
    return _checked(Plan, whole | of_plan, str(path), context)


def _cells(plan: Plan, grid: Grid, realisation: int) -> Iterator[Cell]:
    for data_set, task, rates, choice in product(
        grid.data_sets, grid.tasks, grid.rates, grid.methods
    ):
        new_rate = grid.new_feature_rate if task == "inductive" else None
        yield Cell(
            data_set,
            task,
            grid.feature_hiding,
            grid.label_hiding,
            *rates,
            None if new_rate == rates[0] else new_rate,
            choice.method,
            choice.variant,
            realisation,
            choice.settings,
            grid.n_rows,
            plan.table(data_set),
            grid.limits,
        )


def _shipped_folder() -> Path:
    return Path(str(files("halfseen.experiments") / "plans"))


def _parts(document: dict[str, Any], key: str, path: Path) -> list[dict[str, Any]]:
    found = document.get(key, [])
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise PlanError(f"{path}: key {key!r}: must be written as tables: [[{key}]].")
    return found


def _over(shared: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Keys of a grid over those of the plan; one way to give rates replaces the other."""
    if "rates" in own:
        shared = {k: v for k, v in shared.items() if k not in ("feature_rates", "label_rates")}
    elif "feature_rates" in own or "label_rates" in own:
        shared = {k: v for k, v in shared.items() if k != "rates"}
    both = {**shared, **own}
    if isinstance(shared.get("limits"), dict) and isinstance(own.get("limits"), dict):
        both["limits"] = {**shared["limits"], **own["limits"]}
    return both


def _checked(
    section: type[_Section], values: dict[str, Any], place: str, context: dict[str, Any]
) -> _Section:
    try:
        return section.model_validate(values, context=context)
    except ValidationError as error:
        raise PlanError(f"{place}: {_in_words(error)}") from error


def _in_words(error: ValidationError) -> str:
    """The first thing that is wrong: which key, what about it, and what to write."""
    first = error.errors()[0]
    keys = [key for key in first["loc"] if isinstance(key, str)]
    context, given = first.get("ctx", {}), first["input"]
    what = first["msg"]
    if first["type"] == "value_error":
        what = str(context["error"])
    elif first["type"] == "missing":
        what = "is needed"
    elif first["type"] == "literal_error":
        what += "." + did_you_mean(str(given), re.findall("'(.+?)'", context["expected"]))
    else:
        what += f", got {given!r}"
    if context.get("le") == 1.0 and isinstance(given, int | float) and 1 < given <= 100:
        what += f". For {given} % write {given / 100:g}"
    what = what.replace("tuple", "list").replace("Tuple", "List") + (
        "" if what.endswith((".", "?")) else "."
    )
    return ": ".join([*keys[:-1], *(f"key {key!r}" for key in keys[-1:]), what])


def _listed(words: Any) -> str:
    return ", ".join(words)

"""Plans, TOML files: data sets, what is hidden of them, methods, how often; and their cells."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from halfseen.experiments.data_sets import DATA_SETS, Record, did_you_mean
from halfseen.experiments.pipeline import METHODS, method_named
from halfseen.masks import FEATURE_MECHANISMS, LABEL_MECHANISMS

MOST_CELLS: Final = 50_000
_SHIPPED: Final = Path(str(files("halfseen.experiments") / "plans"))
PRIOR: Final = "column_prior"
_OF_PLAN: Final = ("title", "about", "grid", "table")  # all other keys are those of its grids
# "transductive" asks for hidden entries of training rows, "inductive" for labels of new rows.
Task = Literal["transductive", "inductive"]


class PlanError(ValueError):
    """A plan that cannot be followed; the message names the file, the key and what is allowed."""


def _one_of(allowed: Iterable[str], value: str) -> str:
    if value not in allowed:
        hint = did_you_mean(value, allowed)
        raise ValueError(f"says {value!r}.{hint} Allowed are: {', '.join(allowed)}.")
    return value


_one_or_many = BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
_once = AfterValidator(lambda values: tuple(dict.fromkeys(values)))
Rate = Annotated[float, Field(strict=True, ge=0, le=1)]
Texts = Annotated[tuple[str, ...], _one_or_many, _once]
Tasks = Annotated[tuple[Task, ...], _one_or_many, _once]
Method = Annotated[str, AfterValidator(partial(_one_of, METHODS))]
FeatureMechanism = Annotated[str, AfterValidator(partial(_one_of, FEATURE_MECHANISMS))]
LabelMechanism = Annotated[str, AfterValidator(partial(_one_of, LABEL_MECHANISMS))]


class Limits(Record):
    """How much a method may take."""

    # For one method on one realisation, after which it is stopped and recorded as failed.
    seconds: float = Field(default=600.0, strict=True, gt=0)
    # Most settings that the tuner tries; 0 or 1 tunes nothing.
    tuning_tries: int = Field(default=20, strict=True, ge=0)
    # The tuner starts no setting that would not be done in so many seconds.
    tuning_seconds: float = Field(default=600.0, strict=True, ge=0)


def _name(choice: Any) -> str:
    """A method in tables."""
    return f"{choice.method} ({choice.variant})" if choice.variant else str(choice.method)


class MethodChoice(Record):
    """A method, and settings of it that have a name of their own."""

    method: Method
    variant: str = Field(default="", pattern=r"^[A-Za-z0-9_.]*$")
    settings: dict[str, Any] = {}
    name = property(_name)

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, values: Any) -> Any:
        return {"method": values} if isinstance(values, str) else values

    @model_validator(mode="after")
    def _has_such_settings(self) -> Self:
        try:
            method_named(self.method, self.settings)
        except ValueError as error:
            raise ValueError(f"settings of {self.method}: {error}") from error
        return self


class TableChoice(Record):
    """A table of the user's own."""

    name: str = Field(pattern=r"^[A-Za-z0-9_]+$")
    file: Path
    labels: Texts = Field(min_length=1)  # columns to predict, by name or pattern
    ignore: Texts = ()
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


class Grid(Record):
    """All combinations of some data sets, tasks, rates and methods."""

    data_sets: Texts = Field(min_length=1)  # of the catalogue, or tables of the plan
    methods: tuple[MethodChoice, ...] = Field(min_length=1)
    # Shares hidden of features and of labels: pairs, or two lists whose combinations are run.
    rates: tuple[tuple[Rate, Rate], ...] = ()
    feature_rates: tuple[Rate, ...] = ()
    label_rates: tuple[Rate, ...] = ()
    tasks: Tasks = Field(default=("transductive",), min_length=1)
    feature_mechanism: FeatureMechanism = "mcar"
    label_mechanism: LabelMechanism = "mcar"
    new_feature_rate: Rate | None = None  # of the features of new rows, if it is another
    realisations: int = Field(default=10, strict=True, ge=1)  # masks
    first_realisation: int = Field(default=0, strict=True, ge=0)  # number of the first mask
    # Drawn from each data set; None for all.
    n_rows: int | None = Field(default=None, strict=True, ge=10)
    limits: Limits = Limits()

    @field_validator("data_sets")
    @classmethod
    def _are_known(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        known = [*DATA_SETS, *(info.context or {}).get("tables", ())]
        return tuple(_one_of(known, name) for name in names)

    @field_validator("methods")
    @classmethod
    def _have_own_names(cls, methods: tuple[MethodChoice, ...]) -> tuple[MethodChoice, ...]:
        names = [choice.name for choice in methods]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"names {name} more than once; give different variants")
        # What a constant scores is always shown.
        has_prior = any(choice.method == PRIOR for choice in methods)
        return methods if has_prior else (MethodChoice(method=PRIOR), *methods)

    @model_validator(mode="after")
    def _has_rates(self) -> Self:
        if not self.pairs or (self.rates and (self.feature_rates or self.label_rates)):
            raise ValueError(
                "give either rates, pairs such as [[0.5, 0.3], [0.8, 0.8]], or feature_rates and "
                "label_rates, two lists whose combinations are run"
            )
        if self.new_feature_rate is not None and "inductive" not in self.tasks:
            raise ValueError('new_feature_rate is for tasks = ["inductive"], which has new rows')
        return self

    @property
    def pairs(self) -> tuple[tuple[float, float], ...]:
        """Shares hidden of features and of labels."""
        return self.rates or tuple(product(self.feature_rates, self.label_rates))


class Plan(Record):
    """A study: grids that are run one beside the other; a cell of several grids is run once."""

    name: str
    title: str
    about: str = ""
    grids: tuple[Grid, ...]
    tables: tuple[TableChoice, ...] = ()
    text: str = ""  # as it stands in its file
    folder: Path | None = None  # where its tables are looked for


class Cell(Record):
    """One method on one realisation, with all that decides its result."""

    data_set: str
    task: Task
    feature_mechanism: str = "mcar"
    label_mechanism: str = "mcar"
    feature_rate: float
    label_rate: float
    new_feature_rate: float | None = None
    method: str
    variant: str = ""
    realisation: int = 0  # seed of the mask, of the split into old and new rows, of the method
    settings: dict[str, Any] = {}
    n_rows: int | None = None
    table: TableChoice | None = Field(default=None, exclude=True)
    limits: Limits = Field(default=Limits(), exclude=True)
    name = property(_name)

    @property
    def rates(self) -> tuple[float, float]:
        """Shares hidden of features and of labels."""
        return self.feature_rate, self.label_rate

    @property
    def series(self) -> str:
        """What all realisations of it have in common; they share one choice of settings."""
        name = f"{self.method}+{self.variant}" if self.variant else self.method
        return f"{self.question}-{100 * self.feature_rate:g}-{100 * self.label_rate:g}-{name}"

    @property
    def key(self) -> str:
        """A name, unique in a plan."""
        return f"{self.series}-r{self.realisation}"

    @property
    def question(self) -> str:
        """What one group of tables is about: data set, task, and how entries are hidden."""
        hiding = self.feature_mechanism
        if self.label_mechanism != self.feature_mechanism:
            hiding += f"+{self.label_mechanism}"
        if self.new_feature_rate is not None:
            hiding += f"-new{100 * self.new_feature_rate:g}"
        rows = "" if self.n_rows is None else f"-{self.n_rows}rows"
        return f"{self.data_set}{rows}-{self.task}-{hiding}"


def cells_of(plan: Plan) -> list[Cell]:
    """All cells of a plan, each once, the first realisation of all of them first."""
    found: dict[str, Cell] = {}
    places = range(max(grid.realisations for grid in plan.grids))
    for place, grid in product(places, plan.grids):
        for cell in _cells(plan, grid, place):
            known = found.setdefault(cell.key, cell)
            if known.settings != cell.settings:
                raise PlanError(
                    f"{plan.name}: key 'settings': two grids give {cell.name} on {cell.data_set} "
                    f"different ones, {known.settings} and {cell.settings}; give one of them "
                    "another variant."
                )
    return list(found.values())


def _cells(plan: Plan, grid: Grid, place: int) -> Iterator[Cell]:
    if place >= grid.realisations:
        return
    tables = {table.name: table for table in plan.tables}
    combinations = product(grid.data_sets, grid.tasks, grid.pairs, grid.methods)
    for data_set, task, (of_x, of_y), choice in combinations:
        new_rate = grid.new_feature_rate if task == "inductive" else None
        yield Cell(
            data_set=data_set, task=task, feature_mechanism=grid.feature_mechanism,
            label_mechanism=grid.label_mechanism, feature_rate=of_x, label_rate=of_y,
            new_feature_rate=None if new_rate == of_x else new_rate, method=choice.method,
            variant=choice.variant, realisation=grid.first_realisation + place,
            settings=choice.settings, n_rows=grid.n_rows, table=tables.get(data_set),
            limits=grid.limits,
        )  # fmt: skip


def read_plan(plan: str | Path) -> Plan:
    """Read a TOML file, or a shipped plan such as "quick/transductive-scene", and check all of it.

    >>> plan = read_plan("quick/transductive-scene")
    >>> plan.grids[0].tasks, plan.grids[0].methods[0].method
    (('transductive',), 'column_prior')
    """
    path, shipped = Path(plan), shipped_plans()
    if not path.is_file():
        if str(plan) not in shipped:
            raise PlanError(
                f"{plan} is neither a file nor a shipped plan.{did_you_mean(str(plan), shipped)} "
                "'halfseen experiment list' shows the shipped ones."
            )
        path = _SHIPPED / f"{plan}.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{path} is not UTF-8 text, so it is no TOML.") from error
    name = str(plan) if str(plan) in shipped else path.stem
    return parse_plan(text, str(path), path.parent, name)


def shipped_plans() -> tuple[str, ...]:
    """Names of the plans that ship with halfseen: the full ones, then the quick ones."""
    paths = sorted(_SHIPPED.glob("*.toml")) + sorted(_SHIPPED.glob("*/*.toml"))
    return tuple(path.relative_to(_SHIPPED).with_suffix("").as_posix() for path in paths)


def parse_plan(text: str, source: str, folder: Path, name: str = "plan") -> Plan:
    """The plan that a TOML text describes; `source` is for messages."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PlanError(f"{source} is not TOML: {error}.") from error
    tables, parts = (_parts(document, key, source) for key in ("table", "grid"))
    names = [table["name"] for table in tables if isinstance(table.get("name"), str)]
    if len(set(names)) < len(names):
        raise PlanError(f"{source}: key 'name': two tables have the same; choose another.")
    shared = {key: value for key, value in document.items() if key not in _OF_PLAN}
    whole: dict[str, Any] = {key: document[key] for key in _OF_PLAN[:2] if key in document}
    whole |= {"name": name, "text": text, "folder": folder.resolve() if tables else None}
    whole |= {"tables": tables, "grids": [_over(shared, part) for part in parts or [{}]]}
    try:
        plan = Plan.model_validate(whole, context={"folder": folder, "tables": names})
    except ValidationError as error:
        raise PlanError(f"{source}: {_in_words(error, alone=not parts)}") from error
    lists = ((g.data_sets, g.tasks, g.pairs, g.methods, range(g.realisations)) for g in plan.grids)
    n_cells = sum(math.prod(map(len, of_grid)) for of_grid in lists)
    if n_cells > MOST_CELLS:
        raise PlanError(
            f"{source}: key 'realisations': the plan has {n_cells:,} cells, and at most "
            f"{MOST_CELLS:,} are run; ask for fewer realisations, rates, data sets or methods."
        )
    return plan


def _parts(document: dict[str, Any], key: str, source: str) -> list[dict[str, Any]]:
    found = document.get(key, [])
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise PlanError(f"{source}: key {key!r}: must be written as tables: [[{key}]].")
    return found


def _over(shared: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Keys of a grid over those of the plan; one way to give rates replaces the other."""
    if "rates" in own:
        shared = {k: v for k, v in shared.items() if k not in ("feature_rates", "label_rates")}
    elif "feature_rates" in own or "label_rates" in own:
        shared = {k: v for k, v in shared.items() if k != "rates"}
    both = {**shared, **own}
    if all(isinstance(one.get("limits"), dict) for one in (shared, own)):
        both["limits"] = shared["limits"] | own["limits"]
    return both


def _in_words(error: ValidationError, alone: bool) -> str:
    """The first thing that is wrong: where, which key, what about it, and what to write."""
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    loc, context, given = first["loc"], first.get("ctx", {}), first["input"]
    keys, what = [key for key in loc if isinstance(key, str)], first["msg"]
    if loc[0] in ("grids", "tables") and len(loc) > 1:
        is_shown = loc[0] == "tables" or not alone
        keys[:1] = [f"[[{keys[0][:-1]}]] {int(loc[1]) + 1}"] if is_shown else []
    if first["type"] == "extra_forbidden":
        sections = (Grid, Limits, MethodChoice, TableChoice)
        known = [*_OF_PLAN, *(key for section in sections for key in section.model_fields)]
        what = f"there is no key {keys[-1]!r}.{did_you_mean(keys[-1], known)}"
        return ": ".join([*keys[:-1], what])
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
    what = what.replace("tuple", "list").replace("Tuple", "List")
    what += "" if what.endswith((".", "?")) else "."
    if len(loc) > 2 or loc[0] not in ("grids", "tables"):
        keys[-1] = f"key {keys[-1]!r}"
    return ": ".join([*keys, what])

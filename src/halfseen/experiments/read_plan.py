"""Plans from TOML files, the user's or those that ship with halfseen."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from halfseen.experiments.data_sets import DATA_SETS
from halfseen.experiments.method_with import UnknownSetting, method_with
from halfseen.experiments.methods import METHODS
from halfseen.experiments.plan import (
    FEATURE_HIDING,
    LABEL_HIDING,
    Grid,
    Limits,
    MethodChoice,
    Plan,
    TableChoice,
)
from halfseen.experiments.plan_values import PlanError, PlanValues, did_you_mean
from halfseen.experiments.record import TaskName
from halfseen.experiments.shipped_plans import shipped_plan_path, shipped_plans

TASKS = ("transductive", "inductive")
TARGETS = ("auto", "labels", "classes")
PRIOR = "column_prior"
_GRID_KEYS = (
    "data_sets",
    "tasks",
    "methods",
    "rates",
    "feature_rates",
    "label_rates",
    "new_feature_rate",
    "feature_hiding",
    "label_hiding",
    "realisations",
    "n_rows",
    "limits",
)
_PLAN_KEYS = ("title", "about", "grid", "table", *_GRID_KEYS)
_LIMIT_KEYS = ("seconds", "tuning_tries", "tuning_seconds")
_METHOD_KEYS = ("method", "variant", "settings")
_TABLE_KEYS = ("name", "file", "labels", "features", "ignore", "target", "missing")
_NAME_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


def read_plan(plan: str | Path) -> Plan:
    """Read a plan and check all of it.

    Parameters
    ----------
    plan : str or Path
        A TOML file, or the name of a shipped plan such as "quick/transductive-scene".

    Returns
    -------
    Plan

    Raises
    ------
    PlanError
        The message names the file, the key, and what is allowed.

    Examples
    --------
    >>> plan = read_plan("quick/transductive-scene")
    >>> plan.grids[0].tasks, plan.grids[0].methods[0].method
    (('transductive',), 'column_prior')
    """
    path = plan_path(plan)
    read = parse_plan(_text_of(path), path)
    return replace(read, name=str(plan)) if str(plan) in shipped_plans() else read


def plan_path(plan: str | Path) -> Path:
    """The file of a plan.

    Parameters
    ----------
    plan : str or Path
        A TOML file, or the name of a shipped plan.

    Returns
    -------
    Path

    Raises
    ------
    PlanError
        There is neither.
    """
    path = Path(plan)
    if path.is_file():
        return path
    shipped = shipped_plans()
    if str(plan) in shipped:
        return shipped_plan_path(str(plan))
    hint = did_you_mean(str(plan), shipped)
    raise PlanError(
        f"{plan} is neither a file nor a shipped plan.{hint} 'halfseen experiment list' shows the "
        "shipped ones."
    )


def parse_plan(text: str, path: Path, folder: Path | None = None) -> Plan:
    """The plan that a TOML text describes.

    Parameters
    ----------
    text : str
        The text.
    path : Path
        Its file, for messages and the plan's name.
    folder : Path or None
        Where files of tables are looked for; None for the folder of ``path``.

    Returns
    -------
    Plan

    Raises
    ------
    PlanError
        The message names the file, the key, and what is allowed.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{path} is not TOML: {error}.") from error
    values = PlanValues(document, str(path))
    values.only(_PLAN_KEYS)
    tables = tuple(
        _table(part, path.parent if folder is None else folder)
        for part in _parts(values, "table", "table")
    )
    names = [table.name for table in tables]
    for name in names:
        if names.count(name) > 1 or name in DATA_SETS:
            raise values.error("table", f"has the name {name!r}, which is taken; choose another.")
    shared = {key: value for key, value in document.items() if key in _GRID_KEYS}
    parts = _parts(values, "grid", "grid") or [PlanValues({}, str(path))]
    grids = tuple(
        _grid(PlanValues(_over(shared, part.values), str(path), part.place), names)
        for part in parts
    )
    title = values.needed("title", "one line that says what the study is about")
    if not isinstance(title, str):
        raise values.error("title", f"must be a text, got {title!r}.")
    return Plan(path.stem, title, values.text("about", ""), grids, tables)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{path} is not UTF-8 text, so it is no TOML.") from error


def _over(shared: dict[str, Any], own: Any) -> dict[str, Any]:
    """Keys of a grid over those of the plan; one way to give rates replaces the other."""
    if "rates" in own:
        shared = {k: v for k, v in shared.items() if k not in ("feature_rates", "label_rates")}
    elif "feature_rates" in own or "label_rates" in own:
        shared = {k: v for k, v in shared.items() if k != "rates"}
    both = {**shared, **own}
    if isinstance(shared.get("limits"), dict) and isinstance(own.get("limits"), dict):
        both["limits"] = {**shared["limits"], **own["limits"]}
    return both


def _parts(values: PlanValues, key: str, word: str) -> list[PlanValues]:
    found = values.values.get(key, [])
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise values.error(key, f"must be written as tables: [[{word}]].")
    parts = []
    for place, part in enumerate(found, start=1):
        one = PlanValues(part, values.source, f"[[{word}]] {place}")
        one.only(_GRID_KEYS if key == "grid" else _TABLE_KEYS)
        parts.append(one)
    return parts


def _grid(values: PlanValues, tables: list[str]) -> Grid:
    known = [*DATA_SETS, *tables]
    values.needed("data_sets", f"some of {', '.join(known)}")
    hiding = {
        "feature_hiding": values.choice("feature_hiding", list(FEATURE_HIDING), "at_random"),
        "label_hiding": values.choice("label_hiding", list(LABEL_HIDING), "at_random"),
    }
    new_rate = values.values.get("new_feature_rate")
    tasks = values.choices("tasks", TASKS, ("transductive",))
    if new_rate is not None and "inductive" not in tasks:
        raise values.error("new_feature_rate", 'is for tasks = ["inductive"], which has new rows.')
    return Grid(
        data_sets=values.choices("data_sets", known, ()),
        tasks=cast(tuple[TaskName, ...], tasks),
        rates=_rates(values),
        methods=_methods(values),
        **hiding,
        new_feature_rate=None if new_rate is None else values.rate("new_feature_rate", new_rate),
        realisations=values.whole("realisations", 10, 1),
        n_rows=values.whole("n_rows", None, 10),
        limits=_limits(values),
    )


def _rates(values: PlanValues) -> tuple[tuple[float, float], ...]:
    if "rates" in values:
        if "feature_rates" in values or "label_rates" in values:
            raise values.error(
                "rates", "goes without feature_rates and label_rates: give pairs or two lists."
            )

        def pair(key: str, value: Any) -> tuple[float, float]:
            if not isinstance(value, list) or len(value) != 2:
                raise values.error(
                    key,
                    f"holds {value!r}; give pairs of a feature rate and a label rate, such as "
                    "[[0.5, 0.3], [0.8, 0.8]].",
                )
            return values.rate(key, value[0]), values.rate(key, value[1])

        return values.many("rates", pair)
    if "feature_rates" not in values or "label_rates" not in values:
        raise values.error(
            "rates",
            "is needed: pairs such as [[0.5, 0.3], [0.8, 0.8]]; or feature_rates and label_rates, "
            "two lists whose combinations are run.",
        )
    of_features = values.many("feature_rates", values.rate)
    of_labels = values.many("label_rates", values.rate)
    return tuple((feature, label) for feature in of_features for label in of_labels)


def _methods(values: PlanValues) -> tuple[MethodChoice, ...]:
    chosen = values.many("methods", lambda key, value: _method(values, key, value))
    if not any(choice.method == PRIOR for choice in chosen):
        # What a constant scores is always shown.
        chosen = (MethodChoice(PRIOR), *chosen)
    names = [choice.name for choice in chosen]
    for name in names:
        if names.count(name) > 1:
            raise values.error(
                "methods", f"names {name} more than once; give its settings different variants."
            )
    return chosen


def _method(values: PlanValues, key: str, value: Any) -> MethodChoice:
    if isinstance(value, str):
        value = {"method": value}
    if not isinstance(value, dict):
        raise values.error(
            key,
            f"holds {value!r}; give names, or tables such as "
            '{method = "halfseen", variant = "fast", settings = {effort = "fast"}}.',
        )
    place = f"{values.place}, methods" if values.place else "methods"
    part = PlanValues(value, values.source, place)
    part.only(_METHOD_KEYS)
    part.needed("method", f"one of {', '.join(METHODS)}")
    method = part.choice("method", list(METHODS), "")
    variant = part.text("variant", "")
    if any(sign not in _NAME_SIGNS + "." for sign in variant):
        raise part.error("variant", f"is {variant!r}; use letters, digits, dots and underscores.")
    settings = value.get("settings", {})
    if not isinstance(settings, dict):
        raise part.error("settings", "must be a table, such as {effort = 'fast'}.")
    if settings:
        try:
            method_with(method, settings)
        except UnknownSetting as error:
            raise part.error("settings", f"of {method}: {error}") from error
        except ImportError:  # the method is left out when the plan is run, with the reason
            pass
    return MethodChoice(method, variant, settings)


def _limits(values: PlanValues) -> Limits:
    found = values.values.get("limits", {})
    if not isinstance(found, dict):
        raise values.error("limits", f"must be a table with {', '.join(_LIMIT_KEYS)}.")
    part = PlanValues(found, values.source, f"{values.place}, limits" if values.place else "limits")
    part.only(_LIMIT_KEYS)
    own = Limits()
    return Limits(
        part.number("seconds", own.seconds, 1),
        part.whole("tuning_tries", own.tuning_tries, 0),
        part.number("tuning_seconds", own.tuning_seconds, 0),
    )


def _table(values: PlanValues, folder: Path) -> TableChoice:
    values.needed("name", "what grids call this table")
    values.needed("file", "a CSV, TSV, Parquet or Arrow file, relative to the plan")
    values.needed("labels", "names or patterns of columns, such as ['threat_*']")
    name = values.text("name", "")
    if not name or any(sign not in _NAME_SIGNS for sign in name):
        raise values.error("name", f"is {name!r}; use letters, digits and underscores.")
    labels = values.texts("labels")
    if not labels:
        raise values.error("labels", "is empty; name at least one column to predict.")
    path = folder / values.text("file", "")
    if not path.is_file():
        raise values.error("file", f"names {str(path)!r}, where there is no file.")
    return TableChoice(
        name,
        path,
        labels,
        values.texts("features"),
        values.texts("ignore"),
        values.choice("target", TARGETS, "auto"),
        values.texts("missing"),
    )

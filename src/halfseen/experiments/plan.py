"""What a study is to do: data sets, what is hidden of them, methods, how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from halfseen.experiments.record import TaskName

# The mechanisms of halfseen.masks by the names that plans and records have.
FEATURE_HIDING: Mapping[str, str] = MappingProxyType(
    {
        "at_random": "mcar",
        "exact_per_row": "mcar_per_row",
        "by_other_columns": "mar",
        "by_own_value": "mnar",
        "blocks": "blocks",
    }
)
LABEL_HIDING: Mapping[str, str] = MappingProxyType(
    {
        "at_random": "mcar",
        "positives_only": "positives_missing",
        "all_but_positives": "positives_only",
        "where_features": "where_features",
    }
)


@dataclass(frozen=True)
class Limits:
    """How much a method may take.

    Attributes
    ----------
    seconds : float
        For one method on one realisation, after which it is stopped and recorded as failed.
    tuning_tries : int
        Most settings that the tuner tries; 0 or 1 tunes nothing.
    tuning_seconds : float
        The tuner starts no setting that would not be done in so many seconds.

    Examples
    --------
    >>> Limits().tuning_tries
    20
    """

    seconds: float = 600.0
    tuning_tries: int = 20
    tuning_seconds: float = 600.0


@dataclass(frozen=True)
class MethodChoice:
    """A method, and settings of it that have a name of their own.

    Attributes
    ----------
    method : str
        One of ``halfseen.experiments.methods.METHODS``.
    variant : str
        Name of the settings in tables; "" for the method as it is.
    settings : mapping
        Parameters of the method; for halfseen, any of `halfseen.HalfseenClassifier`.

    Examples
    --------
    >>> MethodChoice("halfseen", "fast", {"effort": "fast"}).name
    'halfseen (fast)'
    """

    method: str
    variant: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How it is called in tables."""
        return f"{self.method} ({self.variant})" if self.variant else self.method


@dataclass(frozen=True)
class TableChoice:
    """A table of the user's own.

    Attributes
    ----------
    name : str
        What grids call it.
    file : Path
        CSV, TSV, Parquet or Arrow.
    labels : tuple of str
        Columns to predict, by name or pattern.
    features : tuple of str
        Columns to predict from, by name or pattern; all others if there are none.
    ignore : tuple of str
        Columns to leave out.
    target : {"auto", "labels", "classes"}
        Whether the labels are columns of yes and no, or one column of classes.
    missing : tuple of str
        Further texts that mean "missing".

    Examples
    --------
    >>> TableChoice("devices", Path("devices.csv"), ("threat_*",)).target
    'auto'
    """

    name: str
    file: Path
    labels: tuple[str, ...]
    features: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    target: str = "auto"
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """All combinations of some data sets, tasks, rates and methods.

    Attributes
    ----------
    data_sets : tuple of str
        Names of the catalogue, or of tables of the plan.
    tasks : tuple of {"transductive", "inductive"}
        Whether hidden entries of the fitted rows are asked for, or labels of new rows.
    feature_hiding, label_hiding : str
        How entries are hidden: keys of ``FEATURE_HIDING`` and ``LABEL_HIDING``.
    rates : tuple of (float, float)
        Shares hidden of features and of labels.
    new_feature_rate : float or None
        Share hidden of the features of new rows; None for the same as of the others.
    methods : tuple of MethodChoice
        What is compared.
    realisations : int
        How many masks, numbered from 0.
    n_rows : int or None
        Rows drawn from each data set; None for all.
    limits : Limits
        How much a method may take.

    Examples
    --------
    >>> Grid(("scene",), ("transductive",), ((0.5, 0.5),), (MethodChoice("mc1"),)).realisations
    10
    """

    data_sets: tuple[str, ...]
    tasks: tuple[TaskName, ...]
    rates: tuple[tuple[float, float], ...]
    methods: tuple[MethodChoice, ...]
    feature_hiding: str = "at_random"
    label_hiding: str = "at_random"
    new_feature_rate: float | None = None
    realisations: int = 10
    n_rows: int | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Plan:
    """A study: grids that are run one beside the other.

    Attributes
    ----------
    name : str
        Of the file, without folder and ending.
    title, about : str
        A heading, and a sentence or two.
    grids : tuple of Grid
        What is run; a cell that several grids hold is run once.
    tables : tuple of TableChoice
        The user's own tables.

    Examples
    --------
    >>> from halfseen.experiments.read_plan import read_plan
    >>> read_plan("quick/transductive-scene").grids[0].data_sets
    ('scene',)
    """

    name: str
    title: str
    about: str
    grids: tuple[Grid, ...]
    tables: tuple[TableChoice, ...] = ()

    def table(self, name: str) -> TableChoice | None:
        """The user's table of that name; None if it is a data set of the catalogue."""
        return next((table for table in self.tables if table.name == name), None)

"""Data sets of studies: local files, the user's cache, or OpenML, always checked; own tables."""

from __future__ import annotations

import hashlib
import os
import sys
import tomllib
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, TypeAdapter
from sklearn import datasets

from halfseen.atomic import replace_atomically
from halfseen.data.frames import read_table, read_target
from halfseen.data.raw import category_key
from halfseen.data.schema import Schema, learn_schema
from halfseen.experiments.telemetry import telemetry

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
TargetKind = Literal["labels", "classes", "several"]

FOLDER_VARIABLE: Final = "HALFSEEN_DATA"
_TELEMETRY_ROWS = 5000


class DataSetUnavailable(RuntimeError):
    """The data set is nowhere to be found, or what was found is not it."""


class Record(BaseModel):
    """A part of a plan or of a result, of which every key must be known."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Output(NamedTuple):
    """One label, or one target of several classes."""

    name: str
    classes: tuple[str, ...]  # as they are shown
    keys: tuple[str, ...]  # by `category_key`
    columns: slice  # of Y: one column of 0 and 1, or one for each class


class Frames(NamedTuple):
    """A table as its user gave it, as Arrow tables, and how its columns become numbers."""

    X: Any
    y: Any
    schema: Schema

    @property
    def modelled(self) -> list[int]:
        """Positions of the features that have units, one for each block of columns."""
        return [j for j, column in enumerate(self.schema.features) if column.n_units]


@dataclass(frozen=True, eq=False)
class DataSet:
    """A table with its labels, as numbers.

    >>> data = array_data_set("mine", np.zeros((4, 2)), np.eye(3)[[0, 1, 2, 0]], "classes")
    >>> data.target, data.codes.ravel().tolist(), data.feature_names
    ('classes', [0.0, 1.0, 2.0, 0.0], ('feature_1', 'feature_2'))
    """

    name: str
    X: Floats  # (n_rows, n_columns), NaN where missing; categories one-hot
    Y: Floats  # (n_rows, n_labels), 0, 1, or NaN where unknown; more than two classes one-hot
    outputs: tuple[Output, ...]  # which columns of Y belong to which label
    blocks: NDArray[np.int64]  # (n_columns,), columns of one source are missing together
    numeric: Bools  # (n_columns,), the others are indicators 0 and 1
    feature_names: tuple[str, ...]  # of the columns of the source
    image: tuple[int, int] | None = None  # height and width of a row that is an image
    frames: Frames | None = None  # the table itself, where it is a user's own

    @property
    def target(self) -> TargetKind:
        """Whether a row has any number of labels, or one class, or several classes."""
        if all(len(output.classes) == 2 for output in self.outputs):
            return "labels"
        return "classes" if len(self.outputs) == 1 else "several"

    @property
    def first(self) -> list[int]:
        """The first column of Y of each output."""
        return [output.columns.start for output in self.outputs]

    @property
    def first_of_blocks(self) -> NDArray[np.intp]:
        """The first column of X of each column of the source."""
        return np.unique(self.blocks, return_index=True)[1]

    def numbers(self) -> Floats:
        """Numbers of the columns of the source, NaN in others, of shape (n_rows, n_blocks)."""
        if self.frames is None:
            return self.X
        found = np.full((len(self.X), len(self.frames.modelled)), np.nan)
        raws = read_table(self.frames.X).columns
        for place, j in enumerate(self.frames.modelled):
            column = self.frames.schema.features[j]
            if column.is_number:
                found[raws[j].observed, place] = raws[j].numbers(column.name)
        return found

    @cached_property
    def codes(self) -> Floats:
        """Code of the class of each output, NaN where unknown, of shape (n_rows, n_outputs)."""
        parts = (self.Y[:, output.columns] for output in self.outputs)
        found = [known_codes(part, np.isfinite(part.sum(axis=1))) for part in parts]
        return np.stack(found, axis=1) if found else np.zeros((len(self.X), 0))


def known_codes(units: Any, observed: Bools) -> Floats:
    """Codes of classes from their units, one of 0 and 1 or one for each class; NaN if unknown."""
    codes = units.argmax(axis=1) if units.shape[1] > 1 else units[:, 0]
    return np.where(observed, codes, np.nan)


def array_data_set(
    name: str, X: Floats, Y: Floats, target: str, *, feature_names: Sequence[str] = (),
    label_names: Sequence[str] = (), image: tuple[int, int] | None = None,
    numeric: Bools | None = None,
) -> DataSet:  # fmt: skip
    """A data set of arrays: labels 0 or 1, or one-hot classes."""
    n_columns, n_labels = X.shape[1], Y.shape[1]
    names = tuple(feature_names) or tuple(f"feature_{place}" for place in range(1, n_columns + 1))
    labels = tuple(label_names) or tuple(f"label_{place}" for place in range(1, n_labels + 1))
    if (len(names), len(labels), len(Y)) != (n_columns, n_labels, len(X)):
        raise ValueError(f"data set {name!r}: names and rows do not fit {X.shape} and {Y.shape}")
    outputs = [Output(one, ("0", "1"), ("0", "1"), slice(j, j + 1)) for j, one in enumerate(labels)]
    if target == "classes":
        keys = tuple(map(str, range(n_labels)))
        outputs = [Output("class", labels, keys, slice(0, n_labels))]
    is_number = np.ones(n_columns, bool) if numeric is None else numeric
    return DataSet(name, X, Y, tuple(outputs), np.arange(n_columns), is_number, names, image)


def frame_data_set(name: str, X: Any, y: Any = None, feature_types: Any = "auto") -> DataSet:
    """A user's table as a data set: numbers standardised, on a log scale where skewed."""
    frame, labels = as_arrow(X), None if y is None else as_arrow(y)
    with warnings.catch_warnings(action="ignore"):
        target = None if labels is None else read_target(labels, frame.num_rows, _SEVERAL)
        kind = "auto" if target is None else _SEVERAL
        schema = learn_schema(read_table(frame), target, feature_types, kind)
    frames = Frames(frame, labels, schema)
    Y = _encoded(schema.targets, () if target is None else target.columns, frame.num_rows)
    ends = np.cumsum([column.n_units for column in schema.targets]).tolist()
    outputs = tuple(
        Output(str(c.name), tuple(map(str, c.categories)), tuple(map(category_key, c.categories)),
               slice(end - c.n_units, end))
        for c, end in zip(schema.targets, ends, strict=True)
    )  # fmt: skip
    columns = [column for column in schema.features if column.n_units]
    n_units = [column.n_units for column in columns]
    return DataSet(
        name, encoded_features(frames, frame), Y, outputs,
        blocks=np.repeat(np.arange(len(columns)), n_units),
        numeric=np.repeat([column.unit == "gaussian" for column in columns], n_units),
        feature_names=tuple(str(column.name) for column in columns), frames=frames,
    )  # fmt: skip


_SEVERAL = "multiclass-multioutput"


def encoded_features(frames: Frames, table: Any) -> Floats:
    """Columns of a table as numbers, by the schema of a data set; NaN where missing."""
    return _encoded(frames.schema.features, read_table(table).columns, table.num_rows)


def _encoded(columns: Sequence[Any], raws: Sequence[Any], n_rows: int) -> Floats:
    parts = [np.zeros((n_rows, 0))]
    for column, raw in zip(columns, raws, strict=True):
        if column.n_units:
            values, observed = column.encode(raw)
            parts.append(np.where(observed[:, None], values, np.nan))
    return np.concatenate(parts, axis=1, dtype=np.float64)


def as_arrow(data: Any) -> Any:
    """A frame, series or array as an Arrow table."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise ImportError(
            "evaluate and studies of tables need pyarrow: pip install 'halfseen[cli]'"
        ) from error
    frame = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(frame, nw.Series):
        frame = frame.alias(frame.name or "target").to_frame()
    if isinstance(frame, nw.DataFrame):
        return frame.to_arrow()
    array = np.asarray(data)
    names = ["target"] if array.ndim == 1 else [str(j) for j in range(array.shape[1])]
    columns = array.reshape(len(array), -1).T.tolist()
    return pa.table([pa.array(column, from_pandas=True) for column in columns], names=names)


def read_user_table(
    file: Path, labels: Sequence[str], *, ignore: Sequence[str] = (), missing: Sequence[str] = (),
    name: str = "", n_rows: int | None = None,
) -> DataSet:  # fmt: skip
    """A user's file: columns to predict and columns to leave out, by name or pattern."""
    from fnmatch import fnmatchcase

    from halfseen.files import open_table

    with open_table(file, missing=missing) as opened:
        sample = opened.sample(sys.maxsize if n_rows is None else n_rows, 0)
        table = opened.typed(opened.values(sample.cells))
    names = table.column_names
    chosen: dict[str, dict[str, None]] = {"labels": {}, "ignore": {}}
    for key, word in [*(("labels", word) for word in labels), *(("ignore", w) for w in ignore)]:
        fitting = [one for one in names if one == word or fnmatchcase(one, word)]
        if not fitting:
            raise DataSetUnavailable(
                f"{file} has no column {word!r}, which {key!r} names.{did_you_mean(word, names)} "
                f"Its columns are: {', '.join(names[:20])}."
            )
        chosen[key] |= dict.fromkeys(fitting)
    others = [one for one in names if one not in chosen["labels"] | chosen["ignore"]]
    if not others:
        raise DataSetUnavailable(f"{file}: no column is left to be a feature.")
    try:
        of_labels = table.select(list(chosen["labels"]))
        return frame_data_set(name or file.stem, table.select(others), of_labels)
    except ValueError as error:
        raise DataSetUnavailable(f"{file}: {error}") from error


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest word as a question with a space before it, or nothing."""
    near = get_close_matches(str(word), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


@dataclass(frozen=True)
class CatalogueEntry:
    """What is known of a data set before it is read."""

    digest: str  # of the values, see `content_digest`
    n_rows: int
    n_features: int
    n_labels: int
    target: Literal["labels", "classes"]
    home: str  # where it comes from
    openml_id: int | None = None  # where OpenML keeps it
    scale: float = 1.0  # what the features are multiplied by
    image: tuple[int, int] | None = None  # height and width of a row that is an image
    file: str = ""  # without ``.npz``, if it is not the data set's own name
    macro_stages: tuple[str, ...] = ()  # only columns whose ``feature_macro`` is one; () for all


CATALOGUE: Final = TypeAdapter(dict[str, CatalogueEntry]).validate_python(
    tomllib.loads((files("halfseen.experiments") / "catalogue.toml").read_text(encoding="utf-8"))
)
# EventCat is private. In its place stand emotions, which has the printed shape, alerts of a
# competition (cptc2017_devices; cptc2017_recon without those that labels are made of), telemetry.
EVENTCAT_STAND_INS: Final = ("emotions", "cptc2017_devices", "cptc2017_recon", "telemetry")


def load_data_set(name: str, n_rows: int | None = None, seed: int = 0) -> DataSet:
    """A data set of `DATA_SETS`, or a random sample of its rows.

    Files, ``<name>.npz``, are looked for in the folder that the environment variable HALFSEEN_DATA
    names, then in the user's cache, and are otherwise downloaded from OpenML. Shape and digest are
    checked.

    >>> load_data_set("digits", n_rows=100).X.shape
    (100, 64)
    """
    if name not in DATA_SETS:
        raise ValueError(
            f"unknown data set {name!r}.{did_you_mean(name, DATA_SETS)} There are: "
            f"{', '.join(sorted(DATA_SETS))}."
        )
    if n_rows is not None and n_rows < 1:
        raise ValueError(f"n_rows is at least 1, got {n_rows}; leave it out for all rows")
    if name == "telemetry":
        X, Y, names = telemetry(n_rows or _TELEMETRY_ROWS, seed)
        numeric = np.array([not column.startswith("flag") for column in names])
        labels = [f"threat_{j}" for j in range(Y.shape[1])]
        return array_data_set(
            name, X, Y, "labels", feature_names=names, label_names=labels, numeric=numeric
        )
    if name == "digits":
        digits = datasets.load_digits()
        data = array_data_set(
            name, digits.data / digits.data.max(), np.eye(10)[digits.target], "classes",
            feature_names=digits.feature_names, label_names=list("0123456789"), image=(8, 8),
        )  # fmt: skip
    else:
        data = _from_file(name)
    if n_rows is not None and n_rows < len(data.X):
        chosen = np.sort(np.random.default_rng(seed).permutation(len(data.X))[:n_rows])
        data = replace(data, X=data.X[chosen], Y=data.Y[chosen])
    # As float64 only now: all of "mnist" takes 440 MB.
    scale = CATALOGUE[name].scale if name in CATALOGUE else 1.0
    return replace(data, X=data.X.astype(np.float64) * scale)


def data_set_path(name: str) -> Path:
    """The file of a data set of the catalogue, downloaded if it is nowhere else."""
    entry = CATALOGUE[name]
    file = entry.file or name
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "halfseen"
    folder = os.environ.get(FOLDER_VARIABLE)
    places = [Path(folder), cache] if folder else [cache]
    for place in places:
        if (place / f"{file}.npz").is_file():
            return place / f"{file}.npz"
    if entry.openml_id is None:
        looked = " nor ".join(map(str, places))
        raise DataSetUnavailable(
            f"data set {name!r} is neither in {looked}, and OpenML does not keep it (it comes from "
            f"{entry.home}); {_remedy(file)}"
        )
    found, path = _download(name, entry), cache / f"{file}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_atomically(path) as part:
        np.savez_compressed(part, **found)
    return path


def content_digest(X: NDArray[Any], Y: NDArray[Any]) -> str:
    """A digest of the values, in whatever type they are stored and in whatever order of rows."""
    values = np.ascontiguousarray(np.column_stack([X, Y]), np.float32)
    of_rows = sorted(hashlib.sha256(row.tobytes()).digest() for row in values)
    return hashlib.sha256(b"".join(of_rows)).hexdigest()


def _from_file(name: str) -> DataSet:
    entry, path = CATALOGUE[name], data_set_path(name)
    try:
        # numpy leaves a damaged file open, if it opened it.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = {key: arrays[key] for key in _ARRAYS if key in arrays}
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DataSetUnavailable(
            f"{path} cannot be read as a data set ({error}); remove it and try again"
        ) from error
    if entry.macro_stages:
        chosen = np.isin(found.get("feature_macro", ()), entry.macro_stages)
        if chosen.sum() != entry.n_features:
            raise DataSetUnavailable(
                f"{path} has no array feature_macro, by which the columns of {name!r} are chosen"
            )
        found["X"], found["feature_names"] = found["X"][:, chosen], found["feature_names"][chosen]
    _verify(found, name, entry, str(path))
    Y = found["Y"]
    if entry.target == "classes":
        Y = np.eye(entry.n_labels)[Y.astype(int)]
    features, labels = (list(map(str, found.get(k, ()))) for k in ("feature_names", "label_names"))
    return array_data_set(
        name, found["X"], Y.astype(np.float64), entry.target, feature_names=features,
        label_names=labels, image=entry.image,
    )  # fmt: skip


_ARRAYS = ("X", "Y", "feature_names", "label_names", "feature_macro")


def _verify(found: dict[str, Any], name: str, entry: CatalogueEntry, source: str) -> None:
    """Refuse arrays whose shapes or values are not those of the data set."""
    of_y = (entry.n_rows,) if entry.target == "classes" else (entry.n_rows, entry.n_labels)
    of_x, why = (entry.n_rows, entry.n_features), "its values differ from the published ones"
    shapes = [found[key].shape if key in found else None for key in ("X", "Y")]
    if shapes != [of_x, of_y]:
        why = f"its shapes are {shapes[0]} and {shapes[1]}, expected {of_x} and {of_y}"
    elif content_digest(found["X"], found["Y"]) == entry.digest:
        return
    raise DataSetUnavailable(
        f"{source} is not the data set {name!r} ({why}); remove it and try again"
    )


def _download(name: str, entry: CatalogueEntry) -> dict[str, Any]:
    try:
        bunch = datasets.fetch_openml(data_id=entry.openml_id, as_frame=False, parser="liac-arff")
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataSetUnavailable(
            f"data set {name!r} is in no local folder, and it could not be downloaded from OpenML "
            f"({reason}); connect to the network, or {_remedy(name)}"
        ) from error
    raw = np.asarray(bunch.target).astype(str)
    Y: Any = np.isin(raw, ["1", "1.0", "TRUE", "True"])
    label_names = bunch.target_names
    if entry.target == "classes":
        label_names, Y = np.unique(raw.ravel(), return_inverse=True)
    found = {
        "X": np.asarray(bunch.data, np.float32), "Y": Y.astype(np.uint8),
        "feature_names": np.array(bunch.feature_names, dtype=np.str_),
        "label_names": np.array(label_names, dtype=np.str_),
    }  # fmt: skip
    _verify(found, name, entry, f"OpenML data set {entry.openml_id}")
    return found


def _remedy(file: str) -> str:
    return (
        f"put {file}.npz (arrays X and Y) into a folder and set the environment variable "
        f"{FOLDER_VARIABLE} to that folder; data set 'digits' needs no file"
    )


DATA_SETS: Final = (*CATALOGUE, "digits", "telemetry")

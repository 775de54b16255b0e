"""Predictions and fits of Spark data frames, batch by batch with Arrow.

- :func:`complete`, :func:`predict`, :func:`predict_proba`, :func:`predict_set`,
  :func:`predict_interval`, :func:`impute`, :func:`score_samples` - lazily, by a fitted model
- :class:`SparkHalfseenClassifier`, :class:`SparkHalfseenImputer` - estimators for pipelines

Spark has no order in which a result could be joined to its rows, so answers are new columns. The
model is broadcast as the bytes of its file. Workers need halfseen, and pyarrow.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from os import PathLike
from types import SimpleNamespace
from typing import Any

import numpy as np

from halfseen.base.estimator import TableModel
from halfseen.engines import parts, sampling
from halfseen.engines.parts import receive, send
from halfseen.engines.sampling import MOST_ROWS, Sample, Sampling
from halfseen.ensemble.estimator import HalfseenClassifier, HalfseenImputer

try:
    import pyarrow as pa
    from pyspark import TaskContext
    from pyspark.ml import Estimator
    from pyspark.ml import Model as Transformer
    from pyspark.sql import DataFrame
    from pyspark.sql import types as st
    from pyspark.sql.functions import array
except ImportError as error:
    raise ImportError('Spark is not installed: pip install "halfseen[spark]"') from error

Model = TableModel | str | PathLike[str]
Batches = Iterator[pa.RecordBatch]
_MERGED_AT_ONCE = 8
_TYPES = {"f": st.DoubleType(), "i": st.LongType(), "b": st.BooleanType()}


def complete(df: DataFrame, model: Model) -> DataFrame:
    """Fill the missing cells of all columns that the model knows, and keep all columns and types.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Features, and targets as far as they are known, in any order.
    model : estimator or path
        A fitted model, or the file of one.
    """
    _, shared = _prepared(df, model)
    return _mapped(df, partial(_complete, shared), df.schema)


def predict(df: DataFrame, model: Model, prediction_col: str = "prediction") -> DataFrame:
    """Add the class of each row; of several targets one column each, ``prediction_TARGET``."""
    fitted, _ = _prepared(df, model)
    names = list(parts.answer_types(fitted, "predict"))
    columns = [f"{prediction_col}_{name}" for name in names] if names[1:] else [prediction_col]
    return _answered(df, model, "predict", columns)


def predict_proba(df: DataFrame, model: Model) -> DataFrame:
    """Add the probability of each class, in columns such as ``size=large``; of labels that of 1."""
    return _answered(df, model, "predict_proba")


def predict_set(df: DataFrame, model: Model, coverage: float = 0.9) -> DataFrame:
    """Add whether each class is in the prediction set, in columns such as ``size=large``."""
    return _answered(df, model, "predict_set", coverage=coverage)


def predict_interval(df: DataFrame, model: Model, coverage: float = 0.9) -> DataFrame:
    """Add bounds of the numbers, in columns such as ``age_low`` and ``age_high``."""
    return _answered(df, model, "predict_interval", coverage=coverage)


def score_samples(df: DataFrame, model: Model) -> DataFrame:
    """Add the column "score": the log-probability of the observed values of each row."""
    return _answered(df, model, "score_samples")


def impute(
    df: DataFrame, model: Model, n_draws: int = 5, random_state: int | None = None
) -> DataFrame:
    """Fill the missing features several times, each time with a draw; "draw" numbers them from 0.

    Draws depend on the position of a row, so a job counts the rows of each partition first. If rows
    come in another order each time, as after a shuffle, write or cache the frame before.
    """
    _, shared = _prepared(df, model)
    schema = st.StructType([*df.schema, st.StructField(parts.DRAW, st.LongType())])
    return _mapped(df, partial(_impute, shared, _first_rows(df), n_draws, random_state), schema)


class _SparkEstimator(Estimator):
    """A fit on a sample of a Spark data frame."""

    _kind: Any

    def __init__(
        self,
        *,
        features_col: Sequence[str] | None = None,
        label_col: str | Sequence[str] = (),
        weight_col: str | None = None,
        prediction_col: str = "prediction",
        probability_col: str = "probability",
        max_rows: int = MOST_ROWS,
        **parameters: Any,
    ) -> None:
        super().__init__()
        self.labels = [label_col] if isinstance(label_col, str) else list(label_col)
        self.features = None if features_col is None else list(features_col)
        self.weight, self.max_rows = weight_col, max_rows
        self.columns = (prediction_col, probability_col)
        self.estimator = self._kind(**parameters)

    def _fit(self, dataset: DataFrame) -> SparkHalfseenModel:
        others = {*self.labels, self.weight}
        features = self.features or [name for name in dataset.columns if name not in others]
        weight = [] if self.weight is None else [self.weight]
        table = dataset.select(*features, *self.labels, *weight)
        sample = Sampling.of(self.estimator, self.labels, self.max_rows)
        first = _first_rows(table)
        drawn = table.mapInArrow(partial(_draw, first, sample, self.weight), "sample binary")
        n = len(first)
        while n > 1:
            n = -(-n // _MERGED_AT_ONCE)
            drawn = drawn.repartition(n).mapInArrow(partial(_merge, sample), "sample binary")
        fit = partial(_fit_sample, sample, self.estimator)
        (found,) = drawn.mapInArrow(fit, "digest string, content binary").collect()
        sent = parts.SentModel(found.digest, bytes(found.content))
        return SparkHalfseenModel(receive(sent), *self.columns)


class SparkHalfseenClassifier(_SparkEstimator):
    """`HalfseenClassifier` as an estimator of Spark ML, whose model adds columns.

    Parameters
    ----------
    features_col : list of str, optional
        Features; by default all columns that are nothing else.
    label_col : str or list of str
        The target, or several.
    weight_col : str, optional
        Weights of the rows.
    prediction_col, probability_col : str
        Columns of the result: the class, and an array of the probabilities in the order of
        `classes_`.
    max_rows : int, default=100,000
        Rows to learn from. Of longer tables a stratified sample is drawn, which is weighted back.
    **parameters
        Those of `HalfseenClassifier`.
    """

    _kind = HalfseenClassifier

    def __init__(self, *, label_col: str | Sequence[str] = "label", **parameters: Any) -> None:
        super().__init__(label_col=label_col, **parameters)


class SparkHalfseenImputer(_SparkEstimator):
    """`HalfseenImputer` as an estimator of Spark ML, whose model fills missing cells."""

    _kind = HalfseenImputer


class SparkHalfseenModel(Transformer):
    """A fitted model as a transformer: it adds predictions, or fills if it has no target."""

    def __init__(
        self, model: Model, prediction_col: str = "prediction", probability_col: str = "probability"
    ) -> None:
        super().__init__()
        self._sent = send(model)
        self._columns = (prediction_col, probability_col)

    def to_local(self) -> Any:
        """The fitted model, for one machine."""
        return receive(self._sent)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model, (prediction, probability) = self.to_local(), self._columns
        if not model.schema_.targets:
            return complete(dataset, model)
        labels, names = (list(parts.answer_types(model, m)) for m in ("predict", "predict_proba"))
        columns = [f"{prediction}_{label}" for label in labels] if labels[1:] else [prediction]
        found = _answered(dataset, model, "complete", columns + names)
        # Names of classes may hold any character.
        return found.withColumn(probability, array(*(f"`{name}`" for name in names))).drop(*names)


def _prepared(df: DataFrame, model: Model) -> tuple[Any, Any]:
    """The model here, and the same for the workers: a broadcast where there are any."""
    sent = send(model)
    fitted = receive(sent)
    parts.check_names(df.columns, fitted)
    for name in parts.modelled_columns(df.columns, fitted):
        if isinstance(df.schema[name].dataType, st.NullType):
            raise TypeError(f"Column {name!r} has no type. Cast it, for example to double.")
    context = getattr(df.sparkSession, "sparkContext", None)  # Spark Connect has none
    return fitted, SimpleNamespace(value=sent) if context is None else context.broadcast(sent)


def _mapped(df: DataFrame, function: Callable[[Batches], Batches], schema: Any) -> DataFrame:
    return df.mapInArrow(function, schema)


def _answered(
    df: DataFrame, model: Model, method: str, columns: Sequence[str] | None = None, **options: Any
) -> DataFrame:
    fitted, shared = _prepared(df, model)
    types = parts.answer_types(fitted, method)
    names = list(types if columns is None else columns)
    if taken := sorted(set(names) & set(df.columns)):
        raise ValueError(f"The frame has a column {taken[0]!r} already; rename or drop it.")
    added = [
        st.StructField(name, _TYPES.get(dtype.kind, st.StringType()))
        for name, dtype in zip(names, types.values(), strict=True)
    ]
    schema = st.StructType([*df.schema, *added])
    return _mapped(df, partial(_answer, shared, method, names, options), schema)


def _first_rows(df: DataFrame) -> dict[int, int]:
    """Position of the first row of each partition, by its number; runs a job."""
    counts = df.mapInArrow(_count, "part int, n_rows long").collect()
    n_rows = {part: 0 for part in sorted(row.part for row in counts)}
    for row in counts:
        n_rows[row.part] += row.n_rows
    ends = np.cumsum(list(n_rows.values())).tolist()
    return {part: end - n for (part, n), end in zip(n_rows.items(), ends, strict=True)}


# On workers.


def _complete(shared: Any, batches: Batches) -> Batches:
    for batch in batches:
        yield parts.complete(batch, receive(shared.value))


def _answer(
    shared: Any, method: str, names: list[str], options: dict[str, Any], batches: Batches
) -> Batches:
    for batch in batches:
        found = parts.answer(batch, receive(shared.value), method, **options)
        columns = [*batch.columns, *map(pa.array, found.values())]
        yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, *names])


def _impute(
    shared: Any, first_rows: dict[int, int], n_draws: int, seed: int | None, batches: Batches
) -> Batches:
    for batch, first_row in _placed(batches, first_rows):
        table = pa.Table.from_batches([batch])
        filled = parts.impute(table, receive(shared.value), n_draws, seed, first_row)
        yield from filled.combine_chunks().to_batches()


def _count(batches: Batches) -> Batches:
    n_rows = sum(batch.num_rows for batch in batches)
    part = pa.array([_part()], pa.int32())
    yield pa.RecordBatch.from_arrays([part, pa.array([n_rows])], ["part", "n_rows"])


def _part() -> int:
    context = TaskContext.get()
    assert context is not None
    return context.partitionId()


def _placed(batches: Batches, first_rows: dict[int, int]) -> Iterator[tuple[pa.RecordBatch, int]]:
    first_row = first_rows.get(_part(), 0)
    for batch in batches:
        if batch.num_rows:
            yield batch, first_row
        first_row += batch.num_rows


def _draw(
    first_rows: dict[int, int], sample: Sampling, weight: str | None, batches: Batches
) -> Batches:
    def samples() -> Iterator[Sample]:
        for batch, first_row in _placed(batches, first_rows):
            table = pa.Table.from_batches([batch])
            weights = None if weight is None else table.column(weight).to_numpy()
            rows = table if weight is None else table.drop_columns([weight])
            yield sampling.draw(rows, sample, first_row, weights)

    yield from _packed(_all_merged(samples(), sample))


def _merge(sample: Sampling, batches: Batches) -> Batches:
    yield from _packed(_all_merged(_unpacked(batches), sample))


def _fit_sample(sample: Sampling, estimator: TableModel, batches: Batches) -> Batches:
    merged = _all_merged(_unpacked(batches), sample)
    if merged is not None:
        found = sampling.fit_sample(merged, sample, estimator)
        columns = [pa.array([found.digest]), pa.array([found.content], pa.binary())]
        yield pa.RecordBatch.from_arrays(columns, ["digest", "content"])


def _all_merged(samples: Iterator[Sample], sample: Sampling) -> Sample | None:
    """One sample of many, a few of which are in memory at a time."""
    held: list[Sample] = []
    for one in samples:
        held.append(one)
        if len(held) > 2 * _MERGED_AT_ONCE:
            held = [sampling.merge(held, sample)]
    return sampling.merge(held, sample) if held else None


def _packed(sample: Sample | None) -> Batches:
    """A sample as one cell, in Arrow's format for streams."""
    if sample is None:
        return
    sink = pa.BufferOutputStream()
    crowded = json.dumps(sorted(sample.crowded)).encode()
    table = sample.frame.replace_schema_metadata({b"crowded": crowded})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    cell = pa.array([sink.getvalue().to_pybytes()], pa.binary())
    yield pa.RecordBatch.from_arrays([cell], ["sample"])


def _unpacked(batches: Batches) -> Iterator[Sample]:
    for batch in batches:
        for cell in batch.column(0):
            table = pa.ipc.open_stream(cell.as_buffer()).read_all()
            yield Sample(table, frozenset(json.loads(table.schema.metadata[b"crowded"])))

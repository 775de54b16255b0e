"""Predictions and fits of Dask data frames.

- :func:`complete`, :func:`predict`, :func:`predict_proba`, :func:`predict_set`,
  :func:`predict_interval`, :func:`impute`, :func:`score_samples` - lazily, by a fitted model
- :class:`DaskHalfseenClassifier`, :class:`DaskHalfseenImputer` - the same with a fit

Each partition is a task. The model travels to each worker once, as the bytes of its file.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np

from halfseen.base.estimator import TableModel
from halfseen.engines import parts, sampling
from halfseen.engines.parts import SentModel, receive, send
from halfseen.engines.sampling import MOST_ROWS, Sample, Sampling
from halfseen.ensemble.estimator import HalfseenClassifier, HalfseenImputer

try:
    import dask.dataframe as dd
    import pandas as pd
    from dask.delayed import delayed
except ImportError as error:
    raise ImportError('Dask is not installed: pip install "halfseen[dask]"') from error

Model = TableModel | str | PathLike[str]
_MERGED_AT_ONCE = 8


def complete(X: dd.DataFrame, model: Model) -> dd.DataFrame:
    """Fill the missing cells of all columns that the model knows, and keep all columns.

    Parameters
    ----------
    X : dask.dataframe.DataFrame
        Features, and targets as far as they are known, in any order.
    model : estimator or path
        A fitted model, or the file of one.

    Returns
    -------
    dask.dataframe.DataFrame
        With the columns, types, index and divisions of `X`. Categorical columns admit all
        categories of the model.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from halfseen import RBMImputer
    >>> frame = pd.DataFrame({"a": ["x", None, "y"] * 20, "b": [True, False, None] * 20})
    >>> model = RBMImputer(n_iter=2, random_state=0).fit(frame)
    >>> filled = complete(dd.from_pandas(frame, npartitions=3), model).compute()
    >>> filled["a"].isna().any().item()
    False
    """
    fitted, sent, meta = _prepared(X, model)
    meta = parts.with_categories(meta, fitted)
    return X.map_partitions(_complete, sent, meta, meta=meta)


def predict(X: dd.DataFrame, model: Model) -> dd.DataFrame | dd.Series:
    """Class of each row, a series with the name of the target; of several targets a frame."""
    return _answer(X, model, "predict")


def predict_proba(X: dd.DataFrame, model: Model) -> dd.DataFrame:
    """Probability of each class, in columns such as ``size=large``; of labels that of 1."""
    return _answer(X, model, "predict_proba")


def predict_set(X: dd.DataFrame, model: Model, coverage: float = 0.9) -> dd.DataFrame:
    """Whether each class is in the prediction set of a row, in columns such as ``size=large``."""
    return _answer(X, model, "predict_set", coverage=coverage)


def predict_interval(X: dd.DataFrame, model: Model, coverage: float = 0.9) -> dd.DataFrame:
    """Bounds of the numbers, in columns such as ``age_low`` and ``age_high``."""
    return _answer(X, model, "predict_interval", coverage=coverage)


def score_samples(X: dd.DataFrame, model: Model) -> dd.Series:
    """Log-probability of the observed values of each row."""
    return _answer(X, model, "score_samples")


def impute(
    X: dd.DataFrame, model: Model, n_draws: int = 5, random_state: int | None = None
) -> dd.DataFrame:
    """Fill the missing features several times, each time with a draw: multiple imputation.

    Draws are those of the model's `impute` for the whole table. They depend on the position of a
    row, so the rows of the partitions before it are counted.

    Returns
    -------
    dask.dataframe.DataFrame
        `X` filled `n_draws` times; the column "draw" counts from 0.
    """
    fitted, sent, meta = _prepared(X, model)
    given, meta = meta, parts.with_categories(meta, fitted)
    meta = meta.assign(**{parts.DRAW: np.zeros(0, np.int64)})
    return X.map_partitions(
        _impute, sent, _first_rows(X), given, meta, n_draws, random_state, meta=meta,
        align_dataframes=False, clear_divisions=True,
    )  # fmt: skip


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of this module as a method of a fitted model."""

    def call(self: _DaskModel, X: dd.DataFrame, *args: Any, **options: Any) -> Any:
        return function(X, self.model_, *args, **options)

    call.__name__ = function.__name__
    call.__doc__ = f"See `halfseen.engines.dask.{function.__name__}`."
    return call


class _DaskModel:
    """A fit on a sample of a Dask data frame, and predictions of Dask data frames."""

    _estimator: ClassVar[type[TableModel]]
    model_: Any

    def __init__(self, *, max_rows: int = MOST_ROWS, client: Any = None, **parameters: Any) -> None:
        self.max_rows, self.client, self.parameters = max_rows, client, parameters
        self._estimator(**parameters)  # refuses unknown names

    def _fit(self, X: dd.DataFrame, y: Any, sample_weight: Any) -> Self:
        estimator = self._estimator(**self.parameters)
        if y is not None and not hasattr(y, "to_delayed"):
            y = X[[y] if isinstance(y, str) else list(y)]
            X = X.drop(columns=list(y.columns))
        elif y is not None and not hasattr(y, "columns"):
            y = y.to_frame(y.name or "target")
        targets = () if y is None else tuple(map(str, y.columns))
        for frame in (X, y) if targets else (X,):
            _check_types(frame._meta)
        sample = draw_sample(X, y, sample_weight, Sampling.of(estimator, targets, self.max_rows))
        fitted = delayed(sampling.fit_sample)(*sample, estimator)
        sent = fitted.compute() if self.client is None else self.client.compute(fitted).result()
        self.model_ = receive(sent)
        return self

    def to_local(self) -> Any:
        """The fitted model, for one machine: a `HalfseenClassifier` or `HalfseenImputer`."""
        return self.model_

    complete, impute = _method(complete), _method(impute)
    predict_interval, score_samples = _method(predict_interval), _method(score_samples)


class DaskHalfseenClassifier(_DaskModel):
    """`HalfseenClassifier` for Dask data frames.

    Parameters
    ----------
    max_rows : int, default=100,000
        Rows to learn from. Of longer tables a stratified sample is drawn, which is weighted back.
    client : distributed.Client, optional
        Where to compute; by default the current client, or scheduler.
    **parameters
        Those of `HalfseenClassifier`.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [0.0, 1.0] * 20, "b": [1.0, None] * 20, "y": ["n", "p"] * 20})
    >>> X = dd.from_pandas(frame, npartitions=3)
    >>> model = DaskHalfseenClassifier(effort="fast", random_state=0).fit(X, "y")
    >>> model.predict(X).compute().head(2).tolist()
    ['n', 'p']
    """

    _estimator = HalfseenClassifier

    def fit(self, X: dd.DataFrame, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`; `y` is a series or frame, or names of columns of `X`."""
        return self._fit(X, y, sample_weight)

    predict, predict_proba, predict_set = map(_method, (predict, predict_proba, predict_set))


class DaskHalfseenImputer(_DaskModel):
    """`HalfseenImputer` for Dask data frames; see `DaskHalfseenClassifier`."""

    _estimator = HalfseenImputer

    def fit(self, X: dd.DataFrame, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`."""
        return self._fit(X, None, sample_weight)

    transform = _method(complete)


def draw_sample(X: dd.DataFrame, y: Any, weight: Any, sampling_: Sampling) -> tuple[Any, Sampling]:
    """The rows of a fit: drawn from each partition, and merged in a tree."""
    others = [part for part in (y, weight) if part is not None]
    drawn = X.map_partitions(
        _draw, _first_rows(X), *others, sampling_, has_target=y is not None,
        has_weight=weight is not None, meta=(None, object), align_dataframes=False,
    )  # fmt: skip
    samples = [delayed(_only)(part) for part in drawn.to_delayed()]
    while len(samples) > 1:
        groups = range(0, len(samples), _MERGED_AT_ONCE)
        samples = [
            delayed(sampling.merge)(samples[k : k + _MERGED_AT_ONCE], sampling_) for k in groups
        ]
    return samples[0], sampling_


def _prepared(X: dd.DataFrame, model: Model) -> tuple[Any, Any, pd.DataFrame]:
    """The model here, the same as one node of the graph, and the types of the columns."""
    sent = send(model)
    fitted, meta = receive(sent), X._meta
    parts.check_names(list(meta.columns), fitted)
    for name, column in parts.modelled_columns(list(meta.columns), fitted).items():
        texts = column.categories and all(isinstance(c, str) for c in column.categories)
        if meta[name].dtype == object and not texts:
            raise TypeError(
                f"Column {name!r} has the type object, so the type of its fills would depend on "
                f"each partition. Convert it: X.astype({{{name!r}: 'Float64'}})."
            )
    node = delayed(sent, name=f"halfseen-model-{sent.digest}", pure=True, traverse=False)
    return fitted, node, meta


def _check_types(meta: pd.DataFrame) -> None:
    for name in meta.columns:
        if isinstance(meta[name].dtype, pd.CategoricalDtype) and not _is_known(meta[name].dtype):
            raise TypeError(
                f"Categories of column {name!r} are unknown until all partitions are read. Call "
                "X.categorize() first, or read the column as text."
            )


def _is_known(dtype: Any) -> bool:
    return dd.utils.UNKNOWN_CATEGORIES not in dtype.categories


def _first_rows(X: dd.DataFrame) -> dd.Series:
    """Position of the first row of each partition; of files only one column is read for it."""
    lengths = X.iloc[:, :1].map_partitions(_length, meta=(None, np.int64))
    return lengths.cumsum() - lengths


def _answer(X: dd.DataFrame, model: Model, method: str, **options: Any) -> Any:
    fitted, sent, given = _prepared(X, model)
    empty = {k: np.zeros(0, dtype) for k, dtype in parts.answer_types(fitted, method).items()}
    meta: Any = _frame(empty, given.index)
    if method == "score_samples" or (method == "predict" and len(empty) == 1):
        meta = meta.iloc[:, 0]
    return X.map_partitions(_answer_part, sent, given, meta, method, options, meta=meta)


# On workers.


def _complete(part: pd.DataFrame, sent: SentModel, meta: pd.DataFrame) -> pd.DataFrame:
    return parts.complete(_typed(part, meta), receive(sent)) if len(part) else meta


def _answer_part(
    part: pd.DataFrame, sent: SentModel, given: Any, meta: Any, method: str, options: dict[str, Any]
) -> Any:
    found = parts.answer(_typed(part, given), receive(sent), method, **options)
    frame = _frame(found, part.index)
    return frame if isinstance(meta, pd.DataFrame) else frame.iloc[:, 0]


def _impute(
    part: pd.DataFrame, sent: SentModel, first_row: Any, given: Any, meta: Any, n_draws: int,
    seed: int | None,
) -> pd.DataFrame:  # fmt: skip
    if not len(part):
        return meta
    first = int(first_row.iloc[0])
    return parts.impute(_typed(part, given), receive(sent), n_draws, seed, first)


def _draw(
    part: pd.DataFrame, first_row: Any, *others: Any, has_target: bool, has_weight: bool
) -> pd.Series:
    *others, sampling_ = others  # type: ignore[assignment]
    frames = [part, *others[: int(has_target)]]
    if any(len(frame) != len(part) for frame in others):
        raise ValueError("Partitions of X, y and sample_weight differ in length; align them first.")
    table = pd.concat([frame.reset_index(drop=True) for frame in frames], axis=1)
    weight = others[-1] if has_weight else None
    return pd.Series([sampling.draw(table, sampling_, int(first_row.iloc[0]), weight)])


def _only(samples: pd.Series) -> Sample:
    return samples.iloc[0]


def _length(part: pd.DataFrame) -> pd.Series:
    return pd.Series([len(part)], dtype=np.int64)


def _frame(columns: parts.Columns, index: Any) -> pd.DataFrame:
    return pd.DataFrame({k: pd.Series(values, index) for k, values in columns.items()}, index)


def _typed(part: pd.DataFrame, meta: pd.DataFrame) -> pd.DataFrame:
    """A partition in the types of the whole: what it lacks may have made them others."""
    wrong = {
        name: dtype
        for name, dtype in meta.dtypes.items()
        if part[name].dtype != dtype
        and not (isinstance(dtype, pd.CategoricalDtype) and not _is_known(dtype))
    }
    return part.astype(wrong) if wrong else part

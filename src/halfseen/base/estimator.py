"""What both families of estimators share: reading, filling, predicting, scoring and saving.

An estimator supplies the means, draws and log-probabilities of visible units (the methods without a
body here); this module turns tables into units and units into tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic_core import to_jsonable_python
from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, _safe_indexing, check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    validate_data,
)

from halfseen.base.conformal import ConformalIntervals, ConformalSets
from halfseen.data.frames import Table, Target, fill_table, make_table, read_table, read_target
from halfseen.data.raw import Bools
from halfseen.data.schema import Encoded, Schema, learn_schema
from halfseen.metrics import accuracy
from halfseen.model_file import write_model_file
from halfseen.notebook import learned_html

Floats = NDArray[np.float32]


class TrainingInterrupted(UserWarning):
    """A fit was interrupted from the keyboard; its model is the one trained so far."""


class Completion(NamedTuple):
    """A completed table: features and targets filled, and the probabilities behind the targets."""

    X: Any
    y: Any = None
    proba: Any = None


class Sample(NamedTuple):
    """New rows drawn from the learned distribution."""

    X: Any
    y: Any = None


class Calibration(NamedTuple):
    """Conformal intervals of the numeric features, and conformal sets of the targets."""

    intervals: ConformalIntervals
    sets: tuple[ConformalSets, ...]

    @classmethod
    def fit(cls, schema: Schema, truth: Encoded, predicted: Floats, held_out: Bools) -> Self:
        """Calibrate on held-out entries, of shape (n_rows, n_columns), and their predictions."""
        n_features = len(schema.features)
        is_number = [column.is_number for column in schema.features]
        rows, columns = np.nonzero(held_out[:, :n_features] & is_number)
        entries = rows, np.array([schema.units_of(j).start for j in range(n_features)])[columns]
        pairs = truth.values[entries], predicted[entries]
        intervals = ConformalIntervals.fit(*pairs, columns, n_features)
        targets, known = range(len(schema.targets)), held_out[:, n_features:]
        probabilities = [schema.probabilities(predicted, j) for j in targets]
        codes = [schema.probabilities(truth.values, j).argmax(axis=1) for j in targets]
        return cls(intervals, conformal_sets(schema, probabilities, codes, known))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays for a model file; their names begin with "calibration"."""
        parts = {"intervals": self.intervals} | {f"sets{j}": s for j, s in enumerate(self.sets)}
        return {
            f"calibration.{part}.{name}": array
            for part, of_part in parts.items()
            for name, array in of_part.to_arrays().items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_sets: int) -> Self:
        """Restore from the result of `to_arrays`."""
        parts: dict[str, dict[str, NDArray[Any]]] = {}
        for name, array in arrays.items():
            _, part, field = name.split(".")
            parts.setdefault(part, {})[field] = array
        sets = (ConformalSets.from_arrays(parts[f"sets{j}"]) for j in range(n_sets))
        return cls(ConformalIntervals.from_arrays(parts["intervals"]), tuple(sets))


def conformal_sets(
    schema: Schema, probabilities: Sequence[NDArray[np.float64]],
    codes: Sequence[NDArray[np.int64]], held_out: Bools,
) -> tuple[ConformalSets, ...]:  # fmt: skip
    """One set for all labels, or one for each target."""
    if schema.target_type == "multilabel-indicator":
        return (ConformalSets.fit(np.stack(probabilities, 1), np.stack(codes, 1), held_out),)
    by_target = zip(probabilities, codes, held_out.T, strict=True)
    return tuple(ConformalSets.fit(*of_target) for of_target in by_target)


class CoverageSupport(NamedTuple):
    """How many validation entries the intervals of a column, or the sets of a class, rest on."""

    column: str | int
    value: Any  # class of a target; None for the intervals of a feature
    n_validation: int  # entries of the column or class itself
    n_behind: int  # the same, with those of others where it borrows from them


class ModelDocument(BaseModel):
    """What a model file says of an estimator beside its arrays."""

    model_config = ConfigDict(extra="forbid")

    parameters: dict[str, JsonValue]
    columns: Schema
    seed: int
    training: dict[str, JsonValue]
    command: str | None = None


class TableModel(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A model of the joint distribution of all columns of a table."""

    schema_: Schema  # columns and their visible units
    calibration_: Calibration | None  # of intervals and sets; None if no entries were held out
    n_features_in_: int
    fit_command_: str | None = None  # that fitted it, if it was fitted on the command line
    _seed: int

    # What an estimator supplies: of each row, given its observed units, ...
    _complete_units: Callable[[Encoded], Floats]  # ... the expected value of every unit
    _draw_units: Callable[[Encoded, int, int, int], Floats]  # ... a draw: seed, draw, first row
    _log_probability: Callable[[Encoded], NDArray[np.float64]]  # ... log P(v_o)
    _sample_units: Callable[[int, int], Floats]  # new rows: their number, seed
    _to_arrays: Callable[[], dict[str, NDArray[Any]]]  # the fitted model
    _restore: Callable[[dict[str, NDArray[Any]], dict[str, Any]], None]  # takes over both

    # What users call.

    def transform(self, X: Any) -> Any:
        """Replace missing values by their expectation given the observed ones of their row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features); missing is NaN, None, pandas.NA

        Returns
        -------
        array or data frame, in the container of `X`; observed values are never changed
        """
        table, encoded = self._encode(X)
        return self._filled(X, table, self._complete_units(encoded))

    def impute(
        self, X: Any, n_draws: int = 5, random_state: int | None = None, first_row: int = 0
    ) -> list[Any]:
        """Fill missing values several times, each time with a draw: multiple imputation.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        n_draws : int, default=5
        random_state : int, optional
            Seed; by default the one of the fit.
        first_row : int, default=0
            Position of the first row in a longer table: draws depend on the seed, the number of
            the draw and the position of the row, so that parts get the draws of the whole.

        Returns
        -------
        list of (array or data frame), in the container of `X`
        """
        n_draws = whole_number("n_draws", n_draws, 1)
        first_row = whole_number("first_row", first_row, 0)
        table, encoded = self._encode(X)
        seed = self._seed_or(random_state)
        return [
            self._filled(X, table, self._draw_units(encoded, seed, draw, first_row), True)
            for draw in range(n_draws)
        ]

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Intervals for the missing numbers of X, by split-conformal calibration.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        coverage : float, default=0.9
            Probability that an interval holds the true value.

        Returns
        -------
        ndarray of shape (n_rows, n_features, 2)
            Lower and upper bounds. Both are the value itself where it is observed, and NaN in
            columns that are not numbers.
        """
        table, encoded = self._encode(X)
        self._calibrated()  # before the work
        return self._intervals(table, *self._complete_with_spread(encoded), coverage)

    def coverage_support(self, coverage: float = 0.9) -> list[CoverageSupport]:
        """How many validation entries each interval and each set rests on.

        A column or class with few of them borrows from others, and its coverage is less certain.

        Returns
        -------
        list of CoverageSupport
            For each feature that is a number, then for each class of each target.
        """
        intervals, sets = self._calibrated()
        counts = intervals.n_validation, intervals.support(coverage)
        pairs = list(zip(*(intervals.of_columns(n).tolist() for n in counts), strict=True))
        for of in sets:
            pairs += zip(of.n_validation.tolist(), of.support(coverage).tolist(), strict=True)
        groups: list[Any] = [(c, None) for c in self.schema_.features]
        groups += [(c, value) for c in self.schema_.targets for value in c.categories]
        return [
            CoverageSupport(column.name, value, *pair)
            for (column, value), pair in zip(groups, pairs, strict=True)
            if column.is_number or value is not None
        ]

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Sample:
        """Draw new rows, and their targets if there are any, from the learned distribution.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, optional
            Seed; by default the one of the fit.

        Returns
        -------
        Sample
            `X` in the container, types and names of the training table, and `y`.
        """
        check_is_fitted(self)
        schema, n_samples = self.schema_, whole_number("n_samples", n_samples, 1)
        units = self._sample_units(n_samples, self._seed_or(random_state))
        names = self.feature_names_in_.tolist() if schema.has_feature_names else None
        X = schema.decode(units, round_whole=True)
        y = _joined(schema.decode(units, "targets"), schema) if schema.targets else None
        return Sample(make_table(X, schema.container, names, n_samples), y)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Log-probability of the observed values of each row, log P(v_o), of shape (n_rows,).

        Numbers enter by their density on the standardised scale. Rows in which less is observed
        have less to be improbable with: compare rows with like patterns of missing values.
        """
        return self._log_probability(self._encode(X)[1])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one safetensors file, which `halfseen.load` reads.

        It holds numbers and text only. An existing file is replaced as a whole or not at all.
        """
        check_is_fitted(self)
        arrays = self._to_arrays()
        if self.calibration_ is not None:
            arrays |= self.calibration_.to_arrays()
        # Pairs keep the types of the keys of a mapping.
        parameters = {
            name: {"pairs": list(value.items())} if isinstance(value, Mapping) else value
            for name, value in self.get_params(deep=False).items()
        }
        document = ModelDocument(
            # Values of numpy become those of Python, and what is no JSON value None.
            parameters=to_jsonable_python(
                parameters, fallback=lambda value: getattr(value, "tolist", lambda: None)()
            ),
            columns=self.schema_,
            seed=self._seed,
            training=self._training_document(),
            command=self.fit_command_,
        )
        write_model_file(path, type(self).__name__, document, arrays)

    @classmethod
    def _from_file(cls, document: ModelDocument, arrays: dict[str, NDArray[Any]]) -> Self:
        """A fitted model from the content of a model file."""
        parameters: dict[str, Any] = document.parameters
        model = cls(
            **{k: dict(v["pairs"]) if isinstance(v, dict) else v for k, v in parameters.items()}
        )
        schema, model._seed = document.columns, document.seed
        model._set_schema(schema)
        model.fit_command_ = document.command
        found = {k: v for k, v in arrays.items() if k.startswith("calibration.")}
        n_sets = 1 if schema.target_type == "multilabel-indicator" else len(schema.targets)
        model.calibration_ = Calibration.from_arrays(found, n_sets) if found else None
        model._restore(arrays, document.training)
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # Notebooks: what was learned stands below the parameters.

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._learned_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] += self._learned_html()
        return bundle

    def _learned_html(self) -> str:
        return learned_html(self) if hasattr(self, "schema_") else ""

    # Reading and writing tables.

    def _set_schema(self, schema: Schema) -> None:
        self.schema_ = schema
        self.n_features_in_ = len(schema.features)
        if schema.has_feature_names:
            names = [column.name for column in schema.features]
            self.feature_names_in_ = np.array(names, dtype=object)

    def _read(self, X: Any, *, reset: bool) -> Table:
        table = read_table(X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return table

    def _encode(self, X: Any, y: Any = None) -> tuple[Table, Encoded]:
        check_is_fitted(self)
        table = self._read(X, reset=False)
        target = None if y is None else self._read_target(y, table.n_rows)
        return table, self._to_units(table, target)

    def _to_units(self, table: Table, target: Target | None) -> Encoded:
        return self.schema_.encode(table, target)

    def _read_target(self, y: Any, n_rows: int) -> Target:
        return read_target(y, n_rows, str(self.schema_.target_type))

    def _complete_with_spread(self, encoded: Encoded) -> tuple[Floats, NDArray[np.float64]]:
        """Expected units, and how far each may be from the truth, in units of any scale."""
        units = self._complete_units(encoded)
        return units, np.ones(units.shape)

    def _filled(self, X: Any, table: Table, units: Floats, round_whole: bool = False) -> Any:
        decoded = self.schema_.decode(units, round_whole=round_whole)
        return fill_table(X, decoded, table.observed)

    def _calibrated(self) -> Calibration:
        if self.calibration_ is None:
            remedy = "Fit with validation_fraction above 0, for example 0.1."
            raise ValueError(f"No entries were held out to calibrate intervals and sets. {remedy}")
        return self.calibration_

    def _intervals(
        self, table: Table, mean: Floats, spread: NDArray[np.float64], coverage: float
    ) -> NDArray[np.float64]:
        """Bounds of the numbers of a table from its completed units and their spread."""
        intervals = self._calibrated().intervals
        # As where intervals are calibrated, an ignored column is no feature.
        modelled = [column.n_units > 0 for column in self.schema_.features]
        share = table.observed[:, modelled].mean(axis=1, keepdims=True)
        bounds = np.full((table.n_rows, len(self.schema_.features), 2), np.nan)
        for j, column in enumerate(self.schema_.features):
            if not column.is_number:
                continue
            unit = self.schema_.units_of(j)
            found = intervals.interval(mean[:, unit], spread[:, unit], j, coverage, share)
            for side, bound in enumerate(found):
                bounds[:, j, side] = column.decode(bound)
            raw = table.columns[j]
            bounds[raw.observed, j] = raw.numbers(table.label(j))[:, np.newaxis]
        return bounds

    def _training_document(self) -> dict[str, Any]:
        """Facts of the training, as JSON values."""
        return {}

    def _seed_or(self, random_state: int | None) -> int:
        return self._seed if random_state is None else whole_number("random_state", random_state, 0)

    def _draw_seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))


class TableClassifier(ClassifierMixin, TableModel):  # type: ignore[misc]
    """A model of features and targets; see `TableModel`."""

    classes_: Any  # an array, or a list of arrays for several outputs, in order of probabilities
    thresholds_: NDArray[np.float64]  # (n_labels,), probability above which a label is predicted

    def predict(self, X: Any) -> NDArray[Any]:
        """Class, labels, or several classes of each row, given the observed features of `X`.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
        """
        return _joined(self._decide(self._probabilities(X)), self.schema_)

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class or label, given the observed features of `X`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes) or (n_rows, n_labels), for several outputs a list
        """
        return self._arranged(self._probabilities(X))

    def predict_set(self, X: Any, coverage: float = 0.9) -> Any:
        """Sets of classes, or of states of each label, by split-conformal calibration.

        A set that holds several classes abstains. It is never empty.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        coverage : float, default=0.9
            Probability that a set holds the truth, whatever the truth is.

        Returns
        -------
        ndarray of bool of shape (n_rows, n_classes), or a list of them for several outputs
            Of labels (n_rows, n_labels, 2): whether the label may be 0 and whether it may be 1.
        """
        self._calibrated()  # before the work
        return self._sets(self._probabilities(X), coverage)

    def complete(self, X: Any, y: Any = None) -> Completion:
        """Fill features and targets together, given all observed entries of both.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        y : array-like, series or data frame, optional: what is known of their targets

        Returns
        -------
        Completion
            `X` and `y` filled in their containers, and the probabilities behind `y`: 0 or 1 where
            the target is known.
        """
        table, encoded = self._encode(X, y)
        units = self._complete_units(encoded)
        probabilities = self._target_probabilities(units)
        decided = self._decide(probabilities)
        if y is None:
            filled_y: Any = _joined(decided, self.schema_)
        else:
            filled_y = fill_table(y, decided, self._read_target(y, table.n_rows).observed)
        return Completion(self._filled(X, table, units), filled_y, self._arranged(probabilities))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy over the known entries of y, rows weighted; unknown entries do not count."""
        predicted = read_target(self.predict(X), None, str(self.schema_.target_type))
        true = self._read_target(y, predicted.n_rows)
        codes = map(self.schema_.codes, (true, predicted))
        return accuracy(*codes, sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _set_schema(self, schema: Schema) -> None:
        super()._set_schema(schema)
        classes = [np.array(column.categories) for column in schema.targets]
        self.classes_ = classes if len(classes) > 1 else classes[0]

    def _learn(
        self, X: Any, y: Any, feature_types: Any, target_type: str, **options: Any
    ) -> Encoded:
        """Learn the schema from a training table, and encode it."""
        if y is None:
            problem = f"{type(self).__name__} requires y to be passed, but the target y is None"
            raise ValueError(f"{problem}. Use an imputer to fit features alone.")
        table = self._read(X, reset=True)
        target = read_target(y, table.n_rows, target_type)
        self._set_schema(learn_schema(table, target, feature_types, target_type, **options))
        return self._to_units(table, target)

    def _probabilities(self, X: Any) -> list[NDArray[np.float64]]:
        return self._target_probabilities(self._complete_units(self._encode(X)[1]))

    def _target_probabilities(self, units: Floats) -> list[NDArray[np.float64]]:
        return [self.schema_.probabilities(units, j) for j in range(len(self.schema_.targets))]

    def _sets(self, probabilities: list[NDArray[np.float64]], coverage: float) -> Any:
        sets = self._calibrated().sets
        if self.schema_.target_type == "multilabel-indicator":
            return sets[0].prediction_set(np.stack(probabilities, axis=1), coverage)
        pairs = zip(sets, probabilities, strict=True)
        found = [of_target.prediction_set(proba, coverage) for of_target, proba in pairs]
        return found if self.schema_.target_type == "multiclass-multioutput" else found[0]

    def _decide(self, probabilities: list[NDArray[np.float64]]) -> list[NDArray[Any]]:
        """Classes of each target."""
        pairs = zip(self.schema_.targets, self._decided_codes(probabilities), strict=True)
        return [np.array(column.categories)[codes] for column, codes in pairs]

    def _decided_codes(self, probabilities: list[NDArray[np.float64]]) -> list[NDArray[np.int64]]:
        """Codes of the classes of each target: the most probable, or by threshold for labels."""
        if self.schema_.target_type == "multilabel-indicator":
            pairs = zip(probabilities, self.thresholds_, strict=True)
            return [(proba[:, 1] > threshold).astype(np.int64) for proba, threshold in pairs]
        return [proba.argmax(axis=1) for proba in probabilities]

    def _arranged(self, probabilities: list[NDArray[np.float64]]) -> Any:
        if self.schema_.target_type == "multilabel-indicator":
            return np.stack([proba[:, 1] for proba in probabilities], axis=1)
        return probabilities if len(probabilities) > 1 else probabilities[0]


class TableImputer(TableModel):
    """A model of features alone; see `TableModel`."""

    def complete(self, X: Any) -> Completion:
        """Fill features, as `transform` does; the `y` and `proba` of the result are None."""
        return Completion(self.transform(X))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-probability of the observed values of a row, for model selection."""
        return float(np.mean(self.score_samples(X)))

    def _learn(self, X: Any, feature_types: Any) -> Encoded:
        """Learn the schema from a training table, and encode it."""
        table = self._read(X, reset=True)
        self._set_schema(learn_schema(table, None, feature_types))
        return self._to_units(table, None)


def whole_number(name: str, value: Any, least: int) -> int:
    """The value as int; refuses anything but a whole number that is large enough."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    return int(value)


def weighted_rows(
    X: Any, y: Any, sample_weight: Any
) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """Rows whose weight is not zero, and their weights with mean one; None if all are equal."""
    if sample_weight is None:
        return X, y, None
    of_rows = np.empty((_num_samples(X), 0))
    weight = np.asarray(_check_sample_weight(sample_weight, of_rows, dtype=np.float64))
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(f"sample_weight is negative in row {row}: {weight[row]!r}.")
    rows = np.flatnonzero(weight)
    if not len(rows):
        raise ValueError("All sample_weight are zero; at least one row must count.")
    if len(rows) < len(weight):
        X, y = (None if part is None else _safe_indexing(part, rows) for part in (X, y))
        weight = weight[rows]
    return X, y, None if (weight == weight[0]).all() else weight / weight.mean()


def by_target(model: TableModel, found: Any, *, are_sets: bool = False) -> list[NDArray[Any]]:
    """Probabilities, or sets, of each target, of shape (n_rows, n_classes)."""
    if isinstance(found, list):
        return found
    if model.schema_.target_type != "multilabel-indicator":
        return [found]
    if are_sets:
        return list(np.moveaxis(found, 1, 0))
    return [np.stack([1 - one, one], axis=1) for one in np.asarray(found, np.float64).T]


def _joined(columns: Any, schema: Schema) -> NDArray[Any]:
    """Targets as scikit-learn expects them: one column as (n_rows,), several side by side."""
    if schema.target_type not in ("multilabel-indicator", "multiclass-multioutput"):
        return np.asarray(columns[0])
    if len({column.dtype.kind for column in columns}) > 1:  # a number beside text stays a number
        columns = [column.astype(object) for column in columns]
    return np.stack(columns, axis=1)

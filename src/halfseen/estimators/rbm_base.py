"""What both estimators share: reading, fitting, filling, weighing, sampling, saving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from halfseen.estimators.checked_surroundings import checked_surroundings
from halfseen.estimators.checked_values import MOST, check_whole, checked_kinds, checked_level
from halfseen.estimators.choices import choices_html
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.fitted_prediction import FittedPrediction
from halfseen.estimators.fitting import Surroundings, fit_machine, pass_over, shelved
from halfseen.estimators.predictive_fit import fit_prediction, share_seen
from halfseen.estimators.predictive_settings import predictive_settings, with_users_choices
from halfseen.estimators.settings import Settings, resolve_settings
from halfseen.estimators.two_halves import can_go_side_by_side, fit_in_turn, fit_side_by_side
from halfseen.learning.epoch import TrainingState
from halfseen.learning.history import History
from halfseen.learning.progress import Verbosity
from halfseen.learning.trainer import Callback
from halfseen.tables import (
    Encoded,
    EncodedTable,
    Schema,
    Table,
    fill_table,
    learn_columns,
    read_table,
)

SHARED_SETTINGS = (
    "n_hidden",
    "objective",
    "n_gibbs_steps",
    "n_chains",
    "learning_rate",
    "batch_size",
    "n_epochs",
    "optimizer",
    "momentum",
    "weight_decay",
    "clip_norm",
    "schedule",
    "centered",
    "variance",
    "random_starts",
    "n_machines",
    "completion",
    "n_restarts",
    "n_sweeps",
    "tolerance",
    "damping",
    "averaging",
    "stopping",
    "held_out_share",
    "patience",
    "monitor_every",
    "effort",
    "companion",
    "label_weight",
    "max_seconds",
    "sees_missing",
)


class RBMBase(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The common ground of :class:`HalfseenClassifier` and :class:`HalfseenImputer`."""

    schema_: Schema
    settings_: Settings
    machine_: FittedMachine | None
    prediction_: FittedPrediction | None
    history_: History
    n_iter_: int
    n_features_in_: int
    _seed: int
    _state: TrainingState | None

    def __init__(
        self,
        *,
        preset: str = "default",
        column_kinds: Any = "auto",
        n_hidden: int | str = "auto",
        objective: str = "auto",
        n_gibbs_steps: int | str = "auto",
        n_chains: int | str = "auto",
        learning_rate: float | str = "auto",
        batch_size: int | str = "auto",
        n_epochs: int | str = "auto",
        optimizer: str = "auto",
        momentum: float | str = "auto",
        weight_decay: float | str = "auto",
        clip_norm: float | str = "auto",
        schedule: str = "auto",
        centered: bool | str = "auto",
        variance: float | str = "auto",
        random_starts: str = "auto",
        n_machines: int | str = "auto",
        completion: str = "auto",
        n_restarts: int | str = "auto",
        n_sweeps: int | str = "auto",
        tolerance: float | str = "auto",
        damping: float | str = "auto",
        averaging: str = "auto",
        stopping: str = "auto",
        held_out_share: float | str = "auto",
        patience: int | str = "auto",
        monitor_every: int | str = "auto",
        effort: str = "auto",
        companion: bool | str = "auto",
        label_weight: float | str = "auto",
        max_seconds: float | str = "auto",
        sees_missing: bool | str = "auto",
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: int = 10,
        resume: bool = False,
        callbacks: Sequence[Callback] = (),
        verbose: Verbosity = "auto",
        random_state: Any = None,
    ) -> None:
        self.preset = preset
        self.column_kinds = column_kinds
        self.n_hidden = n_hidden
        self.objective = objective
        self.n_gibbs_steps = n_gibbs_steps
        self.n_chains = n_chains
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.optimizer = optimizer
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.clip_norm = clip_norm
        self.schedule = schedule
        self.centered = centered
        self.variance = variance
        self.random_starts = random_starts
        self.n_machines = n_machines
        self.completion = completion
        self.n_restarts = n_restarts
        self.n_sweeps = n_sweeps
        self.tolerance = tolerance
        self.damping = damping
        self.averaging = averaging
        self.stopping = stopping
        self.held_out_share = held_out_share
        self.patience = patience
        self.monitor_every = monitor_every
        self.effort = effort
        self.companion = companion
        self.label_weight = label_weight
        self.max_seconds = max_seconds
        self.sees_missing = sees_missing
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.callbacks = callbacks
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def transform(self, X: Any) -> Any:
        """Fill the holes of X, each with what is expected given the rest of its row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Rows, new or known, with NaN, None or pandas.NA where a value is missing.

        Returns
        -------
        array or frame like X
            Of the same container type and column names. Observed entries come back as they are; a
            column of which training saw nothing keeps its holes.
        """
        check_is_fitted(self)
        encoded = self._encoded(X)
        return self._filled(X, self._completed(encoded))

    def impute(self, X: Any, n_draws: int = 5, random_state: int | None = None) -> list[Any]:
        """Fill the holes of X several times, each with a draw given the rest of its row.

        Multiple imputation: analyse every filled table and combine the results, so that their
        spread tells what the holes cost. Draws come from the likelihood-trained machine, whose own
        uncertainty they do not contain. Rows that are equal get equal draws.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Rows, new or known, with NaN, None or pandas.NA where a value is missing.
        n_draws : int, default=5
            How many tables.
        random_state : int or None, default=None
            Seed; None takes the model's own.

        Returns
        -------
        list of array or frame like X
        """
        check_is_fitted(self)
        check_whole("n_draws", n_draws, 1, MOST)
        seed = self._seed_of(random_state)
        encoded = self._encoded(X)
        machine = self._likelihood()
        return [
            self._filled(X, machine.draws(*encoded, seed, index)) for index in range(int(n_draws))
        ]

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[np.float64]:
        """Bounds between which each number of X lies with a given probability.

        Of the numbers that are missing completely at random, a share of ``level`` lies between
        their bounds: how wide they must be was learned on observed entries that no member of the
        ensemble was trained on (split conformal prediction).

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Rows, new or known.
        level : float, default=0.9
            Between 0 and 1.

        Returns
        -------
        ndarray of shape (n_rows, n_features, 2)
            Lower and upper bound; both are the value itself where it is observed, and NaN in
            columns that are not numeric.
        """
        check_is_fitted(self)
        level = checked_level(level)
        table = self._read_features(X, reset=False)
        encoded = self.schema_.encode(table, None)
        bounds = self._predictive().interval(*encoded, level, self.verbose)
        result = np.full((len(encoded.visible), len(self.schema_.features), 2), np.nan)
        for j, column in enumerate(self.schema_.features):
            if column.unit == "gaussian":
                unit = self.schema_.feature_units(j).start
                raw, seen = table.columns[j].values, encoded.observed[:, unit]
                for side, bound in enumerate(bounds):
                    result[:, j, side] = np.where(seen, raw, column.destandardised(bound[:, unit]))
        return result

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Log-probability of what is observed in each row, log P(v_o) = log Z_O - log Z.

        A density per raw unit for numeric entries, a probability for all others; estimated by
        annealed importance sampling. Rows with more holes have less to be improbable with: compare
        rows with like holes.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Rows, complete or not.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        encoded = self._encoded(X)
        log_probability = self._likelihood().log_probability(*encoded, self.verbose)
        return log_probability - self.schema_.log_scale(*encoded)

    def _sampled(self, n_samples: int, random_state: int | None) -> NDArray[np.float32]:
        check_is_fitted(self)
        check_whole("n_samples", n_samples, 1, MOST)
        seed = self._seed_of(random_state)
        return self._likelihood().sample(int(n_samples), seed)

    def _seed_of(self, random_state: int | None) -> int:
        """The seed that was asked for; the model's own if none was."""
        if random_state is None:
            return self._seed
        check_whole("random_state", random_state, 0, 2**32 - 1)
        return int(random_state)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one safetensors file, to be read by :func:`halfseen.load`.

        The file holds parameters, schema, settings and a digest, and never any code. It is written
        beside and then renamed, so that an old file is never half overwritten.

        Parameters
        ----------
        path : path-like
            For instance "model.safetensors".
        """
        from halfseen.estimators.model_file import save_model

        check_is_fitted(self)
        save_model(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "machine_")

    def _read_features(self, X: Any, *, reset: bool) -> Table:
        table = read_table(X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return table

    def _learn_features(self, table: Table) -> tuple[Any, ...]:
        columns = learn_columns(table, checked_kinds(self.column_kinds, table.names))
        if all(column.kind == "empty" for column in columns):
            raise ValueError("X has no observed entry: there is nothing to learn from")
        return columns

    def _encoded(self, X: Any) -> Encoded:
        """New rows as visible units, their labels unknown."""
        return self.schema_.encode(self._read_features(X, reset=False), None)

    def _completed(self, encoded: Encoded) -> NDArray[np.float32]:
        """Expected value of every unit, by the predictive ensemble where there is one."""
        if self.prediction_ is not None:
            return self.prediction_.complete(*encoded, self.verbose)
        return self._likelihood().complete(*encoded, self.verbose)

    def _predictive(self) -> FittedPrediction:
        """The predictive ensemble."""
        if self.prediction_ is None:
            raise ValueError(
                "this model holds no predictive ensemble, which alone knows how sure it is; fit "
                'with objective="predictive", the default, to its end and not in parts'
            )
        return self.prediction_

    def _likelihood(self) -> FittedMachine:
        """The likelihood-trained machine."""
        if self.machine_ is None:
            raise ValueError(
                "this model was fitted with companion=False and holds no likelihood-trained "
                "machine, which alone can weigh, sample or draw rows; fit with companion=True"
            )
        return self.machine_

    def _filled(self, X: Any, completed: NDArray[np.float32]) -> Any:
        return fill_table(X, self.schema_.feature_values(completed))

    def _resolved(self, n_rows: int, n_visible: int, own: Sequence[str] = ()) -> Settings:
        given = {name: getattr(self, name) for name in (*SHARED_SETTINGS, *own)}
        return resolve_settings(self.preset, given, n_rows=n_rows, n_visible=n_visible)

    def _drawn_seed(self) -> int:
        try:
            generator = check_random_state(self.random_state)
        except ValueError as error:
            raise ValueError(
                "random_state must be a whole number from 0 to 2**32 - 1, a RandomState or None, "
                f"got {self.random_state!r}"
            ) from error
        return int(generator.randint(2**31 - 1))

    def _html_repr(self) -> str:
        """The diagram of scikit-learn, and below it what a fit has chosen."""
        diagram: str = super()._html_repr()
        history = self.__dict__.get("history_")
        return diagram + ("" if history is None else choices_html(history.choices))

    def _forget(self) -> None:
        """Leave no model behind a fit that fails, rather than half of one and half of another."""
        self.__dict__.pop("machine_", None)
        self.__dict__.pop("prediction_", None)

    def _train(self, encoded: EncodedTable, oracle: Encoded | None = None) -> None:
        """Train on an encoded table; ``schema_`` and ``settings_`` stand already."""
        surroundings = self._surroundings()
        settings = self.settings_
        companion = settings.of_companion()
        train = partial(fit_machine, self.schema_, encoded, companion, self._seed, oracle=oracle)
        ensemble = partial(self._predictive_half, encoded)
        predicts = settings.objective == "predictive"
        if not predicts:
            halves = fit_in_turn(train, None, surroundings)
        elif not settings.companion:
            halves = fit_in_turn(None, ensemble, surroundings)
        elif not can_go_side_by_side(surroundings, encoded.n_rows):
            halves = fit_in_turn(train, ensemble, surroundings)
        else:
            halves = fit_side_by_side(
                train, ensemble, surroundings, companion.n_epochs, settings.max_seconds
            )
        trained, self.prediction_ = halves
        self.machine_ = None if trained is None else trained.machine
        history = History() if trained is None else trained.history
        if self.prediction_ is not None:
            history.choices = self.prediction_.choices
        self.history_ = history
        self.n_iter_ = max(1, len(history))
        self._state = None

    def _predictive_half(
        self, encoded: EncodedTable, is_of_no_use: Callable[[], bool]
    ) -> FittedPrediction:
        settings, schema = self.settings_, self.schema_
        n_rows = encoded.n_rows
        seen = share_seen(encoded, schema)
        budget = predictive_settings(
            n_rows,
            schema.n_visible,
            schema.n_gaussian,
            settings.effort,
            seen,
            len(schema.targets),
        )
        given = {name: getattr(self, name) for name in SHARED_SETTINGS}
        budget = with_users_choices(budget, given, n_rows)
        budget = replace(budget, class_gaussians=settings.class_gaussians)
        if not settings.forest:
            budget = replace(budget, n_trees=0, boosts=False)
        return fit_prediction(
            schema,
            encoded,
            budget,
            self._seed,
            self.verbose,
            settings.max_seconds,
            is_of_no_use,
        )

    def _surroundings(self) -> Surroundings:
        return checked_surroundings(
            self.checkpoint,
            self.checkpoint_every,
            self.resume,
            self.callbacks,
            self.verbose,
            self.random_state,
        )

    def _train_on_part(self, encoded: Encoded) -> None:
        """One pass over a part, from where the last part, a fit or a loaded model left off."""
        if self.settings_.objective == "fully_persistent_cd":
            raise ValueError(
                'objective="fully_persistent_cd" keeps a chain for every row of one table and '
                'cannot learn in parts; use objective="persistent_cd"'
            )
        machine = getattr(self, "machine_", None)
        n_passes = 0 if machine is None else self.n_iter_
        settings = self.settings_.of_parts()
        state = pass_over(
            self.schema_, encoded, settings, self._seed, self._state, machine, n_passes
        )
        self._state = state
        self.machine_ = shelved(state.parameters, self.schema_, settings, self._seed)
        # The ensemble knows nothing of this part: from here on the likelihood answers.
        self.prediction_ = None
        self.history_ = History()
        self.n_iter_ = n_passes + 1

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Equal ``fit(X, y).transform(X)``."""
        fitted: Self = self.fit(X, y, **fit_params)
        return fitted.transform(X)

"""RBM-MO as scikit-learn estimators: `RBMClassifier` and `RBMImputer`."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from halfseen.base.estimator import (
    Calibration,
    TableClassifier,
    TableImputer,
    TableModel,
    TrainingInterrupted,
)
from halfseen.base.tiles import map_tiles
from halfseen.data.frames import Table, Target
from halfseen.data.schema import Encoded
from halfseen.rbm.inference import (
    complete_rows,
    draw_rows,
    log_partitions,
    log_probabilities,
    sample_rows,
)
from halfseen.rbm.model import RBM
from halfseen.rbm.training import Algorithm, Rows, TrainingState, initial_states, train
from halfseen.rbm.validation import ValidationLoss, layer_of, some_rows

PAPER_LITERAL: dict[str, Any] = {
    "n_components": 100,
    "learning_rate": 0.001,
    "batch_size": 10,
    "n_gibbs_steps": 1,
    "chain_start": "random",
    "centering": False,
    "momentum": 0.0,
    "variance": 1.0,
    "label_units": "bernoulli",
    "n_restarts": 10,
    "n_sweeps": 10,
    "threshold": "shared",
    "early_stopping": "peeking",
    "n_iter": 10_000,
    "n_iter_no_change": 500,
    "validation_fraction": 0.0,
}
"""The text of the paper to the letter, as parameters of `RBMClassifier`."""

# Standardised numbers are clipped: single rare values would dominate the updates.
_LARGEST_VALUE = 4.0
_PASSES, _UPDATES = (80, 300), 12_000  # of n_iter="auto"
_THRESHOLDS = np.linspace(0.05, 0.95, 91)
_HOLD_OUT, _DRAWS, _SAMPLES = range(100, 103)  # streams of random numbers beside training's
_LEAVES = ("weights", "visible_bias", "hidden_bias", "log_variance")
_POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")

Callback = Callable[["EpochRecord"], object]


class EpochRecord(NamedTuple):
    """One epoch of training."""

    epoch: int
    validation_loss: float | None
    seconds: float  # since training began


@dataclass(eq=False, repr=False)
class _RBMModel(TableModel):
    """Parameters, training and predictions of both estimators."""

    n_components: int = 100
    _: KW_ONLY
    learning_rate: float = 0.01
    batch_size: int = 10
    n_iter: int | str = "auto"
    n_gibbs_steps: int = 1
    chain_start: str = "data"
    phases: str = "gibbs"
    centering: bool = True
    momentum: float = 0.0
    weight_decay: float = 0.0
    variance: float | str = "learned"
    feature_types: Any = "auto"
    completion: str = "mean_field"
    n_restarts: int = 10
    n_sweeps: int = 10
    early_stopping: bool | str = False
    n_iter_no_change: int = 10
    validation_fraction: float = 0.02
    n_estimators: int = 1
    verbose: int = 0
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [_POSITIVE_INTEGER],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [_POSITIVE_INTEGER],
        "n_iter": [StrOptions({"auto"}), _POSITIVE_INTEGER],
        "n_gibbs_steps": [_POSITIVE_INTEGER],
        "chain_start": [StrOptions({"data", "persistent", "random"})],
        "phases": [StrOptions({"gibbs", "mean_field"})],
        "centering": ["boolean"],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "variance": [StrOptions({"learned"}), Interval(Real, 0, None, closed="neither")],
        "completion": [StrOptions({"mean_field", "tap", "gibbs"})],
        "n_restarts": [_POSITIVE_INTEGER],
        "n_sweeps": [_POSITIVE_INTEGER],
        "early_stopping": ["boolean", StrOptions({"peeking"})],
        "n_iter_no_change": [_POSITIVE_INTEGER],
        "validation_fraction": [Interval(Real, 0, 0.5, closed="both")],
        "n_estimators": [_POSITIVE_INTEGER],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rbm_")

    @property
    def _algorithm(self) -> Algorithm:
        return Algorithm(
            n_gibbs_steps=self.n_gibbs_steps,
            chain_start=self.chain_start,  # type: ignore[arg-type]
            phases=self.phases,  # type: ignore[arg-type]
            centering=self.centering,
            learn_variance=self.variance == "learned",
            momentum=self.momentum,
            weight_decay=self.weight_decay,
        )

    def _to_units(self, table: Table, target: Target | None) -> Encoded:
        values, observed = super()._to_units(table, target)
        numbers = values[:, : self.schema_.n_gaussian]
        np.clip(numbers, -_LARGEST_VALUE, _LARGEST_VALUE, out=numbers)
        return Encoded(values, observed)

    def _fit(
        self, encoded: Encoded, callbacks: Iterable[Callback], truth: Encoded | None = None
    ) -> None:
        """Train on an encoded table, then calibrate on the entries that were held out."""
        self.__dict__.pop("rbm_", None)  # a fit that fails leaves no model
        held_out = self._hold_out(encoded)
        held_out_units = held_out[:, self.schema_.unit_column]
        training = Encoded(encoded.values, encoded.observed & ~held_out_units)
        judge: ValidationLoss | None = None
        if self.early_stopping == "peeking":
            judge = ValidationLoss.peeking(self.schema_, encoded, training, truth)
        elif self.early_stopping:
            judge = ValidationLoss.held_out(self.schema_, training, held_out_units, self._seed)
        try:
            self._train(training, judge, list(callbacks))
        except KeyboardInterrupt:
            if not hasattr(self, "rbm_"):
                raise
            message = f"Training was interrupted; the model is that of {self.n_iter_} epochs."
            warnings.warn(message, TrainingInterrupted, stacklevel=3)
        except BaseException:
            self.__dict__.pop("rbm_", None)
            raise
        self._learn_decisions(encoded, held_out)

    def _hold_out(self, encoded: Encoded) -> NDArray[np.bool_]:
        """Observed entries for validation, of shape (n_rows, n_columns)."""
        slices = [self.schema_.units_of(j) for j in range(len(self.schema_.columns))]
        observed = np.stack([encoded.observed[:, units].any(axis=1) for units in slices], axis=1)
        drawn = np.random.default_rng([self._seed, _HOLD_OUT]).random(observed.shape)
        held_out: NDArray[np.bool_] = observed & (drawn < self.validation_fraction)
        if self.early_stopping is True and not held_out.any():
            raise ValueError(
                "early_stopping=True needs held-out entries. Set validation_fraction above 0, or "
                "give more rows."
            )
        return held_out

    def _train(
        self, training: Encoded, judge: ValidationLoss | None, callbacks: list[Callback]
    ) -> None:
        """Epoch after epoch; with a judge, the best epoch of each machine is kept."""
        began, n_stale = time.perf_counter(), 0
        best_loss = np.full(self.n_estimators, np.inf)
        self.history_: list[EpochRecord] = []
        rows = self._rows(training)
        n_iter = self._n_iter(len(training.values))
        for states in self._epochs(self._initial_states(len(training.values)), rows, 0):
            self._states: TrainingState | None = states
            loss: float | None = None
            if judge is None:
                self.rbm_ = states.rbm
            else:
                losses = judge(states.rbm)
                better = losses < best_loss
                self.rbm_ = _where(better, states.rbm, self.rbm_) if self.history_ else states.rbm
                best_loss = np.fmin(losses, best_loss)
                loss, n_stale = float(losses.mean()), 0 if better.any() else n_stale + 1
            record = EpochRecord(len(self.history_), loss, time.perf_counter() - began)
            self.history_.append(record)
            self.n_iter_ = len(self.history_)
            if self.verbose:
                shown = "" if loss is None else f", validation loss = {loss:.4f}"
                print(
                    f"[{type(self).__name__}] Iteration {self.n_iter_} of at most {n_iter}"
                    f"{shown}, time = {record.seconds:.2f}s", file=sys.stderr, flush=True,
                )  # fmt: skip
            asked_to_stop = [callback(record) for callback in callbacks]
            if any(asked_to_stop) or n_stale == self.n_iter_no_change or self.n_iter_ == n_iter:
                return

    def _n_iter(self, n_rows: int) -> int:
        if isinstance(self.n_iter, str):
            n_updates = n_rows // min(self.batch_size, n_rows)
            return min(max(_PASSES[0], _UPDATES // n_updates), _PASSES[1])
        return self.n_iter

    def _train_on_part(self, encoded: Encoded) -> None:
        """One epoch over a part of a table, from where the last part or fit ended."""
        n_done = getattr(self, "n_iter_", 0)
        states = getattr(self, "_states", None)
        if states is None:
            states = self._initial_states(len(encoded.values))
        if n_done:
            states = states._replace(rbm=self.rbm_)
        states = next(self._epochs(states, self._rows(encoded), n_done))
        self.rbm_, self._states, self.n_iter_ = states.rbm, states, n_done + 1
        self.calibration_, self.history_ = None, []

    def _rows(self, encoded: Encoded) -> Rows:
        return Rows(*map(jnp.asarray, (*encoded, self.schema_.marginals)))

    def _epochs(
        self, states: TrainingState, rows: Rows, first_epoch: int
    ) -> Iterator[TrainingState]:
        return train(
            states, rows, algorithm=self._algorithm, learning_rate=self.learning_rate,
            batch_size=self.batch_size, seed=self._seed, first_epoch=first_epoch,
        )  # fmt: skip

    def _initial_states(self, n_rows: int) -> TrainingState:
        keys = jax.random.split(jax.random.key(self._seed), self.n_estimators)
        variance = 1.0 if self.variance == "learned" else float(self.variance)
        states: TrainingState = initial_states(
            keys, layer_of(self.schema_), self.n_components, min(self.batch_size, n_rows),
            jnp.asarray(self.schema_.marginals), variance, self._algorithm,
        )  # fmt: skip
        return states

    def _learn_decisions(self, encoded: Encoded, held_out: NDArray[np.bool_]) -> None:
        """Thresholds, intervals and sets, from predictions that features alone allow."""
        self.calibration_ = None
        if not self.validation_fraction and not self.schema_.targets:
            return
        rows = some_rows(len(held_out), self._seed)
        truth = Encoded(encoded.values[rows], encoded.observed[rows])
        hidden = held_out[rows].copy()
        hidden[:, len(self.schema_.features) :] = True
        seen = truth.observed & ~hidden[:, self.schema_.unit_column]
        predicted = self._complete_units(Encoded(truth.values, seen))
        self._learn_thresholds(truth, predicted)
        if self.validation_fraction:
            self.calibration_ = Calibration.fit(self.schema_, truth, predicted, held_out[rows])

    def _learn_thresholds(self, truth: Encoded, predicted: NDArray[np.float32]) -> None:
        """Only classifiers have thresholds."""

    def _complete_units(self, encoded: Encoded) -> NDArray[np.float32]:
        function = partial(
            complete_rows, self.rbm_, jax.random.key(self._seed), self.schema_.marginals,
            n_restarts=self.n_restarts, method=self.completion, n_sweeps=self.n_sweeps,
        )  # fmt: skip
        return map_tiles(function, *encoded)

    def _draw_units(
        self, encoded: Encoded, seed: int, draw: int, first_row: int
    ) -> NDArray[np.float32]:
        machine = jax.tree.map(lambda leaf: leaf[draw % len(leaf)], self.rbm_)
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), _DRAWS), draw)
        positions = np.arange(first_row, first_row + len(encoded.values), dtype=np.uint32)
        function = partial(draw_rows, machine, key, self.schema_.marginals)
        return map_tiles(function, *encoded, positions)

    def _sample_units(self, n_samples: int, seed: int) -> NDArray[np.float32]:
        key = jax.random.fold_in(jax.random.key(seed), _SAMPLES)
        function = partial(sample_rows, self.rbm_, key, self.schema_.marginals)
        return map_tiles(function, np.arange(n_samples, dtype=np.uint32))

    def _log_probability(self, encoded: Encoded) -> NDArray[np.float64]:
        key = jax.random.key(self._seed)
        log_z = log_partitions(self.rbm_, key, self.schema_.marginals)
        function = partial(log_probabilities, self.rbm_, key, self.schema_.marginals, log_z)
        return map_tiles(function, *encoded).astype(np.float64)

    def _to_arrays(self) -> dict[str, NDArray[Any]]:
        return {name: np.asarray(getattr(self.rbm_, name)) for name in _LEAVES}

    def _training_document(self) -> dict[str, Any]:
        losses = [record.validation_loss for record in self.history_]
        return {"n_iter": self.n_iter_, "validation_loss": losses}

    def _restore(self, arrays: dict[str, NDArray[Any]], training: dict[str, Any]) -> None:
        layer = layer_of(self.schema_)
        n_machines, _, n_hidden = arrays["weights"].shape
        shapes = {
            "weights": (n_machines, layer.n_units, n_hidden),
            "visible_bias": (n_machines, layer.n_units),
            "hidden_bias": (n_machines, n_hidden),
            "log_variance": (n_machines, layer.n_gaussian),
        }
        for name, shape in shapes.items():
            array = arrays[name]
            if array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
                raise ValueError(f"array {name!r} is not one of finite float32 of shape {shape}")
        self.rbm_ = RBM(layer, *(jnp.asarray(arrays[name]) for name in _LEAVES))
        self.n_iter_, self._states = int(training["n_iter"]), None
        losses = training["validation_loss"]
        self.history_ = [EpochRecord(epoch, loss, 0.0) for epoch, loss in enumerate(losses)]


@dataclass(eq=False, repr=False)
class RBMClassifier(_RBMModel, TableClassifier):
    """A restricted Boltzmann machine of features and targets, both incomplete: RBM-MO [1]_.

    The machine is trained by Lossy-CD on all observed entries, and missing entries are completed
    by mean field. Classes, labels and several outputs are visible units beside the features.

    Parameters
    ----------
    n_components : int, default=100
        Number of binary hidden units.
    learning_rate : float, default=0.01
        Step of the updates. Values from 0.1 to 0.0001 are worth trying.
    batch_size : int, default=10
        Rows of a minibatch.
    n_iter : int or "auto", default="auto"
        Number of passes over the training table; with early stopping the largest one. "auto" is
        80, or on small tables as many as make 12,000 updates, up to 300.
    n_gibbs_steps : int, default=1
        k of Lossy-CD, the steps of both chains in an update.
    chain_start : {"data", "persistent", "random"}, default="data"
        Where the chains of the negative term start: at the rows of the positive term, where the
        last update left them, or at random as in the listing of Algorithm 1.
    phases : {"gibbs", "mean_field"}, default="gibbs"
        Whether chains sample, or iterate the mean-field equations.
    centering : bool, default=True
        Whether gradients are those of the centred parametrisation.
    momentum : float, default=0.0
        Momentum of the updates.
    weight_decay : float, default=0.0
        L2 penalty of the weights.
    variance : "learned" or float, default="learned"
        Variance of the prior of Gaussian units, on the standardised scale.
    label_units : {"categorical", "bernoulli"}, default="categorical"
        Units of a target with several classes: one of them is 1, or each is free, as in the paper.
    feature_types : str, sequence or mapping, default="auto"
        Types of the columns: "auto", "numeric", "log-numeric", "ordinal", "binary", "categorical"
        or "ignored"; one word for all, one per column, or a mapping from column to word.
    target_type : str, default="auto"
        "binary", "multiclass", "multilabel-indicator", "multiclass-multioutput", or "auto".
    completion : {"mean_field", "tap", "gibbs"}, default="mean_field"
        How missing entries are completed: by the mean-field equations of first or second order, or
        by averages over clamped Gibbs chains.
    n_restarts : int, default=10
        Random starts of a completion, whose results are averaged.
    n_sweeps : int, default=10
        Largest number of iterations of a completion.
    threshold : {"per_label", "shared"} or float, default="per_label"
        Probability above which a label is predicted; by default learned to maximise the accuracy
        on known labels.
    early_stopping : bool or "peeking", default=False
        Whether to stop when the loss on held-out entries no longer falls, and to keep the best
        machine. "peeking" is the rule of the paper: it stops by the AUC of the labels that are to
        be predicted, and needs `y_true`.
    n_iter_no_change : int, default=10
        Passes without improvement after which training stops: the look-ahead of the paper.
    validation_fraction : float, default=0.02
        Share of the observed entries that is held out, for early stopping and to calibrate
        intervals and sets.
    n_estimators : int, default=1
        Number of machines, trained from different starts and averaged.
    verbose : int, default=0
        Whether to print a line per pass, on standard error.
    random_state : int, RandomState or None, default=None
        Seed. The same seed and table give the same model.

    Attributes
    ----------
    rbm_ : RBM
        The machines, along the leading axis of each array.
    classes_ : ndarray, or list of ndarray
        Known classes.
    thresholds_ : ndarray of shape (n_labels,)
        Probability above which each label is predicted.
    schema_ : Schema
        Columns and their visible units.
    history_ : list of EpochRecord
        One record per pass.
    n_iter_ : int
        Number of passes.

    References
    ----------
    .. [1] Fissore, Decelle, Furtlehner and Han, "Robust Multi-Output Learning with Highly
       Incomplete Data via Restricted Boltzmann Machines" (2019).

    Examples
    --------
    >>> from halfseen import RBMClassifier
    >>> X = [[0, 1, 1], [1, None, 0], [0, 1, None], [1, 0, 0]] * 30
    >>> y = ["a", "b", None, "b"] * 30
    >>> model = RBMClassifier(learning_rate=0.1, random_state=0).fit(X, y)
    >>> model.predict([[0, None, 1], [None, 0, 0]])
    array(['a', 'b'], dtype='<U1')
    >>> model.transform([[0, None, None]])
    array([[0, 1, 1]], dtype=object)
    """

    _: KW_ONLY
    label_units: str = "categorical"
    target_type: str = "auto"
    threshold: float | str = "per_label"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_RBMModel._parameter_constraints,
        "label_units": [StrOptions({"categorical", "bernoulli"})],
        "threshold": [StrOptions({"per_label", "shared"}), Interval(Real, 0, 1, closed="neither")],
    }

    def fit(
        self, X: Any, y: Any, *, y_true: Any = None, callbacks: Iterable[Callback] = ()
    ) -> Self:
        """Learn from all observed entries of X and y.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Features; missing is NaN, None or pandas.NA.
        y : array-like, series or data frame of shape (n_rows,) or (n_rows, n_outputs)
            Classes or labels; unknown is NaN, None or pandas.NA.
        y_true : array-like, optional
            True labels, for ``early_stopping="peeking"`` only.
        callbacks : iterable of callable
            Each is called with an `EpochRecord` after every pass; a true result ends training.

        Returns
        -------
        self
        """
        self._validate_params()
        self._seed = self._draw_seed()
        encoded = self._learn_columns(X, y)
        truth = None
        if y_true is not None:
            truth = self._encode(X, y_true)[1]
        self._fit(encoded, callbacks, truth)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Pass once over a part of a table.

        The first part decides what each column is and which classes there are.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Some rows.
        y : array-like, series or data frame, optional
            What is known of their targets.
        classes : array-like, or list of array-like for several outputs, optional
            All classes, if the first part does not have them all.

        Returns
        -------
        self
        """
        self._validate_params()
        if hasattr(self, "rbm_"):
            encoded = self._encode(X, y)[1]
        else:
            self._seed = self._draw_seed()
            encoded = self._learn_columns(X, y, classes)
            self.thresholds_ = np.full(len(self.schema_.targets), 0.5)
        self._train_on_part(encoded)
        return self

    def _learn_columns(self, X: Any, y: Any, classes: Any = None) -> Encoded:
        return self._learn(
            X, y, self.feature_types, self.target_type,
            one_unit_per_class=self.label_units == "bernoulli", classes=classes,
        )  # fmt: skip

    def _learn_thresholds(self, truth: Encoded, predicted: NDArray[np.float32]) -> None:
        n_labels = len(self.schema_.targets)
        self.thresholds_ = np.full(n_labels, 0.5)
        if self.schema_.target_type != "multilabel-indicator":
            return
        if not isinstance(self.threshold, str):
            self.thresholds_[:] = self.threshold
            return
        units = self.schema_.target_units
        right = [
            (((predicted[:, units] > t) == truth.values[:, units]) & truth.observed[:, units])
            .sum(axis=0)
            for t in _THRESHOLDS
        ]  # fmt: skip
        n_right = np.array(right)
        if self.threshold == "shared":
            n_right = np.broadcast_to(n_right.sum(axis=1, keepdims=True), n_right.shape)
        self.thresholds_ = np.array([_middle_of_best(column) for column in n_right.T])

    def _to_arrays(self) -> dict[str, NDArray[Any]]:
        return super()._to_arrays() | {"thresholds": self.thresholds_}

    def _restore(self, arrays: dict[str, NDArray[Any]], training: dict[str, Any]) -> None:
        super()._restore(arrays, training)
        self.thresholds_ = arrays["thresholds"]


class RBMImputer(_RBMModel, TableImputer):
    """A restricted Boltzmann machine of incomplete features; see `RBMClassifier`.

    Parameters are those of `RBMClassifier` that do not speak of targets.

    Examples
    --------
    >>> from halfseen import RBMImputer
    >>> X = [[0, 1, 1], [1, None, 0], [0, 1, None], [1, 0, 0]] * 30
    >>> RBMImputer(learning_rate=0.1, random_state=0).fit(X).transform([[0, None, None]])
    array([[0, 1, 1]], dtype=object)
    """

    def fit(self, X: Any, y: Any = None, *, callbacks: Iterable[Callback] = ()) -> Self:
        """Learn from all observed entries of X; see `RBMClassifier.fit`."""
        self._validate_params()
        self._seed = self._draw_seed()
        encoded = self._learn(X, self.feature_types)
        self._fit(encoded, callbacks)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Pass once over a part of a table; the first part decides what each column is."""
        self._validate_params()
        if hasattr(self, "rbm_"):
            encoded = self._encode(X)[1]
        else:
            self._seed = self._draw_seed()
            encoded = self._learn(X, self.feature_types)
        self._train_on_part(encoded)
        return self


def _middle_of_best(n_right: NDArray[Any]) -> float:
    """The middle one of the best thresholds."""
    best = np.flatnonzero(n_right == n_right.max())
    return float(_THRESHOLDS[best[len(best) // 2]])


def _where(chosen: NDArray[np.bool_], new: RBM, old: RBM) -> RBM:
    """Machine by machine, the new one where it is chosen."""
    merged: RBM = jax.tree.map(
        lambda a, b: jnp.where(chosen.reshape(-1, *[1] * (a.ndim - 1)), a, b), new, old
    )
    return merged

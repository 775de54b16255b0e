"""RBM-MO as scikit-learn estimators: `RBMClassifier` and `RBMImputer`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import partial, reduce
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from halfseen.base import estimator as base
from halfseen.base.progress import print_line
from halfseen.base.runtime import forget_programs, jax_session
from halfseen.base.tiles import map_tiles
from halfseen.data.frames import Table, Target
from halfseen.data.raw import Bools
from halfseen.data.schema import Encoded
from halfseen.rbm import training as loop
from halfseen.rbm.gibbs import draw_rows
from halfseen.rbm.likelihood import log_partitions, log_probabilities
from halfseen.rbm.mean_field import complete_rows
from halfseen.rbm.model import RBM, Rows
from halfseen.rbm.units import layer_of

PAPER_LITERAL: dict[str, Any] = {
    "n_components": 100, "learning_rate": 0.001, "batch_size": 10, "n_gibbs_steps": 1,
    "chain_start": "random", "centering": False, "momentum": 0.0, "variance": 1.0,
    "label_units": "bernoulli", "n_restarts": 10, "n_sweeps": 10, "threshold": "shared",
    "early_stopping": "peeking", "n_iter": 10_000, "n_iter_no_change": 500,
    "validation_fraction": 0.0,
}  # fmt: skip
"""The text of the paper to the letter, as parameters of `RBMClassifier`."""

# Standardised numbers are clipped: single rare values would dominate the updates.
_LARGEST_VALUE = 4.0
_PASSES, _UPDATES = (80, 300), 12_000  # of n_iter="auto"
_THRESHOLDS = np.linspace(0.05, 0.95, 91)
_HOLD_OUT, _DRAWS, _SAMPLES = range(100, 103)  # streams of random numbers beside training's
_DRAW_STEPS, _SAMPLE_STEPS = 100, 500  # Gibbs steps of a draw of missing entries, and of a new row
_PROGRAMS: tuple[Any, ...] = loop.initial_states, loop.run_epoch, complete_rows, draw_rows
_PROGRAMS += log_partitions, log_probabilities
_POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")
_POSITIVE_INTEGERS = (
    "n_components", "batch_size", "n_gibbs_steps", "n_restarts", "n_sweeps", "n_iter_no_change",
    "n_estimators",
)  # fmt: skip

Callback = Callable[["EpochRecord"], object]
Floats = NDArray[np.float32]


class EpochRecord(NamedTuple):
    """One epoch of training."""

    epoch: int
    validation_loss: float | None
    seconds: float  # since training began


@dataclass(eq=False, repr=False)
class _RBMModel(base.TableModel):
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
        **{name: [_POSITIVE_INTEGER] for name in _POSITIVE_INTEGERS},
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_iter": [StrOptions({"auto"}), _POSITIVE_INTEGER],
        "chain_start": [StrOptions({"data", "persistent", "random"})],
        "phases": [StrOptions({"gibbs", "mean_field"})],
        "centering": ["boolean"],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "variance": [StrOptions({"learned"}), Interval(Real, 0, None, closed="neither")],
        "completion": [StrOptions({"mean_field", "tap", "gibbs"})],
        "early_stopping": ["boolean", StrOptions({"peeking"})],
        "validation_fraction": [Interval(Real, 0, 0.5, closed="both")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rbm_")

    @property
    def _algorithm(self) -> loop.Algorithm:
        parameters = self.get_params(deep=False)
        shared = {name: parameters[name] for name in parameters.keys() & {*loop.Algorithm._fields}}
        return loop.Algorithm(**shared, learn_variance=self.variance == "learned")

    def _to_units(self, table: Table, target: Target | None) -> Encoded:
        values, observed = super()._to_units(table, target)
        numbers = values[:, : self.schema_.n_gaussian]
        np.clip(numbers, -_LARGEST_VALUE, _LARGEST_VALUE, out=numbers)
        return Encoded(values, observed)

    @jax_session()
    def _fit(
        self, encoded: Encoded, callbacks: Iterable[Callback], truth: Encoded | None = None
    ) -> None:
        """Train on an encoded table, then calibrate on the entries that were held out."""
        self.__dict__.pop("rbm_", None)  # a fit that fails leaves no model
        forget_programs((self.schema_.n_units, self._algorithm, encoded.values.shape), *_PROGRAMS)
        held_out = self._hold_out(encoded)
        held_out_units = held_out[:, self.schema_.unit_column]
        training = Encoded(encoded.values, encoded.observed & ~held_out_units)
        judge: loop.ValidationLoss | None = None
        if self.early_stopping == "peeking":
            judge = loop.ValidationLoss.peeking(self.schema_, encoded, training, truth)
        elif self.early_stopping:
            judge = loop.ValidationLoss.held_out(self.schema_, training, held_out_units, self._seed)
        self.rbm_ = self._train(training, judge, list(callbacks))
        self._learn_decisions(encoded, held_out)

    def _hold_out(self, encoded: Encoded) -> Bools:
        """Observed entries for validation, of shape (n_rows, n_columns)."""
        observed = np.zeros((len(encoded.observed), len(self.schema_.columns)), bool)
        observed[:, self.schema_.unit_column] = encoded.observed
        drawn = np.random.default_rng([self._seed, _HOLD_OUT]).random(observed.shape)
        held_out: Bools = observed & (drawn < self.validation_fraction)
        if self.early_stopping is True and not held_out.any():
            remedy = "Set validation_fraction above 0, or give more rows."
            raise ValueError(f"early_stopping=True needs held-out entries. {remedy}")
        return held_out

    def _train(
        self, training: Encoded, judge: loop.ValidationLoss | None, callbacks: list[Callback]
    ) -> Any:
        """Epoch after epoch; with a judge, the best epoch of each machine is kept."""
        began, n_rows, n_stale = time.perf_counter(), len(training.values), 0
        best: Any = None
        best_loss = np.full(self.n_estimators, np.inf)
        n_passes = _UPDATES // (n_rows // min(self.batch_size, n_rows))
        n_passes = min(max(_PASSES[0], n_passes), _PASSES[1])
        n_iter = n_passes if isinstance(self.n_iter, str) else self.n_iter
        self.history_: list[EpochRecord] = []
        try:
            for states in self._epochs(self._initial_states(n_rows), training, 0):
                self._states: loop.TrainingState | None = states
                loss: float | None = None
                if judge is None:
                    best = states.rbm
                else:
                    losses = judge(states.rbm)
                    better = losses < best_loss
                    choose = partial(jax.vmap(jnp.where), better)
                    best = states.rbm if best is None else jax.tree.map(choose, states.rbm, best)
                    best_loss = np.fmin(losses, best_loss)
                    loss, n_stale = float(losses.mean()), 0 if better.any() else n_stale + 1
                record = EpochRecord(len(self.history_), loss, time.perf_counter() - began)
                self.history_.append(record)
                if self.verbose:
                    shown = "" if loss is None else f", validation loss = {loss:.4f}"
                    line = f"Iteration {record.epoch + 1} of at most {n_iter}{shown}"
                    print_line(self, f"{line}, time = {record.seconds:.2f}s")
                asked_to_stop = [callback(record) for callback in callbacks]
                is_last = record.epoch + 1 == n_iter or n_stale == self.n_iter_no_change
                if is_last or any(asked_to_stop):
                    break
        except KeyboardInterrupt:
            if best is None:
                raise
            message = f"Training was interrupted; the model is that of {len(self.history_)} epochs."
            warnings.warn(message, base.TrainingInterrupted, stacklevel=4)
        self.n_iter_ = len(self.history_)
        return best

    @jax_session()
    def _fit_part(self, encode: Callable[[], Encoded], learn: Callable[[], Encoded]) -> None:
        """One epoch over a part of a table, from where the last part or fit ended."""
        self._validate_params()
        if hasattr(self, "rbm_"):
            encoded, n_done, states = encode(), self.n_iter_, self._states
        else:
            self._seed = self._draw_seed()
            encoded, n_done, states = learn(), 0, None
        if states is None:
            states = self._initial_states(len(encoded.values))
        if n_done:
            states = states._replace(rbm=self.rbm_)
        states = next(self._epochs(states, encoded, n_done))
        self.rbm_, self._states, self.n_iter_ = states.rbm, states, n_done + 1
        self.calibration_, self.history_ = None, []

    def _epochs(
        self, states: loop.TrainingState, training: Encoded, first_epoch: int
    ) -> Iterator[loop.TrainingState]:
        return loop.train(
            states, self._rows(*training), algorithm=self._algorithm, seed=self._seed,
            learning_rate=self.learning_rate, batch_size=self.batch_size, first_epoch=first_epoch,
        )  # fmt: skip

    def _initial_states(self, n_rows: int) -> loop.TrainingState:
        keys = jax.random.split(jax.random.key(self._seed), self.n_estimators)
        variance = 1.0 if self.variance == "learned" else float(self.variance)
        states: loop.TrainingState = loop.initial_states(
            keys, layer_of(self.schema_), self.n_components, min(self.batch_size, n_rows),
            jnp.asarray(self.schema_.marginals), variance, self._algorithm,
        )  # fmt: skip
        return states

    def _learn_decisions(self, encoded: Encoded, held_out: Bools) -> None:
        """Thresholds, intervals and sets, from predictions that features alone allow."""
        self.calibration_ = None
        if not self.validation_fraction and self.schema_.target_type != "multilabel-indicator":
            return
        rows = loop.some_rows(len(held_out), self._seed)
        truth = Encoded(encoded.values[rows], encoded.observed[rows])
        seen = truth.observed & ~held_out[rows][:, self.schema_.unit_column]
        seen[:, self.schema_.target_units] = False
        predicted = self._complete_units(Encoded(truth.values, seen))
        self._learn_thresholds(truth, predicted)
        if self.validation_fraction:
            self.calibration_ = base.Calibration.fit(self.schema_, truth, predicted, held_out[rows])

    def _learn_thresholds(self, truth: Encoded, predicted: Floats) -> None:
        """Only classifiers have thresholds."""

    def _rows(self, values: Any, observed: Any) -> Rows:
        return Rows(*map(jnp.asarray, (values, observed, self.schema_.marginals)))

    def _by_tiles(self, function: Callable[..., Any], encoded: Encoded, *others: Any) -> Floats:
        """Apply a function of rows, and of what else belongs to each of them."""
        return map_tiles(lambda v, o, *rest: function(self._rows(v, o), *rest), *encoded, *others)

    @jax_session()
    def _complete_units(self, encoded: Encoded) -> Floats:
        of_rows = partial(
            complete_rows, self.rbm_, jax.random.key(self._seed), n_restarts=self.n_restarts,
            method=self.completion, n_sweeps=self.n_sweeps,
        )  # fmt: skip
        return self._by_tiles(of_rows, encoded)

    def _draw_units(self, encoded: Encoded, seed: int, draw: int, first_row: int) -> Floats:
        positions = np.arange(first_row, first_row + len(encoded.values), dtype=np.uint32)
        return self._chain_ends(draw, (seed, _DRAWS, draw), encoded, positions, _DRAW_STEPS)

    def _sample_units(self, n_samples: int, seed: int) -> Floats:
        samples = np.zeros((n_samples, self.schema_.n_units), np.float32)
        positions, n_estimators = np.arange(n_samples, dtype=np.uint32), len(self.rbm_.hidden_bias)
        for machine in range(n_estimators):
            own = positions[positions % n_estimators == machine]
            nothing, stream = Encoded(samples[own], samples[own] > 0), (seed, _SAMPLES)
            samples[own] = self._chain_ends(machine, stream, nothing, own, _SAMPLE_STEPS)
        return samples

    @jax_session()
    def _chain_ends(
        self, machine: int, stream: tuple[int, ...], encoded: Encoded, positions: Any, n_steps: int
    ) -> Floats:
        rbm = jax.tree.map(lambda leaf: leaf[machine % len(leaf)], self.rbm_)
        key = reduce(jax.random.fold_in, stream[1:], jax.random.key(stream[0]))
        return self._by_tiles(partial(draw_rows, rbm, key, n_steps=n_steps), encoded, positions)

    @jax_session()
    def _log_probability(self, encoded: Encoded) -> NDArray[np.float64]:
        key = jax.random.key(self._seed)
        log_z = log_partitions(self.rbm_, key, jnp.asarray(self.schema_.marginals))
        of_rows = partial(log_probabilities, self.rbm_, key, partitions=log_z)
        return self._by_tiles(of_rows, encoded).astype(np.float64)

    def _to_arrays(self) -> dict[str, NDArray[Any]]:
        names = ("weights", "visible_bias", "hidden_bias", "log_variance")
        return {name: np.asarray(getattr(self.rbm_, name)) for name in names}

    def _training_document(self) -> dict[str, Any]:
        losses = [record.validation_loss for record in self.history_]
        return {"n_iter": self.n_iter_, "validation_loss": losses}

    def _restore(self, arrays: dict[str, NDArray[Any]], training: dict[str, Any]) -> None:
        layer = layer_of(self.schema_)
        n_estimators, n_hidden = arrays["hidden_bias"].shape
        shapes = {
            "weights": (layer.n_units, n_hidden), "visible_bias": (layer.n_units,),
            "hidden_bias": (n_hidden,), "log_variance": (layer.n_gaussian,),
        }  # fmt: skip
        for name, shape in shapes.items():
            _check_array(name, arrays[name], np.float32, (n_estimators, *shape))
        leaves: dict[str, Any] = {name: arrays[name] for name in shapes}
        self.rbm_ = RBM(layer, **leaves)
        self.n_iter_, self._states = int(training["n_iter"]), None
        losses = training["validation_loss"]
        self.history_ = [EpochRecord(epoch, loss, 0.0) for epoch, loss in enumerate(losses)]


@dataclass(eq=False, repr=False)
class RBMClassifier(_RBMModel, base.TableClassifier):
    """A restricted Boltzmann machine of features and targets, both incomplete: RBM-MO.

    The machine is trained by Lossy-CD [1]_ on all observed entries, and missing entries are
    completed by mean field. Classes, labels and several outputs are visible units beside the
    features.

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
    momentum, weight_decay : float, default=0.0
        Momentum of the updates, and L2 penalty of the weights.
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
    n_restarts, n_sweeps : int, default=10
        Random starts of a completion, whose results are averaged, and iterations from each.
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
    rbm_ : RBM, the machines along the leading axis of each array
    classes_ : ndarray or list of ndarray, known classes
    thresholds_ : ndarray of shape (n_labels,), probability above which each label is predicted
    schema_ : Schema, columns and their visible units
    history_, n_iter_ : list of EpochRecord and int, one record per pass, and their number

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
        y_true : array-like, optional: true labels, for ``early_stopping="peeking"`` only
        callbacks : iterable of callable
            Each is called with an `EpochRecord` after every pass; a true result ends training.
        """
        self._validate_params()
        self._seed = self._draw_seed()
        encoded = self._learn_columns(X, y)
        truth = None
        if y_true is not None:
            table = self._read(X, reset=False)
            truth = self._to_units(table, self._read_target(y_true, table.n_rows))
        self._fit(encoded, callbacks, truth)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Pass once over a part of a table.

        The first part decides what each column is and which classes there are.

        Parameters
        ----------
        X, y : some rows, and what is known of their targets if anything is
        classes : array-like, or list of array-like for several outputs, optional
            All classes, if the first part does not have them all.
        """
        self._fit_part(lambda: self._encode(X, y)[1], lambda: self._learn_columns(X, y, classes))
        return self

    def _learn_columns(self, X: Any, y: Any, classes: Any = None) -> Encoded:
        encoded = self._learn(
            X, y, self.feature_types, self.target_type,
            one_unit_per_class=self.label_units == "bernoulli", classes=classes,
        )  # fmt: skip
        self.thresholds_ = np.full(len(self.schema_.targets), 0.5)
        return encoded

    def _learn_thresholds(self, truth: Encoded, predicted: Floats) -> None:
        if self.schema_.target_type != "multilabel-indicator":
            return
        if not isinstance(self.threshold, str):
            self.thresholds_[:] = self.threshold
            return
        units = self.schema_.target_units
        is_one, known = truth.values[:, units] == 1, truth.observed[:, units]
        n_right = np.array(
            [(known & ((predicted[:, units] > t) == is_one)).sum(axis=0) for t in _THRESHOLDS]
        )
        if self.threshold == "shared":
            n_right[:] = n_right.sum(axis=1, keepdims=True)
        best = [np.flatnonzero(column == column.max()) for column in n_right.T]
        self.thresholds_ = _THRESHOLDS[[of_label[len(of_label) // 2] for of_label in best]]

    def _to_arrays(self) -> dict[str, NDArray[Any]]:
        return super()._to_arrays() | {"thresholds": self.thresholds_}

    def _restore(self, arrays: dict[str, NDArray[Any]], training: dict[str, Any]) -> None:
        super()._restore(arrays, training)
        self.thresholds_ = arrays["thresholds"]
        _check_array("thresholds", self.thresholds_, np.float64, (len(self.schema_.targets),))


class RBMImputer(_RBMModel, base.TableImputer):
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
        self._fit(self._learn(X, self.feature_types), callbacks)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Pass once over a part of a table; the first part decides what each column is."""
        self._fit_part(lambda: self._encode(X)[1], lambda: self._learn(X, self.feature_types))
        return self


def _check_array(name: str, array: NDArray[Any], dtype: Any, shape: tuple[int, ...]) -> None:
    """Refuse an array of a model file that no fit makes."""
    if array.shape != shape or array.dtype != dtype or not np.isfinite(array).all():
        raise ValueError(f"array {name!r} is not one of finite {np.dtype(dtype)} of shape {shape}")

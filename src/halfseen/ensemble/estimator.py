"""The recommended model as scikit-learn estimators: `HalfseenClassifier` and `HalfseenImputer`."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight

from halfseen.base import estimator as base
from halfseen.base.progress import Callback, Progress
from halfseen.base.runtime import forget_programs, jax_session, one_blas_thread
from halfseen.data.schema import Encoded
from halfseen.ensemble.config import Config, Effort, for_table
from halfseen.ensemble.fitting import PROGRAMS, fit_ensemble
from halfseen.ensemble.model import ensemble_from_arrays, ensemble_to_arrays
from halfseen.ensemble.prior import Floats, Rows
from halfseen.ensemble.problem import Problem, make_problem
from halfseen.ensemble.sampling import draw_missing, log_probability, sample_rows
from halfseen.ensemble.stacking import calibrate, fit_stack, judge

_FEWEST_ROWS = 5  # of which a fit does not warn
_POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")


@dataclass(eq=False, repr=False)
class _HalfseenModel(base.TableModel):
    """Parameters, fit and predictions of both estimators."""

    effort: Effort = "default"
    _: KW_ONLY
    n_estimators: int | str = "auto"
    feature_types: Any = "auto"
    add_indicator: bool = False
    validation_fraction: float = 0.1
    max_seconds: float | None = None
    n_jobs: int | None = None
    verbose: int = 0
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "effort": [StrOptions({"fast", "default", "best"})],
        "n_estimators": [StrOptions({"auto"}), _POSITIVE_INTEGER],
        "add_indicator": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 0.5, closed="right")],
        "max_seconds": [None, Interval(Real, 0, None, closed="neither")],
        "n_jobs": [None, Interval(Integral, None, -1, closed="right"), _POSITIVE_INTEGER],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }
    # Only classifiers have a choice.
    trees = False
    class_gaussians = False

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ensemble_")

    def _fit(self, encoded: Encoded, weight: Floats | None, callback: Callback | None) -> Problem:
        """Fit the ensemble to an encoded table, stack it and calibrate it."""
        self.__dict__.pop("ensemble_", None)  # a fit that fails leaves no model
        if len(encoded.values) < _FEWEST_ROWS:
            message = f"The table has {len(encoded.values)} rows; nothing can be learned of so few."
            warnings.warn(message, stacklevel=3)
        progress, n_jobs = Progress(self, callback), effective_n_jobs(self.n_jobs or -1)
        problem = make_problem(self.schema_, encoded, weight, self._config(encoded), self._seed)
        forget_programs((problem.units, problem.encoded.values.shape), *PROGRAMS)
        with jax_session(), one_blas_thread():
            ensemble, held_out = fit_ensemble(
                problem, progress, trees=self.trees, class_gaussians=self.class_gaussians,
                indicator=self.add_indicator, n_jobs=n_jobs,
            )  # fmt: skip
            progress("stacking", 0, 1)
            judged = judge(problem, ensemble, held_out, n_jobs)
            ensemble.stack = fit_stack(problem, ensemble, judged)
            self.calibration_ = calibrate(problem, ensemble, judged)
            progress("stacking", 1, 1)
        if progress.was_interrupted:
            message = "The fit was interrupted; the model is that of the training so far."
            warnings.warn(message, base.TrainingInterrupted, stacklevel=3)
        self.ensemble_ = ensemble
        return problem

    def _config(self, encoded: Encoded) -> Config:
        schema = self.schema_
        return for_table(
            n_rows=len(encoded.values),
            n_units=schema.n_units,
            n_numbers=schema.n_gaussian,
            share_observed=float(np.delete(encoded.observed, schema.target_units, axis=1).mean()),
            effort=self.effort,
            n_estimators=None if isinstance(self.n_estimators, str) else int(self.n_estimators),
            validation_fraction=float(self.validation_fraction),
        )

    def _complete_units(self, encoded: Encoded) -> Rows:
        return self._complete_with_spread(encoded)[0]

    @jax_session()
    def _complete_with_spread(self, encoded: Encoded) -> tuple[Rows, Floats]:
        return self.ensemble_.complete(encoded)

    @jax_session()
    def _draw_units(self, encoded: Encoded, seed: int, draw: int, first_row: int) -> Rows:
        return draw_missing(self.ensemble_, encoded, seed, draw, first_row)

    @jax_session()
    def _sample_units(self, n_samples: int, seed: int) -> Rows:
        return sample_rows(self.ensemble_, n_samples, seed)

    @jax_session()
    def _log_probability(self, encoded: Encoded) -> Floats:
        return log_probability(self.ensemble_, encoded)

    def _to_arrays(self) -> dict[str, NDArray[Any]]:
        return ensemble_to_arrays(self.ensemble_)

    def _restore(self, arrays: dict[str, NDArray[Any]], training: dict[str, Any]) -> None:
        self.ensemble_ = ensemble_from_arrays(self.schema_, arrays)


@dataclass(eq=False, repr=False)
class HalfseenClassifier(_HalfseenModel, base.TableClassifier):
    """Classes or labels from incomplete features, which it completes too: the recommended model.

    An ensemble of machines is trained to predict masked entries of features and targets. Each is a
    restricted Boltzmann machine whose mean-field sweeps start from a correlated Gaussian prior.
    Class-conditional Gaussians and trees join them, and all are stacked and calibrated on held-out
    validation entries. Missing is NaN, None or pandas.NA, in X and in y.

    Parameters
    ----------
    effort : {"fast", "default", "best"}, default="default"
        Budget of the fit: about a third of the time of "default", or three times as much.
    n_estimators : int or "auto", default="auto"
        Number of machines, each fitted to other training entries. "auto" is 4 for small tables and
        2 from 3,000 rows on, twice as many for "best", and 1 for "fast".
    feature_types : str, sequence or mapping, default="auto"
        Types of the columns: "auto", "numeric", "log-numeric", "ordinal", "binary", "categorical"
        or "ignored"; one word for all, one per column, or a mapping from column to word. A pair
        such as ("numeric", [0, None]) bounds what is filled in and drawn.
    target_type : str, default="auto"
        "binary", "multiclass", "multilabel-indicator", "multiclass-multioutput", or "auto".
    trees : bool, default=True
        Whether a forest, and boosted trees where much is observed, join the ensemble.
    class_gaussians : bool, default=True
        Whether a Gaussian of each class joins the ensemble, for a single target.
    add_indicator : bool, default=False
        Whether the machines see which features of a row are missing. Use it where missingness
        tells something of the target, and will go on to do so.
    validation_fraction : float, default=0.1
        Share of the observed entries that is held out of training, to stop it, and to stack and
        calibrate predictions.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the decisions of `predict`; probabilities stay calibrated.
        "balanced" is in inverse proportion to the known entries of each class.
    max_seconds : float or None, default=None
        Time after which training ends where it stands; the fit is then not reproducible.
    n_jobs : int or None, default=None
        Number of threads; None is one for each core. It changes no result.
    verbose : int, default=0
        Whether to print progress on standard error.
    random_state : int, RandomState or None, default=None
        Seed. The same seed and table give the same model.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray for several outputs
        Known classes, in the order of probabilities.
    thresholds_ : ndarray of shape (n_labels,)
        Probability above which a label is predicted.
    schema_ : Schema
        Columns and their visible units.
    ensemble_ : Ensemble
        What was fitted.
    calibration_ : Calibration
        What intervals and sets rest on.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import HalfseenClassifier
    >>> X = np.array([[0, 1, 1], [1, np.nan, 0], [0, 1, np.nan], [1, 0, 0]] * 10)
    >>> y = np.array(["a", "b", None, "b"] * 10, dtype=object)
    >>> model = HalfseenClassifier(effort="fast", random_state=0).fit(X, y)
    >>> model.predict([[0, np.nan, 1], [np.nan, 0, 0]])
    array(['a', 'b'], dtype='<U1')
    """

    _: KW_ONLY
    target_type: str = "auto"
    trees: bool = True
    class_gaussians: bool = True
    class_weight: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_HalfseenModel._parameter_constraints,
        "trees": ["boolean"],
        "class_gaussians": ["boolean"],
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, progress: Callback | None = None
    ) -> Self:
        """Learn from all observed entries of X and y.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Features; missing is NaN, None or pandas.NA.
        y : array-like, series or data frame of shape (n_rows,) or (n_rows, n_outputs)
            Classes or labels; unknown is NaN, None or pandas.NA.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows, features and known targets alike; zero leaves a row out.
        progress : callable, optional
            Is called with the name of a stage, the work done and the work to do.

        Returns
        -------
        self
        """
        self._validate_params()
        self._seed = self._draw_seed()
        X, y, weight = base.weighted_rows(X, y, sample_weight)
        encoded = self._learn(X, y, self.feature_types, self.target_type)
        self._learn_decisions(self._fit(encoded, weight, progress))
        return self

    def _learn_decisions(self, problem: Problem) -> None:
        self.class_weights_ = []
        for column, codes in zip(self.schema_.targets, problem.target_codes.T, strict=True):
            classes = np.array(column.categories)
            known = classes[codes[codes >= 0]]
            try:
                weights = compute_class_weight(self.class_weight, classes=classes, y=known)
            except ValueError:  # a class without a known entry
                weights = np.ones(len(classes))
            self.class_weights_.append(np.asarray(weights, np.float64))
        self.thresholds_ = np.array(
            [w[0] / w.sum() if len(w) == 2 else 0.5 for w in self.class_weights_]
        )

    def _decided_codes(self, probabilities: list[Floats]) -> list[NDArray[np.int64]]:
        if self.schema_.target_type == "multilabel-indicator":
            return super()._decided_codes(probabilities)
        pairs = zip(probabilities, self.class_weights_, strict=True)
        return super()._decided_codes([proba * weight for proba, weight in pairs])

    def _to_arrays(self) -> dict[str, NDArray[Any]]:
        decisions = {f"class_weights{j}": w for j, w in enumerate(self.class_weights_)}
        return super()._to_arrays() | decisions | {"thresholds": self.thresholds_}

    def _restore(self, arrays: dict[str, NDArray[Any]], training: dict[str, Any]) -> None:
        super()._restore(arrays, training)
        self.thresholds_ = arrays["thresholds"]
        n_targets = len(self.schema_.targets)
        self.class_weights_ = [arrays[f"class_weights{j}"] for j in range(n_targets)]


class HalfseenImputer(_HalfseenModel, base.TableImputer):
    """Incomplete features completed: the recommended model without a target.

    Parameters are those of `HalfseenClassifier` that do not speak of targets.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import HalfseenImputer
    >>> x = np.linspace(-1, 1, 60)
    >>> X = np.column_stack([x, 2 * x, -x])
    >>> X[::3, 1] = np.nan
    >>> HalfseenImputer(effort="fast", random_state=0).fit_transform(X).shape
    (60, 3)
    """

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: Callback | None = None
    ) -> Self:
        """Learn from all observed entries of X; see `HalfseenClassifier.fit`."""
        self._validate_params()
        self._seed = self._draw_seed()
        X, _, weight = base.weighted_rows(X, None, sample_weight)
        self._fit(self._learn(X, self.feature_types), weight, progress)
        return self

"""HalfseenClassifier: features and labels in one machine, both with holes."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from halfseen.estimators.checked_values import checked_level
from halfseen.estimators.decisions import learn_thresholds
from halfseen.estimators.rbm_base import RBMBase
from halfseen.estimators.shared_parameters import with_shared_parameters
from halfseen.estimators.target_answers import arranged, classes_of, decided, stacked
from halfseen.learning.progress import Verbosity
from halfseen.learning.trainer import Callback
from halfseen.metrics import accuracy, hamming_accuracy
from halfseen.tables import (
    Encoded,
    EncodedTable,
    Schema,
    Target,
    encode_table,
    fill_target,
    learn_target_columns,
    read_target,
)

_TARGET_KINDS = ("auto", "classes", "labels", "outputs")
_OWN_SETTINGS = ("class_units", "threshold", "forest", "class_gaussians")


class Completed(NamedTuple):
    """A table and its labels, completed together."""

    X: Any  # like the X that was given, its holes filled
    y: Any  # like the y that was given, its holes decided
    proba: Any  # as of predict_proba; 0 or 1 where the label was observed


class Sampled(NamedTuple):
    """New rows, and their labels."""

    X: NDArray[Any]
    y: NDArray[Any]


@with_shared_parameters
class HalfseenClassifier(ClassifierMixin, RBMBase):  # type: ignore[misc]
    """Classes or labels of rows with holes, by one machine for features and labels (RBM-MO).

    One Restricted Boltzmann Machine is fitted to everything observed, features and labels alike.
    Rows without a label help, and so do labels of rows that are otherwise empty. Entries are
    assumed to be missing completely at random.

    What y is: one column are classes; several columns of 0 and 1 are labels, of which a row may
    have any number; several other columns are several classes at once. NaN, None and pandas.NA are
    labels that are not known.

    Parameters
    ----------
    {shared_parameters}
    target_kind : {"auto", "classes", "labels", "outputs"}, default="auto"
        What y is, if the rule above should not decide.
    class_units : {"softmax", "independent"} or "auto", default="auto"
        Whether the classes of one column exclude each other in the model, or are independent binary
        units among which the largest wins, as in the paper.
    threshold : {"shared", "per_label"}, float or "auto", default="auto"
        Probability above which a label is predicted: learned on known labels that are hidden for
        the purpose, one for all (the paper) or one for each; or a number.
    forest : bool or "auto", default="auto"
        Whether a predictive model pools what its machines say of targets with trees that read the
        features as the prior completes them, and boosted ones where there is one target column and
        most of the features are seen; how much each is worth is learned on known labels put aside.
        Tables whose trees would take too long have none. "auto" is True.
    class_gaussians : bool or "auto", default="auto"
        Whether it pools them, where there is one target column and features are few and mostly
        numbers, with a Gaussian of the features for every class, likewise. "auto" is True.
    oracle_y : array-like or None, default=None
        True labels of the rows of X for ``stopping="oracle"``. Only to reproduce the paper.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        The classes; for several class columns, and for labels, one array for each column.
    thresholds_ : ndarray of shape (n_labels,)
        The threshold of each label; empty for classes.
    schema_ : Schema
        What each column was taken for.
    settings_ : Settings
        All settings, resolved.
    history_ : History
        Training, epoch by epoch.
    n_iter_ : int
        Epochs that were run.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the table had names.

    See Also
    --------
    HalfseenImputer : The same machine without labels.

    Notes
    -----
    For labels ``predict`` decides by a learned threshold, not by one half, so that it need not
    equal ``predict_proba(X).round()``; scikit-learn's tag ``multi_output`` is therefore False,
    and ``multi_label`` True.

    References
    ----------
    G. Fissore, A. Decelle, C. Furtlehner, Y. Han: Robust Multi-Output Learning with Highly
    Incomplete Data via Restricted Boltzmann Machines, arXiv:1912.09382.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import HalfseenClassifier
    >>> X = np.repeat([[0.0, 0.0], [4.0, 4.0]], 30, axis=0)
    >>> X[::3, 0] = np.nan
    >>> y = np.repeat(["low", "high"], 30).astype(object)
    >>> y[::2] = None
    >>> model = HalfseenClassifier(random_state=0).fit(X, y)
    >>> model.predict([[np.nan, 4.0], [0.0, np.nan]])
    array(['high', 'low'], dtype=object)
    """

    classes_: Any
    thresholds_: NDArray[np.float64]

    def __init__(
        self,
        *,
        preset: str = "default",
        target_kind: str = "auto",
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
        class_units: str = "auto",
        threshold: float | str = "auto",
        forest: bool | str = "auto",
        class_gaussians: bool | str = "auto",
        oracle_y: Any = None,
    ) -> None:
        super().__init__(
            preset=preset,
            column_kinds=column_kinds,
            n_hidden=n_hidden,
            objective=objective,
            n_gibbs_steps=n_gibbs_steps,
            n_chains=n_chains,
            learning_rate=learning_rate,
            batch_size=batch_size,
            n_epochs=n_epochs,
            optimizer=optimizer,
            momentum=momentum,
            weight_decay=weight_decay,
            clip_norm=clip_norm,
            schedule=schedule,
            centered=centered,
            variance=variance,
            random_starts=random_starts,
            n_machines=n_machines,
            completion=completion,
            n_restarts=n_restarts,
            n_sweeps=n_sweeps,
            tolerance=tolerance,
            damping=damping,
            averaging=averaging,
            stopping=stopping,
            held_out_share=held_out_share,
            patience=patience,
            monitor_every=monitor_every,
            effort=effort,
            companion=companion,
            label_weight=label_weight,
            max_seconds=max_seconds,
            sees_missing=sees_missing,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            resume=resume,
            callbacks=callbacks,
            verbose=verbose,
            random_state=random_state,
        )
        self.target_kind = target_kind
        self.class_units = class_units
        self.threshold = threshold
        self.forest = forest
        self.class_gaussians = class_gaussians
        self.oracle_y = oracle_y

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all observed entries of X and y.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            With NaN, None or pandas.NA where a value is missing.
        y : array-like, series or frame of shape (n_rows,) or (n_rows, n_columns)
            Classes, labels or several classes, with NaN, None or pandas.NA where unknown.

        Returns
        -------
        self
        """
        self._forget()
        encoded = self._learn_schema(X, y, None)
        oracle = self._oracle()
        self._train(encoded, oracle)
        self._learn_thresholds(encoded, None)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Go once over one more part of a table.

        The first part decides what each column is, its scale, and the classes.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Some rows.
        y : array-like, or None if none of their labels is known
            Their labels; the first part needs some, unless ``classes`` says what they can be.
        classes : array-like, list of array-like, or None
            All classes that will ever come, if the first part does not have them all.

        Returns
        -------
        self
        """
        earlier = None
        if hasattr(self, "machine_"):
            table = self._read_features(X, reset=False)
            encoded = self.schema_.encode(table, self._read_known_target(y))
            earlier = self.thresholds_
        else:
            self._state = None
            encoded = self._learn_schema(X, y, classes).written_down()
        self._train_on_part(encoded)
        self._learn_thresholds(encoded, earlier)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class, or the labels, of each row, given its observed entries.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            New rows, complete or not.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_columns)
        """
        probabilities = self._probabilities(X)
        return decided(self.schema_, probabilities, self.thresholds_)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of classes or labels, given the observed entries of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            New rows, complete or not.

        Returns
        -------
        ndarray of shape (n_rows, n_classes); for labels (n_rows, n_labels), strictly between 0 and
        1; for several class columns a list of such arrays
        """
        probabilities = self._probabilities(X)
        return arranged(self.schema_, probabilities)

    def predict_set(self, X: Any, level: float = 0.9) -> Any:
        """Which classes, or values of each label, are possible with a given probability.

        The truth is in the set with a probability of ``level``: how large sets must be was learned
        on known labels that no member of the ensemble was trained on (split conformal prediction).
        A set holds the most probable class at least.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            New rows, complete or not.
        level : float, default=0.9
            Between 0 and 1.

        Returns
        -------
        ndarray of bool of shape (n_rows, n_classes); for labels (n_rows, n_labels, 2), whether it
        may be 0 and whether it may be 1; for several class columns a list of the first
        """
        check_is_fitted(self)
        smallest = self._predictive().smallest_probability(checked_level(level), knows_labels=False)
        probabilities = self._probabilities(X)
        if self.schema_.target_kind == "labels":
            probabilities = [np.stack([1 - p, p], axis=1) for p in probabilities]
        sets = [(p >= smallest) | (p == p.max(axis=1, keepdims=True)) for p in probabilities]
        return stacked(self.schema_, sets)

    def complete(self, X: Any, y: Any = None) -> Completed:
        """Fill features and labels together, the observed ones of both pinned: transductive.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Rows, known or new.
        y : array-like, series or frame, or None if no label is known
            What is known of their labels.

        Returns
        -------
        Completed
            A named tuple ``(X, y, proba)``: X filled, in the container it came in; y with its holes
            decided; the probabilities, 0 or 1 where the label was given.
        """
        check_is_fitted(self)
        table = self._read_features(X, reset=False)
        target = self._read_known_target(y)
        completed = self._completed(self.schema_.encode(table, target))
        probabilities = self.schema_.target_probabilities(completed)
        labels = decided(self.schema_, probabilities, self.thresholds_)
        return Completed(
            X=self._filled(X, completed),
            y=labels if target is None else fill_target(y, target, labels),
            proba=stacked(self.schema_, probabilities),
        )

    def score(self, X: Any, y: Any) -> float:
        """Share of the known labels of y that are predicted right.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Rows.
        y : array-like
            Their labels; unknown ones are left out.

        Returns
        -------
        float
            Accuracy for classes; for labels and several classes, the share of entries.
        """
        predicted = self.predict(X)
        of_known = hamming_accuracy if self.schema_.target_kind == "labels" else accuracy
        return float(of_known(y, predicted))

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Sampled:
        """New rows and their labels from the learned distribution.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int or None, default=None
            Seed; None takes the model's own, so that the same rows come every time.

        Returns
        -------
        Sampled
            A named tuple ``(X, y)``.
        """
        visible = self._sampled(n_samples, random_state)
        probabilities = self.schema_.target_probabilities(visible)
        labels = decided(self.schema_, probabilities, self.thresholds_)
        return Sampled(self.schema_.sampled_features(visible), labels)

    def _learn_schema(self, X: Any, y: Any, classes: Any) -> EncodedTable:
        if y is None:
            raise ValueError(
                "HalfseenClassifier requires y to be passed, but the target y is None; "
                "HalfseenImputer fits features alone"
            )
        table = self._read_features(X, reset=True)
        target = read_target(y, self._checked_target_kind(classes))
        self._seed = self._drawn_seed()
        features = self._learn_features(table)
        # The number of visible units hardly depends on how classes are coded.
        settings = self._resolved(table.n_rows, len(features) + len(target.columns), _OWN_SETTINGS)
        columns = learn_target_columns(target, settings.class_units, classes)
        schema = Schema(features, columns, target.kind)
        self.settings_ = self._resolved(table.n_rows, schema.n_visible, _OWN_SETTINGS)
        encoded = encode_table(schema, table, target)
        self.schema_ = schema
        self.classes_ = classes_of(schema)
        return encoded

    def _oracle(self) -> Encoded | None:
        if self.settings_.stopping != "oracle":
            return None
        if self.oracle_y is None:
            raise ValueError('stopping="oracle" needs the true labels in oracle_y')
        return self.schema_.encode(None, self._read_known_target(self.oracle_y))

    def _read_known_target(self, y: Any) -> Target | None:
        if y is None:
            return None
        return read_target(y, self.schema_.target_kind)  # type: ignore[arg-type]

    def _checked_target_kind(self, classes: Any) -> Any:
        if not isinstance(self.target_kind, str) or self.target_kind not in _TARGET_KINDS:
            raise ValueError(f"target_kind must be of {_TARGET_KINDS}, got {self.target_kind!r}")
        # Where all classes are told beforehand, the first part need not know the class of any row.
        first: Any = None if classes is None else next(iter(classes), None)
        told = first is not None and np.ndim(first) == 0
        return "classes" if told and self.target_kind == "auto" else self.target_kind

    def _learn_thresholds(self, encoded: EncodedTable, earlier: NDArray[np.float64] | None) -> None:
        """Learn thresholds; labels of which nothing is known here keep the earlier ones."""
        if self.schema_.target_kind != "labels":
            self.thresholds_ = np.zeros(0)
            return
        n_labels = len(self.schema_.targets)
        units = np.array([self.schema_.target_units(j).start for j in range(n_labels)])
        # In case of an interruption from here on.
        self.thresholds_ = np.full(n_labels, 0.5) if earlier is None else earlier
        if self.prediction_ is not None and _is_auto(self.threshold):
            # Its probabilities are calibrated: one half makes most labels right.
            return
        answers = self._likelihood() if self.prediction_ is None else self.prediction_
        learned = learn_thresholds(
            self.settings_.threshold,
            answers.complete,
            encoded,
            units,
            self._seed,
        )
        known = encoded.units(units).observed.any(axis=0)
        if self.settings_.threshold == "shared":
            known = np.full(n_labels, known.any())
        self.thresholds_ = np.where(known | (earlier is None), learned, self.thresholds_)

    def _probabilities(self, X: Any) -> list[NDArray[np.float64]]:
        check_is_fitted(self)
        encoded = self._encoded(X)
        if self.prediction_ is not None:
            expected = self.prediction_.complete_targets(*encoded, self.verbose)
        else:
            expected = self._completed(encoded)
        return self.schema_.target_probabilities(expected)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"

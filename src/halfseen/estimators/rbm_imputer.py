"""HalfseenImputer: the machine without labels, a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.estimators.settings import Settings
from halfseen.estimators.shared_parameters import with_shared_parameters
from halfseen.tables import Schema, encode_table


@with_shared_parameters
class HalfseenImputer(RBMBase):
    """Fill the holes of a table by a Restricted Boltzmann Machine that learned from what is seen.

    The machine is fitted to all observed entries; a hole is filled with what is expected given the
    observed entries of its row. New rows are filled by the same machine. Entries are assumed to be
    missing completely at random.

    Parameters
    ----------
    {shared_parameters}

    Attributes
    ----------
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
    HalfseenClassifier : The same machine with classes or labels.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import HalfseenImputer
    >>> X = np.repeat([[1.0, 10.0], [3.0, 30.0]], 40, axis=0)
    >>> holes = X.copy()
    >>> holes[::4, 1] = np.nan
    >>> filled = HalfseenImputer(random_state=0).fit_transform(holes)
    >>> bool(np.isnan(filled).any())
    False
    >>> bool(np.abs(filled - X).max() < 5)
    True
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from all observed entries of X.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            With NaN, None or pandas.NA where a value is missing.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self._forget()
        table = self._read_features(X, reset=True)
        self._seed = self._drawn_seed()
        schema = Schema(self._learn_features(table), (), None)
        self.settings_ = self._resolved_without_oracle(table.n_rows, schema.n_visible)
        self.schema_ = schema
        self._train(encode_table(schema, table, None))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go once over one more part of a table.

        The first part decides what each column is and its scale.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Some rows.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        first = not hasattr(self, "machine_")
        table = self._read_features(X, reset=first)
        if first:
            self._seed, self._state = self._drawn_seed(), None
            schema = Schema(self._learn_features(table), (), None)
            self.settings_ = self._resolved_without_oracle(table.n_rows, schema.n_visible)
            self.schema_ = schema
        self._train_on_part(self.schema_.encode(table, None))
        return self

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> NDArray[Any]:
        """New rows from the learned distribution.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int or None, default=None
            Seed; None takes the model's own, so that the same rows come every time.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        visible = self._sampled(n_samples, random_state)
        return self.schema_.sampled_features(visible)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of :meth:`score_samples`, for model selection."""
        return float(np.mean(self.score_samples(X)))

    def _resolved_without_oracle(self, n_rows: int, n_visible: int) -> Settings:
        settings = self._resolved(n_rows, n_visible)
        if settings.stopping == "oracle":
            raise ValueError('stopping="oracle" is for labels; use "held_out" or "none" here')
        return settings

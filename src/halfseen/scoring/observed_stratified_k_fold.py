"""A splitter that stratifies by what is known of the labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length, check_random_state

from halfseen.scoring._fold_of_rows import fold_of_rows_by_class, fold_of_rows_by_labels
from halfseen.scoring._label_array import label_array


class ObservedStratifiedKFold(BaseCrossValidator):  # type: ignore[misc]
    """Stratified folds for labels that are only partly known.

    Known labels spread evenly over the folds, and so do the rows of which
    nothing is known. Every row is tested exactly once, and fold sizes differ
    by at most one. A class with fewer rows than folds is no error: its rows go
    to different folds.

    Classes (one column) are dealt class by class, with "unknown" as one more
    stratum. Labels and several columns of classes are dealt by iterative
    stratification: the rarest known value first, unknown entries not counting.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=True
        Whether the rows of a stratum are dealt in random order or as they
        stand in the table.
    random_state : int, RandomState or None, default=None
        Seed of the order; the same integer gives the same folds. Only used
        with `shuffle`.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array(["a", "a", "b", None, None, "b"], dtype=object)
    >>> folds = ObservedStratifiedKFold(n_splits=2, random_state=0)
    >>> for train, test in folds.split(np.zeros((6, 1)), y):
    ...     print(sorted(str(label) for label in y[test]))
    ['None', 'a', 'b']
    ['None', 'a', 'b']
    """

    def __init__(
        self,
        n_splits: int = 5,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        if not isinstance(n_splits, int | np.integer) or n_splits < 2:
            raise ValueError(f"n_splits must be a whole number of at least 2, not {n_splits!r}.")
        if not shuffle and random_state is not None:
            raise ValueError("random_state has no effect without shuffle; leave one of them out.")
        self.n_splits = int(n_splits)
        self.shuffle = shuffle
        self.random_state = random_state

    def split(
        self, X: object, y: object = None, groups: object = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Give the rows to train on and to test on, fold by fold.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_rows,) or (n_rows, n_columns)
            Labels or classes, missing where unknown.
        groups : object
            Must be None; rows are not grouped.

        Yields
        ------
        train : ndarray of int
            Rows to train on, in ascending order.
        test : ndarray of int
            Rows to test on, in ascending order.
        """
        if y is None:
            raise ValueError("y is needed to stratify; without labels use sklearn's KFold.")
        if groups is not None:
            raise ValueError("Groups are not kept together here; use sklearn's GroupKFold.")
        labels = label_array(y)
        check_consistent_length(X, labels)
        n_rows = labels.shape[0]
        if n_rows < self.n_splits:
            raise ValueError(
                f"{n_rows} rows cannot fill {self.n_splits} folds; lower n_splits or add rows."
            )
        order = np.arange(n_rows)
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(n_rows)
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        deal = fold_of_rows_by_class if labels.ndim == 1 else fold_of_rows_by_labels
        fold_of_row = deal(labels, self.n_splits, order)
        for fold in range(self.n_splits):
            yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Give the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Not looked at; scikit-learn passes them.

        Returns
        -------
        int
            The number of folds.
        """
        return self.n_splits

"""A table with its labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind


@dataclass(frozen=True, eq=False)
class DataSet:
    """A complete (or naturally incomplete) table with its labels.

    Attributes
    ----------
    name : str
        Name of the set.
    X : ndarray of shape (n_rows, n_features)
        Features, NaN where missing.
    Y : ndarray of shape (n_rows, n_labels)
        0, 1, or NaN where unknown; classes one-hot.
    target : {"labels", "classes"}
        Whether a row may have any number of labels, or is of exactly one class.
    feature_names, label_names : tuple of str
        Names of the columns; numbered where none are given.
    is_train : ndarray of bool of shape (n_rows,) or None
        The split that the source defines, if any. Studies draw their own.
    image : (height, width) or None
        Shape of a row that is an image.
    blocks : ndarray of int of shape (n_features,) or None
        Columns with the same number come from one column of the source, and are missing together.
        None: every column is by itself.
    numeric : ndarray of bool of shape (n_features,) or None
        Which columns are numbers; the others are indicators 0 and 1. None: all.

    Examples
    --------
    >>> data = DataSet("mine", np.zeros((4, 2)), np.eye(2)[[0, 1, 1, 0]], "classes")
    >>> data.feature_names, data.label_names, data.image
    (('feature_1', 'feature_2'), ('class_1', 'class_2'), None)
    """

    name: str
    X: NDArray[np.float64]
    Y: NDArray[np.float64]
    target: TargetKind
    feature_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    is_train: NDArray[np.bool_] | None = None
    image: tuple[int, int] | None = None
    blocks: NDArray[np.int64] | None = None
    numeric: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        n_features, n_labels = self.X.shape[1], self.Y.shape[1]
        if not self.feature_names:
            names = tuple(f"feature_{place}" for place in range(1, n_features + 1))
            object.__setattr__(self, "feature_names", names)
        if not self.label_names:
            kind = "class" if self.target == "classes" else "label"
            names = tuple(f"{kind}_{place}" for place in range(1, n_labels + 1))
            object.__setattr__(self, "label_names", names)
        for what, given, needed in (
            ("feature names", len(self.feature_names), n_features),
            ("label names", len(self.label_names), n_labels),
            ("rows of Y", len(self.Y), len(self.X)),
            ("numbers of blocks", _length(self.blocks, n_features), n_features),
            ("kinds of columns", _length(self.numeric, n_features), n_features),
            ("rows of the split", _length(self.is_train, len(self.X)), len(self.X)),
        ):
            if given != needed:
                raise ValueError(f"data set {self.name!r} has {given} {what}, {needed} are needed")

    def rows(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> DataSet:
        """Some of the rows.

        Parameters
        ----------
        chosen : ndarray of int or bool
            Places of rows, or True for each that is wanted.

        Returns
        -------
        DataSet

        Examples
        --------
        >>> data = DataSet("mine", np.arange(6.0).reshape(3, 2), np.ones((3, 1)), "labels")
        >>> data.rows(np.array([2, 0])).X
        array([[4., 5.],
               [0., 1.]])
        """
        split = None if self.is_train is None else self.is_train[chosen]
        return replace(self, X=self.X[chosen], Y=self.Y[chosen], is_train=split)


def _length(array: NDArray[np.int64] | NDArray[np.bool_] | None, otherwise: int) -> int:
    return otherwise if array is None else len(array)

"""Scikit-learn's digits with pixels and labels hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

HIGHEST_GREY = 16
IMAGE_SIDE = 8

# The first rows are two of each digit, in order: a fair sample that nobody picked by its looks.
PICTURED_ROWS = slice(0, 20)
LEARNING_ROWS = slice(20, None)


@dataclass(frozen=True)
class HiddenDigits:
    """Digits as they are, and what of them may be seen.

    Attributes
    ----------
    pixels : ndarray of shape (n_rows, 64)
        The truth: grey levels from 0 to 16.
    labels : ndarray of shape (n_rows,)
        The truth: the digits 0 to 9.
    observed_pixels : ndarray of bool of shape (n_rows, 64)
        True where a pixel may be seen.
    observed_labels : ndarray of bool of shape (n_rows,)
        True where a label may be seen.

    Examples
    --------
    >>> digits = hide_digits(slice(0, 3), 0.5, seed=0)
    >>> digits.labels
    array([0, 1, 2])
    >>> digits.y
    array([ 0., nan,  2.])
    """

    pixels: NDArray[np.float64]
    labels: NDArray[np.int64]
    observed_pixels: NDArray[np.bool_]
    observed_labels: NDArray[np.bool_]

    @property
    def X(self) -> NDArray[np.float64]:
        """The pixels with NaN where they are hidden, of shape (n_rows, 64)."""
        return np.where(self.observed_pixels, self.pixels, np.nan)

    @property
    def y(self) -> NDArray[np.float64]:
        """The labels with NaN where they are hidden, of shape (n_rows,)."""
        return np.where(self.observed_labels, self.labels, np.nan)

    @property
    def hidden_labels_only(self) -> NDArray[np.float64]:
        """The truth to be scored: NaN where a label was seen, of shape (n_rows,)."""
        return np.where(self.observed_labels, np.nan, self.labels)


def hide_digits(rows: slice, hidden_share: float, *, seed: int) -> HiddenDigits:
    """Hide a share of the pixels and of the labels, completely at random.

    With the same seed and rows, whatever is hidden at one share is also hidden at every larger
    one.

    Parameters
    ----------
    rows : slice
        Which of the 1797 digits.
    hidden_share : float
        Probability of every single entry to be hidden, from 0 to 1.
    seed : int
        Decides what is hidden.

    Returns
    -------
    HiddenDigits

    Raises
    ------
    ValueError
        When the share is not from 0 to 1, or `rows` selects no digit.

    Examples
    --------
    >>> digits = hide_digits(slice(0, 1000), 0.8, seed=0)
    >>> print(f"{np.isnan(digits.X).mean():.1%} {np.isnan(digits.y).mean():.1%}")
    80.1% 81.1%
    """
    if not 0 <= hidden_share <= 1:
        raise ValueError(f"hidden_share must be from 0 to 1, got {hidden_share!r}")
    pixels, labels = load_digits(return_X_y=True)
    pixels, labels = pixels[rows], labels[rows]
    if not len(pixels):
        raise ValueError(f"{rows} selects none of the 1797 digits; take rows from 0 to 1796")
    rng = np.random.default_rng(seed)
    return HiddenDigits(
        pixels=pixels,
        labels=labels,
        observed_pixels=rng.random(pixels.shape) >= hidden_share,
        observed_labels=rng.random(labels.shape) >= hidden_share,
    )

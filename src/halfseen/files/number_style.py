"""How the numbers of a column are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_DIGITS: Final = 6
_LARGE: Final = 10.0 ** (_DIGITS - 1)


@dataclass(frozen=True)
class NumberStyle:
    """How the numbers of a column are written, so that new ones look like them.

    Attributes
    ----------
    is_integer : bool
        Whole numbers: new ones are rounded.
    decimals : int or None
        Every number has so many digits behind the decimal mark; None when that varies, and then
        new numbers have six significant digits, or all digits before the decimal mark if those
        are more.
    decimal_comma : bool
        The decimal mark is a comma.

    Examples
    --------
    >>> NumberStyle(is_integer=False, decimals=2, decimal_comma=True).texts(np.array([1.5, 2.346]))
    ['1,50', '2,35']
    >>> NumberStyle(is_integer=False, decimals=None, decimal_comma=False).texts(
    ...     np.array([1 / 3, 2.0, 1234567.8, 1e-7]))
    ['0.333333', '2', '1234568', '1e-07']
    """

    is_integer: bool
    decimals: int | None
    decimal_comma: bool

    def texts(self, values: NDArray[np.float64]) -> list[str]:
        """Write numbers.

        Parameters
        ----------
        values : ndarray of float64, shape (n,)
            Finite numbers.

        Returns
        -------
        list of str
            One per number.
        """
        if self.is_integer:
            values = np.rint(values) + 0.0  # no minus sign before zero
            ending = "." + "0" * self.decimals if self.decimals else ""
            texts = [f"{int(value)}{ending}" for value in values.tolist()]
        elif self.decimals is not None:
            texts = [f"{value:.{self.decimals}f}" for value in values.tolist()]
        else:
            texts = [
                f"{value:.{_DIGITS}g}" if -_LARGE < value < _LARGE else f"{value:.0f}"
                for value in values.tolist()
            ]
        return [text.replace(".", ",") for text in texts] if self.decimal_comma else texts

"""Texts as numbers."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_POINT_NUMBER: Final = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_COMMA_NUMBER: Final = r"^[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?$"


def parse_numbers(texts: pa.StringArray, *, decimal_comma: bool) -> NDArray[np.float64] | None:
    """Read texts as numbers, if all of them are.

    Parameters
    ----------
    texts : pyarrow.StringArray
        The texts; null is a hole.
    decimal_comma : bool
        The decimal mark is a comma.

    Returns
    -------
    ndarray of float64 or None
        NaN for holes; None when a text is no number, or one too large for float64.

    Examples
    --------
    >>> parse_numbers(pa.array(["1.5", None, "-2e3"]), decimal_comma=False)
    array([ 1.5e+00,      nan, -2.0e+03])
    >>> parse_numbers(pa.array(["1,5"]), decimal_comma=True)
    array([1.5])
    >>> parse_numbers(pa.array(["1.5", "inf"]), decimal_comma=False) is None
    True
    """
    if decimal_comma:
        if pc.any(pc.match_substring(texts, ".")).as_py():
            return None
        texts = pc.replace_substring(texts, ",", ".")
    try:
        parsed = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        return None
    numbers: NDArray[np.float64] = parsed.to_numpy(zero_copy_only=False)
    # The cast also takes "inf", "nan" and numbers beyond the largest.
    if np.count_nonzero(np.isfinite(numbers)) + texts.null_count < len(texts):
        return None
    return numbers


def are_numbers(texts: pa.StringArray, *, decimal_comma: bool) -> NDArray[np.bool_]:
    """Tell which texts are numbers.

    Parameters
    ----------
    texts : pyarrow.StringArray
        The texts, without null.
    decimal_comma : bool
        The decimal mark is a comma.

    Returns
    -------
    ndarray of bool
        True for numbers.

    Examples
    --------
    >>> are_numbers(pa.array(["1.5", "inf", "x", "1e999"]), decimal_comma=False)
    array([ True, False, False, False])
    """
    pattern = _COMMA_NUMBER if decimal_comma else _POINT_NUMBER
    found: NDArray[np.bool_] = pc.match_substring_regex(texts, pattern).to_numpy(
        zero_copy_only=False
    )
    if found.any():
        chosen = texts.filter(pa.array(found))
        if decimal_comma:
            chosen = pc.replace_substring(chosen, ",", ".")
        found[found] = np.isfinite(pc.cast(chosen, pa.float64()).to_numpy(zero_copy_only=False))
    return found

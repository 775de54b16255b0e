"""Cells of text files: which are missing, what they mean, and how new ones are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from halfseen.files.source import BLANKS

MISSING_MARKS: Final = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "-nan", "-NaN", "null", "NULL", "None", "<NA>", "#N/A",
    "#NA", "?",
)  # fmt: skip
"""Texts that mean "missing": those of pandas, of spreadsheets, and the "?" of public data sets.

A cell is missing if its text, without the blanks around it, is one of them, letter by letter. "-"
is not among them: too often it is a value.
"""

# What `halfseen.data` takes for a number, and the same with a decimal comma.
_NUMBER: Final = r"^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$"
_COMMA_NUMBER: Final = _NUMBER.replace(r"\.", ",")
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_LARGEST_EXACT: Final = 2.0**53
_DIGITS: Final = 6


def observed_text(cells: pa.ChunkedArray, marks: Sequence[str]) -> pa.Array:
    """Text without the blanks around it, and null where it is a missing mark."""
    text = pc.utf8_trim(cells.combine_chunks(), BLANKS)
    missing = pc.is_in(text, value_set=pa.array(marks, pa.string()))
    return pc.if_else(missing, pa.scalar(None, pa.string()), text)


def read_numbers(text: pa.Array, decimal_comma: bool) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Numbers that text writes, null where it writes none, and where text is no number."""
    matches = pc.match_substring_regex(text, _NUMBER)
    if decimal_comma and not pc.any(pc.match_substring(text, ".")).as_py():
        matches = pc.match_substring_regex(text, _COMMA_NUMBER)
        text = pc.replace_substring(text, ",", ".")
    written = pc.if_else(matches, text, pa.scalar(None, pa.string()))
    numbers = pc.cast(written, pa.float64())
    numbers = pc.if_else(pc.is_inf(numbers), pa.scalar(None, pa.float64()), numbers)
    is_other = pc.and_(text.is_valid(), numbers.is_null())
    return numbers, is_other.to_numpy(zero_copy_only=False)


def typed_column(text: pa.Array, decimal_comma: bool = False) -> pa.Array:
    """Observed text as numbers or booleans, if all of it writes such; too large ones are keys."""
    if text.null_count == len(text):
        return text
    numbers, is_other = read_numbers(text, decimal_comma)
    if not is_other.any():
        is_digits = pc.match_substring_regex(text, r"^-?\d+$")
        too_large = pc.greater_equal(pc.abs(numbers), _LARGEST_EXACT)
        if pc.any(pc.and_(is_digits, too_large)).as_py():
            return text
        return pc.cast(numbers, pa.int64()) if pc.all(is_digits).as_py() else numbers
    if not pc.all(pc.is_in(text.drop_null(), value_set=pa.array(_TRUE + _FALSE))).as_py():
        return text
    is_true = pc.is_in(text, value_set=pa.array(_TRUE))
    return pc.if_else(text.is_valid(), is_true, pa.scalar(None, pa.bool_()))


@dataclass(frozen=True)
class TextStyle:
    """How the cells of a column are written, so that new ones look like them."""

    whole: bool = False  # all observed numbers are
    decimals: int | None = None  # behind the decimal mark of every number, None if that varies
    most_decimals: int | None = None  # behind that of any number; None: some have exponents
    decimal_comma: bool = False
    spellings: dict[bool, str] = field(default_factory=dict)  # of booleans

    @classmethod
    def learn(cls, text: pa.Array, decimal_comma: bool = False, whole: bool = False) -> Self:
        """Learn from observed text; `whole` is what holds if there is none."""
        text = text.drop_null()
        spellings = {
            value: found[0].as_py()
            for value, words in ((True, _TRUE), (False, _FALSE))
            if len(found := text.filter(pc.is_in(text, value_set=pa.array(words))))
        }
        numbers, is_other = read_numbers(text, decimal_comma)
        if is_other.any() or not len(text):
            return cls(whole=whole, spellings=spellings)
        values = numbers.to_numpy()
        comma = decimal_comma and bool(pc.any(pc.match_substring(text, ",")).as_py())
        mark = pc.find_substring(text, "," if comma else ".")
        behind = pc.subtract(pc.subtract(pc.utf8_length(text), mark), 1)
        decimals = pc.if_else(pc.less(mark, 0), 0, behind).to_numpy()
        are_whole, most = bool((values == np.floor(values)).all()), int(decimals.max())
        if pc.any(pc.match_substring(text, "e", ignore_case=True)).as_py():
            return cls(are_whole, None, None, comma, spellings)
        return cls(are_whole, most if most == decimals.min() else None, most, comma, spellings)

    def write(self, values: Iterable[Any]) -> list[str]:
        """Write numbers, booleans and text."""
        return [self._written(value) for value in values]

    def _written(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, bool | np.bool_):
            return self.spellings.get(bool(value), str(bool(value)))
        number = float(value if self.most_decimals is None else round(value, self.most_decimals))
        if self.whole:
            text = f"{round(number)}" + ("." + "0" * self.decimals if self.decimals else "")
        elif self.decimals is not None:
            text = f"{number:.{self.decimals}f}"
        else:
            text = f"{number:.{_DIGITS}g}" if abs(number) < 10**_DIGITS else f"{number:.0f}"
        text = text[1:] if text.startswith("-") and not text.strip("-0.") else text
        return text.replace(".", ",") if self.decimal_comma else text

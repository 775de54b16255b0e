"""The cells of some rows: text without quotes and spaces, holes, and fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from halfseen.files.row_block import RowBlock

_QUOTE: Final = ord('"')
_WORD: Final = 8
_WORDS_AT_ONCE: Final = 32  # longer texts are rare, and hashed one by one
# Keeps the first 0 to 8 bytes of a little-endian word.
_LEADING: Final = np.array([(1 << (8 * n)) - 1 for n in range(_WORD + 1)], dtype=np.uint64)


class Cells(NamedTuple):
    r"""The cells of some rows, column by column.

    Attributes
    ----------
    text : ndarray of uint8
        UTF-8 of the rows, with eight bytes of padding.
    starts, ends : ndarray of int64, shape (n_columns, n_rows)
        Span of every cell, without its quotes and the spaces around it.
    quoted : ndarray of bool, shape (n_columns, n_rows), or None
        The field stands in quotes; None when no field does.
    escaped : ndarray of bool, shape (n_columns, n_rows), or None
        The cell holds doubled quotes; None when no cell does.
    observed : ndarray of bool, shape (n_columns, n_rows)
        False for holes.

    Examples
    --------
    >>> block = RowBlock(b'1, "a"\n NA,"x"\n', np.array([[0, 2], [7, 11]], dtype=np.int64),
    ...                  np.array([[1, 6], [10, 14]], dtype=np.int64), 0, 2)
    >>> cells = read_cells(block, ["NA"])
    >>> cells.observed
    array([[ True, False],
           [ True,  True]])
    >>> texts_of(cells, np.array([1])).to_pylist()
    ['"a"', 'x']
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    quoted: NDArray[np.bool_] | None
    escaped: NDArray[np.bool_] | None
    observed: NDArray[np.bool_]


def read_cells(
    block: RowBlock, missing_marks: Sequence[str], positions: Sequence[int] | None = None
) -> Cells:
    r"""Read the cells of some rows.

    Parameters
    ----------
    block : RowBlock
        The rows.
    missing_marks : sequence of str
        Texts that mark a hole.
    positions : sequence of int, optional
        The columns to read, in this order; by default all.

    Returns
    -------
    Cells
        Their cells.

    Examples
    --------
    >>> block = RowBlock(b"1,?\n", np.array([[0, 2]]), np.array([[1, 3]]), 0, 2)
    >>> read_cells(block, ["?"], [1]).observed
    array([[False]])
    """
    text = np.zeros(len(block.data) + _WORD, dtype=np.uint8)
    text[: len(block.data)] = np.frombuffer(block.data, dtype=np.uint8)
    raw_starts, ends = block.starts, block.ends
    if positions is not None:
        raw_starts, ends = raw_starts[:, positions], ends[:, positions]
    starts = raw_starts.T.copy()
    ends = ends.T.copy()
    quoted = escaped = None
    if b'"' in block.data:
        quoted = (text.take(starts) == _QUOTE) & (starts < ends)
        if quoted.any():
            _trim_ends(text, starts, ends)
            starts += quoted
            ends -= quoted
            escaped = _holds_quotes(text, starts, ends) & quoted
            escaped = escaped if escaped.any() else None
        else:
            quoted = None
    _trim_starts(text, starts, ends)
    _trim_ends(text, starts, ends)
    observed = ~_is_mark(text, starts, ends, missing_marks)
    return Cells(text, starts, ends, quoted, escaped, observed)


def texts_of(cells: Cells, positions: NDArray[np.int64]) -> pa.StringArray:
    r"""The texts of some columns in one array, column after column; holes are null.

    Parameters
    ----------
    cells : Cells
        The cells.
    positions : ndarray of int
        Columns of the cells.

    Returns
    -------
    pyarrow.StringArray
        Of length n_positions x n_rows.

    Examples
    --------
    >>> block = RowBlock(b"1,?\n", np.array([[0, 2]]), np.array([[1, 3]]), 0, 2)
    >>> texts_of(read_cells(block, ["?"]), np.array([0, 1])).to_pylist()
    ['1', None]
    """
    observed = cells.observed[positions].ravel()
    starts, ends = cells.starts[positions].ravel(), cells.ends[positions].ravel()
    lengths = np.where(observed, ends - starts, 0)
    offsets = _offsets(lengths)
    # The bytes to gather go up by one inside a cell, and jump from each cell to the next.
    source = np.ones(offsets[-1], dtype=np.int64)
    filled = np.flatnonzero(lengths)
    if filled.size:
        source[offsets[filled]] = starts[filled] - np.append(0, ends[filled[:-1]] - 1)
        np.cumsum(source, out=source)
    texts = _string_array(cells.text.take(source), offsets, observed)
    if cells.escaped is None:
        return texts
    escaped = cells.escaped[positions].ravel()
    if not escaped.any():
        return texts
    return pc.if_else(pa.array(escaped), pc.replace_substring(texts, '""', '"'), texts)


def texts_by_row(cells: Cells, positions: NDArray[np.int64]) -> pa.StringArray:
    r"""The texts of some columns in one array, row after row; holes are null.

    This is faster than `texts_of`, because the bytes stay in the order of the file. Doubled quotes
    stay doubled.

    Parameters
    ----------
    cells : Cells
        The cells, their columns in file order.
    positions : ndarray of int, ascending
        Columns of the cells.

    Returns
    -------
    pyarrow.StringArray
        Of length n_rows x n_positions.

    Examples
    --------
    >>> block = RowBlock(b"1,?\n2,3\n", np.array([[0, 2], [4, 6]]), np.array([[1, 3], [5, 7]]),
    ...                  0, 2)
    >>> texts_by_row(read_cells(block, ["?"]), np.array([0, 1])).to_pylist()
    ['1', None, '2', '3']
    """
    observed = cells.observed[positions].T.ravel()
    starts, ends = cells.starts[positions].T.ravel(), cells.ends[positions].T.ravel()
    lengths = np.where(observed, ends - starts, 0)
    filled = lengths > 0
    steps = np.zeros(len(cells.text), dtype=np.int8)
    steps[starts[filled]] = 1
    steps[ends[filled]] = -1
    inside = np.cumsum(steps, dtype=np.int8, out=steps).view(np.bool_)
    return _string_array(cells.text[inside], _offsets(lengths), observed)


def fingerprints(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """A hash of every span of a text that is padded by eight bytes.

    Parameters
    ----------
    text : ndarray of uint8
        UTF-8 and eight bytes of padding.
    starts, ends : ndarray of int64, shape (n,)
        The spans.

    Returns
    -------
    ndarray of uint64, shape (n,)
        Hashes.

    Examples
    --------
    >>> text = np.frombuffer(b"abab" + bytes(8), dtype=np.uint8)
    >>> one, two = fingerprints(text, np.array([0, 2]), np.array([2, 4]))
    >>> bool(one == two)
    True
    """
    lengths = ends - starts
    words = _words(text)
    hashes = mixed(words[starts] & _LEADING[np.minimum(lengths, _WORD)])
    hashes ^= mixed(lengths.astype(np.uint64) << np.uint64(48))
    longer = np.flatnonzero(lengths > _WORD)
    if not longer.size:
        return hashes
    here = starts[longer] + _WORD
    for _ in range(_WORDS_AT_ONCE):
        left = ends[longer] - here
        word = words[here] & _LEADING[np.minimum(left, _WORD)]
        hashes[longer] = mixed(hashes[longer] * np.uint64(3) ^ word)
        going_on = left > _WORD
        longer, here = longer[going_on], here[going_on] + _WORD
        if not longer.size:
            return hashes
    for index, begin, end in zip(longer.tolist(), here.tolist(), ends[longer], strict=True):
        rest = blake2b(text[begin:end].tobytes(), digest_size=_WORD, key=hashes[index].tobytes())
        hashes[index] = int.from_bytes(rest.digest(), "little")
    return hashes


def mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of 64-bit keys: a bijection after which all bits look random.

    Parameters
    ----------
    keys : ndarray of uint64
        Keys.

    Returns
    -------
    ndarray of uint64
        Mixed keys.

    Examples
    --------
    >>> len(set(mixed(np.arange(1000, dtype=np.uint64)).tolist()))
    1000
    """
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _string_array(
    text: NDArray[np.uint8], offsets: NDArray[np.int64], observed: NDArray[np.bool_]
) -> pa.StringArray:
    bits = None if observed.all() else pa.py_buffer(np.packbits(observed, bitorder="little"))
    return pa.StringArray.from_buffers(
        len(observed), pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(text), bits
    )


def _words(text: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The eight bytes at every place of the text as a little-endian number."""
    return np.ndarray((len(text) - _WORD + 1,), dtype="<u8", buffer=text, strides=(1,))


def _is_blank(characters: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((characters == ord(" ")) | (characters == ord("\t")))


def _trim_starts(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> None:
    blank = _is_blank(text.take(starts)) & (starts < ends)
    while blank.any():
        starts += blank
        blank = _is_blank(text.take(starts)) & (starts < ends)


def _trim_ends(text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
    blank = _is_blank(text.take(ends - 1)) & (starts < ends)
    while blank.any():
        ends -= blank
        blank = _is_blank(text.take(ends - 1)) & (starts < ends)


def _holds_quotes(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    places = np.flatnonzero(text == _QUOTE)
    return np.searchsorted(places, starts) < np.searchsorted(places, ends)


def _is_mark(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    missing_marks: Sequence[str],
) -> NDArray[np.bool_]:
    marks = {mark.strip(" \t").encode() for mark in missing_marks}
    is_mark = (starts == ends) if b"" in marks else np.zeros(starts.shape, dtype=bool)
    begins = np.zeros(256, dtype=bool)
    begins[[mark[0] for mark in marks if mark]] = True
    candidates = np.flatnonzero(begins.take(text.take(starts)) & (starts < ends))
    if not candidates.size:
        return is_mark
    first, last = starts.ravel()[candidates], ends.ravel()[candidates]
    lengths = last - first
    words = _words(text)[first] & _LEADING[np.minimum(lengths, _WORD)]
    found = np.zeros(len(candidates), dtype=bool)
    for mark in marks - {b""}:
        same = lengths == len(mark)
        same &= words == int.from_bytes(mark[:_WORD], "little")
        for place in range(_WORD, len(mark)):
            same[same] = text[first[same] + place] == mark[place]
        found |= same
    is_mark.ravel()[candidates[found]] = True
    return is_mark

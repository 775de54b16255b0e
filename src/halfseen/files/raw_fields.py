"""Where the fields of delimited text begin and end."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_QUOTE: Final = ord('"')
_LF: Final = ord("\n")
_CR: Final = ord("\r")


class BrokenField(NamedTuple):
    """A field that cannot be read.

    Examples
    --------
    >>> BrokenField(12, 3, "a quote is never closed")
    BrokenField(start=12, position=3, problem='a quote is never closed')
    """

    start: int
    position: int
    problem: str


class RawFields(NamedTuple):
    r"""Where the fields of whole records begin and end, quotes included.

    Attributes
    ----------
    starts, ends : ndarray of int64, shape (n_fields,)
        Span of every field, record after record.
    record_ends : ndarray of int64, shape (n_records,)
        How many fields there are up to the end of each record.
    consumed : int
        Bytes up to the end of the last whole record, its line end included.
    broken : BrokenField or None
        What stopped the reading behind the last whole record.

    Examples
    --------
    >>> raw_fields(b"a,b\n1,2\n3", ord(","), is_end=False)
    RawFields(starts=array([0, 2, 4, 6]), ends=array([1, 3, 5, 7]),
              record_ends=array([2, 4]), consumed=8, broken=None)
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    record_ends: NDArray[np.int64]
    consumed: int
    broken: BrokenField | None


def raw_fields(data: bytes, delimiter: int, *, is_end: bool) -> RawFields:
    r"""Find the fields of delimited text.

    A record ends with LF, CR LF or CR. A field that begins with a double quote goes on to the
    quote that closes it; a quote inside is doubled. A quote elsewhere is a character like others.

    Parameters
    ----------
    data : bytes
        Text that begins with a record.
    delimiter : int
        The byte between two fields.
    is_end : bool
        Nothing follows, so that the last record needs no line end.

    Returns
    -------
    RawFields
        The fields of all whole records.

    Examples
    --------
    >>> raw_fields(b'"x,y",2\r\n', ord(","), is_end=True).ends
    array([5, 7])
    """
    at_once = fields_at_once(data, delimiter, is_end=is_end)
    return at_once if at_once is not None else fields_one_by_one(data, delimiter, is_end=is_end)


def fields_at_once(data: bytes, delimiter: int, *, is_end: bool) -> RawFields | None:
    """Find all fields at once, where every quote opens, closes or doubles as it should.

    If it does, a byte is inside a quoted field exactly when an odd number of quotes precedes it.

    Parameters
    ----------
    data, delimiter, is_end
        As in `raw_fields`.

    Returns
    -------
    RawFields or None
        None when the quotes need to be looked at one by one.

    Examples
    --------
    >>> fields_at_once(b'5" pipe,2', ord(","), is_end=True) is None
    True
    """
    text = np.frombuffer(data, dtype=np.uint8)
    separates = text == delimiter
    separates |= text == _LF
    has_cr = b"\r" in data
    if has_cr:
        separates |= text == _CR
        if not is_end and data.endswith(b"\r"):
            separates[-1] = False  # a line feed may follow
    places = np.flatnonzero(separates)
    if b'"' in data:
        is_quote = text == _QUOTE
        quotes = np.flatnonzero(is_quote)
        if (is_end and quotes.size % 2) or not _pair_up(text, separates, quotes):
            return None
        parity = np.add.accumulate(is_quote, dtype=np.uint8)
        places = places[parity[places] % 2 == 0]
    kinds = text[places]
    after = places + 1
    if has_cr:
        follows_cr = (kinds == _LF) & (places > 0)
        follows_cr[follows_cr] = text[places[follows_cr] - 1] == _CR
        after[:-1][follows_cr[1:]] += 1
        kept = ~follows_cr
        places, kinds, after = places[kept], kinds[kept], after[kept]
    if (
        is_end
        and len(data)
        and not (places.size and kinds[-1] != delimiter and after[-1] == len(data))
    ):
        places = np.append(places, len(data))
        kinds = np.append(kinds, np.uint8(_LF))
        after = np.append(after, len(data))
    record_ends = np.flatnonzero(kinds != delimiter) + 1
    n_fields = int(record_ends[-1]) if record_ends.size else 0
    starts = np.zeros(n_fields, dtype=np.int64)
    starts[1:] = after[: max(n_fields - 1, 0)]
    consumed = int(after[n_fields - 1]) if n_fields else 0
    return RawFields(starts, places[:n_fields], record_ends, consumed, None)


def fields_one_by_one(data: bytes, delimiter: int, *, is_end: bool) -> RawFields:
    """Find the fields one after the other, whatever the quotes do.

    Parameters
    ----------
    data, delimiter, is_end
        As in `raw_fields`.

    Returns
    -------
    RawFields
        The fields of all whole records before the first broken field.

    Examples
    --------
    >>> fields_one_by_one(b'1,"2', ord(","), is_end=True).broken
    BrokenField(start=2, position=1, problem='a quote is never closed')
    """
    bare, quoted = _patterns(delimiter)
    starts: list[int] = []
    ends: list[int] = []
    record_ends: list[int] = []
    broken: BrokenField | None = None
    size = len(data)
    consumed = here = 0
    while here < size or (is_end and here == size and consumed < size):
        is_quoted = data[here : here + 1] == b'"'
        match = (quoted if is_quoted else bare).match(data, here)
        position = len(starts) - (record_ends[-1] if record_ends else 0)
        if match is None:
            if is_end:
                broken = BrokenField(here, position, "a quote is never closed")
            break
        end = match.end()
        if end == size and not is_end:
            break
        starts.append(here)
        ends.append(end)
        following = data[end] if end < size else _LF
        if following == delimiter:
            here = end + 1
            continue
        if following not in (_LF, _CR):
            broken = BrokenField(here, position, "text follows the quote that closes the field")
            break
        if following == _CR and end + 1 == size and not is_end:
            break
        here = end + (2 if data[end : end + 2] == b"\r\n" else 1)
        record_ends.append(len(starts))
        consumed = min(here, size)
    n_fields = record_ends[-1] if record_ends else 0
    return RawFields(
        np.array(starts[:n_fields], dtype=np.int64),
        np.array(ends[:n_fields], dtype=np.int64),
        np.array(record_ends, dtype=np.int64),
        consumed,
        broken,
    )


def _pair_up(
    text: NDArray[np.uint8], separates: NDArray[np.bool_], quotes: NDArray[np.int64]
) -> bool:
    """Every opening quote follows a separator or a quote, every closing one precedes such."""
    opening, closing = quotes[0::2], quotes[1::2]
    opening = opening[1:] if opening.size and opening[0] == 0 else opening
    closing = closing[:-1] if closing.size and closing[-1] == len(text) - 1 else closing
    before, behind = opening - 1, closing + 1
    return bool(
        np.all(separates[before] | (text[before] == _QUOTE))
        and np.all(separates[behind] | (text[behind] == _QUOTE))
    )


@lru_cache(maxsize=8)
def _patterns(delimiter: int) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    blank = b" " if delimiter == ord("\t") else rb"[ \t]"
    mark = re.escape(bytes([delimiter]))
    return (
        re.compile(b"[^" + mark + b"\r\n]*"),
        re.compile(b'"[^"]*(?:""[^"]*)*"(?!")' + blank + b"*"),
    )

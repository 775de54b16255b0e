"""Where each tensor lies in the data part of a safetensors file."""

import math
from collections.abc import Mapping
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from halfseen.storage._storable_array import MOST_DIMENSIONS, STORED_DTYPES, stored_dtype_name

_ENTRY_KEYS = {"dtype", "shape", "data_offsets"}
_LARGEST_EXTENT = int(np.iinfo(np.intp).max)


class TensorPlace(NamedTuple):
    """One tensor of a file and the place of its bytes.

    Parameters
    ----------
    name : str
        Name of the tensor.
    dtype : str
        Name of its dtype, as safetensors spells it.
    shape : tuple of int
        Its shape.
    begin, end : int
        Its bytes, counted from the end of the header.

    Examples
    --------
    >>> TensorPlace("bias", "F32", (3,), 0, 12).entry()
    {'dtype': 'F32', 'shape': [3], 'data_offsets': [0, 12]}
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    def entry(self) -> dict[str, Any]:
        """Say it as the header of the file does."""
        return {
            "dtype": self.dtype,
            "shape": list(self.shape),
            "data_offsets": [self.begin, self.end],
        }


def lay_out(arrays: Mapping[str, np.ndarray]) -> tuple[TensorPlace, ...]:
    """Give every array its place: wide items first, so each is aligned, then by name.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        Stored arrays, see `storable_array`.

    Returns
    -------
    tuple of TensorPlace
        In the order of their bytes, without gaps.

    Examples
    --------
    >>> import numpy as np
    >>> [place.name for place in lay_out({"a": np.zeros(3, np.int8), "b": np.zeros(2)})]
    ['b', 'a']
    """
    places = []
    begin = 0
    for name in sorted(arrays, key=lambda name: (-arrays[name].itemsize, name)):
        array = arrays[name]
        end = begin + array.nbytes
        places.append(TensorPlace(name, stored_dtype_name(array), array.shape, begin, end))
        begin = end
    return tuple(places)


def checked_layout(entries: Mapping[str, Any], data_size: int) -> tuple[TensorPlace, ...]:
    """Read the places from a header, and believe none of its numbers before they all fit.

    Every byte of the data part must belong to exactly one tensor, and a tensor must have the bytes
    that its dtype and shape ask for. A dtype that halfseen does not store passes here with its
    shape unchecked: the file may be foreign or newer, and that is for the caller to say.

    Parameters
    ----------
    entries : mapping of str to JSON value
        The header without its metadata.
    data_size : int
        Number of bytes after the header.

    Returns
    -------
    tuple of TensorPlace
        In the order of their bytes.

    Raises
    ------
    ValueError
        When they do not fit; says which tensor.

    Examples
    --------
    >>> entry = {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}
    >>> checked_layout({"bias": entry}, 12)
    (TensorPlace(name='bias', dtype='F32', shape=(3,), begin=0, end=12),)
    >>> checked_layout({"bias": entry}, 16)
    Traceback (most recent call last):
    ...
    ValueError: the tensors end at byte 12 of 16
    """
    places = sorted(
        (_checked_place(name, entry) for name, entry in entries.items()),
        key=lambda place: (place.begin, place.end),
    )
    reached = 0
    for place in places:
        if place.begin != reached:
            raise ValueError(
                f"tensor {short_repr(place.name)} begins at byte {short_repr(place.begin)}, "
                f"expected {short_repr(reached)}"
            )
        reached = place.end
    if reached != data_size:
        raise ValueError(f"the tensors end at byte {short_repr(reached)} of {data_size}")
    return tuple(places)


def _checked_place(name: str, entry: Any) -> TensorPlace:
    label = f"tensor {short_repr(name)}"
    if not isinstance(entry, dict) or entry.keys() != _ENTRY_KEYS:
        raise ValueError(f"{label} is not described by dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str):
        raise ValueError(f"{label} has no dtype")
    if not _are_counts(shape):
        raise ValueError(f"{label} has no shape")
    if not _are_counts(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise ValueError(f"{label} has no place")
    place = TensorPlace(name, dtype, tuple(shape), *offsets)
    if dtype in STORED_DTYPES and _n_bytes(label, place) != place.end - place.begin:
        raise ValueError(f"{label} has not the bytes that its dtype and shape ask for")
    return place


def _are_counts(value: Any) -> bool:
    # bool is an int to Python, but `true` is not a number to JSON.
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)


def _n_bytes(label: str, place: TensorPlace) -> int:
    if len(place.shape) > MOST_DIMENSIONS:
        raise ValueError(f"{label} has more than {MOST_DIMENSIONS} dimensions")
    itemsize = STORED_DTYPES[place.dtype].itemsize
    # numpy refuses (0, 2**62, 2**62) although it is empty, hence the extent without zeros.
    if math.prod(n for n in place.shape if n) * itemsize > _LARGEST_EXTENT:
        raise ValueError(f"{label} has a shape beyond all memory")
    return math.prod(place.shape) * itemsize

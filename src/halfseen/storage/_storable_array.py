"""Arrays in the form in which they lie in a file: little-endian, in C order."""

from types import MappingProxyType
from typing import Final

import numpy as np

# Names as safetensors spells them.
STORED_DTYPES: Final = MappingProxyType(
    {
        "BOOL": np.dtype("?"),
        "I8": np.dtype("<i1"),
        "I16": np.dtype("<i2"),
        "I32": np.dtype("<i4"),
        "I64": np.dtype("<i8"),
        "U8": np.dtype("<u1"),
        "U16": np.dtype("<u2"),
        "U32": np.dtype("<u4"),
        "U64": np.dtype("<u8"),
        "F16": np.dtype("<f2"),
        "F32": np.dtype("<f4"),
        "F64": np.dtype("<f8"),
    }
)
_NAME_OF = {(dtype.kind, dtype.itemsize): name for name, dtype in STORED_DTYPES.items()}

# What every supported numpy can hold.
MOST_DIMENSIONS: Final = 32


def storable_array(name: str, array: np.ndarray) -> np.ndarray:
    """Bring an array into stored form; copies only when it has to.

    Parameters
    ----------
    name : str
        Name of the array, for the complaint.
    array : ndarray of any shape
        Any byte order, any strides.

    Returns
    -------
    ndarray of the same shape
        Little-endian, in C order, booleans as bytes 0 and 1.

    Raises
    ------
    TypeError
        When it is not a plain array, or of a dtype that is not stored.
    ValueError
        When it has more than 32 dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> storable_array("bias", np.arange(3, dtype=">i2")).tobytes().hex()
    '000001000200'
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"array {name!r} is of type {type(array).__name__}: convert it with numpy.asarray"
        )
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            f"array {name!r} is a masked array, whose mask would be lost: store data and mask as "
            "two arrays"
        )
    stored_name = _NAME_OF.get((array.dtype.kind, array.dtype.itemsize))
    if stored_name is None:
        raise TypeError(
            f"array {name!r} has dtype {array.dtype}, which cannot be stored: convert it to bool, "
            "(u)int8 to (u)int64, float16, float32 or float64"
        )
    if array.ndim > MOST_DIMENSIONS:
        raise ValueError(
            f"array {name!r} has {array.ndim} dimensions, more than {MOST_DIMENSIONS}: reshape it"
        )
    stored = np.asarray(array, dtype=STORED_DTYPES[stored_name], order="C")
    # A view of other bytes as bool may hold a 2, which is True but not the same file.
    return stored.view(np.uint8) != 0 if stored_name == "BOOL" else stored


def stored_dtype_name(array: np.ndarray) -> str:
    """Name of the dtype of a stored array, as safetensors spells it.

    Parameters
    ----------
    array : ndarray
        An array that `storable_array` returned.

    Returns
    -------
    str
        A key of `STORED_DTYPES`.

    Examples
    --------
    >>> import numpy as np
    >>> stored_dtype_name(np.zeros(3, dtype=np.float32))
    'F32'
    """
    return _NAME_OF[array.dtype.kind, array.dtype.itemsize]


def stored_bytes(array: np.ndarray) -> memoryview:
    """Look at the memory of a stored array as bytes, without a copy.

    Parameters
    ----------
    array : ndarray in C order
        Any shape, also without dimensions or without elements.

    Returns
    -------
    memoryview
        Shares memory with the array.

    Examples
    --------
    >>> import numpy as np
    >>> stored_bytes(np.array(258, dtype="<u2")).hex()
    '0201'
    """
    return array.reshape(-1).view(np.uint8).data

"""How frames of any library are met: through narwhals, imported only when one arrives."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from types import ModuleType
from typing import Any

_LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "modin", "cudf", "narwhals"})


def is_frame(data: Any) -> bool:
    """Tell whether the data comes from a frame library.

    Parameters
    ----------
    data : object
        Anything.

    Returns
    -------
    bool
        True for frames and series of pandas, polars, pyarrow and their kin.

    Examples
    --------
    >>> is_frame([[1.0]])
    False
    """
    return any(kind.__module__.partition(".")[0] in _LIBRARIES for kind in type(data).__mro__)


def import_narwhals() -> ModuleType:
    """Import narwhals, or say how to get it.

    Returns
    -------
    module
        narwhals.

    Examples
    --------
    >>> import_narwhals().__name__
    'narwhals'
    """
    import narwhals

    return narwhals


def open_frame(data: Any, what: str) -> Any:
    """Open a frame of any supported library.

    Parameters
    ----------
    data : frame
        Of pandas, polars or pyarrow.
    what : str
        Name of the frame, for messages.

    Returns
    -------
    narwhals.DataFrame
        The same frame, uncopied.

    Raises
    ------
    TypeError
        The object is lazy, or no frame at all.
    ValueError
        The object is a series, or column names repeat.

    Examples
    --------
    >>> import pandas as pd
    >>> open_frame(pd.DataFrame({"a": [1, 2]}), "X").columns
    ['a']
    """
    nw = import_narwhals()
    if hasattr(data, "collect"):
        raise TypeError(f"{what} is a lazy frame; call {what}.collect() first.")
    if open_series(data) is not None:
        raise ValueError(
            f"Expected a 2D table, got a series for {what}. Reshape your data: a single column "
            f"is {what}.to_frame()."
        )
    # Before narwhals looks, because it has its own words for repeated names.
    if has_columns(data):
        _refuse_duplicates(column_names(data), what)
    try:
        return nw.from_native(data, eager_only=True)
    except TypeError as error:
        raise TypeError(
            f"{what} is a {type(data).__name__}; pass a numpy array, a list of rows, or a "
            "pandas, polars or pyarrow table."
        ) from error


def open_series(data: Any) -> Any | None:
    """Open a series of any supported library, or return None when the data is no series.

    Parameters
    ----------
    data : object
        A series of pandas or polars, a pyarrow array, or anything else.

    Returns
    -------
    narwhals.Series or None
        The same series, uncopied.

    Examples
    --------
    >>> import pandas as pd
    >>> open_series(pd.Series([1, 2])).len()
    2
    >>> open_series(pd.DataFrame({"a": [1, 2]})) is None
    True
    """
    nw = import_narwhals()
    if hasattr(data, "to_pylist") and not hasattr(data, "chunks") and hasattr(data, "offset"):
        data = import_module("pyarrow").chunked_array([data])
    if has_columns(data):
        return None
    opened = nw.from_native(data, allow_series=True, pass_through=True)
    return opened if isinstance(opened, nw.Series) else None


def has_columns(data: Any) -> bool:
    """Tell whether an object of a frame library has named columns, so that it is no series.

    Parameters
    ----------
    data : object
        Anything of a frame library.

    Returns
    -------
    bool
        True for frames.

    Examples
    --------
    >>> import pandas as pd
    >>> has_columns(pd.DataFrame({"a": [1]})), has_columns(pd.Series([1]))
    (True, False)
    """
    return hasattr(data, "columns") or hasattr(data, "column_names")


def column_names(frame: Any) -> tuple[str, ...]:
    """Column names of a frame, as text.

    Parameters
    ----------
    frame : frame
        Native or narwhals.

    Returns
    -------
    tuple of str
        One per column.

    Examples
    --------
    >>> import pandas as pd
    >>> column_names(pd.DataFrame([[1, 2]]))
    ('0', '1')
    """
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    return tuple(str(name) for name in names)


def _refuse_duplicates(names: tuple[str, ...], what: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        listed = ", ".join(repr(name) for name in repeated)
        raise ValueError(f"Column names of {what} repeat: {listed}. Give each column its own name.")

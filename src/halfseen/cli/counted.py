"""A number and what it counts, in words."""

from __future__ import annotations


def counted(n: int, what: str) -> str:
    """A number and what it counts.

    Parameters
    ----------
    n : int
        The number.
    what : str
        What it counts, in the singular.

    Returns
    -------
    str

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "hole")
    ('1 row', '1,200 holes')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"

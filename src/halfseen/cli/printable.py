"""Text from a file, made safe for a terminal."""

from __future__ import annotations


def printable(text: object, width: int = 40) -> str:
    r"""Text in which nothing commands the terminal, cut to a width.

    Parameters
    ----------
    text : object
        Anything with a text.
    width : int, default=40
        Most characters; what is longer ends in an ellipsis.

    Returns
    -------
    str

    Examples
    --------
    >>> printable("age\x1b[2J")
    'age\\x1b[2J'
    >>> printable("a long name of a column", 10)
    'a long na…'
    """
    safe = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))
    return safe if len(safe) <= width else safe[: max(width - 1, 0)] + "…"

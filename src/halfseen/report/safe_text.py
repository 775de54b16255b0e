"""Text of users, made harmless."""

from __future__ import annotations

import re
from html import escape

# What may not stand in an XML document, be it escaped or not.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def safe_text(text: str) -> str:
    """Text that can stand between tags and in attributes, of HTML and of SVG alike.

    Parameters
    ----------
    text : str
        Whatever a column, a category or a file is called.

    Returns
    -------
    str
        Escaped; characters that no document may hold are replaced by U+FFFD.

    Examples
    --------
    >>> safe_text("<script>") , safe_text("a" + chr(0) + "b")
    ('&lt;script&gt;', 'a\N{REPLACEMENT CHARACTER}b')
    """
    return escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, its end left out where it is longer.

    Examples
    --------
    >>> shortened("temperature", 6), shortened("speed", 6)
    ('tempe…', 'speed')
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"

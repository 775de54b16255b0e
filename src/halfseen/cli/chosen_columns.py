"""Columns by name, by pattern, or from a file of names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from halfseen.cli.problem import Problem, UsageProblem

_MOST_LISTED = 12


def chosen_columns(words: Sequence[str], available: Sequence[str], option: str) -> tuple[str, ...]:
    """The columns that an option names, in the order of the table.

    Parameters
    ----------
    words : sequence of str
        Each a name, names with commas between them, a pattern with ``*``, ``?`` or ``[...]``, or
        ``@`` and the name of a text file with one name or pattern per line. A word that is a
        column as it stands is that column.
    available : sequence of str
        Columns of the table.
    option : str
        Name of the option, for messages.

    Returns
    -------
    tuple of str

    Raises
    ------
    UsageProblem
        A name is not among the columns, or a pattern fits none; near spellings are named.

    Examples
    --------
    >>> chosen_columns(["tox_*,age"], ["age", "tox_a", "tox_b", "name"], "--labels")
    ('age', 'tox_a', 'tox_b')
    """
    chosen: set[str] = set()
    for word in _single_words(words, available):
        if word in available:
            chosen.add(word)
            continue
        fitting = [name for name in available if fnmatchcase(name, word)]
        if not fitting:
            raise _unknown(word, available, option)
        chosen.update(fitting)
    return tuple(name for name in available if name in chosen)


def column_named(word: str, available: Sequence[str], option: str) -> str:
    """The one column that an option names.

    Parameters
    ----------
    word : str
        Its name.
    available : sequence of str
        Columns of the table.
    option : str
        Name of the option, for messages.

    Returns
    -------
    str

    Raises
    ------
    UsageProblem
        There is no such column; near spellings are named.

    Examples
    --------
    >>> column_named("age", ["age", "sex"], "--as")
    'age'
    """
    if word not in available:
        raise _unknown(word, available, option)
    return word


def _single_words(words: Sequence[str], available: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word in available:
            yield word
        elif word.startswith("@"):
            yield from _words_of_file(word[1:])
        else:
            parts = [part.strip() for part in word.split(",")]
            yield from (part for part in parts if part)


def _words_of_file(path: str) -> list[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise Problem(
            f"Cannot read the list of columns {path!r}: {error.strerror}.",
            "Name a text file with one column per line.",
        ) from error
    except UnicodeDecodeError as error:
        raise Problem(
            f"The list of columns {path!r} is not UTF-8 text.", "Save it as UTF-8."
        ) from error
    names = [line.strip() for line in lines]
    return [name for name in names if name and not name.startswith("#")]


def _unknown(word: str, available: Sequence[str], option: str) -> UsageProblem:
    is_pattern = any(sign in word for sign in "*?[")
    what = f"no column that fits {word!r}" if is_pattern else f"no column {word!r}"
    lower = {name.lower(): name for name in available}
    near = get_close_matches(word.lower().strip("*?"), list(lower), n=3, cutoff=0.6)
    if near:
        remedy = f"Did you mean {' or '.join(repr(lower[name]) for name in near)}?"
    else:
        listed = ", ".join(repr(name) for name in available[:_MOST_LISTED])
        more = len(available) - _MOST_LISTED
        remedy = f"There are: {listed}{f' and {more} more' if more > 0 else ''}."
    return UsageProblem(f"{option}: the table has {what}.", remedy)

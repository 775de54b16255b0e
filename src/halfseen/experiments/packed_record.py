"""A record as one line of a packed run: it says what differs from the record above it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from halfseen.experiments.json_values import are_numbers_or_null, is_text, is_whole
from halfseen.experiments.record import SCORES, NotARecord, Record, record_of

_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,249}")
# The folders of an absolute path; a web address has none.
_FOLDERS = re.compile(r"(?<![\w.~-])(?<!:/)/(?:[^\s/'\":]+/)+")
_LARGEST_WHOLE = 2**53  # up to which floats hold every whole number


def packed_record(record: Record, versions: list[Mapping[str, str]]) -> dict[str, Any]:
    """The JSON document of a record in few words.

    What came out of the cell is rounded to six digits. Scores are a list in the order of
    ``SCORES``; versions are a place in a list.

    Parameters
    ----------
    record : Record
        The record.
    versions : list of mapping
        Versions of the records so far; those of this one are added if they are new.

    Returns
    -------
    dict
        All fields of the record but its key.

    Examples
    --------
    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> packed = packed_record(Record(*asked, seconds=1 / 3, scores={"micro_auc": 0.75}), [])
    >>> packed["seconds"], packed["scores"]
    (0.333333, [0.75])
    """
    if record.versions and record.versions not in versions:
        versions.append(record.versions)
    return {
        **{name: getattr(record, name) for name in _NAMES},
        "why": without_folders(record.why),
        "scores": _scores(record),
        "reliability": [[_short(value) for value in one] for one in record.reliability],
        "seconds": _short(record.seconds),
        "megabytes": _short(record.megabytes),
        "versions": versions.index(record.versions) if record.versions else None,
    }


def changes(packed: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """What a packed record has to say below another one.

    Examples
    --------
    >>> changes({"method": "cle", "realisation": 1}, {"method": "cle", "realisation": 0})
    {'realisation': 1}
    """
    # By their text, because 1, 1.0 and true are equal.
    return {
        name: value
        for name, value in packed.items()
        if name not in above or repr(value) != repr(above[name])
    }


def unpacked_record(
    packed: Mapping[str, Any],
    key: str,
    scores: Sequence[str],
    versions: Sequence[Mapping[str, str]],
    place: str,
) -> Record:
    """The record that a document of few words describes.

    Parameters
    ----------
    packed : mapping
        As :func:`packed_record` makes it.
    key : str
        Name of its files.
    scores : sequence of str
        Names of the scores, in their order.
    versions : sequence of mapping
        What places of versions stand for.
    place : str
        Where it stands, for messages.

    Returns
    -------
    Record

    Raises
    ------
    NotARecord
        A field is unknown, lacking, or holds what it cannot.

    Examples
    --------
    >>> asked = ("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> packed = packed_record(Record(*asked, n_rows=7), [])
    >>> unpacked_record(packed, "scene-mc1", SCORES, [], "here").n_rows
    7
    """
    unknown = [name for name in packed if name not in _NAMES]
    if unknown:
        raise NotARecord(f"{place} has the unknown field {unknown[0]!r}.")
    found, which = packed["scores"], packed["versions"]
    if not are_numbers_or_null(found) or len(found) > len(scores):
        raise NotARecord(f"{place} holds other scores than {', '.join(scores)}.")
    if which is not None and not (is_whole(which) and 0 <= which < len(versions)):
        raise NotARecord(f"{place} has versions that the first line does not know.")
    values = {
        **packed,
        "scores": dict(zip(scores, found, strict=False)),
        "versions": {} if which is None else versions[which],
    }
    return record_of(values, place, key)


def checked_key(key: Any, place: str) -> str:
    """A name that is fit for a file, and for none outside its folder.

    Raises
    ------
    NotARecord
        It is not.

    Examples
    --------
    >>> checked_key("scene-transductive-at_random-12.5-50-halfseen+k5-r0", "here")
    'scene-transductive-at_random-12.5-50-halfseen+k5-r0'
    """
    if not is_text(key) or not _KEY.fullmatch(key):
        raise NotARecord(f"{place} has a name that no file of a run can have.")
    return str(key)


def without_folders(text: str) -> str:
    """A text whose absolute paths are file names alone, for they are nobody else's business.

    Examples
    --------
    >>> without_folders("OSError: no file '/home/ann/tables/flowers.csv'")
    "OSError: no file 'flowers.csv'"
    """
    return _FOLDERS.sub("", text)


def _scores(record: Record) -> list[float | int | None]:
    found = [_short(record.scores.get(name, math.nan)) for name in SCORES]
    while found and found[-1] is None:
        found.pop()
    return found


def _short(value: float) -> float | int | None:
    """Six digits, but whole numbers as they are; None if it is not finite."""
    if not math.isfinite(value):
        return None
    rounded = value if float(value).is_integer() else float(f"{value:.6g}")
    is_exact = float(rounded).is_integer() and abs(rounded) < _LARGEST_WHOLE
    return int(rounded) if is_exact else rounded


_NAMES = tuple(one.name for one in fields(Record) if one.name != "key")
_ASKED = [one.name for one in fields(Record) if one.default is one.default_factory is MISSING]
# What the first record stands below: the defaults, where there are any.
NOTHING_ABOVE: Mapping[str, Any] = {
    name: value
    for name, value in packed_record(
        Record("", "transductive", "", "", 0.0, 0.0, None, ""), []
    ).items()
    if name not in _ASKED or value is None
}

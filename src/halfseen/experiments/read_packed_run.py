"""Packed runs from their files, of which nothing is believed before it is checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple, NoReturn

from halfseen.experiments.cell_tuning import TunedSettings, tuned_of
from halfseen.experiments.json_values import are_texts, is_mapping, is_text, is_whole
from halfseen.experiments.packed_record import NOTHING_ABOVE, checked_key, unpacked_record
from halfseen.experiments.record import SCORES, NotARecord, Record

FORMAT = 1
TUNING, RECORD = "tuning", "record"  # what names the lines of each
_DEEPEST = 20  # brackets open at once
_LONGEST_HEADER = 2**24


class NotAPackedRun(ValueError):
    """A file that is no packed run, or damaged, or of a newer version."""


class PackedRun(NamedTuple):
    """What a packed run holds."""

    name: str  # of the plan
    title: str
    plan: str  # its text
    versions: Mapping[str, str]
    machine: Mapping[str, Any]
    tunings: Mapping[str, TunedSettings]  # by what the realisations of a cell share
    records: Mapping[str, Record]  # by key


def read_packed_run(file: Path) -> PackedRun:
    """All that a packed run holds, every line checked.

    Raises
    ------
    NotAPackedRun
        Naming the file, the line, and what is wrong with it.
    """
    return parse_packed_run(file.read_bytes(), file)


def parse_packed_run(content: bytes, file: Path) -> PackedRun:
    """What the content of a packed run says, every line checked.

    Parameters
    ----------
    content : bytes
        The content.
    file : Path
        Its file, for messages.

    Returns
    -------
    PackedRun

    Raises
    ------
    NotAPackedRun
        Naming the file, the line, and what is wrong with it.
    """
    lines = content.split(b"\n")
    header = _header(lines[0], f"{file}, line 1,")
    if lines.pop():
        raise NotAPackedRun(f"{file} is cut off in line {len(lines) + 1}. Copy it again.")
    tunings: dict[str, TunedSettings] = {}
    records: dict[str, Record] = {}
    above, last = NOTHING_ABOVE, (False, "")
    for number, line in enumerate(lines[1:], start=2):
        place = f"{file}, line {number},"
        document = _document(line, place)
        kind = TUNING if TUNING in document else RECORD
        try:
            name = checked_key(document.pop(kind, None), place)
            if kind == TUNING:
                tunings[name] = tuned_of(document, place)
            else:
                above = {**above, **document}
                records[name] = unpacked_record(
                    above, name, header["scores"], header["versions"], place
                )
        except NotARecord as error:
            raise NotAPackedRun(str(error)) from error
        # Lines hang on those above them, so they must stand where they were written.
        if (kind == RECORD, name) <= last:
            raise NotAPackedRun(f"{place} is out of order, or there twice.")
        last = (kind == RECORD, name)
    for what, found in (("tunings", tunings), ("records", records)):
        if len(found) != header[f"n_{what}"]:
            raise NotAPackedRun(
                f"{file} holds {len(found):,} of {header[f'n_{what}']:,} {what}: it is cut off, or "
                "was changed by hand. Copy it again."
            )
    return PackedRun(
        header["packed_run"],
        header["title"],
        header["plan"],
        header["versions"][0],
        header["machine"],
        tunings,
        records,
    )


def packed_name(file: Path) -> str:
    """Name of the plan of a packed run, by the first line of its file.

    Raises
    ------
    NotAPackedRun
        It is none.
    """
    with file.open("rb") as opened:
        return str(_header(opened.readline(_LONGEST_HEADER), f"{file}, line 1,")["packed_run"])


def _header(line: bytes, place: str) -> dict[str, Any]:
    try:
        header = _document(line, place)
    except NotAPackedRun as error:
        raise NotAPackedRun(f"{error} It is no packed run, or damaged.") from error
    if "packed_run" not in header:
        raise NotAPackedRun(f"{place} is not that of a packed run.")
    if header.get("format") != FORMAT:
        raise NotAPackedRun(
            f"{place} says that it is of format {short_repr(header.get('format'))}; this version "
            f"of halfseen reads format {FORMAT}. Use the one that wrote it, or a newer one."
        )
    for name in (*_HEADER, *header):
        if name not in header:
            raise NotAPackedRun(f"{place} lacks {name}.")
        if name not in _HEADER:
            raise NotAPackedRun(f"{place} has the unknown field {name!r}.")
        if not _HEADER[name](header[name]):
            raise NotAPackedRun(f"{place} holds {short_repr(header[name])} as {name}.")
    return header


def _document(line: bytes, place: str) -> dict[str, Any]:
    """The JSON object of a line, of which everything can be written again."""
    try:
        document = json.loads(line.decode(), parse_constant=_refused)
        json.dumps(document, ensure_ascii=False).encode()  # no half of a surrogate pair
    except json.JSONDecodeError as error:
        raise NotAPackedRun(
            f"{place} is not JSON: {error.msg} at character {error.pos + 1}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise NotAPackedRun(f"{place} is not JSON: {error}.") from error
    if not is_mapping(document) or _is_deep(document, _DEEPEST):
        raise NotAPackedRun(f"{place} is no JSON object, or nests too deep.")
    return dict(document)


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _is_deep(value: Any, left: int) -> bool:
    inner = value.values() if is_mapping(value) else value if isinstance(value, list) else ()
    return left == 0 or any(_is_deep(one, left - 1) for one in inner)


def _is_plan_name(value: Any) -> bool:
    """Whether a folder can be named after it, and none elsewhere."""
    return (
        is_text(value) and value.isprintable() and all(one.strip(". ") for one in value.split("/"))
    )


_HEADER: Mapping[str, Callable[[Any], bool]] = {
    "format": is_whole,
    "packed_run": _is_plan_name,
    "title": is_text,
    "plan": is_text,
    "n_tunings": is_whole,
    "n_records": is_whole,
    "scores": lambda value: isinstance(value, list) and all(name in SCORES for name in value),
    "versions": lambda value: (
        isinstance(value, list) and bool(value) and all(map(are_texts, value))
    ),
    "machine": is_mapping,
}

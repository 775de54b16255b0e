"""Hostile table files, made from a seed."""

from __future__ import annotations

import codecs
import gzip
import random
from typing import NamedTuple

HOLES = ("", "NA", "NaN", "nan", "-nan", "null", "NULL", "None", "<NA>", "#N/A", "?", " NA ", "n/a")
WORDS = ("red", "blue", "grün", "日本", "a b", "O'Neil", "x;y", "q|r", "naïve", "007", "1.50", "-")
ODDITIES = ("n/k", "inf", "1e999", "--", "1_000", "0x1F", "1.2.3", "½", "+", "1e", "12,5")


class Hostile(NamedTuple):
    """The bytes of a file, its name and how it is to be opened."""

    name: str
    content: bytes
    encoding: str | None


def hostile_file(seed: int) -> Hostile:
    """A file with one to four things wrong or awkward about it."""
    rng = random.Random(seed)
    delimiter = rng.choice(",,,;\t|")
    n_columns = rng.randint(1, 6)
    names = [f"c{place}" for place in range(n_columns)]
    rows = [[_cell(rng, place) for place in range(n_columns)] for _ in range(rng.randint(0, 40))]
    faults = rng.sample(range(14), rng.randint(1, 4))
    _spoil_cells(rng, faults, names, rows)
    line_end = rng.choice(["\n", "\r\n", "\r"])
    lines = [_line(rng, cells, delimiter) for cells in [names, *rows]]
    if 3 in faults:
        lines.insert(
            rng.randint(0, len(lines)), rng.choice(["", "   ", '"', '"a"b', "a" + delimiter])
        )
    text = line_end.join(lines) + rng.choice(["", line_end, line_end * 3])
    if 4 in faults:
        ends = ["\n", "\r\n", "\r"]
        text = "".join(line + rng.choice(ends) for line in lines)
    return _encoded(rng, faults, text, "tsv" if delimiter == "\t" else "csv")


def _cell(rng: random.Random, place: int) -> str:
    if rng.random() < 0.2:
        return rng.choice(HOLES)
    kind = place % 5
    if kind == 0:
        return str(rng.randint(-50, 50))
    if kind == 1:
        return f"{rng.gauss(0, 10):.{rng.randint(0, 4)}f}"
    if kind == 2:
        return rng.choice(WORDS)
    if kind == 3:
        return f"20{rng.randint(10, 24)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)}"
    return rng.choice(["yes", "no"])


def _spoil_cells(
    rng: random.Random, faults: list[int], names: list[str], rows: list[list[str]]
) -> None:
    if 0 in faults:
        names[rng.randrange(len(names))] = rng.choice(["", " ", names[0], "grün", 'say "x"', "a,b"])
    if rows and 1 in faults:
        row = rng.choice(rows)
        if rng.random() < 0.5:
            row.append("surplus")
        else:
            row.pop()
    if rows and 2 in faults:
        row = rng.choice(rows)
        if row:
            row[rng.randrange(len(row))] = rng.choice(ODDITIES)
    if rows and 5 in faults:
        rng.choice(rows)[:1] = ["x" * rng.choice([10_000, 999_999, 1_000_001, 1_300_000])]
    if rows and 6 in faults:
        rng.choice(rows)[-1:] = ["nul\0nul"]


def _line(rng: random.Random, cells: list[str], delimiter: str) -> str:
    written = []
    for cell in cells:
        needs = any(mark in cell for mark in f'{delimiter}"\r\n')
        if needs or rng.random() < 0.1:
            cell = '"' + cell.replace('"', '""') + '"'
        written.append(cell)
    return delimiter.join(written)


def _encoded(rng: random.Random, faults: list[int], text: str, suffix: str) -> Hostile:
    encoding: str | None = None
    content = text.encode()
    if 7 in faults:
        content = codecs.BOM_UTF8 + content
    elif 8 in faults:
        content = text.encode(rng.choice(["utf-16", "utf-32"]))
    elif 9 in faults:
        content = text.encode("cp1252", "replace")
        encoding = rng.choice(["cp1252", "latin-1", "utf-8", None, "no-such", "shift_jis"])
    elif 10 in faults:
        content = text.encode(rng.choice(["utf-16-le", "utf-16-be"]))
    if 11 in faults:
        at = rng.randint(0, len(content))
        content = content[:at] + rng.choice([b"\xff", b"\xe9", b"\x80abc", b"\0"]) + content[at:]
    if 12 in faults:
        content = content[: rng.randint(0, len(content))]
    if 13 in faults:
        content = gzip.compress(content)
        if rng.random() < 0.5:
            content = content[: rng.randint(2, len(content))]
        return Hostile(f"t.{suffix}.gz", content, encoding)
    return Hostile(f"t.{suffix}", content, encoding)

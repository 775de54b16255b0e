"""Made-up and damaged files through the commands: a right result, or an error with its place."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import pandas as pd
import pytest

from cli.conftest import TINY, invoke, make_table, read

CELLS = ["", "NA", "?", "1", "007", "1.50", "-0", "1e3", "1e999", "nan", "inf", "red", "blue", "é",
         "a, b", 'say "x"', "two\nlines", "1,5", "2024-01-01", "01001", "=cmd|'x'!A1", "\x07",
         "x" * 300]  # fmt: skip
DELIMITERS, LINE_ENDS = ",;\t|", ("\n", "\r\n", "\r")
COMMANDS = ("inspect", "complete", "complete", "predict", "score", "explain")
# What takes longer, as it fits a model or draws a page.
LONG_COMMANDS = (*COMMANDS, "fit", "report")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "latin-1", "utf-16-be")
# Beside the file, what cannot be said more closely: it is no text, is empty, or has no header.
PLACE = r"line \d+|data row \d+|column '|the header|the file is|this is|compressed|has none of"


def made_table(rng: random.Random) -> pd.DataFrame:
    """Rows of the table of the models, some cells of which hold anything."""
    table = make_table(seed=rng.randrange(100)).sample(
        rng.randint(0, 30), random_state=rng.randrange(100)
    )
    for column in rng.sample(list(table.columns), rng.randint(0, 4)):
        kept = [rng.random() < 0.7 for _ in range(len(table))]
        table[column] = table[column].where(kept, rng.choice(CELLS))
    if rng.random() < 0.2:
        table = table.drop(columns=rng.sample(list(table.columns), rng.randint(1, 5)))
    if rng.random() < 0.1:
        table = table.rename(columns={table.columns[0]: rng.choice(["", "size", "\x1b[31m"])})
    return table


def written(rng: random.Random, table: pd.DataFrame, path: Path) -> Path:
    """The table in some dialect, as Parquet or compressed, and now and then damaged."""
    if rng.random() < 0.1 and table.columns.is_unique:
        path = path.with_suffix(".parquet")
        table.astype(str).to_parquet(path, index=False)
        content = path.read_bytes()
    else:
        text = table.to_csv(
            index=False, sep=rng.choice(DELIMITERS), lineterminator=rng.choice(LINE_ENDS)
        )
        content = text.encode(rng.choice(ENCODINGS), "replace")
        if rng.random() < 0.1:
            path, content = path.with_suffix(".csv.gz"), gzip.compress(content)
    if rng.random() < 0.3 and content:
        place = rng.randrange(len(content))
        damaged = bytearray(content)
        kind = rng.randrange(4)
        if kind == 0:
            del damaged[place:]
        elif kind == 1:
            damaged[place] = rng.randrange(256)
        elif kind == 2:
            damaged[place:place] = rng.choice([b'"', b",", b"\n", b"\0", b"\xff\xfe"])
        else:
            del damaged[place : place + rng.randint(1, 20)]
        content = bytes(damaged)
    path.write_bytes(content)
    return path


def check_file(
    seed: int, folder: Path, models: list[str], commands: tuple[str, ...] = COMMANDS
) -> bool:
    """Run one command on one file; gives whether it had a result."""
    rng = random.Random(seed)
    path = written(rng, made_table(rng), folder / f"f{seed}.csv")
    before, model = path.read_bytes(), rng.choice(models)
    out = folder / ("out" + "".join(path.suffixes))
    name = rng.choice(commands)
    words = {
        "inspect": ["inspect", path],
        "complete": ["complete", path, model, "-o", out],
        "predict": ["predict", path, model, "-o", folder / "out.csv"],
        "score": ["score", path, model],
        "explain": ["explain", path, model, "--row", rng.randint(1, 5)],
        "fit": ["fit", path, *TINY, "-o", folder / "out.safetensors"],
        "report": ["report", model, "--data", path, "-o", folder / "out.html"],
    }[name]
    result = invoke(*words, "--json", "-q", code=None)
    assert path.read_bytes() == before
    assert not list(folder.glob(".part-*"))
    if result.exit_code:
        assert result.exit_code in (1, 2), (seed, result.output)
        assert result.stdout == ""
        lines = result.stderr.replace(str(path), "FILE")
        assert name == "fit" or "FILE" in lines, (seed, lines)
        assert re.search(rf"({PLACE}|there is|no row|label of the model)", lines), (seed, lines)
    elif name == "complete" and path.suffix == ".csv":
        compare(path, out)
    path.unlink()
    out.unlink(missing_ok=True)
    return result.exit_code == 0


def compare(path: Path, out: Path) -> None:
    """No observed cell has changed, as another reader sees it."""
    from halfseen.files import MISSING_MARKS, open_table

    with open_table(path) as one, open_table(out) as other:
        before, after = (
            [row for batch in table.batches() for row in batch.cells.to_pylist()]
            for table in (one, other)
        )
        assert one.schema.names == other.schema.names
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        for name, cell in old.items():
            assert cell == new[name] or cell.strip(" \t") in MISSING_MARKS


@pytest.mark.parametrize("block", range(4))
def test_any_file_is_read_or_refused_with_its_place(
    block: int, folder: Path, tmp_path: Path, labels: str, grade: str
) -> None:
    found = [
        check_file(seed, tmp_path, [labels, grade]) for seed in range(8 * block, 8 * block + 8)
    ]
    assert any(found)


@pytest.mark.parametrize("value", ["1.5", "1000"])
def test_a_label_that_is_none_is_refused_with_its_place(
    value: str, table: Path, labels: str
) -> None:
    data = read(table)
    data.loc[230, "sick_b"] = value
    data.to_csv(table, index=False)
    for name in ("complete", "predict", "score", "report"):
        words = (name, labels, "--data", table) if name == "report" else (name, table, labels)
        result = invoke(*words, code=1)
        place = f"{table}, line 232 (data row 231), column 'sick_b': {value} is none of the classes"
        assert place in result.stderr


@pytest.mark.long
def test_three_hundred_files(tmp_path: Path, labels: str, grade: str) -> None:
    models = [labels, grade]
    found = [check_file(seed, tmp_path, models, LONG_COMMANDS) for seed in range(1000, 1300)]
    assert 100 < sum(found) < 300


def test_a_damaged_model_is_refused(table: Path, labels: str, tmp_path: Path) -> None:
    rng, content = random.Random(0), Path(labels).read_bytes()
    damaged = tmp_path / "m.safetensors"
    for _ in range(20):
        place = rng.randrange(len(content))
        damaged.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        result = invoke("complete", table, damaged, code=1)
        assert str(damaged) in result.stderr

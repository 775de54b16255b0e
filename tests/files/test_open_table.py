from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from halfseen.files import ColumnRole, TableFile, TableFileError, open_table


def opened(content: bytes, folder: Path, name: str = "a.csv", **options: Any) -> TableFile:
    path = folder / name
    path.write_bytes(content)
    return open_table(path, **options)


def roles(table: TableFile) -> list[str]:
    return [column.role.value for column in table.columns]


def test_what_is_in_a_file(tmp_path: Path) -> None:
    lines = ["id,zip,day,size,sex,kind,note,same,none,code"]
    kinds = ["red", "green", "blue"]
    for row in range(60):
        lines.append(
            f"A{row},{row % 7:03d},2024-01-{row % 28 + 1:02d},{row / 8},{'mf'[row % 2]},"
            f"{kinds[row % 3]},this is note number {row},k,,{row * row + 3}"
        )
    with opened("\n".join(lines).encode(), tmp_path) as table:
        assert roles(table) == [
            "identifier", "category", "date", "number", "yes_no", "category", "text", "constant",
            "empty", "number",
        ]  # fmt: skip
        assert table.n_rows == 60
        assert table.column("none").n_missing == 60
        assert table.column("kind").n_distinct == 3
        assert table.column("kind").examples == ("red", "green", "blue")
        assert table.column("code").is_integer
        assert not table.column("size").is_integer
        assert table.column("id").reason == "all 60 values differ and look like codes or names"


def test_nearly_only_numbers_is_an_error_with_place_and_remedy(tmp_path: Path) -> None:
    content = b"a,b\n" + b"1,x\n" * 19 + b"n/k,y\n"
    with pytest.raises(TableFileError, match="add 'n/k' to the missing marks") as caught:
        opened(content, tmp_path)
    error = caught.value
    assert (error.row, error.line, error.column) == (20, 21, "a")
    assert "19 of 20 values are" in str(error)
    with opened(content, tmp_path, missing_marks=["n/k"]) as table:
        assert table.column("a").n_missing == 1
    with opened(content, tmp_path, roles={"a": ColumnRole.CATEGORY}) as table:
        assert table.column("a").reason == "you said so"


def test_half_numbers_are_categories(tmp_path: Path) -> None:
    with opened(b"a,b\n1,1\nx,2\n2,3\ny,4\n3,5\nz,6\n", tmp_path) as table:
        assert roles(table) == ["category", "number"]
    with pytest.raises(TableFileError, match="'x' is no number") as caught:
        opened(b"a,b\n1,1\nx,2\n", tmp_path, roles={"a": ColumnRole.NUMBER})
    assert caught.value.row == 2


def test_decimal_commas_fit_the_whole_column_or_not_at_all(tmp_path: Path) -> None:
    with opened(b"a;b\n1;1,5\n2;2\n3;-,5\n", tmp_path) as table:
        assert roles(table) == ["number", "number"]
        (batch,) = table.batches()
        assert batch.column("b").to_pylist() == [1.5, 2.0, -0.5]
    with pytest.raises(TableFileError, match=r"'1\.5' is no number"):
        opened(b"a;b\n" + b"1;1,5\n" * 12 + b"1;1.5\n", tmp_path)
    with opened(b'a,b\n1,"1,5"\n2,"2,5"\n3,"3,5"\n', tmp_path) as table:
        assert roles(table) == ["number", "category"]


def test_a_late_text_is_found_in_a_file_of_many_blocks(tmp_path: Path) -> None:
    content = b"a,b\n" + b"12345678,3\n" * 150_000 + b"oops,3\n" + b"1,4\n"
    with pytest.raises(TableFileError, match="'oops'") as caught:
        opened(content, tmp_path)
    assert (caught.value.row, caught.value.line) == (150_001, 150_002)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.csv", b"a,b\n1,2\n", "csv"),
        ("a.tsv", b"a,b\tc\n1\t2\n", "tsv"),
        ("a.txt", b"a;b\n1;2\n", "csv"),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0), "csv"),
        ("a.data", b"a,b\n1,2\n", "csv"),
    ],
)
def test_formats(name: str, content: bytes, format: str, tmp_path: Path) -> None:
    with opened(content, tmp_path, name) as table:
        assert table.format == format
        assert len(table.columns) == 2


def test_a_format_that_is_told(tmp_path: Path) -> None:
    with opened(b"a b\tc\n1\t2\n", tmp_path, "a.csv", format="tsv") as table:
        assert [column.name for column in table.columns] == ["a b", "c"]
    with pytest.raises(TableFileError, match="no format 'xls'"):
        opened(b"a\n", tmp_path, format="xls")
    with pytest.raises(TableFileError, match="no parquet file"):
        opened(b"a,b\n1,2\n", tmp_path, format="parquet")


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b"a,b\n", "no row"), (b"a,b\n\n\n", "no row")],
)
def test_files_without_rows_are_refused(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match=words):
        opened(content, tmp_path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("a\n1\n")
    with pytest.raises(TableFileError, match=r"Did you mean 'patients\.csv'"):
        open_table(tmp_path / "patient.csv")
    with pytest.raises(TableFileError, match="this is a folder"):
        open_table(tmp_path)


def test_a_role_for_an_unknown_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="Did you mean 'size'"):
        opened(b"size,b\n1,2\n", tmp_path, roles={"sise": ColumnRole.NUMBER})


def test_standard_input_is_spooled_and_the_copy_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    def stdin(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    stdin(b"a,b\n1,2\n3,4\n")
    with open_table("-") as table:
        copy = table.body.stamp.path  # type: ignore[attr-defined]
        assert os.path.exists(copy)
        assert sum(batch.num_rows for batch in table.batches(1)) == 2
    assert not os.path.exists(copy)
    stdin(b"a,b\n1\n")
    before = set(os.listdir(os.path.dirname(copy)))
    with pytest.raises(TableFileError, match="standard stream -, line 2"):
        open_table("-")
    left = set(os.listdir(os.path.dirname(copy))) - before
    assert not [name for name in left if name.startswith("halfseen-")]


def test_without_pyarrow_one_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyarrow'] = None; sys.path.insert(0, sys.argv[1])\n"
    code += "import types; sys.modules['halfseen'] = package = types.ModuleType('halfseen')\n"
    code += "package.__path__ = [sys.argv[1]]\n"
    code += "import halfseen.files"
    import halfseen

    done = subprocess.run(
        [sys.executable, "-c", code, halfseen.__path__[0]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert 'needs pyarrow: pip install "halfseen[cli]".' in done.stderr.splitlines()[-1]

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from halfseen.files import TableFile, TableFileError, open_table


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "a.csv"
    lines = ["size,colour,name"]
    for row in range(300):
        lines.append(
            f"{'' if row % 5 == 0 else row / 4},{['red', 'NA', 'blue', 'x'][row % 4]},n{row}"
        )
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def table(path: Path) -> TableFile:
    return open_table(path)


def test_batches_of_any_size_make_the_same_table(table: TableFile) -> None:
    whole = pa.concat_tables(list(table.batches()))
    assert whole.num_rows == table.n_rows == 300
    assert whole.schema.types == [pa.float64(), pa.string(), pa.string()]
    assert whole.column("size").to_pylist()[:3] == [None, 0.25, 0.5]
    assert whole.column("colour").to_pylist()[:3] == ["red", None, "blue"]
    for max_rows in (1, 7, 299):
        batches = list(table.batches(max_rows))
        assert {batch.num_rows for batch in batches[:-1]} == {max_rows}
        assert {batch.schema for batch in batches} == {whole.schema}
        assert pa.concat_tables(batches).equals(whole)


def test_columns_come_in_the_order_asked_for(table: TableFile) -> None:
    whole = pa.concat_tables(list(table.batches()))
    (some,) = table.batches(columns=["name", "size"])
    assert some.equals(whole.select(["name", "size"]).combine_chunks())
    rows, indices = table.sample_rows(9, seed=1, columns=["colour", "size"])
    assert rows.equals(whole.select(["colour", "size"]).take(indices).combine_chunks())


def test_samples_hold_the_rows_they_name(table: TableFile) -> None:
    whole = pa.concat_tables(list(table.batches()))
    rows, indices = table.sample_rows(40, seed=0)
    assert rows.equals(whole.take(indices).combine_chunks())
    assert table.sample_rows(1000, seed=0)[0].equals(whole.combine_chunks())
    assert table.sample_rows(0, seed=0)[0].num_rows == 0


def test_unknown_columns_are_refused_with_near_spellings(table: TableFile) -> None:
    with pytest.raises(TableFileError, match="Did you mean 'colour'") as caught:
        table.column("color")
    assert caught.value.column == "color"
    with pytest.raises(TableFileError, match="The columns are 'size', 'colour', 'name'"):
        table.column("zzz")
    with pytest.raises(TableFileError, match="no column 'SIZE'"):
        next(table.batches(columns=["SIZE"]))


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    table = open_table(path)
    batches = table.batches(1)
    next(batches)
    path.write_text("a,b\n1,2\n3,4\n5,6\n")
    with pytest.raises(TableFileError, match="changed while it was read"):
        list(table.batches())
    path.unlink()
    with pytest.raises(TableFileError, match="changed while it was read"):
        table.sample_rows(1, seed=0)


def test_closed_is_closed(path: Path) -> None:
    with open_table(path) as table:
        pass
    with pytest.raises(ValueError, match="is closed"):
        next(table.batches())
    with pytest.raises(ValueError, match="is closed"):
        table.sample_rows(1, seed=0)


def test_at_least_one_row_at_a_time(table: TableFile) -> None:
    with pytest.raises(ValueError, match="max_rows is 0"):
        next(table.batches(0))

"""From a file to a model, and from a model to a filled file."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.conftest import TINY, N, document, invoke, make_table, read
from halfseen import RBMClassifier, load


def test_a_fit_says_what_it_did(table: Path, tmp_path: Path) -> None:
    result = invoke("fit", table, "--labels", "sick_*", "--ignore", "grade", *TINY)
    said = " ".join(result.stderr.split())
    assert "240 rows, 5 features and 2 labels" in said
    assert "Not modelled (identifier): name." in said
    assert "Not modelled (date): day." in said
    assert "Labels (multilabel-indicator): sick_a, sick_b." in said
    assert result.stdout == ""
    model = load(tmp_path / "a.safetensors")
    types = {column.name: column.type for column in model.schema_.features}
    assert types["type_code"] == types["zip"] == types["colour"] == "categorical"
    assert set(types) == {"size", "visits", "colour", "type_code", "zip"}
    assert model.n_components == 4


def test_the_same_table_in_python_gives_the_same_model(table: Path, labels: str) -> None:
    data = pd.read_csv(table, dtype={"zip": str})
    X, y = data[["size", "visits", "colour", "type_code", "zip"]], data[["sick_a", "sick_b"]]
    options = {"n_iter": 8, "n_components": 4, "learning_rate": 0.1, "validation_fraction": 0.1}
    fitted = RBMClassifier(**options, random_state=0).fit(X, y)
    saved = load(labels)
    kinds = [[c.type for c in model.schema_.columns] for model in (fitted, saved)]
    assert kinds[0] == kinds[1]
    assert np.allclose(fitted.predict_proba(X), saved.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("style", ["1", "1.0"])
def test_number_coded_categories_predict_alike_from_files_and_python(
    table: Path, labels: str, tmp_path: Path, style: str
) -> None:
    data = pd.read_csv(table, dtype={"zip": str})
    assert data["type_code"].dtype == np.float64  # with missing values
    if style == "1.0":
        written = read(table)
        written["type_code"] = [cell and cell + ".0" for cell in written["type_code"]]
        written.to_csv(table, index=False)
    out = tmp_path / "p.csv"
    result = invoke("predict", table, labels, "-o", out, "--coverage", "0.8")
    assert "not a category" not in result.stderr
    model = load(labels)
    X = data[[str(name) for name in model.feature_names_in_]]
    predicted = pd.read_csv(out)
    proba = predicted[["sick_a=1", "sick_b=1"]].to_numpy()
    assert np.allclose(proba, model.predict_proba(X), atol=2e-6)
    decided = predicted[["sick_a", "sick_b"]].to_numpy()
    assert (decided == model.predict(X)).all()
    sets = model.predict_set(X, 0.8)
    assert (predicted["sick_a_abstain"] == (sets[:, 0].sum(axis=1) > 1)).all()


def test_settings_of_a_fit(table: Path, tmp_path: Path) -> None:
    result = invoke("fit", table, "-l", "grade", *TINY, "--as", "colour=ordinal:blue,red", code=1)
    assert "'colour' holds 'a, b', which is not among its categories" in result.stderr
    for words, message in (
        (["--set", "n_itre=3"], "no parameter 'n_itre'. Parameters are n_iter"),
        (["--set", "n_iter"], "--set takes NAME=VALUE"),
        (["--effort", "fast"], "--effort is for the recommended model"),
        (["--as", "zip=category"], "no type 'category'. Types are numeric"),
        (["--as", "zap=numeric"], "no column 'zap'. Did you mean 'zip'?"),
        (["--labels", "grode"], "no column 'grode'. Did you mean 'grade'?"),
        (["--labels", ""], "no column ''"),
        (["--labels", "x*"], "no column that matches 'x*'"),
        (["--labels", "grade", "--ignore", "grade"], "by --labels and by --ignore"),
        (["--labels", "*"], "No column is left to be a feature"),
    ):
        result = invoke("fit", table, *TINY, *words, code=2)
        assert message in " ".join(result.stderr.split())
    result = invoke("fit", table, *TINY, "--set", "n_iter=0", code=1)
    assert "n_iter" in result.stderr
    assert not list(tmp_path.glob("*.safetensors"))


def test_ordinal_columns_and_lists_of_labels(table: Path) -> None:
    found = document(
        "fit", table, "-l", "sick_b, sick_a", *TINY,
        "--as", "grade=ordinal:low,mid,high", "--as", "size=log-numeric",
    )  # fmt: skip
    assert found["labels"] == ["sick_a", "sick_b"]
    (grade,) = [c for c in load(found["model"]).schema_.features if c.name == "grade"]
    assert (grade.type, grade.categories) == ("ordinal", ("low", "mid", "high"))
    assert {c["name"]: c["type"] for c in found["columns"]}["size"] == "log-numeric"


def test_sibling_labels_are_pointed_out(table: Path) -> None:
    result = invoke("fit", table, "--labels", "sick_a", "--ignore", "grade", *TINY)
    assert "sick_b: named like a label, but a feature here" in " ".join(result.stderr.split())
    notes = document("fit", table, "--labels", "sick_*", "--ignore", "grade", *TINY)["notes"]
    assert not any("named like" in note for note in notes)


def test_a_text_among_numbers_is_refused_with_its_line(table: Path) -> None:
    data = read(table)
    data.loc[17, "size"] = "n/k"
    data.to_csv(table, index=False)
    result = invoke("fit", table, "-l", "grade", *TINY, code=1)
    assert f"{table}, line 19 (data row 18), column 'size': 'n/k' is not a number" in result.stderr
    assert "--missing 'n/k'" in result.stderr
    assert "--as size=categorical" in result.stderr
    invoke("fit", table, "-l", "grade", *TINY, "--missing", "n/k", "-q")


def test_labels_have_classes(table: Path) -> None:
    result = invoke("fit", table, "-l", "size", *TINY, code=1)
    row = int(np.argmax(read(table)["size"] != ""))
    assert f"{table}, line {row + 2} (data row {row + 1}), column 'size'" in result.stderr
    assert "a label has classes" in result.stderr
    for name, words in (("name", "names rows (240 of them)"), ("day", "holds dates")):
        result = invoke("fit", table, "-l", name, *TINY, code=2)
        assert f"{name!r} {words}" in result.stderr


def test_a_sample_of_a_long_table(table: Path) -> None:
    found = document("fit", table, "-l", "grade", *TINY, "--max-rows", "150")
    assert (found["rows"], found["rows_of_file"]) == (150, N)


def test_a_first_line_of_numbers_is_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,2.5\n" + "3,4.5\n5,6.5\n" * 20)
    for command in ("inspect", "fit"):
        found = document(command, path, *(TINY if command == "fit" else ()))
        assert any("Is the first line a row" in note for note in found["notes"])


def test_few_rows_and_labels_of_one_class(table: Path) -> None:
    data = read(table)
    data[:40].to_csv(table, index=False)
    notes = document("fit", table, "-l", "grade", *TINY)["notes"]
    assert any("40 rows are few" in note for note in notes)
    data.assign(grade="low").to_csv(table, index=False)
    assert "one class" in invoke("fit", table, "-l", "grade", *TINY, code=1).stderr
    data[:0].to_csv(table, index=False)
    assert "no row" in invoke("fit", table, "-l", "grade", *TINY, code=1).stderr


def test_observed_cells_stay_and_missing_ones_are_filled(table: Path, labels: str) -> None:
    data = read(table)
    data.loc[3, "colour"] = " NA"
    data.to_csv(table, index=False, lineterminator="\r\n", encoding="utf-16")
    found = document("complete", table, labels)
    filled = table.with_name("a_filled.csv")
    after = pd.read_csv(filled, dtype=str, keep_default_na=False, encoding="utf-16")
    observed = (data != "") & (data != " NA")
    assert (after == data).to_numpy()[observed.to_numpy()].all()
    modelled = [c for c in data.columns if c not in ("name", "day", "grade")]
    assert (after[modelled] != "").all().all()
    assert found["filled"] == (~observed)[modelled].to_numpy().sum()
    assert found["still_missing"] == {"grade": int((data["grade"] == "").sum())}
    assert after["size"].str.fullmatch(r"-?\d+\.\d\d").all()
    assert after["visits"].str.fullmatch(r"\d+").all()
    assert set(after["zip"]) == set(data["zip"]) - {""}
    assert set(after["sick_a"]) == {"0", "1"}
    content = filled.read_bytes()
    assert content[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert content.decode("utf-16").count("\r\n") == N + 1


CELLS = st.sampled_from(
    ["", "NA", '"?"', "1", "007", "1.50", " 2", "-0", "1e3", "red", '"a,b"', '"say ""x"""', "é",
     '"two\r\nlines"', "1_0", "nan", "+5"]
)  # fmt: skip


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=6))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_observed_cell_changes_whatever_it_holds(
    folder: Path, labels: str, rows: list[list[str]]
) -> None:
    path, out = folder / "fuzz.csv", folder / "fuzzed.csv"
    path.write_bytes(
        "".join(",".join(row) + "\r\n" for row in [["colour", "zip", "x"], *rows]).encode()
    )
    invoke("complete", path, labels, "-o", out, "-q")
    before, after = read(path), read(out)
    missing = before.apply(lambda column: column.str.strip(" \t").isin(["", "NA", "?", "nan"]))
    assert (after == before).to_numpy()[~missing.to_numpy()].all()
    assert (after["x"] == before["x"]).all()
    is_empty = before.map(lambda cell: cell.strip(" \t") == "")[["colour", "zip"]]
    assert not (after[["colour", "zip"]] == "").to_numpy()[is_empty.to_numpy()].any()


def test_columns_and_bounds(table: Path, labels: str, tmp_path: Path) -> None:
    data, out = read(table), tmp_path / "out.csv"
    invoke("complete", table, labels, "-o", out, "--only", "size,visits", "--min", "size=12.5",
           "--max", "visits=3")  # fmt: skip
    after = read(out)
    assert (after["colour"] == data["colour"]).all()
    assert (after.loc[data["size"] == "", "size"].astype(float) >= 12.5).all()
    assert (after.loc[data["visits"] == "", "visits"].astype(int) <= 3).all()
    invoke("complete", table, labels, "-o", out, "--skip", "size", "--skip", "sick_*")
    after = read(out)
    assert (after[["size", "sick_a"]] == data[["size", "sick_a"]]).all().all()
    assert (after["colour"] != "").all()
    for words, message in (
        (["--min", "colour=3"], "no column 'colour'"),
        (["--min", "3"], "--min takes COLUMN=VALUE"),
        (["--max", "size=big"], "takes a number"),
        (["--max", "size=nan"], "nan is no bound"),
        (["--min", "size=3", "--max", "size=2"], "above its --max"),
        (["--only", "grade"], "'grade' is no column of the model"),
        (["--copies", "2", "--uncertainty", "c.csv"], "exclude each other"),
    ):
        result = invoke("complete", table, labels, "-o", out, *words, code=2)
        assert message in " ".join(result.stderr.split())


def test_uncertainty(table: Path, labels: str, tmp_path: Path) -> None:
    data, cells = read(table), tmp_path / "cells.csv"
    invoke("complete", table, labels, "--uncertainty", cells, "--coverage", "0.8", "-q")
    found, filled = (
        pd.read_csv(cells, dtype={"fill": str, "set": str}),
        read(tmp_path / "a_filled.csv"),
    )
    names = ["row", "name", "column", "fill", "lower", "upper", "probability", "set", "abstain"]
    assert list(found.columns) == names
    assert (found["name"] == data["name"][found["row"] - 1].to_numpy()).all()
    for row, column, fill in found[["row", "column", "fill"]].itertuples(index=False):
        assert filled.loc[row - 1, column] == fill
    for name in ("size", "colour", "sick_b"):
        own = found[found["column"] == name]
        assert (own["row"].to_numpy() == np.flatnonzero(data[name] == "") + 1).all()
    sizes = found[found["column"] == "size"]
    assert (sizes["lower"] <= sizes["fill"].astype(float)).all()
    assert (sizes["fill"].astype(float) <= sizes["upper"]).all()
    visits = found[found["column"] == "visits"]
    assert (visits[["lower", "upper"]] % 1 == 0).all().all()
    sick = found[found["column"] == "sick_a"]
    assert (sick["fill"].to_numpy() == filled["sick_a"][sick["row"] - 1].to_numpy()).all()
    assert set(sick["set"]) <= {"0", "1", "0|1"}
    assert (sick["abstain"].astype(bool) == (sick["set"] == "0|1")).all()
    assert all(fill in chosen for fill, chosen in zip(sick["fill"], sick["set"], strict=True))
    assert sick["probability"].between(0, 1).all()


def test_copies_are_draws(table: Path, labels: str, tmp_path: Path) -> None:
    data, out = read(table), tmp_path / "copy.csv"
    found = document("complete", table, labels, "--copies", "3", "-o", out, "--min", "size=0")
    assert found["output"] == [str(tmp_path / f"copy_{k}.csv") for k in (1, 2, 3)]
    copies = [read(path) for path in found["output"]]
    modelled = [c for c in data.columns if c not in ("name", "day", "grade")]
    for copy in copies:
        assert (copy[modelled] != "").all().all()
        assert (copy == data).to_numpy()[(data != "").to_numpy()].all()
        observed = data["size"][data["size"] != ""].astype(float)
        assert copy["size"].astype(float).between(observed.min(), observed.max()).all()
        assert set(copy["type_code"]) == {"1", "2", "3"}
    missing = (data["size"] == "") | (data["sick_a"] == "")
    for name in ("size", "sick_a"):
        assert (copies[0][name] != copies[1][name])[missing].any()
    head = tmp_path / "head.csv"
    data[:100].to_csv(head, index=False)
    invoke("complete", head, labels, "--copies", "3", "-o", out, "--min", "size=0")
    assert (read(tmp_path / "copy_2.csv")["sick_a"] == copies[1]["sick_a"][:100]).all()


def test_typed_files_keep_their_types(table: Path, labels: str, tmp_path: Path) -> None:
    data = pd.read_csv(table, dtype={"zip": str}).convert_dtypes()
    data["colour"] = data["colour"].astype("category")
    data["key"] = np.arange(N) + 2**60
    typed = pa.Table.from_pandas(data)
    pq.write_table(typed, tmp_path / "a.parquet", row_group_size=50)
    typed = pq.read_table(tmp_path / "a.parquet")
    invoke("complete", tmp_path / "a.parquet", labels, "-q")
    filled = pq.read_table(tmp_path / "a_filled.parquet")
    assert filled.schema.equals(typed.schema, check_metadata=True)
    for name in typed.column_names:
        before, after = typed.column(name).to_pylist(), filled.column(name).to_pylist()
        assert [a for a, b in zip(after, before, strict=True) if b is not None] == [
            b for b in before if b is not None
        ]
    assert filled.column("size").null_count == filled.column("type_code").null_count == 0
    result = invoke("complete", tmp_path / "a.parquet", labels, "-o", tmp_path / "b.csv", code=2)
    assert "stays parquet" in result.stderr


def test_streams_and_compression(table: Path, labels: str, tmp_path: Path) -> None:
    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    invoke("complete", packed, labels)
    filled = gzip.decompress((tmp_path / "b_filled.csv.gz").read_bytes())
    result = invoke("complete", "-", labels, input=table.read_bytes())
    assert result.stdout_bytes == filled
    assert "Filled" in result.stderr
    assert invoke("complete", "-", labels, "--json", input=b"zip\n1\n", code=2).stdout == ""


def test_columns_may_be_in_any_order_or_absent(table: Path, labels: str, tmp_path: Path) -> None:
    data = read(table)
    data.drop(columns=["size", "sick_b", "name"]).iloc[:, ::-1].to_csv(table, index=False)
    found = document("complete", table, labels, "-o", tmp_path / "b.csv")
    assert any("'size'" in note and "absent" in note for note in found["notes"])
    assert not any("'name'" in note for note in found["notes"])
    assert list(read(tmp_path / "b.csv").columns) == list(read(table).columns)
    data[["grade", "day"]].to_csv(table, index=False)
    result = invoke("complete", table, labels, code=1)
    assert "has none of the columns" in " ".join(result.stderr.split())


def test_unknown_categories_and_bad_numbers(table: Path, labels: str, tmp_path: Path) -> None:
    data = read(table)
    data.loc[0, "colour"] = "mauve"
    data.to_csv(table, index=False)
    notes = document("complete", table, labels)["notes"]
    assert any("'mauve' is not a category" in note for note in notes)
    assert read(tmp_path / "a_filled.csv").loc[0, "colour"] == "mauve"
    data.loc[9, "size"] = "1,5"
    data.to_csv(table, index=False)
    result = invoke("complete", table, labels, "-o", tmp_path / "c.csv", code=1)
    assert "line 11 (data row 10), column 'size': '1,5' is not a number" in result.stderr
    assert not (tmp_path / "c.csv").exists()


def test_a_model_without_labels(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.safetensors"
    invoke("fit", table, "--ignore", "grade", "-o", model, *TINY)
    invoke("complete", table, model, "--uncertainty", tmp_path / "cells.csv")
    assert (read(tmp_path / "a_filled.csv")["sick_a"] != "").all()
    assert "no labels to predict" in invoke("predict", table, model, code=1).stderr


def test_classes_are_filled(table: Path, grade: str, tmp_path: Path) -> None:
    invoke("complete", table, grade, "--uncertainty", tmp_path / "c.csv")
    data, after = read(table), read(tmp_path / "a_filled.csv")
    assert set(after["grade"]) == {"low", "mid", "high"}
    cells = read(tmp_path / "c.csv")
    assert (cells["column"] == "grade").sum() == (data["grade"] == "").sum()
    assert make_table()["grade"].tolist() == data["grade"].tolist()

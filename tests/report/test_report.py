"""The page about a model: what it says, that it is safe, and that it needs nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from halfseen import RBMClassifier, RBMImputer, load
from halfseen.experiments.scores import label_scores
from halfseen.explain import couplings, explain_rows, unusual_rows
from halfseen.metrics import accuracy, log_loss, micro_auc
from halfseen.report import report_html, write_report
from halfseen.report.page import name_text, number, number_text, percent
from rbm.tables import LIGHT
from report.conftest import ALL_KINDS, NEW, fitted, y_of
from report.parsed import Cell, ParsedPage, check_page

SECTIONS = [
    "How far to trust it", "The data", "Scores", "Calibration and coverage", "Examples",
    "Couplings", "Unusual rows", "Training and internals",
]  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror="alert(1)">',
    "a'b\"c&amp;<b>",
    "$x^2$ and $",
    "{{ 7 * 7 }}{% raw %}",
    "\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe",
    "nul\x00, bell\x07",
    "Größe 大小 \N{GRINNING FACE}",
    "line\nbreak\tand tab",
    "long" * 2000,
    "</style></svg></table>",
]


def sections_of(page: ParsedPage) -> list[str]:
    return [heading for heading in page.headings if heading in SECTIONS]


class TestEveryModel:
    @pytest.mark.parametrize("kind", ALL_KINDS)
    def test_with_rows_all_sections_are_there(self, models: Any, kind: str) -> None:
        page = check_page(report_html(models[kind], NEW, y_of(kind)))
        absent = ["Calibration and coverage"] if kind == "imputer" else []
        assert sections_of(page) == [name for name in SECTIONS if name not in absent]
        links = [own["href"] for tag, own in page.tags if tag == "a"]
        assert len(links) == 1 + len(sections_of(page))

    @pytest.mark.parametrize("kind", ALL_KINDS)
    def test_without_rows_it_says_what_the_model_knows(self, models: Any, kind: str) -> None:
        page = check_page(report_html(models[kind]))
        shown = ["How far to trust it", "The data", "Scores", "Couplings", "Training and internals"]
        assert sections_of(page) == shown
        assert "No rows were given" in page.text
        columns = page.tables["columns"]
        assert len(columns) == len(models[kind].schema_.columns)
        assert {row[3].text.strip() for row in columns} == {"\N{EN DASH}"}

    def test_rows_without_targets_have_no_scores(self, models: Any) -> None:
        page = check_page(report_html(models["binary"], NEW))
        assert "No known targets were given" in page.text
        assert "Examples" in page.headings

    def test_arrays_and_lists(self) -> None:
        rng = np.random.default_rng(0)
        X = np.where(rng.random((40, 3)) < 0.3, np.nan, rng.normal(size=(40, 3)))
        y = np.where(rng.random(40) < 0.3, np.nan, rng.random(40) < 0.5)
        model = RBMClassifier(**LIGHT).fit(X, y)
        page = check_page(report_html(model, X, y))
        assert [row[0].text for row in page.tables["columns"]] == [
            "column 0", "column 1", "column 2", "target 0",
        ]  # fmt: skip
        assert "predicts target 0 (0, 1), and fills the missing entries of 3 features" in page.text
        check_page(report_html(model, X.tolist()))

    def test_a_complete_table_and_a_row_without_any_entry(self, models: Any) -> None:
        complete = models["imputer"].transform(NEW)
        page = check_page(report_html(models["imputer"], complete))
        assert "Examples" not in page.headings
        check_page(report_html(models["binary"], NEW.iloc[:2].mask(NEW.iloc[:2].notna())))

    def test_one_column_has_no_couplings(self) -> None:
        model = RBMImputer(**LIGHT).fit([[0.0], [1.0], [2.0]] * 10)
        assert "Couplings" not in check_page(report_html(model)).headings

    def test_training_of_an_rbm_is_drawn_if_it_has_losses(self, models: Any) -> None:
        assert "It keeps no validation losses" in report_html(models["binary"])
        page = check_page(report_html(fitted("binary", early_stopping=True)))
        assert "Validation loss, epoch by epoch" in page.text
        assert ["early_stopping", "True"] in [
            [cell.text for cell in row] for row in page.tables["parameters"]
        ]


class TestNumbers:
    """Figures are those of the public methods, to the last digit."""

    @staticmethod
    def examples(page: ParsedPage) -> list[tuple[int, list[list[Cell]]]]:
        rows = [re.match(r"Row (\d+): ", heading) for heading in page.headings]
        numbers = [int(match[1]) for match in rows if match]
        tables = [page.tables[f"example-{k}"] for k in range(1, len(numbers) + 1)]
        return list(zip(numbers, tables, strict=True))

    @pytest.mark.parametrize("kind", ALL_KINDS)
    def test_examples_are_complete_and_predict_proba(self, models: Any, kind: str) -> None:
        model, y = models[kind], y_of(kind)
        page = check_page(report_html(model, NEW, y))
        given = (NEW,) if y is None else (NEW, y)
        filled, bounds = model.complete(*given).X, model.predict_interval(NEW)
        explained = {(p.row, p.column): p for p in explain_rows(model, *given).predictions}
        n_targets, names = len(model.schema_.targets), list(NEW.columns)
        found = self.examples(page)
        assert len(found) >= 3
        for row, cells in found:
            for j, cell in enumerate(cells[:n_targets]):
                proba = model.predict_proba(NEW)
                proba = proba[j] if isinstance(proba, list) else proba
                likely = proba[row, j] if kind == "multilabel" else proba[row]
                assert cell[2].values[0] in np.atleast_1d(likely)
                decided = model.predict(NEW)[row]
                decided = decided[j] if n_targets > 1 else decided
                shown = cell[1].values[0] if cell[1].values else cell[1].text
                assert shown == decided
            for cell in cells[n_targets:]:
                name = cell[0].text
                value = filled.iloc[row, names.index(name)]
                prediction = explained[row, name]
                if cell[1].values and name != "count":  # which pandas holds as whole numbers
                    assert cell[1].values == [value]
                    low, high = bounds[row, names.index(name)]
                    assert cell[3].values == [min(low, value), max(high, value)]
                elif not cell[1].values:
                    assert cell[1].text == str(value)
                    assert cell[2].values == [prediction.probability]
                moved = [effect.change for effect in prediction.effects[:3] if effect.change]
                assert [v for v in cell[5].values if v in moved] == moved

    def test_rows_have_the_names_that_are_given(self, models: Any) -> None:
        names = [f"{k + 1:,} (device d-{k})" for k in range(len(NEW))]
        page = check_page(report_html(models["binary"], NEW, y_of("binary"), rows=names))
        shown = [heading for heading in page.headings if heading.startswith("Row ")]
        assert shown
        assert all(re.match(r"Row (\d+) \(device d-\d+\): ", heading) for heading in shown)
        assert {row[0].text for row in page.tables["unusual-rows"]} <= set(names)
        with pytest.raises(ValueError, match="rows has 2 names, and X 30 rows"):
            report_html(models["binary"], NEW, rows=["a", "b"])

    def test_whole_numbers_are_shown_whole(self, models: Any) -> None:
        page = check_page(report_html(models["imputer"], NEW))
        for _, cells in self.examples(page):
            for cell in cells:
                if cell[0].text == "count":
                    assert all(value == round(value) for value in cell[1].values + cell[3].values)

    def test_scores_are_those_of_the_metrics(self, models: Any) -> None:
        model, y = models["multilabel"], y_of("multilabel")
        page = check_page(report_html(model, NEW, y))
        proba = model.predict_proba(NEW)
        for j, row in enumerate(page.tables["scores-targets"]):
            n, right, _, auc, loss = (cell.values[0] for cell in row[1:])
            known = ~np.isnan(y[:, j])
            assert n == known.sum()
            assert right == accuracy(y[:, j], model.predict(NEW)[:, j])
            assert auc == pytest.approx(micro_auc(y[:, j], proba[:, j]))
            assert loss == pytest.approx(log_loss(y[:, j], proba[:, j]))
        classes = [one for label in label_scores(model, NEW, y) for one in label.classes]
        shown = [(row[2].values[0], row[3].values[0]) for row in page.tables["coverage"]]
        assert shown == [(one.n_known, round(one.n_known * one.set_coverage)) for one in classes]

    def test_couplings_and_unusual_rows_are_those_of_explain(self, models: Any) -> None:
        model, y = models["binary"], y_of("binary")
        page = check_page(report_html(model, NEW, y))
        pairs = couplings(model, NEW, y).table(30)
        shown = [row[2].values[0] for row in page.tables["pairs"]]
        assert shown == [pair["strength"] for pair in pairs if pair["strength"] > 0]
        unusual = unusual_rows(model, NEW, y, top=10, n_entries=3).rows
        rows = page.tables["unusual-rows"]
        assert [int(row[0].text) for row in rows] == [of.row for of in unusual]
        assert [row[1].values[0] for row in rows] == [of.score for of in unusual]

    def test_trust_is_that_of_the_calibration(self, models: Any) -> None:
        model = models["multiclass"]
        page = check_page(report_html(model))
        [sets], intervals = model.calibration_.sets, model.calibration_.intervals
        rows = page.tables["trust-classes"]
        assert [row[3].values[0] for row in rows] == sets.n_validation.tolist()
        assert [row[4].values[0] for row in rows] == sets.least_probability(0.5).tolist()
        is_number = [column.is_number for column in model.schema_.features]
        rows = page.tables["trust-columns"]
        assert [row[1].values[0] for row in rows] == intervals.n_validation[is_number].tolist()
        median = intervals.error_quantile(0.5)
        assert [row[4].values[0] for row in rows] == median[is_number].tolist()
        assert rows[0][2].values[0] == median[0] * model.schema_.features[0].scale

    def test_missing_shares(self, models: Any) -> None:
        page = check_page(report_html(models["binary"], NEW, y_of("binary")))
        shown = [row[3].values[0] for row in page.tables["columns"]]
        expected = [*NEW.isna().mean(), pd.isna(y_of("binary")).mean()]
        assert shown == pytest.approx(expected)


class TestExamples:
    def test_errors_certain_rows_and_the_rarest_class_are_among_them(self, models: Any) -> None:
        page = check_page(report_html(models["multiclass"], NEW, y_of("multiclass")))
        why = [h.partition(": ")[2] for h in page.headings if h.startswith("Row ")]
        assert why[:2] == ["the largest error", "right, and the most certain"]
        assert any(text.startswith("of the rarest class, ") for text in why)
        assert "(wrong)" in page.tables["example-1"][0][4].text
        assert "wrong" not in page.tables["example-2"][0][4].text

    def test_rows_are_named_by_the_index_of_a_frame(self, models: Any) -> None:
        named = NEW.set_axis([f"patient {k}" for k in range(len(NEW))])
        page = check_page(report_html(models["imputer"], named))
        headings = [heading for heading in page.headings if heading.startswith("Row ")]
        assert headings
        assert all(heading.startswith("Row patient ") for heading in headings)
        assert page.tables["unusual-rows"][0][0].text.startswith("patient ")


class TestWarnings:
    def test_columns_outliers_classes_and_categories(self) -> None:
        rng = np.random.default_rng(0)
        X = pd.DataFrame(
            {"id": range(60), "size": rng.normal(size=60), "kind": ["a", "b", "c"] * 20}
        )
        X.loc[41, "size"] = 1e6
        y = pd.Series(["common"] * 57 + ["rare"] * 3, name="risk")
        with pytest.warns(UserWarning, match="not modelled|Gross outliers"):
            model = RBMClassifier(**LIGHT).fit(X, y)
        X.loc[3, "kind"] = "new kind"
        page = check_page(report_html(model, X, y))
        for text in (
            "Not modelled, neither used nor filled: id (identifier)",
            "Gross outliers in the given rows: size in row 41: 1e+06",
            "Few known entries in the training table: risk = rare (3 of 60)",
            "Few validation entries: risk = ",
            "'new kind' is not a category of the training table",
        ):
            assert page.text.count(text) == 1, text

    def test_without_validation_entries(self) -> None:
        page = check_page(report_html(fitted("binary", validation_fraction=0.0), NEW))
        assert "No entries were held out in the fit" in page.text
        assert "There are no validation entries to judge by" in page.text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ParsedPage:
    rng = np.random.default_rng(0)
    n_rows = 60
    X = pd.DataFrame(rng.normal(size=(n_rows, len(HOSTILE))), columns=HOSTILE)
    X = X.mask(rng.random(X.shape) < 0.2)
    for place in (0, 5, 6, 9):
        X[HOSTILE[place]] = rng.choice(HOSTILE, n_rows)
    y = pd.Series(rng.choice(HOSTILE[:3], n_rows), name=HOSTILE[0])
    model = RBMClassifier(**LIGHT).fit(X, y)
    path = tmp_path_factory.mktemp("hostile") / "page.html"
    write_report(model, path, X, y, title=HOSTILE[1], command=HOSTILE[0] + "half \ud800")
    return check_page(path.read_text(encoding="utf-8"))


class TestHostileTables:
    def test_names_and_values_are_text(self, hostile: ParsedPage) -> None:
        assert hostile.headings[0] == HOSTILE[1]
        for name in (*HOSTILE[:5], HOSTILE[7], "line break and tab"):
            assert name in hostile.text
        assert hostile.text.count("</style></svg></table>") >= 3
        assert "49" not in hostile.headings

    def test_what_no_page_may_hold_is_replaced(self, hostile: ParsedPage) -> None:
        assert not re.search("[\x00\x07\u202e\ud800]", hostile.html)
        assert "nul\N{REPLACEMENT CHARACTER}, bell" in hostile.text

    def test_long_names_are_cut_off(self, hostile: ParsedPage) -> None:
        assert "long" * 20 in hostile.text
        assert "long" * 30 not in hostile.text


class TestThePage:
    def test_the_same_arguments_give_the_same_page(self, models: Any, tmp_path: Path) -> None:
        import matplotlib as mpl

        model, y = models["multiclass"], y_of("multiclass")
        first = report_html(model, NEW, y)
        model.save(tmp_path / "model.safetensors")
        with mpl.rc_context({"axes.grid": True, "lines.linewidth": 9}):
            assert report_html(load(tmp_path / "model.safetensors"), NEW, y) == first

    def test_title_and_command(self, models: Any) -> None:
        html = report_html(models["binary"], title="A < B", command="halfseen report")
        page = check_page(html)
        assert page.headings[0] == "A < B"
        assert "with halfseen report." in page.text

    def test_long_tables_unfold(self) -> None:
        X = np.random.default_rng(0).normal(size=(40, 20))
        page = check_page(report_html(RBMImputer(**LIGHT).fit(X)))
        assert len(page.tables["columns"]) == 20
        assert "8 more" in page.text

    def test_colours_are_there_in_light_and_dark(self, models: Any) -> None:
        page = check_page(report_html(models["binary"], NEW))
        used = set(re.findall(r"var\(--([a-z]+)\)", page.html))
        light, dark = page.style.split("prefers-color-scheme: dark")
        for name in used:
            assert f"--{name}:" in light
            assert f"--{name}:" in dark

    def test_a_failure_leaves_the_old_page(self, models: Any, tmp_path: Path) -> None:
        path = tmp_path / "page.html"
        write_report(models["imputer"], path)
        before = path.read_bytes()
        with pytest.raises(ValueError, match="y was given without X"):
            write_report(models["binary"], path, y=y_of("binary"))
        with pytest.raises(ValueError, match="has no targets"):
            write_report(models["imputer"], path, NEW, y_of("binary"))
        with pytest.raises(NotFittedError):
            write_report(RBMImputer(), path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


def test_numbers_and_names_on_pages() -> None:
    assert str(number(0.123456)) == '<data value="0.123456">0.123</data>'
    assert str(percent(0.034)) == '<data value="0.034">3.4\xa0%</data>'
    shown = [number_text(value) for value in (0.123456, 12345, 1234.5, -2e-9)]
    assert shown == ["0.123", "12,345", "1,234", "\N{MINUS SIGN}2.00e\N{MINUS SIGN}9"]
    assert str(name_text("tox_<a>")) == "tox_<wbr>&lt;a&gt;"

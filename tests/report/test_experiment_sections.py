from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from halfseen.experiments.published import PublishedFigure
from halfseen.experiments.record import Record
from halfseen.report import Cell, Details, Note, Section, Table
from halfseen.report.experiment_sections.calibration_pictures import (
    calibration_pictures,
    pooled_reliability,
)
from halfseen.report.experiment_sections.course_section import course_section
from halfseen.report.experiment_sections.not_done_section import not_done_section
from halfseen.report.experiment_sections.overview_section import overview_section
from halfseen.report.experiment_sections.paper_figures import PaperFigures, paper_figures
from halfseen.report.experiment_sections.published_section import published_section
from halfseen.report.experiment_sections.rate_pictures import rate_pictures
from halfseen.report.experiment_sections.reconstruction_pictures import reconstruction_pictures
from halfseen.report.experiment_sections.run_section import run_section
from halfseen.report.experiment_sections.score_tables import score_tables
from halfseen.report.experiment_sections.study import Study
from halfseen.report.experiment_sections.study_drawers import StudyDrawers
from halfseen.report.experiment_sections.time_pictures import time_pictures
from halfseen.report.parts import Code, Part
from report.checked import checked_svg, number_of, with_class, words
from report.invented_run import FEW, RATES, VERSIONS, invented_records, write_run

NOTHING = PaperFigures({}, ())
FIGURE = PublishedFigure("Table 2", "transductive", "scene", "RBM-MO", 0.5, 0.5, "micro_auc", 0.934)


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("A study", invented_records(methods=FEW), Path("nowhere"))


def tables(parts: Sequence[Part]) -> Iterator[Table]:
    for part in parts:
        if isinstance(part, Table):
            yield part
        elif isinstance(part, Details):
            yield from tables(part.parts)


def row_of(table: Table, name: str) -> list[Cell]:
    for row in table.rows:
        first = row[0]
        if (first.text if isinstance(first, Cell) else first) == name:
            return [entry for entry in row if isinstance(entry, Cell)]
    raise AssertionError(f"no row {name}")


def notes(section: Section) -> str:
    return " ".join(part.text for part in section.parts if isinstance(part, Note))


class TestOverview:
    def test_the_winner_of_every_setting_and_its_score(self, study: Study) -> None:
        labels, features, *_ = tables(overview_section(study).parts)
        assert len(labels.heads) == 1 + len(RATES)
        assert [head.group for head in labels.heads][1] == "features 50\xa0% hidden"
        cell = features.rows[0][1]
        assert isinstance(cell, Cell)
        assert cell.text == "halfseen"
        assert cell.opens

    def test_every_method_is_ranked_and_those_not_done_are_counted(self, study: Study) -> None:
        *_, ranking = tables(overview_section(study).parts)
        assert len(ranking.rows) == len(FEW)
        by_name = {row[0].text: row for row in ranking.rows if isinstance(row[0], Cell)}
        assert by_name["GAIN"][-1] == len(RATES)
        assert by_name["MisGAN"][-1] == 3 * len(RATES)
        assert by_name["MisGAN"][1] is None

    def test_without_the_prior_it_says_so(self, study: Study) -> None:
        assert "constant prior" not in notes(overview_section(study))
        others = [r for r in study.records if r.method != "column_prior"]
        assert "was not run" in notes(overview_section(Study("", others, Path())))


class TestTables:
    def test_the_form_of_the_paper(self, study: Study) -> None:
        first, second, folded = score_tables(study, study.courses[0], NOTHING)
        assert isinstance(first, Table)
        assert isinstance(second, Table)
        assert isinstance(folded, Details)
        groups = [head.group for head in first.heads]
        assert groups == ["", *["RMSE ↓"] * 3, *["micro-AUC ↑"] * 3, *["Hamming accuracy ↑"] * 3]
        assert [head.title for head in first.heads[1:4]] == ["30\xa0%", "50\xa0%", "80\xa0%"]
        assert len(first.rows) == len(FEW)

    def test_no_table_is_wider_than_a_sheet(self, study: Study) -> None:
        every = list(tables(score_tables(study, study.courses[0], NOTHING)))
        assert max(len(table.heads) for table in every) == 10
        groups = {head.group.rstrip(" ↑↓") for table in every for head in table.heads[1:]}
        assert "log-loss" in groups
        assert "coverage of 90\xa0% intervals" in groups

    def test_means_spreads_and_the_constant_prior(self, study: Study) -> None:
        first = next(tables(score_tables(study, study.courses[0], NOTHING)))
        own = [
            r.scores["rmse"]
            for r in study.records
            if (r.method, r.feature_rate, r.label_rate) == ("column_prior", 0.5, 0.3)
        ]
        cell = row_of(first, "constant prior")[1]
        assert cell.text == f"{np.mean(own):.3f}"
        assert cell.spread == f"± {np.std(own, ddof=1):.3f}"
        assert cell.tone == "plain"
        assert row_of(first, "halfseen")[1].tone == "strong"

    def test_failures_are_shown_where_the_figure_would_be(self, study: Study) -> None:
        first = next(tables(score_tables(study, study.courses[0], NOTHING)))
        assert {cell.text for cell in row_of(first, "MisGAN")[1:]} == {"left out"}
        assert row_of(first, "GAIN")[1].below == "2 of 3 masks"

    def test_published_figures_stand_below_ours(self, study: Study) -> None:
        paper = paper_figures(study, [FIGURE])
        first = next(tables(score_tables(study, study.courses[0], paper)))
        texts = [cell.below for cell in row_of(first, "halfseen (paper)")[1:]]
        assert texts == ["", "", "", "", "paper 0.934", "", "", "", ""]

    def test_published_accuracies_have_ours_of_all_entries_beside_them(self, study: Study) -> None:
        figure = replace(FIGURE, score="hamming_accuracy", mean=0.907)
        first = next(tables(score_tables(study, study.courses[0], paper_figures(study, [figure]))))
        own = [
            r.scores["accuracy_all_entries"]
            for r in study.records
            if (r.method, r.feature_rate, r.label_rate) == ("halfseen_paper", 0.5, 0.5)
        ]
        said = row_of(first, "halfseen (paper)")[8].below
        assert said == f"paper 0.907; of\xa0all\xa0{np.mean(own):.3f}"
        assert "counted as right" in first.caption

    def test_features_of_another_method_are_marked(self) -> None:
        records = invented_records(rates=RATES[:1], methods=["boosted_imputed", "cle"])
        study = Study("", records, Path())
        table = next(tables(score_tables(study, study.courses[0], NOTHING)))
        assert row_of(table, "impute, then boosting")[1].text.endswith("†")
        assert "†" in table.caption


class TestPublished:
    def test_the_paper_stands_beside_its_preset_or_else_beside_halfseen(self, study: Study) -> None:
        found = paper_figures(study, [FIGURE]).found
        assert [contender.method for _, contender, _ in found] == ["halfseen_paper"]
        others = Study("", [r for r in study.records if r.method == "halfseen"], Path())
        found = paper_figures(others, [FIGURE]).found
        assert [contender.method for _, contender, _ in found] == ["halfseen"]

    def test_other_tasks_rates_and_ways_of_hiding_are_not_compared(self, study: Study) -> None:
        strangers = [
            replace(FIGURE, task="inductive"),
            replace(FIGURE, feature_rate=0.6),
            replace(FIGURE, data_set="eventcat"),
            replace(FIGURE, method="MC-1"),
        ]
        assert paper_figures(study, strangers).without_record == tuple(strangers)
        hidden = Study("", [replace(r, feature_hiding="blocks") for r in study.records], Path())
        assert not paper_figures(hidden, [FIGURE]).found

    def test_every_figure_is_listed_with_its_difference(self, study: Study) -> None:
        accuracy = replace(FIGURE, score="hamming_accuracy", mean=0.907)
        section = published_section(study, paper_figures(study, [FIGURE, accuracy]))
        first = next(tables(section.parts))
        assert len(first.rows) == 2
        published, here, difference = first.rows[0][4:7]
        assert isinstance(published, Cell)
        assert isinstance(here, Cell)
        assert isinstance(difference, Cell)
        assert published.key == 0.934
        assert difference.key == pytest.approx(float(str(here.key)) - 0.934)
        assert first.rows[0][7] is None
        assert isinstance(first.rows[1][7], Cell)  # with observed entries counted as right

    def test_known_inconsistencies_are_told_with_the_tables(self, study: Study) -> None:
        course = study.courses[0]
        paper = paper_figures(study, [FIGURE])
        assert "Beside the paper" in notes(course_section(study, course, paper, {}))
        assert "Beside the paper" not in notes(course_section(study, course, NOTHING, {}))


class TestPictures:
    def test_curves_over_both_rates(self, study: Study) -> None:
        shown = {one: k for k, one in enumerate(study.contenders[:2])}
        pictures = rate_pictures(study, study.courses[0], shown)
        assert len(pictures) == 3
        root = checked_svg(pictures[0].svg)
        assert len(with_class(root, "band")) == 2
        assert "4 other methods in grey" in pictures[0].caption
        assert "halfseen" in words(root)  # the best is named, in colour or not

    def test_rates_that_change_together_make_one_axis(self) -> None:
        records = invented_records(rates=[(0.5, 0.5), (0.8, 0.8)], methods=FEW)
        study = Study("", records, Path())
        pictures = rate_pictures(study, study.courses[0], {})
        assert len(pictures) == 2
        assert "hidden features and labels, %" in words(checked_svg(pictures[0].svg))

    def test_times_of_groups_are_rings(self, study: Study) -> None:
        shown = {one: 0 for one in study.contenders if one.method == "halfseen_paper"}
        pictures = time_pictures(study, study.courses[0], shown)
        assert len(pictures) == 2
        assert len(with_class(checked_svg(pictures[0].svg), "ring")) == 1
        assert "trained together" in pictures[0].caption

    def test_bins_are_pooled_by_their_entries(self, study: Study) -> None:
        record = study.records[0]
        one = replace(record, reliability=((0.32, 0.0, 1.0),))
        two = replace(record, reliability=((0.36, 1.0, 3.0), (0.9, 1.0, 5.0)))
        pooled = pooled_reliability("x", [one, two])
        assert pooled is not None
        assert np.allclose(pooled.said, [0.35, 0.9])
        assert np.allclose(pooled.came_true, [0.75, 1.0])
        assert pooled.n_entries == (4, 5)
        assert pooled_reliability("x", [replace(record, reliability=())]) is None

    def test_calibration_of_those_that_say_probabilities(self, study: Study) -> None:
        (picture,) = calibration_pictures(study, study.courses[0], {})
        root = checked_svg(picture.svg)
        assert "halfseen" in words(root)
        assert "NoisyIMC" not in words(root)

    def test_reconstructions(self, tmp_path: Path) -> None:
        records = invented_records(("digits",), methods=FEW, n_realisations=1)
        study = Study("", records, write_run(tmp_path, records, n_images=4))
        pictures = reconstruction_pictures(study, study.courses[0], {})
        assert len(pictures) == 2
        assert "50% of the pixels" in pictures[0].caption
        # seen, six methods without MisGAN, truth; the observed pixels are the same for all
        assert number_of(checked_svg(pictures[0].svg), "image") == 4 * 8

    def test_a_damaged_file_of_images_is_named(self, tmp_path: Path) -> None:
        records = invented_records(("digits",), rates=RATES[:1], methods=["cle"], n_realisations=1)
        study = Study("", records, write_run(tmp_path, records, n_images=1))
        (path,) = (tmp_path / "pictures").iterdir()
        path.write_bytes(b"nothing of the kind")
        with pytest.raises(ValueError, match=f"{path.name} does not hold"):
            reconstruction_pictures(study, study.courses[0], {})


class TestDrawers:
    def opened(self, records: list[Record]) -> tuple[list[list[str]], dict[str, str]]:
        (drawer,) = StudyDrawers(Study("", records, Path())).part.by_name.values()
        return [list(row) for row in drawer.rows], dict(drawer.facts)

    def test_every_realisation_the_settings_and_versions(self) -> None:
        rows, facts = self.opened(invented_records(rates=RATES[:1], methods=["cle"]))
        assert [row[0] for row in rows] == ["0", "1", "2", "mean", "std"]
        assert facts["settings"] == "rank=10, penalty=0.1"
        assert facts["tuning"].startswith("best of 4 tried, of 6 planned")
        assert all(version in facts["versions"] for version in VERSIONS.values())

    def test_reasons_of_failures(self) -> None:
        rows, facts = self.opened(invented_records(rates=RATES[:1], methods=["gain"]))
        assert [row[-1] for row in rows[:3]] == ["done", "failed", "done"]
        assert facts["failed"].startswith("realisation 1: FloatingPointError")

    def test_times_of_groups_are_explained(self) -> None:
        _, facts = self.opened(invented_records(rates=RATES[:1], methods=["halfseen_paper"]))
        assert facts["time"].startswith("of 10 realisations trained together")


class TestTheRest:
    def test_what_was_not_done_is_listed_by_reason(self, study: Study) -> None:
        (table,) = tables(not_done_section(study).parts)
        assert [row[:3] for row in table.rows] == [
            ["GAIN", "failed", len(RATES)],
            ["MisGAN", "left out", 3 * len(RATES)],
        ]
        assert table.rows[0][4] == "scene, transductive (6 rates)"

    def test_nothing_failed(self) -> None:
        records = invented_records(rates=RATES[:1], methods=["cle"])
        assert "Nothing" in notes(not_done_section(Study("", records, Path())))

    def test_plan_machine_and_versions_but_no_folder(self, study: Study) -> None:
        about = {"plan": "quick", "machine": {"cores": 2}, "plan_folder": "/home/someone"}
        run = run_section(replace(study, plan="title = 'x'", about=about))
        (table,) = tables(run.parts)
        said = {str(row[0]): row[1] for row in table.rows}
        assert said["cores"] == "2"
        assert said["numpy"] == VERSIONS["numpy"]
        assert "/home/someone" not in str(run)
        details = run.parts[-1]
        assert isinstance(details, Details)
        assert details.parts == [Code("title = 'x'")]

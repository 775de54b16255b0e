from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from halfseen.report.experiment_sections.best import best_of
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import setting_of
from halfseen.report.experiment_sections.ranking import N_COLOURS, colours, ranks
from halfseen.report.experiment_sections.score_kind import SCORE_KINDS
from halfseen.report.experiment_sections.study import Study, read_study, tally_of
from report.invented_run import FEW, TITLE, invented_records, write_run

AUC = SCORE_KINDS["micro_auc"]
RMSE = SCORE_KINDS["rmse"]
PAIR = ((0.5, 0.5),)


def study_of(values: dict[str, list[float]], score: str = "micro_auc") -> Study:
    """One setting, with the scores that are given."""
    (plain,) = invented_records(rates=PAIR, methods=["cle"], n_realisations=1)
    records = [
        replace(plain, method=name, realisation=k, scores={score: value}, key="")
        for name, own in values.items()
        for k, value in enumerate(own)
    ]
    return Study("A study", records, Path("run"))


class TestReading:
    def test_a_folder_is_read_as_it_was_written(self, tmp_path: Path) -> None:
        records = invented_records(rates=PAIR, methods=FEW)
        study = read_study(write_run(tmp_path, records))
        assert study.title == TITLE
        assert {record.key for record in study.records} == {record.key for record in records}
        assert "realisations = 3" in study.plan

    def test_a_folder_without_records_is_refused_by_name(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=f"{tmp_path} holds no records"):
            read_study(tmp_path)

    def test_a_damaged_description_is_named(self, tmp_path: Path) -> None:
        write_run(tmp_path, invented_records(rates=PAIR, methods=["cle"], n_realisations=1))
        (tmp_path / "run.json").write_text("{")
        with pytest.raises(ValueError, match=r"run\.json is not JSON"):
            read_study(tmp_path)


class TestOrder:
    def test_transductive_comes_before_inductive_and_data_sets_by_name(self) -> None:
        records = invented_records(("yeast", "scene"), ("inductive", "transductive"), PAIR, ["cle"])
        titles = [course.title for course in Study("", records, Path()).courses]
        assert titles == [
            "scene, transductive",
            "scene, inductive",
            "yeast, transductive",
            "yeast, inductive",
        ]

    def test_a_sample_is_a_course_of_its_own_even_where_it_failed(self) -> None:
        (record,) = invented_records(rates=PAIR, methods=["cle"], n_realisations=1)
        key = record.key.replace("scene-", "scene-500rows-")
        sample = replace(record, key=key, n_rows=0, status="failed", why="no")
        assert setting_of(sample).course.sample == 500
        assert len(Study("", [record, sample], Path()).courses) == 2

    def test_a_rate_of_new_rows_that_is_no_other_makes_no_other_course(self) -> None:
        (record,) = invented_records(rates=PAIR, methods=["cle"], n_realisations=1)
        same, other = (replace(record, new_feature_rate=rate) for rate in (0.5, 0.8))
        assert setting_of(same) == setting_of(record)
        assert setting_of(other).course.title.endswith("80\xa0% hidden in new rows")

    def test_tallies_skip_what_is_not_finite(self) -> None:
        tally = tally_of([1.0, float("nan"), 2.0])
        assert tally is not None
        assert (tally.mean, tally.n) == (1.5, 2)
        assert tally.spread == pytest.approx(0.5**0.5)


class TestBest:
    def test_a_clear_winner_is_alone(self) -> None:
        study = study_of({"a": [0.9, 0.91, 0.92], "b": [0.5, 0.52, 0.51]})
        best = best_of(study, study.settings[0], AUC)
        assert best is not None
        assert best.contender == Contender("a", "")
        assert best.is_alone

    def test_lower_is_better_of_errors(self) -> None:
        study = study_of({"a": [0.9, 0.91, 0.92], "b": [0.5, 0.52, 0.51]}, "rmse")
        best = best_of(study, study.settings[0], RMSE)
        assert best is not None
        assert best.contender.method == "b"
        assert best.rivals[0].behind == pytest.approx(0.4)

    def test_those_that_cross_are_level_and_ordered_by_distance(self) -> None:
        study = study_of({"a": [0.9, 0.8, 0.9], "b": [0.8, 0.9, 0.85], "c": [0.84, 0.85, 0.89]})
        best = best_of(study, study.settings[0], AUC)
        assert best is not None
        assert not best.is_alone
        assert [rival.contender.method for rival in best.rivals] == ["c", "b"]

    def test_one_realisation_tells_nothing(self) -> None:
        study = study_of({"a": [0.9], "b": [0.1]})
        best = best_of(study, study.settings[0], AUC)
        assert best is not None
        assert best.rivals[0].p != best.rivals[0].p
        assert not best.is_alone

    def test_variants_of_a_method_are_different_contenders(self) -> None:
        study = study_of({"a": [0.9, 0.8]})
        others = [replace(r, variant="k5", scores={"micro_auc": 0.95}) for r in study.records]
        both = Study("", [*study.records, *others], Path())
        best = best_of(both, both.settings[0], AUC)
        assert best is not None
        assert best.contender.title == "a (k5)"

    def test_nobody_has_the_score(self) -> None:
        study = study_of({"a": [0.9]})
        assert best_of(study, study.settings[0], RMSE) is None


class TestRanks:
    def test_equals_share_their_rank(self) -> None:
        study = study_of({"a": [0.9], "b": [0.9], "c": [0.1]})
        found = ranks(study, study.settings, of_labels=True)
        assert [rank.mean for rank in found.values()] == [1.5, 1.5, 3.0]

    def test_few_stand_out_halfseen_first_and_the_prior_always(self) -> None:
        study = Study("", invented_records(rates=PAIR), Path())
        found = colours(study)
        assert found[Contender("halfseen", "")] == 0
        assert found[Contender("halfseen_paper", "")] == 1
        assert found[Contender("column_prior", "")] == 7
        assert len(found) == N_COLOURS + 1
        assert len(set(found.values())) == len(found)

"""The paper's figures: all there, each once, in names that exist here."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import fields

import numpy as np
import pytest

from halfseen.experiments.answer_scores import AnswerScores
from halfseen.experiments.data_sets import CATALOGUE
from halfseen.experiments.methods import METHODS
from halfseen.experiments.published import (
    KNOWN_INCONSISTENCIES,
    OUR_NAMES,
    published_figure,
    published_figures,
)

FIGURES = published_figures()


def test_every_number_of_every_table_is_there():
    # Rows by scores by rates of labels.
    assert Counter(figure.where for figure in FIGURES) == {
        "Table 1": 8 * 3 * 3,
        "Table 2": 7 * 3 * 3,
        "Table 3": 8 * 3 * 3,
        "Table 4": 6 * 2 * 3,
        "Table 5": 6 * 2 * 3,
    }


def test_each_stands_once_and_is_found():
    cells = [
        (f.task, f.data_set, f.our_method, f.feature_rate, f.label_rate, f.score) for f in FIGURES
    ]
    assert len(set(cells)) == len(FIGURES)
    assert [published_figure(*cell) for cell in cells] == list(FIGURES)


def test_names_are_ours():
    scores = {field.name for field in fields(AnswerScores)}
    assert {figure.score for figure in FIGURES} <= scores
    assert {figure.data_set for figure in FIGURES} - set(CATALOGUE) == {"eventcat"}
    assert set(OUR_NAMES.values()) <= set(METHODS)
    assert {figure.method for figure in FIGURES} == set(OUR_NAMES)
    assert {figure.feature_rate for figure in FIGURES} == {0.5, 0.8}
    assert {figure.label_rate for figure in FIGURES} == {0.3, 0.5, 0.8}


def test_scores_fit_the_target():
    for figure in FIGURES:
        is_class = figure.data_set in CATALOGUE and CATALOGUE[figure.data_set].target == "classes"
        assert figure.score in (
            ("rmse", "averaged_auc", "accuracy")
            if is_class
            else ("rmse", "micro_auc", "hamming_accuracy")
        )
        assert (figure.score == "rmse") <= (figure.task == "transductive")
        assert figure.score == "rmse" or 0 < figure.mean < 1
        assert figure.std is None


@pytest.mark.parametrize(
    ("cell", "mean"),
    [
        (("transductive", "mnist", "rbm_mo", 0.5, 0.3, "rmse"), 0.183),
        (("transductive", "mnist", "mc1", 0.8, 0.8, "accuracy"), 0.110),
        (("transductive", "scene", "rbm_mo", 0.8, 0.5, "micro_auc"), 0.867),
        (("transductive", "scene", "noisy_imc", 0.8, 0.8, "hamming_accuracy"), 0.826),
        (("transductive", "eventcat", "cle", 0.5, 0.8, "rmse"), 10.902),
        (("inductive", "pendigits", "cle", 0.8, 0.8, "accuracy"), 0.176),
        (("inductive", "eventcat", "noisy_imc", 0.5, 0.3, "micro_auc"), 0.704),
    ],
)
def test_some_are_where_the_paper_has_them(cell, mean):
    assert published_figure(*cell).mean == mean


def test_no_number_changes_unnoticed():
    # All were compared with the text of the paper when this digest was taken.
    text = "\n".join(
        f"{f.where} {f.method} {f.feature_rate} {f.label_rate} {f.score} {f.mean:.3f}"
        for f in FIGURES
    )
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "abd42e3dc78a4b0a"


def test_what_the_paper_leaves_out_is_not_made_up():
    assert published_figure("transductive", "scene", "mc1", 0.8, 0.5, "rmse") is None
    assert published_figure("transductive", "yeast", "cle", 0.5, 0.5, "rmse") is None
    assert not any(f.task == "inductive" and f.method == "MC-1" for f in FIGURES)


def test_inconsistencies_are_told_in_full():
    assert len({one.key for one in KNOWN_INCONSISTENCIES}) == len(KNOWN_INCONSISTENCIES)
    places = {figure.where for figure in FIGURES} | {"Table 6", "Figure 1", "Supplement"}
    for one in KNOWN_INCONSISTENCIES:
        assert one.where
        assert set(one.where) <= places
        assert str(one) == f"{one.title}. {one.text} Here: {one.ours}"
        assert all(part.endswith(".") for part in (one.text, one.ours))
        assert not one.title.endswith(".")


def test_the_numbers_that_inconsistencies_speak_of_are_the_published_ones():
    def means(data_set, method, score, rate, task="transductive"):
        labels = (0.3, 0.5, 0.8)
        return np.array(
            [published_figure(task, data_set, method, rate, label, score).mean for label in labels]
        )

    rates = np.array([0.3, 0.5, 0.8])
    errors = (1 - means("mnist", "rbm_mo", "accuracy", 0.5)) / rates
    np.testing.assert_allclose(errors, [0.17, 0.18, 0.22], atol=0.005)
    errors = (1 - means("mnist", "rbm_mo", "accuracy", 0.8)) / rates
    np.testing.assert_allclose(errors, [0.27, 0.30, 0.33], atol=0.005)
    errors = (1 - means("eventcat", "rbm_mo", "hamming_accuracy", 0.5)) / rates
    np.testing.assert_allclose(errors, [0.09, 0.09, 0.11], atol=0.005)
    best = means("eventcat", "noisy_imc", "micro_auc", 0.8)
    for baseline in ("rbm_mo", "cle"):
        assert (best > means("eventcat", baseline, "micro_auc", 0.8)).all()
    less, more = (means("scene", "cle", "rmse", rate) for rate in (0.5, 0.8))
    assert (more < less).all()

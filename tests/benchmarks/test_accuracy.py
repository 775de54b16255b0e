"""Scores of the benchmark of accuracy that halfseen itself does not have."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def accuracy(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return importlib.import_module("accuracy")


def test_energy_score_of_one_column_is_the_crps(accuracy):
    generator = np.random.default_rng(0)
    y, draws = generator.normal(size=(20_000, 1)), generator.normal(size=(6, 20_000, 1))
    asked, scale = np.ones(y.shape, bool), np.ones(1)
    # The continuous ranked probability score of a standard normal against itself is 1/sqrt(pi).
    score = accuracy.energy_score(y, draws, asked, scale)
    assert score == pytest.approx(1 / np.sqrt(np.pi), abs=0.01)
    assert accuracy.energy_score(y, draws + 1, asked, scale) > score


def test_energy_score_of_hidden_entries(accuracy):
    y, asked = np.array([[0.0, np.nan], [2.0, 5.0]]), np.array([[True, False], [True, False]])
    draws = np.array([[[1.0, np.nan], [3.0, 0.0]], [[1.0, np.nan], [3.0, 1.0]]])
    assert accuracy.energy_score(y, draws, asked, np.array([0.5, 1.0])) == 2.0

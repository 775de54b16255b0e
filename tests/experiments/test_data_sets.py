"""Data sets: local look-up, verification, and a clear sentence when there is nothing."""

import os

import numpy as np
import pytest

from halfseen.experiments import data_sets
from halfseen.experiments.data_sets import (
    CATALOGUE,
    DataSetUnavailable,
    content_digest,
    load_data_set,
)

needs_data = pytest.mark.skipif(
    not os.environ.get("HALFSEEN_DATA"),
    reason="needs the data sets: set HALFSEEN_DATA to the folder that holds them",
)


@needs_data
@pytest.mark.parametrize("name", ["scene", "yeast", "pendigits", "emotions", "cptc2017_devices"])
def test_a_data_set_has_its_shape(name):
    data, entry = load_data_set(name), CATALOGUE[name]
    assert data.X.shape == (entry.n_rows, entry.n_features)
    assert data.Y.shape == (entry.n_rows, entry.n_labels)
    assert set(np.unique(data.Y)) == {0.0, 1.0}


@needs_data
def test_some_rows_are_drawn_by_seed():
    some = load_data_set("emotions", n_rows=50, seed=3)
    assert some.X.shape == (50, 72)
    assert np.array_equal(some.X, load_data_set("emotions", n_rows=50, seed=3).X)
    assert not np.array_equal(some.X, load_data_set("emotions", n_rows=50, seed=4).X)


def test_a_file_with_other_values_is_refused(tmp_path, monkeypatch):
    np.savez(tmp_path / "emotions.npz", X=np.zeros((593, 72)), Y=np.zeros((593, 6)))
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match="is not the data set 'emotions'"):
        load_data_set("emotions")


def test_without_file_and_network_the_sentence_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.delenv("HALFSEEN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match="set the environment variable HALFSEEN_DATA"):
        load_data_set("tox21")


def test_a_download_is_verified_kept_and_found_again(tmp_path, monkeypatch):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(593, 72)).astype(np.float32)
    Y = generator.integers(2, size=(593, 6)).astype(np.uint8)
    calls = []

    def fetched(name, entry):
        calls.append(name)
        return X, Y

    entry = CATALOGUE["emotions"]
    told = data_sets._Entry(content_digest(X, Y), 593, 72, 6, "labels", entry.openml_id)
    monkeypatch.setitem(CATALOGUE, "emotions", told)
    monkeypatch.delenv("HALFSEEN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(data_sets, "_fetched", fetched)
    first, again = load_data_set("emotions"), load_data_set("emotions")
    assert calls == ["emotions"]
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.X, X.astype(float))
    assert os.listdir(tmp_path / "halfseen") == ["emotions.npz"]


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"there are .*scene"):
        load_data_set("seen")


def test_digests_are_of_full_length_and_know_which_label_is_whose():
    assert all(len(entry.digest) == 64 for entry in CATALOGUE.values())
    assert content_digest(np.eye(2), np.arange(2)) != content_digest(np.eye(2), np.arange(2)[::-1])

"""Data sets: local look-up, verification, and a clear sentence when there is nothing."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
import sklearn.datasets

from halfseen.experiments.data_sets import (
    CATALOGUE,
    DATA_SETS,
    EVENTCAT_STAND_INS,
    DataSetUnavailable,
    array_data_set,
    content_digest,
    data_set_path,
    load_data_set,
    read_user_table,
)
from halfseen.experiments.telemetry import telemetry

needs_data = pytest.mark.skipif(
    not os.environ.get("HALFSEEN_DATA"),
    reason="needs the data sets: set HALFSEEN_DATA to the folder that holds them",
)


@needs_data
@pytest.mark.parametrize(
    "name", ["scene", "yeast", "pendigits", "emotions", "cptc2017_devices", "cptc2017_recon"]
)
def test_a_data_set_has_its_shape(name):
    data, entry = load_data_set(name), CATALOGUE[name]
    assert data.X.shape == (entry.n_rows, entry.n_features)
    assert data.Y.shape == (entry.n_rows, entry.n_labels)
    assert set(np.unique(data.Y)) == {0.0, 1.0}
    assert len(set(data.feature_names)) == entry.n_features
    assert data.X.dtype == data.Y.dtype == np.float64


@needs_data
def test_names_come_with_the_file():
    names = [output.name for output in load_data_set("scene").outputs]
    assert names == ["Beach", "Sunset", "FallFoliage", "Field", "Mountain", "Urban"]


@needs_data
def test_reconnaissance_is_part_of_the_devices():
    devices, recon = load_data_set("cptc2017_devices"), load_data_set("cptc2017_recon")
    columns = [devices.feature_names.index(name) for name in recon.feature_names]
    assert np.array_equal(recon.X, devices.X[:, columns])
    assert np.array_equal(recon.Y, devices.Y)
    assert data_set_path("cptc2017_recon") == data_set_path("cptc2017_devices")


@needs_data
def test_some_rows_are_drawn_by_seed():
    some = load_data_set("emotions", n_rows=50, seed=3)
    assert some.X.shape == (50, 72)
    assert np.array_equal(some.X, load_data_set("emotions", n_rows=50, seed=3).X)
    assert not np.array_equal(some.X, load_data_set("emotions", n_rows=50, seed=4).X)


def test_a_file_with_other_values_is_refused(tmp_path, monkeypatch):
    np.savez(tmp_path / "emotions.npz", X=np.zeros((593, 72)), Y=np.zeros((593, 6)))
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match=r"is not the data set 'emotions' \(its values"):
        load_data_set("emotions")


def test_a_file_of_another_shape_is_refused(tmp_path, monkeypatch):
    np.savez(tmp_path / "emotions.npz", X=np.zeros((5, 72)), Y=np.zeros((5, 6)))
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match=r"its shapes are \(5, 72\) .* expected \(593, 72"):
        load_data_set("emotions")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 cut"])
def test_a_damaged_file_is_named(tmp_path, monkeypatch, content):
    (tmp_path / "scene.npz").write_bytes(content)
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match=r"scene\.npz cannot be read .* remove it"):
        load_data_set("scene")


def test_an_array_alone_is_no_data_set(tmp_path, monkeypatch):
    with (tmp_path / "scene.npz").open("wb") as file:
        np.save(file, np.zeros((2407, 294)))
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match=r"scene\.npz cannot be read"):
        load_data_set("scene")


def test_a_file_without_labels_is_named(tmp_path, monkeypatch):
    np.savez(tmp_path / "scene.npz", X=np.zeros((2, 2)))
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match=r"its shapes are \(2, 2\) and None"):
        load_data_set("scene")


def test_columns_that_cannot_be_told_are_said(tmp_path, monkeypatch):
    np.savez(tmp_path / "cptc2017_devices.npz", X=np.zeros((573, 80)), Y=np.zeros((573, 6)))
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match="has no array feature_macro"):
        load_data_set("cptc2017_recon")


def test_where_openml_has_nothing_the_sentence_names_places_and_remedy(tmp_path, monkeypatch):
    monkeypatch.delenv("HALFSEEN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataSetUnavailable) as raised:
        load_data_set("cptc2017_recon")
    text = str(raised.value)
    assert str(tmp_path / "halfseen") in text
    assert "put cptc2017_devices.npz" in text
    assert "set the environment variable HALFSEEN_DATA to that folder" in text


def test_offline_the_sentence_says_so(tmp_path, monkeypatch):
    def offline(**_):
        raise OSError("no route\nto host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataSetUnavailable) as raised:
        load_data_set("scene")
    assert str(raised.value) == (
        "data set 'scene' is in no local folder, and it could not be downloaded from OpenML "
        "(no route to host); connect to the network, or put scene.npz (arrays X and Y) into a "
        "folder and set the environment variable HALFSEEN_DATA to that folder; data set 'digits' "
        "needs no file"
    )


class _Bunch:
    def __init__(self, X, Y, target_names):
        self.data, self.target, self.target_names = X, Y, target_names
        self.feature_names = [f"f{place}" for place in range(X.shape[1])]


@pytest.mark.parametrize("target", ["labels", "classes"])
def test_a_download_is_verified_kept_and_found_again(tmp_path, monkeypatch, target):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(20, 4)).astype(np.float32)
    if target == "labels":
        Y = generator.integers(2, size=(20, 3)).astype(np.uint8)
        bunch = _Bunch(X, np.where(Y, "TRUE", "FALSE"), ["a", "b", "c"])
    else:
        Y = generator.permutation(np.arange(20) % 3).astype(np.uint8)
        bunch = _Bunch(X, np.array(["a", "b", "c"], dtype=object)[Y], ["class"])
    calls = []

    def fetched(data_id, **_):
        calls.append(data_id)
        return bunch

    entry = replace(
        CATALOGUE["emotions"],
        digest=content_digest(X, Y), n_rows=20, n_features=4, n_labels=3, target=target,
    )  # fmt: skip
    monkeypatch.setitem(CATALOGUE, "emotions", entry)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetched)
    monkeypatch.delenv("HALFSEEN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first, again = load_data_set("emotions"), load_data_set("emotions")
    assert calls == [entry.openml_id]
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.X, X.astype(float))
    assert np.array_equal(first.Y, Y if target == "labels" else np.eye(3)[Y])
    names = [output.name for output in first.outputs]
    assert (names if target == "labels" else list(first.outputs[0].classes)) == ["a", "b", "c"]
    assert first.feature_names == ("f0", "f1", "f2", "f3")
    assert os.listdir(tmp_path / "halfseen") == ["emotions.npz"]


def test_features_are_scaled_after_they_are_verified(tmp_path, monkeypatch):
    X, Y = np.arange(12, dtype=np.uint8).reshape(6, 2), np.arange(6) % 3
    entry = replace(
        CATALOGUE["mnist"], digest=content_digest(X, Y), n_rows=6, n_features=2, n_labels=3
    )
    monkeypatch.setitem(CATALOGUE, "mnist", entry)
    monkeypatch.setenv("HALFSEEN_DATA", str(tmp_path))
    np.savez(tmp_path / "mnist.npz", X=X, Y=Y)
    data = load_data_set("mnist")
    np.testing.assert_allclose(data.X, X / 255)
    np.testing.assert_array_equal(data.Y, np.eye(3)[Y])
    assert data.feature_names == ("feature_1", "feature_2")


def test_a_download_with_other_values_is_refused_and_not_kept(tmp_path, monkeypatch):
    bunch = _Bunch(np.zeros((593, 72)), np.full((593, 6), "0"), ["a"] * 6)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: bunch)
    monkeypatch.delenv("HALFSEEN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataSetUnavailable, match="OpenML data set 41465 is not the data set"):
        load_data_set("emotions")
    assert not (tmp_path / "halfseen").exists()


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(path, **_):
        path.write_bytes(b"half")
        raise OSError("disk full")

    X, Y = np.zeros((593, 72)), np.full((593, 6), "0")
    bunch = _Bunch(X, Y, ["a"] * 6)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: bunch)
    entry = replace(CATALOGUE["emotions"], digest=content_digest(X, np.zeros((593, 6))))
    monkeypatch.setitem(CATALOGUE, "emotions", entry)
    monkeypatch.setattr(np, "savez_compressed", full)
    monkeypatch.delenv("HALFSEEN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(OSError, match="disk full"):
        load_data_set("emotions")
    assert os.listdir(tmp_path / "halfseen") == []


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"Did you mean 'scene'\? There are: .*telemetry"):
        load_data_set("scen")
    with pytest.raises(ValueError, match=r"unknown data set 'zzz'. There are: cptc2017_devices"):
        load_data_set("zzz")


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="n_rows is at least 1, got 0"):
        load_data_set("digits", n_rows=0)


def test_digests_are_of_full_length_and_know_which_label_is_whose():
    assert all(len(entry.digest) == 64 for entry in CATALOGUE.values())
    X, Y = np.eye(3), np.arange(3)
    assert content_digest(X, Y) == content_digest(X[::-1].astype("uint8"), Y[::-1])
    assert content_digest(X, Y) != content_digest(X, Y[::-1])


def test_names_are_those_of_the_studies():
    assert set(DATA_SETS) == {
        "scene", "yeast", "pendigits", "mnist", "emotions", "cptc2017_devices", "cptc2017_recon",
        "tox21", "digits", "telemetry",
    }  # fmt: skip
    images = {name: entry.image for name, entry in CATALOGUE.items() if entry.image}
    assert images == {"mnist": (28, 28)}


def test_digits_are_images_of_ten_classes():
    data = load_data_set("digits")
    assert data.X.shape == (1797, 64)
    assert (data.X.min(), data.X.max()) == (0.0, 1.0)
    assert (data.Y.sum(axis=1) == 1).all()
    assert data.image == (8, 8)
    assert data.outputs[0].classes == tuple("0123456789")


def test_some_digits_are_rows_of_all():
    every, some = load_data_set("digits"), load_data_set("digits", n_rows=40, seed=5)
    rows = {row.tobytes() for row in every.X}
    assert len(some.X) == 40
    assert all(row.tobytes() in rows for row in some.X)
    assert not np.array_equal(some.X, load_data_set("digits", n_rows=40, seed=6).X)
    assert len(load_data_set("digits", n_rows=10**6).X) == 1797


def test_telemetry_is_whole_and_of_any_size():
    data, (X, y, _) = load_data_set("telemetry", n_rows=300, seed=2), telemetry(300, seed=2)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.Y, y)
    assert not np.isnan(data.X).any()
    flags = [name.startswith("flag") for name in data.feature_names]
    np.testing.assert_array_equal(~data.numeric, flags)
    assert set(np.unique(data.X[:, ~data.numeric])) == {0.0, 1.0}


def test_threats_of_telemetry_are_rare():
    shares = telemetry(3000, seed=4)[1].mean(axis=0)
    assert ((shares > 0.01) & (shares < 0.3)).all()
    assert set(EVENTCAT_STAND_INS) <= set(DATA_SETS)


def test_names_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="names and rows do not fit"):
        array_data_set("mine", np.zeros((4, 2)), np.ones((4, 1)), "labels", feature_names=["a"])


def test_a_users_file_and_its_errors(tmp_path):
    path = tmp_path / "mine.csv"
    rows = [f"{i % 7 / 2},{'xyz'[i % 3]},{i % 2},{'yes' if i % 3 else 'no'}" for i in range(30)]
    path.write_text("\n".join(["size,kind,big,ill", *rows]) + "\n")
    data = read_user_table(path, ["ill"], ignore=["b*"])
    assert data.feature_names == ("size", "kind")
    assert [output.name for output in data.outputs] == ["ill"]
    assert read_user_table(path, ["ill"], n_rows=9).X.shape[0] == 9
    with pytest.raises(DataSetUnavailable, match=r"mine\.csv has no column 'il'.* mean 'ill'"):
        read_user_table(path, ["il"])
    with pytest.raises(DataSetUnavailable, match="no column is left"):
        read_user_table(path, ["*"])

"""Run folders of invented records: they look like a study, and no method has earned its figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from halfseen.experiments.methods import METHODS
from halfseen.experiments.record import FORMAT, Record, write_json

TITLE = "Invented figures, for tests"
# name -> target, rows, features, labels
SETS: dict[str, tuple[str, int, int, int]] = {
    "scene": ("labels", 2407, 294, 6),
    "yeast": ("labels", 2417, 103, 14),
    "emotions": ("labels", 593, 72, 6),
    "pendigits": ("classes", 10992, 16, 10),
    "digits": ("classes", 1797, 64, 10),
}
RATES = tuple((feature, label) for feature in (0.5, 0.8) for label in (0.3, 0.5, 0.8))
VERSIONS = {"python": "3.12.3", "halfseen": "0.0", "numpy": "2.3.0", "jax": "0.7.1"}
FEW = ("halfseen", "halfseen_paper", "cle", "noisy_imc", "column_prior", "misgan", "gain")


def invented_records(
    data_sets: Sequence[str] = ("scene",),
    tasks: Sequence[str] = ("transductive",),
    rates: Sequence[tuple[float, float]] = RATES,
    methods: Sequence[str] = tuple(METHODS),
    n_realisations: int = 3,
) -> list[Record]:
    """Records of a whole grid; misgan is left out everywhere and gain fails now and then."""
    return [
        _record(data_set, task, pair, method, realisation)
        for data_set in data_sets
        for task in tasks
        for pair in rates
        for method in methods
        for realisation in range(n_realisations)
    ]


def write_run(run: Path, records: Sequence[Record], n_images: int = 0) -> Path:
    """A run folder with these records, and with images of its first realisations."""
    cells = run / "cells"
    cells.mkdir(parents=True, exist_ok=True)
    for record in records:  # without waiting for the disk, as write_record does
        (cells / f"{record.key}.json").write_text(_json(record))
    machine = {"cores": 2, "processor": "an invented processor"}
    about = {"format": 1, "plan": "invented", "title": TITLE, "versions": VERSIONS}
    write_json(run / "run.json", {**about, "machine": machine})
    (run / "plan.toml").write_text(f"title = {json.dumps(TITLE)}\nrealisations = 3\n")
    for record in records[: len(records) if n_images else 0]:
        if record.realisation == 0 and record.status == "done" and record.data_set == "digits":
            write_images(run, record, n_images)
    return run


def _json(record: Record) -> str:
    document = {one.name: getattr(record, one.name) for one in fields(Record) if one.name != "key"}
    known = {name: None if value != value else value for name, value in document.items()}
    known["scores"] = {n: None if v != v else v for n, v in record.scores.items()}
    return json.dumps({"format": FORMAT, **known})


def write_images(run: Path, record: Record, n_images: int) -> None:
    """Discs, with pixels hidden at the rate of the record."""
    generator = np.random.default_rng(7)
    y, x = np.mgrid[:8, :8] - 3.5
    sizes = generator.uniform(1.5, 4.0, n_images)
    truth = np.array([255 * (np.hypot(x, y) < size) for size in sizes]).reshape(n_images, -1)
    observed = generator.random(truth.shape) >= record.feature_rate
    away = np.random.default_rng(_seed(record.method)).normal(0, 40, truth.shape)
    completed = np.where(observed, truth, np.clip(truth + away, 0, 255))
    folder = run / "pictures"
    folder.mkdir(exist_ok=True)
    np.savez_compressed(
        folder / f"{record.key}.npz",
        truth=truth.astype(np.uint8),
        observed=observed,
        completed=completed.astype(np.uint8),
        image=np.array([8, 8]),
    )


def _record(
    data_set: str, task: Any, rates: tuple[float, float], method: str, realisation: int
) -> Record:
    asked = (data_set, task, "at_random", "at_random", *rates, None, method, "", realisation)
    target, n_rows, n_features, n_labels = SETS[data_set]
    if method.startswith("misgan"):
        why = f"convolutions need rows that are images, and those of {data_set} are not"
        return Record(*asked, status="left_out", why=why, target=target)
    if method == "gain" and realisation == 1:
        why = "FloatingPointError: the loss of the generator is not finite after 312 steps"
        return Record(*asked, status="failed", why=why, target=target)
    place = (n_rows, n_features, n_labels)
    quality = (
        0.0
        if method == "column_prior"
        else 0.45 + 0.4 * _share(method) + 0.15 * _share(method + data_set)
    )
    quality = {
        "halfseen": 0.92 + 0.06 * _share(data_set + task),
        "halfseen_paper": 0.86,
        "mc1": 0.05,
    }.get(method, quality)
    hard = 0.15 * rates[1] + 0.1 * rates[0] + 0.05 * _share(data_set)
    noise = np.random.default_rng(_seed("-".join(map(str, asked)))).normal(0, 0.006, 12)
    auc = 0.5 + (0.49 - hard) * quality + noise[0]
    scores = {
        ("averaged_auc" if target == "classes" else "micro_auc"): auc,
        "macro_auc": auc - 0.02,
        ("accuracy" if target == "classes" else "hamming_accuracy"): auc - 0.05 + noise[1],
        "accuracy_all_entries": 1 - rates[1] * (1.05 - auc),
        "log_loss": 1.2 - auc + noise[2],
        "calibration_error": abs(0.1 - 0.08 * quality + noise[3] / 2),
        "rmse": (22.0 if data_set == "pendigits" else 0.25) * (1.4 - quality + hard + noise[4]),
        "standardised_rmse": 1.4 - quality + hard + noise[4],
    }
    if task == "inductive" and method in ("cle", "noisy_imc"):
        scores = {name: value for name, value in scores.items() if "rmse" not in name}
    if method == "halfseen":
        scores.update(interval_coverage=0.9 + noise[5], interval_width=1.5)
    said = np.linspace(0.05, 0.95, 10)
    true = np.clip(0.5 + (said - 0.5) * (0.5 + 0.5 * quality) + noise[:10], 0, 1)
    bins = tuple(zip(said.tolist(), true.tolist(), (900 * (1.2 - said)).tolist(), strict=True))
    return Record(
        *asked,
        settings={"rank": 10, "penalty": 0.1} if method in ("cle", "noisy_imc") else {},
        n_tried=4 * (method in ("cle", "noisy_imc")),
        n_planned=6 * (method in ("cle", "noisy_imc")),
        scores=scores,
        reliability=() if method in ("mc1", "noisy_imc") else bins,
        seconds=float(0.05 * 4000 ** _share(method[::-1]) * (1 + abs(noise[6]))),
        group_size=10 if method == "halfseen_paper" else 1,
        megabytes=300 + 900 * _share(method),
        feature_source="soft-impute" if method == "boosted_imputed" else "",
        target=target,
        n_rows=place[0],
        n_features=place[1],
        n_labels=place[2],
        versions=VERSIONS,
    )


def _seed(text: str) -> int:
    return crc32(text.encode())


def _share(text: str) -> float:
    return _seed(text) % 1000 / 1000

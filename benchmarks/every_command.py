"""Every command on real tables, as CSV and as Parquet, with the time of each and what must hold.

``HALFSEEN_DATA=... python benchmarks/every_command.py`` exports Adult, Tox21 and CPTC 2017 and runs
inspect, fit, complete, predict, evaluate, score, explain, report and sample on each. It fails if
complete changes an observed cell, if predict and `predict_proba` in Python differ, or if page,
terminal and filled file show different values. ``--json FILE`` keeps the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from halfseen import load

DATA = Path(os.environ.get("HALFSEEN_DATA", "."))
HIDDEN = 0.2  # share of the cells that are hidden where the source is complete
COVERAGE = "0.9"


class Exported(NamedTuple):
    """A table, its labels, and options that every command on it takes."""

    table: pd.DataFrame
    labels: str
    options: tuple[str, ...] = ()


def adult() -> Exported:
    """Census rows; education and relationship stay codes, which are categories."""
    data = np.load(DATA / "adult.npz")
    names = [str(name) for name in data["feature_names"]]
    table = pd.DataFrame(data["X"], columns=names)
    for name, kind, levels in zip(names, data["feature_kind"], data["feature_levels"], strict=True):
        if kind == "nominal" and name not in ("education", "relationship"):
            texts = np.array([*str(levels).split("|"), None], dtype=object)
            table[name] = texts[table[name].fillna(-1).astype(int)]
        else:
            table[name] = table[name].round().astype("Int64")
    table["income"] = np.array(data["label_names"], dtype=object)[data["Y"]]
    hidden = np.random.default_rng(0).random(len(table)) < HIDDEN
    table["income"] = table["income"].mask(hidden)
    types = ("--as", "education=categorical", "--as", "relationship=categorical")
    return Exported(table, "income", types)


def tox21() -> Exported:
    """Fingerprints of 1,024 bits, and twelve assays of which a sixth is unknown."""
    data = np.load(DATA / "tox21.npz")
    bits = pd.DataFrame(data["X"], columns=[f"bit{k}" for k in range(data["X"].shape[1])])
    hidden = np.random.default_rng(0).random(bits.shape) < HIDDEN
    assays = pd.DataFrame(data["Y"], columns=[f"tox_{name}" for name in data["label_names"]])
    table = pd.concat([bits.astype("Int64").mask(hidden), assays.astype("Int64")], axis=1)
    table.insert(0, "compound", [f"c-{k:05d}" for k in range(len(table))])
    return Exported(table, "tox_*")


def cptc2017() -> Exported:
    """Alerts per device, and six stages of an attack."""
    data = np.load(DATA / "cptc2017_devices.npz")
    names = [f"sig{k}" for k in range(data["X"].shape[1])]
    random = np.random.default_rng(0)
    X = pd.DataFrame(data["X"], columns=names).astype("Int64")
    Y = pd.DataFrame(data["Y"], columns=[f"threat_{n}" for n in data["label_names"]])
    X, Y = X.mask(random.random(X.shape) < HIDDEN), Y.astype("Int64")
    table = pd.concat([X, Y.mask(random.random(Y.shape) < HIDDEN)], axis=1)
    table.insert(0, "device", [f"d-{k:04d}" for k in range(len(table))])
    return Exported(table, "threat_*")


TABLES = {"adult": adult, "tox21": tox21, "cptc2017": cptc2017}


class Steps:
    """Runs commands, and keeps how long each took."""

    def __init__(self, name: str) -> None:
        self.name, self.seconds, self.cpu_seconds = name, dict[str, float](), dict[str, float]()

    def run(self, *words: Any) -> str:
        """Run a command; gives its standard output."""
        began, before = time.perf_counter(), os.times()
        command = [sys.executable, "-m", "halfseen", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - began
        step = str(words[0]) + (" --row" if "--row" in words else "")
        after = os.times()
        cpu = sum(after[2:4]) - sum(before[2:4])
        self.seconds[step], self.cpu_seconds[step] = seconds, cpu
        print(
            f"  {self.name:16} {step:14} {seconds:6.1f} s, {cpu:6.1f} s of processors", flush=True
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout


def read(path: Path) -> pd.DataFrame:
    """Cells as text, or as they are in Parquet."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def check_observed_cells(before: pd.DataFrame, after: pd.DataFrame) -> int:
    """No observed cell differs; gives how many there are."""
    observed = (before.notna() & (before != "").fillna(True)).to_numpy(bool)
    same = ((before == after).fillna(False).to_numpy(bool) | ~observed).all()
    assert same, "an observed cell has changed"
    assert list(before.columns) == list(after.columns)
    return int(observed.sum())


def check_probabilities(model: Any, table: pd.DataFrame, predicted: pd.DataFrame) -> float:
    """The largest difference between `predict` and `predict_proba`, which writes six digits."""
    names = [str(name) for name in model.feature_names_in_]
    proba = model.predict_proba(table[names])
    if model.schema_.target_type == "multilabel-indicator":
        labels = [column.name for column in model.schema_.targets]
        columns = [f"{name}=1" for name in labels]
    else:
        labels = ["income"]
        columns = [f"income={value}" for value in model.classes_]
    difference = float(np.abs(predicted[columns].to_numpy(float) - proba).max())
    assert difference <= 1e-6, f"predict differs from predict_proba by {difference}"
    decided = predicted[labels].to_numpy()
    assert (decided == np.reshape(model.predict(table[names]), decided.shape)).all()
    return difference


def fills_of_page(page: str) -> list[tuple[int, str, str]]:
    """Row, column and value of the features that the page shows as filled."""
    found = []
    examples = page.partition('<section id="examples"')[2].partition("</section>")[0]
    for example in examples.replace("<wbr>", "").split('<div class="example">')[1:]:
        row = int(re.search(r"Row ([\d,]+)", example)[1].replace(",", ""))  # type: ignore[index]
        for line in re.findall(r'<tr><th scope="row">(.*?)</tr>', example, re.DOTALL):
            name, _, rest = line.partition("</th>")
            if "<small>target</small>" in name:
                continue
            cell = re.search(r"<td>(.*?)</td>", rest, re.DOTALL)[1]  # type: ignore[index]
            number = re.search(r'value="([^"]+)"', cell)
            found.append((row, name.strip(), number[1] if number else cell.strip()))
    return found


def check_page_and_terminal(
    steps: Steps, page: str, file: Path, model: Path, filled: pd.DataFrame
) -> int:
    """What page and terminal say of a missing cell is what `complete` wrote into it."""
    fills = fills_of_page(page)
    assert fills, "the page shows no fill"
    row = fills[0][0]
    words = ("explain", file, model, "--row", row, "--json", "--quiet")
    explained = json.loads(steps.run(*words))["explanations"]
    for line in {(e["column"], str(e["value"])) for e in explained}:
        assert same(line[1], filled.loc[row - 1, line[0]]), ("terminal", row, line)
    for number, name, value in fills:
        assert same(value, filled.loc[number - 1, name]), ("page", number, name, value)
    return len(fills)


def same(shown: str, written: Any) -> bool:
    """Whether a value is the written one, to the digits that are written."""
    try:
        value, text = float(shown), str(written)
        digits = len(text.partition(".")[2]) if "e" not in text else 12
        return abs(value - float(text)) <= 0.5000001 * 10.0**-digits + 1e-5 * abs(value)
    except ValueError:
        return shown == str(written)


def run_all(name: str, form: str, folder: Path) -> dict[str, Any]:
    """All commands on one table in one format."""
    table, labels, options = TABLES[name]()
    file, model = folder / f"{name}.{form}", folder / f"{name}-{form}.safetensors"
    table.to_csv(file, index=False) if form == "csv" else table.to_parquet(file)
    steps = Steps(f"{name}.{form}")
    fitting = ("--labels", labels, *options, "--effort", "fast")
    evaluation, page = folder / "evaluation.json", folder / f"{name}-{form}.html"
    filled, predicted = folder / f"filled.{form}", folder / "predicted.csv"
    steps.run("inspect", file, "--labels", labels)
    steps.run("fit", file, *fitting, "-o", model)
    steps.run("complete", file, model, "-o", filled)
    steps.run("predict", file, model, "-o", predicted, "--coverage", COVERAGE)
    steps.run("evaluate", file, *fitting, "-o", evaluation, "--repeats", 1)
    steps.run("score", file, model)
    steps.run("explain", file, model)
    steps.run("report", model, "--data", file, "--evaluation", evaluation, "-o", page)
    steps.run("sample", model, "-n", 1000, "-o", folder / f"sample.{form}")
    read_as = pd.read_csv(file) if form == "csv" else pd.read_parquet(file)
    n_cells = check_observed_cells(read(file), after := read(filled))
    difference = check_probabilities(load(model), read_as, pd.read_csv(predicted))
    n_fills = check_page_and_terminal(steps, page.read_text(), file, model, after)
    print(
        f"  {n_cells:,} observed cells unchanged; probabilities within {difference:.1e}; "
        f"{n_fills} fills of the page are those of complete"
    )
    return {
        "table": name, "format": form, "seconds": steps.seconds, "cpu_seconds": steps.cpu_seconds,
        "observed_cells": n_cells, "largest_difference": difference, "fills_compared": n_fills,
    }  # fmt: skip


def main() -> None:
    """Run the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--formats", default="csv,parquet")
    parser.add_argument("--keep", type=Path, help="folder for all files, instead of a temporary")
    parser.add_argument("--json", type=Path, help="file for the figures")
    asked = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in asked.tables or TABLES:
            for form in asked.formats.split(","):
                print(f"{name}.{form}", flush=True)
                found.append(run_all(name, form, folder))
    slowest = max((s, f"{one['table']}.{one['format']} {step}") for one in found
                  for step, s in one["seconds"].items())  # fmt: skip
    print(f"The slowest step is {slowest[1]}: {slowest[0]:.1f} s.")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

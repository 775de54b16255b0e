"""Writes the model file of the newest format, which every later halfseen must be able to read.

Run once for every format, with ``python -m estimators.golden`` from the folder of the tests. A file
that is there is never written again: a new format gets a golden file of its own.
"""

from __future__ import annotations

import json
from pathlib import Path

from estimators.tables import PREDICTIVE, classes_of_rows, holed_table
from halfseen import HalfseenClassifier
from halfseen.estimators.model_file import VERSION

DATA = Path(__file__).parent / "data"
VERSIONS = range(1, 9)
N_ROWS = 6


def model_of(version: int) -> Path:
    """The golden file of a format."""
    return DATA / f"model_v{version}.safetensors"


def answers_of(version: int) -> Path:
    """What its model said when it was written."""
    return DATA / f"model_v{version}.json"


def write_golden() -> None:
    """Fit a small classifier, save it, and note what it says of the first rows."""
    if model_of(VERSION).exists():
        raise FileExistsError(f"format {VERSION} has its golden file")
    table = holed_table()
    model = HalfseenClassifier(**PREDICTIVE).fit(table, classes_of_rows(table))
    model.save(model_of(VERSION))
    rows = table[:N_ROWS]
    cells = rows.astype(object).where(rows.notna(), None)
    said = {
        "columns": list(table.columns),
        "rows": cells.to_numpy().tolist(),
        "predict_proba": model.predict_proba(rows).tolist(),
        "predict": model.predict(rows).tolist(),
        "predict_interval": model.predict_interval(rows)[:, :2].tolist(),
        "transform": model.transform(rows).to_numpy(dtype=object).tolist(),
    }
    answers_of(VERSION).write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    write_golden()

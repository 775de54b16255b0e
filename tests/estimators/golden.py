"""Writes the model file of format 1 that every later halfseen must be able to read.

Run once with ``python -m estimators.golden`` from the folder of the tests. The file is never
written again: a new format gets a golden file of its own, and this one stays.
"""

from __future__ import annotations

import json
from pathlib import Path

from estimators.tables import LIGHT, classes_of_rows, holed_table
from halfseen import RBMClassifier

DATA = Path(__file__).parent / "data"
MODEL = DATA / "model_v1.safetensors"
ANSWERS = DATA / "model_v1.json"
N_ROWS = 6


def write_golden() -> None:
    """Fit a small classifier, save it, and note what it says of the first rows."""
    table = holed_table()
    model = RBMClassifier(**LIGHT).fit(table, classes_of_rows(table))
    model.save(MODEL)
    rows = table[:N_ROWS]
    cells = rows.astype(object).where(rows.notna(), None)
    said = {
        "columns": list(table.columns),
        "rows": cells.to_numpy().tolist(),
        "predict_proba": model.predict_proba(rows).tolist(),
        "predict": model.predict(rows).tolist(),
        "transform": model.transform(rows).to_numpy(dtype=object).tolist(),
    }
    ANSWERS.write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    write_golden()

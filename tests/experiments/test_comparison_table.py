"""The table: means over masks, what was tuned, and why a method is absent."""

from __future__ import annotations

import numpy as np

from experiments.tiny import tiny_data_set
from halfseen.experiments.comparison import MethodResult
from halfseen.experiments.comparison_cell import Scores, Task
from halfseen.experiments.comparison_table import comparison_table

SCORES = [Scores(0.9, 0.8, 0.10, 2.0, 300.0), Scores(0.8, 0.6, 0.12, 4.0, 500.0)]
RESULTS = [
    MethodResult("column_prior", scores=SCORES),
    MethodResult("mc1", {"lam": 0.1, "mu_share": 0.03}, 3, 9, SCORES),
    MethodResult("noisy_imc", {"rest_share": 0.5}, 4, 4, SCORES, "soft-impute"),
    MethodResult("miwae", {"n_latent": 20}, 1, 18, SCORES),
    MethodResult("gain", not_run="took longer than 5 s for one mask"),
]


def test_every_line_says_what_it_should() -> None:
    text = comparison_table(Task("tiny", 0.5, 0.3), tiny_data_set(), RESULTS, 2)
    lines = text.splitlines()
    assert lines[0] == (
        "tiny: 120 rows, 6 features, 3 labels; hidden: 50% of features, 30% of labels; 2 masks; "
        "hidden entries only, transductive"
    )
    assert " ".join(lines[2].split()) == "method micro-AUC Hamming acc. RMSE seconds peak MB"
    mc1 = next(line for line in lines if line.startswith("mc1"))
    expected = "mc1 0.8500 +- 0.0707 0.7000 +- 0.1414 0.11 +- 0.014 3.0 400"
    assert " ".join(mc1.split()) == expected
    assert "* noisy_imc: RMSE is that of soft-impute" in lines
    assert "  mc1: lam=0.1, mu_share=0.03 (best of 3 tried, of 9 planned: time was up)" in lines
    assert "  noisy_imc: rest_share=0.5 (best of 4)" in lines
    alone = "its own settings, not tuned: no time to try one of 17 others"
    assert f"  miwae: n_latent=20 ({alone})" in lines
    assert "with their own settings, nothing tuned: column_prior" in lines
    assert lines[-2:] == ["not run:", "  gain: took longer than 5 s for one mask"]
    assert len({len(line) for line in lines[2:7]}) == 1


def test_new_rows_have_no_error_of_features() -> None:
    scores = [Scores(0.9, 0.8, np.nan, 2.0, 300.0)]
    task = Task("tiny", 0.5, 0.5, new_share=0.3)
    result = MethodResult("column_prior", scores=scores)
    lines = comparison_table(task, tiny_data_set("classes"), [result], 1).splitlines()
    assert lines[0].endswith("1 mask; all labels of new rows (30% of the rows), inductive")
    assert lines[2].split()[1:3] == ["averaged", "AUC"]
    assert lines[3].split()[-3:] == ["-", "2.0", "300"]

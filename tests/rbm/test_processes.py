"""The estimators in processes that were forked, and compiled programs of many shapes."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from halfseen import RBMImputer
from halfseen.rbm import training

FORK = """
import os, warnings
import numpy as np
from halfseen import RBMImputer
from halfseen.explain import hidden_units
warnings.simplefilter("ignore")
X = np.arange(40.0).reshape(20, 2)
model = RBMImputer(n_components=2, n_iter=1, n_restarts=1).fit(X)
if os.fork():
    raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
calls = [model.fit, model.transform, model.impute, model.score_samples, model.partial_fit]
for call in (*calls, lambda X: hidden_units(model)):
    try:
        call(X)
    except RuntimeError as error:
        assert 'method "spawn"' in str(error)
    else:
        os._exit(1)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_is_told_to_spawn() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_programs_of_many_shapes_do_not_stay() -> None:
    model = RBMImputer(n_components=2, n_iter=1, validation_fraction=0.0, random_state=0)
    for n_rows in range(20, 46):
        model.fit(np.random.default_rng(0).normal(size=(n_rows, 2)))
    assert training.run_epoch._cache_size() < 25  # type: ignore[attr-defined]

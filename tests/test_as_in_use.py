"""The other tests compile in a hurry; what hangs on how that is done is tested as it is in use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hurry import AS_IN_USE, calm_environment

TESTS = Path(__file__).parent
# All modules with tests that are marked, in processes of about the same length.
MODULES = [
    ["estimators/test_row_by_row.py"],
    ["estimators/test_fitted_prediction.py", "estimators/test_model_file.py"],
    ["machine/test_tiles.py"],
]


@pytest.mark.long
@pytest.mark.skipif(AS_IN_USE in os.environ, reason="nothing is in a hurry")
@pytest.mark.parametrize("modules", MODULES, ids=lambda modules: modules[0])
def test_without_hurry(modules: list[str]) -> None:
    """A process of its own: a compiler that was told to hurry cannot be told otherwise."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-m", "as_in_use", *modules],
        cwd=TESTS,
        env=calm_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_module_is_left_out() -> None:
    mark = "mark.as_in" + "_use"
    marked = {path for path in TESTS.rglob("test_*.py") if mark in path.read_text("utf-8")}
    assert marked == {TESTS / module for modules in MODULES for module in modules}

"""Epochs of the peers, in the shapes that ours are measured in."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.neural_network import BernoulliRBM

from speed.lossy_cd_epoch import Case, n_rows_of
from speed.measurement import Measurement, timed
from speed.random_rows import layer_of_width, random_rows

SECTION = "lossy_cd"
# Products with the weights that one row needs: data and chains up, chains down, two correlations.
_PRODUCTS_OF_PERSISTENT = 5
_PRODUCTS = {"torch": 8, "rbms": _PRODUCTS_OF_PERSISTENT, "BernoulliRBM": _PRODUCTS_OF_PERSISTENT}
_NEEDS = {
    "torch": "PyTorch was not measured: `pip install torch`, or name an interpreter that has it "
    "with --peer-python.",
    "rbms": "The package rbms was not measured: `pip install rbms`, or name an interpreter that "
    "has it with --peer-python.",
}


def peer_measurement(name: str, case: Case, seconds: Sequence[float]) -> Measurement:
    """Epochs of a peer, with the operations of its own step."""
    n_rows = n_rows_of(case)
    flops = 2.0 * _PRODUCTS[name] * n_rows * case.n_visible * case.n_hidden
    return Measurement(SECTION, name, tuple(seconds), n_rows, flops, *case)


def bernoulli_rbm_epochs(
    cases: Sequence[Case], n_repeats: int, tell: Callable[[Measurement], None]
) -> None:
    """Tell of epochs of scikit-learn's BernoulliRBM: persistent chains, rows without holes."""
    for case in cases:
        rows = random_rows(n_rows_of(case), layer_of_width(case.n_visible))
        model = BernoulliRBM(
            case.n_hidden,
            learning_rate=0.001,
            batch_size=case.batch_size,
            n_iter=1,
            random_state=np.random.RandomState(0),
        )
        seconds = timed(partial(model.fit, rows.visible), n_repeats)
        tell(peer_measurement("BernoulliRBM", case, seconds))


def torch_peer_epochs(
    name: str,
    python: str,
    cases: Sequence[Case],
    n_repeats: int,
    tell: Callable[[Measurement], None],
) -> str:
    """Tell of epochs of a peer that needs torch, in an interpreter that has it.

    Returns
    -------
    str
        A sentence if it could not be measured.
    """
    script = Path(__file__).with_name(f"{name}_peer.py")
    plain = [[*case[:3], n_rows_of(case)] for case in cases]
    words = [python, "-W", "ignore", str(script), json.dumps(plain), str(n_repeats)]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        for case, line in zip(cases, process.stdout, strict=False):
            tell(peer_measurement(name, case, json.loads(line)))
        if process.wait() == 0:
            return ""
        errors.seek(0)
        said = errors.read().strip() or "it was stopped"
    if "ModuleNotFoundError" in said:
        return _NEEDS[name]
    return f"{name} was not measured: {said.splitlines()[-1]}"

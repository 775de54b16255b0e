"""Updates of the package ``rbms`` (persistent contrastive divergence, rows without holes), timed.

Run by the interpreter that has rbms, with the arguments of ``torch_peer.py``. Its own functions
take the gradient; files and progress of its training command are left out.
"""

from __future__ import annotations

import json
import sys
import time

import torch  # type: ignore[import-not-found, unused-ignore]
from rbms.bernoulli_bernoulli.classes import BBRBM  # type: ignore[import-not-found, unused-ignore]
from rbms.training.pcd import fit_batch_pcd  # type: ignore[import-not-found, unused-ignore]


def epoch_seconds(case: list[int], n_repeats: int) -> list[float]:
    """Seconds of every epoch but the first; as many chains as rows in a minibatch."""
    n_visible, n_hidden, batch_size, n_rows = case
    torch.manual_seed(0)
    table = (torch.rand(n_rows, n_visible) < 0.25).float()
    weight = torch.ones(n_rows)
    machine = BBRBM(
        0.01 * torch.randn(n_visible, n_hidden), torch.zeros(n_visible), torch.zeros(n_hidden)
    )
    parameters = [machine.weight_matrix, machine.vbias, machine.hbias]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    optimiser = torch.optim.SGD(parameters, lr=0.001, maximize=True)
    chains = machine.init_chains(batch_size)
    seconds = []
    for _ in range(n_repeats + 1):
        began = time.perf_counter()
        for rows in torch.randperm(n_rows).split(batch_size):
            optimiser.zero_grad(set_to_none=False)
            batch = (table[rows], weight[rows])
            chains, _ = fit_batch_pcd(batch, chains, machine, 1, 1.0, centered=False)
            optimiser.step()
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def main() -> None:
    """Time the cases of the command line."""
    cases, n_repeats = json.loads(sys.argv[1]), int(sys.argv[2])
    with torch.no_grad():
        for case in cases:
            print(json.dumps(epoch_seconds(case, n_repeats)), flush=True)


if __name__ == "__main__":
    main()

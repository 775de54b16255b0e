"""Lossy-CD-1 written in PyTorch as one would write it, timed; needs nothing but torch and numpy.

Run by the interpreter that has torch, with cases as JSON: a list of ``[n_visible, n_hidden,
batch_size, n_rows]``, and the number of repeats. Prints the seconds of all repeats as JSON, a line
for each case. All visible units are bits.
"""

from __future__ import annotations

import json
import sys
import time

import torch  # type: ignore[import-not-found, unused-ignore]


class Machine:
    """Weights and biases of one machine, and the step of Algorithm 1 of the paper."""

    def __init__(self, n_visible: int, n_hidden: int, rate: float) -> None:
        self.weights = 0.01 * torch.randn(n_visible, n_hidden)
        self.visible_bias = torch.zeros(n_visible)
        self.hidden_bias = torch.zeros(n_hidden)
        self.rate = rate

    def hidden_mean(self, visible: torch.Tensor) -> torch.Tensor:
        """P(h = 1 | v)."""
        return torch.sigmoid(torch.addmm(self.hidden_bias, visible, self.weights))

    def visible_mean(self, hidden: torch.Tensor) -> torch.Tensor:
        """P(v = 1 | h)."""
        return torch.sigmoid(torch.addmm(self.visible_bias, hidden, self.weights.T))

    def step(self, visible: torch.Tensor, observed: torch.Tensor) -> None:
        """One update: observed bits pinned and the others at random, against free chains."""
        start = torch.randint_like(visible, 2)
        filled = torch.where(observed, visible, start)
        sampled = torch.bernoulli(self.visible_mean(torch.bernoulli(self.hidden_mean(filled))))
        filled = torch.where(observed, visible, sampled)
        positive = self.hidden_mean(filled)

        free = torch.randint_like(visible, 2)
        free = torch.bernoulli(self.visible_mean(torch.bernoulli(self.hidden_mean(free))))
        negative = self.hidden_mean(free)

        scale = self.rate / len(visible)
        self.weights += scale * (filled.T @ positive - free.T @ negative)
        self.visible_bias += scale * (filled - free).sum(0)
        self.hidden_bias += scale * (positive - negative).sum(0)


def epoch_seconds(case: list[int], n_repeats: int) -> list[float]:
    """Seconds of every epoch but the first."""
    n_visible, n_hidden, batch_size, n_rows = case
    torch.manual_seed(0)
    table = (torch.rand(n_rows, n_visible) < 0.25).float()
    observed = torch.rand(n_rows, n_visible) < 0.5
    machine = Machine(n_visible, n_hidden, 0.001)
    seconds = []
    for _ in range(n_repeats + 1):
        began = time.perf_counter()
        for rows in torch.randperm(n_rows).split(batch_size):
            machine.step(table[rows], observed[rows])
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def main() -> None:
    """Time the cases of the command line."""
    cases, n_repeats = json.loads(sys.argv[1]), int(sys.argv[2])
    with torch.inference_mode():
        for case in cases:
            print(json.dumps(epoch_seconds(case, n_repeats)), flush=True)


if __name__ == "__main__":
    main()

"""Shares of the machine's limit and ratios to peers that are held against goals."""

from __future__ import annotations

from collections.abc import Sequence

from speed.finding import Finding
from speed.measurement import Measurement, matching

_NAMES = {"lossy_cd": "Lossy-CD-1", "predictive": "predictive training", "completion": "completion"}
_MNIST_MACHINE = (794, 100)
_PREDICTIVE_MACHINE = (794, 300)


def share_goal(measured: Measurement) -> float | None:
    """The least share of the machine's limit, if there is a goal for it."""
    size = (measured.n_visible, measured.n_hidden)
    if measured.name != "halfseen":
        return None
    if measured.section == "lossy_cd" and size == _MNIST_MACHINE:
        if measured.batch_size >= 100 and measured.n_replicas == 1:
            return 0.5
        return 0.25 if measured.n_replicas == 10 and measured.batch_size == 10 else None
    if measured.section == "predictive" and size == _PREDICTIVE_MACHINE:
        # A fit never trains fewer than two members: one of each kind.
        return 0.65 if measured.batch_size >= 100 and measured.n_replicas == 2 else None
    if measured.section == "completion" and size == _PREDICTIVE_MACHINE:
        return 0.6
    return None


def ratio_goal(measured: Measurement) -> float | None:
    """How many times as fast per row as a peer it must be, if there is a goal for it."""
    size = (measured.n_visible, measured.n_hidden, measured.batch_size)
    if measured.section != "lossy_cd" or size != (*_MNIST_MACHINE, 10):
        return None
    return 1.5 if measured.n_replicas == 1 else 3.0


def share_findings(measurements: Sequence[Measurement], peak: float) -> list[Finding]:
    """Shares for which there are goals."""
    return [
        Finding(
            f"{_NAMES[one.section]}, {described(one)}: share of sgemm peak",
            one.share_of(peak),
            "",
            least=goal,
        )
        for one in measurements
        if (goal := share_goal(one)) is not None
    ]


def ratio_findings(measurements: Sequence[Measurement]) -> list[Finding]:
    """How many times as fast per row as each peer in the same shape, replicas beside one machine.

    The goal with ten replicas is against PyTorch.
    """
    findings = []
    peers = sorted({one.name for one in measurements} - {"halfseen"})
    for one in measurements:
        for peer in peers if one.name == "halfseen" else ():
            other = matching(measurements, one, peer)
            if other is None:
                continue
            goal = ratio_goal(one)
            if peer == "rbms" or (one.n_replicas > 1 and peer != "torch"):
                goal = None
            ratio = other.microseconds_per_row / one.microseconds_per_row
            what = f"{_NAMES[one.section]}, {described(one)}: speed over {peer}"
            findings.append(Finding(what, ratio, "times", least=goal))
    return findings


def described(one: Measurement) -> str:
    """The shape in words.

    Examples
    --------
    >>> described(Measurement("lossy_cd", "halfseen", (1.0,), 1, 1.0, 794, 100, 10, 1))
    '794 x 100, batch 10'
    """
    words = [f"{one.n_visible} x {one.n_hidden}"]
    words += [f"batch {one.batch_size}"] if one.batch_size else []
    words += [f"{one.n_replicas} together"] if one.n_replicas > 1 else []
    return ", ".join([*words, *([one.note] if one.note else [])])

"""Peak memory: of this process, and from a moment on."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from halfseen.experiments.peak_memory import forget_peak, peak_megabytes


def test_peak_memory_is_of_this_process() -> None:
    before = peak_megabytes()
    assert 10 < before < 1e6
    kept = np.ones(2**25)
    assert peak_megabytes() >= min(before, kept.nbytes / 2**20)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_what_was_given_back_is_forgotten() -> None:
    forget_peak()
    small = peak_megabytes()
    large = np.ones(2**26)  # 512 MB
    assert peak_megabytes() > small + 500
    del large
    forget_peak()
    assert peak_megabytes() < small + 250

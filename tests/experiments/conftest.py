"""What the tests of the studies share."""

from __future__ import annotations

import pytest

from experiments.tiny import tiny_data_set
from halfseen.experiments import comparison, comparison_cell
from halfseen.experiments.data_sets import DataSet


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> DataSet:
    """The only data set there is, whatever its name; and nothing leaves this process."""
    data = tiny_data_set()
    monkeypatch.setattr(comparison_cell, "load_data_set", lambda name, n_rows=None: data)
    monkeypatch.setattr(comparison, "in_own_process", lambda function, of, limit: function(*of))
    return data

from __future__ import annotations

import numpy as np
import pytest

from explanations.tiny import COLOUR, NEW, OLD, SHAPE, SIZE, SOLD, brute_force, random_machine
from halfseen.explanations.exact_conditional import MOST_HIDDEN_UNITS, exact_conditional
from halfseen.tables import Encoded, Schema

SCHEMA = Schema((SIZE, SOLD, NEW, OLD, COLOUR, SHAPE), (), None)


def _rows(n_rows: int) -> Encoded:
    rng = np.random.default_rng(5)
    seen = rng.random((n_rows, len(SCHEMA.columns))) < 0.7
    seen[0], seen[1] = False, True
    parts = [rng.normal(size=(n_rows, 2)), rng.integers(0, 2, (n_rows, 2))]
    parts += [np.eye(size)[rng.integers(0, size, n_rows)] for size in SCHEMA.group_sizes]
    observed = seen[:, SCHEMA.column_of_unit]
    visible = np.where(observed, np.concatenate(parts, axis=1), 0.0).astype(np.float32)
    return Encoded(visible, observed)


@pytest.mark.parametrize("n_machines", [1, 2])
def test_means_are_those_of_brute_force(n_machines: int) -> None:
    machine = random_machine(SCHEMA, 1, n_machines=n_machines)
    rows = _rows(6)
    found = exact_conditional(machine, *rows)
    np.testing.assert_allclose(found, brute_force(machine, rows), atol=1e-9)


def test_rows_do_not_depend_on_each_other() -> None:
    machine, rows = random_machine(SCHEMA, 2), _rows(6)
    together = exact_conditional(machine, *rows)
    for row in range(6):
        alone = exact_conditional(machine, rows.visible[[row]], rows.observed[[row]])
        np.testing.assert_array_equal(alone[0], together[row])


def test_too_many_hidden_units_are_refused() -> None:
    machine = random_machine(SCHEMA, 3, n_hidden=MOST_HIDDEN_UNITS + 1)
    with pytest.raises(ValueError, match=r'this machine has 17: use method="model"'):
        exact_conditional(machine, *_rows(2))

"""Known entries of a table, hidden at random, so that answers about them can be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow

_OWN_STREAM = 86_028_121


def hide_entries(table: pyarrow.Table, share: float, seed: int) -> pyarrow.Table:
    """A table in which a share of the known entries of every column is hidden.

    Parameters
    ----------
    table : pyarrow.Table
        Features and labels.
    share : float
        Share of the known entries that are hidden, each with the same chance; never all of them.
    seed : int
        The same seed hides the same entries.

    Returns
    -------
    pyarrow.Table
        Of the same columns and types.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"a": list(range(1000)), "b": [None] * 1000})
    >>> hidden = hide_entries(table, 0.2, 0)
    >>> hidden["a"].null_count
    200
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for position, column in enumerate(table.columns):
        # Each column has a stream of its own, so that leaving one out changes no other.
        draw = np.random.default_rng([seed, _OWN_STREAM, position])
        known = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        n_hidden = min(round(share * len(known)), max(len(known) - 1, 0))
        mask = np.zeros(len(column), dtype=bool)
        mask[draw.choice(known, size=n_hidden, replace=False)] = True
        columns.append(pc.if_else(pa.array(mask), pa.scalar(None, column.type), column))
    return pa.table(columns, schema=table.schema)

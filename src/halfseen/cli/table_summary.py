"""What is in a file, found out in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from halfseen.cli.missing_strips import MissingStrips
from halfseen.cli.terminal import Terminal
from halfseen.cli.watch import Watch

if TYPE_CHECKING:
    import pyarrow

    from halfseen.files import TableFile
    from halfseen.inspection import TableSummary

_ROLES = {"identifier": "identifier", "date": "date", "text": "text"}
_ROWS_AT_ONCE = 16_384


class Summarised(NamedTuple):
    """What is in a file, and where its holes are.

    Attributes
    ----------
    summary : TableSummary
        What is in it.
    strips : MissingStrips
        Where its holes are.

    Examples
    --------
    >>> Summarised(None, MissingStrips(10)).strips.n_parts
    10
    """

    summary: TableSummary
    strips: MissingStrips


def summarised(
    source: TableFile, labels: Sequence[str], seed: int, terminal: Terminal
) -> Summarised:
    """Summarise a table.

    Parameters
    ----------
    source : TableFile
        The table.
    labels : sequence of str
        Its label columns.
    seed : int
        Seed of the sample that some findings rest on.
    terminal : Terminal
        Where to show that this lasts.

    Returns
    -------
    Summarised
    """
    from halfseen.inspection import inspect_table

    roles = {
        column.name: _ROLES[column.role.value]
        for column in source.columns
        if column.role.value in _ROLES and column.name not in labels
    }
    strips = MissingStrips(source.n_rows)
    with terminal.watching("looking at the table", source.n_rows) as watch:
        batches = _watched(source, strips, watch)
        return Summarised(inspect_table(batches, labels=labels, roles=roles, seed=seed), strips)


def _watched(source: TableFile, strips: MissingStrips, watch: Watch) -> Iterator[pyarrow.Table]:
    for batch in source.batches(_ROWS_AT_ONCE):
        strips.add(batch)
        yield batch
        watch.advance(batch.num_rows)

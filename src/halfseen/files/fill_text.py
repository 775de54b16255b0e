"""Write values into the holes of some rows of text, and touch nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from halfseen.files.cells import Cells
from halfseen.files.row_block import RowBlock
from halfseen.files.scanned_column import ScannedColumn
from halfseen.files.text_layout import TextLayout


def fill_text(
    block: RowBlock,
    cells: Cells,
    values: Mapping[int, pa.Array],
    columns: Sequence[ScannedColumn],
    layout: TextLayout,
) -> tuple[bytes, NDArray[np.int64]]:
    r"""Write values into the holes of some rows of text.

    A hole gives way to the value, the spaces and quotes around it stay. A value is put into
    quotes when it needs them, or when all observed values of its column have them.

    Parameters
    ----------
    block : RowBlock
        The rows.
    cells : Cells
        Their cells, of all columns.
    values : mapping of int to pyarrow.Array
        By position of the column; null leaves a hole.
    columns : sequence of ScannedColumn
        How the values of each column are written.
    layout : TextLayout
        Delimiter and encoding.

    Returns
    -------
    text : bytes
        UTF-8; outside the holes the same bytes as before.
    n_filled : ndarray of int64, shape (n_columns,)
        Holes that were filled.

    Raises
    ------
    TableFileError
        A value cannot be written in the encoding of the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from halfseen.files import open_table, write_filled
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("size,kind\n1.50, NA \n,\"b\"\n2.25,c\n")
    ...     with open_table(path) as table:
    ...         _ = write_filled(table, path, lambda batch: {
    ...             "size": np.full(batch.num_rows, 7), "kind": np.full(batch.num_rows, "x;y")})
    ...     print(path.read_text())
    size,kind
    1.50, x;y
    7.00,"b"
    2.25,c
    <BLANKLINE>
    """
    n_filled = np.zeros(len(columns), dtype=np.int64)
    begins: list[NDArray[np.int64]] = []
    ends: list[NDArray[np.int64]] = []
    texts: list[str] = []
    for position, array in values.items():
        holes = ~cells.observed[position] & array.is_valid().to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(holes)
        if not rows.size:
            continue
        n_filled[position] = rows.size
        words = _written(array.take(pa.array(rows)), columns[position])
        begin, end = cells.starts[position][rows], cells.ends[position][rows]
        _quote_where_needed(words, begin, end, block, cells, position, rows, columns, layout)
        _refuse_foreign(words, block, position, rows, layout)
        begins.append(begin)
        ends.append(end)
        texts.extend(words)
    if not texts:
        return block.data, n_filled
    return _spliced(block.data, np.concatenate(begins), np.concatenate(ends), texts), n_filled


def _written(values: pa.Array, column: ScannedColumn) -> list[str]:
    """The values as text, in the way the column is written."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return ["True" if value else "False" for value in values.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return column.style.texts(numbers)
    words: list[str] = pc.cast(values, pa.string()).to_pylist()
    return words


def _quote_where_needed(
    words: list[str],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    block: RowBlock,
    cells: Cells,
    position: int,
    rows: NDArray[np.int64],
    columns: Sequence[ScannedColumn],
    layout: TextLayout,
) -> None:
    """Put words into quotes, and widen the span they replace to the whole field."""
    is_special = _special(layout.delimiter)
    facts = columns[position].facts
    always = columns[position].is_quoted and facts.n_observed > 0
    in_quotes = None if cells.quoted is None else cells.quoted[position][rows]
    if not always and in_quotes is None and not any(map(is_special, set(words))):
        return
    for index, word in enumerate(words):
        if in_quotes is not None and in_quotes[index]:
            words[index] = word.replace('"', '""')
        elif always or is_special(word):
            words[index] = '"' + word.replace('"', '""') + '"'
            begin[index] = block.starts[rows[index], position]
            end[index] = block.ends[rows[index], position]


def _special(delimiter: int) -> Callable[[str], object]:
    """Find out whether a word needs quotes."""
    return re.compile(f'["\r\n{re.escape(chr(delimiter))}]|^[ \t]|[ \t]$').search


def _refuse_foreign(
    words: list[str], block: RowBlock, position: int, rows: NDArray[np.int64], layout: TextLayout
) -> None:
    if layout.stream.encoding.startswith("utf"):
        return
    for word, row in zip(words, rows.tolist(), strict=True):
        try:
            layout.stream.encode(word)
        except UnicodeEncodeError:
            raise layout.error(
                f"the value {word!r} cannot be written in {layout.stream.encoding}",
                "Convert the file to UTF-8 first",
                row=block.first_row + row + 1,
                line=block.line_at(int(block.starts[row, position])),
                position=position,
            ) from None


def _spliced(
    data: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64], texts: list[str]
) -> bytes:
    """The data with spans that do not overlap replaced by texts."""
    order = np.argsort(begins, kind="stable")
    cuts = zip([0, *ends[order].tolist()], [*begins[order].tolist(), len(data)], strict=True)
    kept = [data[first:last] for first, last in cuts]
    pieces = [b""] * (2 * len(texts) + 1)
    pieces[0::2] = kept
    pieces[1::2] = [texts[index].encode() for index in order.tolist()]
    return b"".join(pieces)

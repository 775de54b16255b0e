"""Find out what stands in the columns of a text file, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from halfseen.files.cells import Cells, fingerprints, read_cells, texts_by_row, texts_of
from halfseen.files.column_facts import ColumnFacts
from halfseen.files.distinct_values import DistinctValues
from halfseen.files.look_like_dates import look_like_dates
from halfseen.files.number_style import NumberStyle
from halfseen.files.parse_numbers import are_numbers, parse_numbers
from halfseen.files.row_block import RowBlock, read_rows
from halfseen.files.scanned_column import OddValue, ScannedColumn
from halfseen.files.text_layout import TextLayout

_EXAMPLES: Final = 3
_LARGEST_WHOLE: Final = 2.0**53


class _Reading(Enum):
    """As what the values of a column could be read so far."""

    POINT = auto()
    COMMA = auto()
    TEXT = auto()


def scan_text(
    layout: TextLayout, missing_marks: Sequence[str]
) -> tuple[tuple[ScannedColumn, ...], int]:
    r"""Read a whole text file once, in bounded memory.

    Parameters
    ----------
    layout : TextLayout
        The file.
    missing_marks : sequence of str
        Texts that mark a hole.

    Returns
    -------
    columns : tuple of ScannedColumn
        One per column.
    n_rows : int
        Data rows.

    Raises
    ------
    TableFileError
        The file cannot be read, with line, row and column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from halfseen.files.text_layout import find_text_layout
    >>> from halfseen.files.text_stream import TextStream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("age,name\n31,Ada\nNA,Bo\n")
    ...     layout = find_text_layout(TextStream.open(str(path), "a.csv", None), None)
    ...     (age, name), n_rows = scan_text(layout, ["NA"])
    >>> age.facts.is_integer, age.facts.n_missing, name.odd, n_rows
    (True, 1, OddValue(text='Ada', row=1, line=2), 2)
    """
    scan = _TextScan(layout, missing_marks)
    for block in read_rows(layout):
        if len(block.starts):
            scan.add(block)
    return scan.columns(), scan.n_rows


class _TextScan:
    def __init__(self, layout: TextLayout, missing_marks: Sequence[str]) -> None:
        n = len(layout.names)
        self.n_rows = 0
        self._layout = layout
        self._marks = missing_marks
        self._may_be_comma = layout.delimiter != ord(",")
        self._n_missing = np.zeros(n, dtype=np.int64)
        self._n_numbers = np.zeros(n, dtype=np.int64)
        self._n_bytes = np.zeros(n, dtype=np.int64)
        self._n_with_space = np.zeros(n, dtype=np.int64)
        self._is_integer = np.ones(n, dtype=bool)
        self._is_huge = np.zeros(n, dtype=bool)
        self._is_coded = np.zeros(n, dtype=bool)
        self._counts_rows = np.ones(n, dtype=bool)
        self._first_value = np.zeros(n)
        self._fewest_decimals = np.full(n, np.iinfo(np.int64).max)
        self._most_decimals = np.zeros(n, dtype=np.int64)
        self._has_exponent = np.zeros(n, dtype=bool)
        self._are_dates = np.ones(n, dtype=bool)
        self._is_quoted = np.ones(n, dtype=bool)
        self._reading = [_Reading.POINT] * n
        self._is_comma = np.zeros(n, dtype=bool)  # of texts: which numbers among them count
        self._odd: list[OddValue | None] = [None] * n
        self._distinct = [DistinctValues() for _ in range(n)]
        self._examples: list[tuple[str, ...]] = [()] * n

    def add(self, block: RowBlock) -> None:
        cells = read_cells(block, self._marks)
        n_observed = np.count_nonzero(cells.observed, axis=1)
        self._n_missing += len(block.starts) - n_observed
        self._n_bytes += ((cells.ends - cells.starts) * cells.observed).sum(axis=1)
        if cells.quoted is None:
            self._is_quoted &= n_observed == 0
        else:
            self._is_quoted &= (cells.quoted | ~cells.observed).all(axis=1)
        self._count_distinct(cells)
        self._take_examples(block, cells)
        before = self.n_rows - self._n_missing + len(block.starts) - n_observed
        for reading in (_Reading.POINT, _Reading.COMMA):
            self._read_numbers(block, cells, reading, before)
        for position, reading in enumerate(self._reading):
            if reading is _Reading.TEXT:
                self._read_texts(cells, position)
        self.n_rows += len(block.starts)

    def columns(self) -> tuple[ScannedColumn, ...]:
        return tuple(self._column(position) for position in range(len(self._reading)))

    def _column(self, position: int) -> ScannedColumn:
        n_missing = int(self._n_missing[position])
        n_observed = self.n_rows - n_missing
        distinct = self._distinct[position]
        is_number = n_observed > 0 and self._reading[position] is not _Reading.TEXT
        decimals = int(self._most_decimals[position])
        is_fixed = decimals == self._fewest_decimals[position] and not self._has_exponent[position]
        is_integer = bool(is_number and self._is_integer[position])
        facts = ColumnFacts(
            self._layout.names[position],
            n_rows=self.n_rows,
            n_missing=n_missing,
            n_numbers=int(self._n_numbers[position]),
            is_integer=is_integer,
            is_huge=bool(
                is_integer
                and self._is_huge[position]
                and decimals == 0
                and not self._has_exponent[position]
            ),
            is_coded=bool(self._is_coded[position]),
            counts_rows=bool(is_integer and self._counts_rows[position]),
            are_dates=bool(self._reading[position] is _Reading.TEXT and self._are_dates[position]),
            n_distinct=distinct.count,
            n_distinct_about=distinct.estimate,
            all_differ=distinct.all_differ,
            mean_length=float(self._n_bytes[position] / max(n_observed, 1)),
            n_with_space=int(self._n_with_space[position]),
            examples=self._examples[position],
        )
        style = NumberStyle(
            is_integer=is_integer,
            decimals=decimals if is_fixed else None,
            decimal_comma=self._reading[position] is _Reading.COMMA,
        )
        return ScannedColumn(facts, style, bool(self._is_quoted[position]), self._odd[position])

    def _count_distinct(self, cells: Cells) -> None:
        hashes = fingerprints(cells.text, cells.starts.ravel(), cells.ends.ravel())
        for position, row in enumerate(hashes.reshape(cells.starts.shape)):
            self._distinct[position].add(row[cells.observed[position]])

    def _take_examples(self, block: RowBlock, cells: Cells) -> None:
        for position, known in enumerate(self._examples):
            if known:
                continue
            rows = np.flatnonzero(cells.observed[position])[:100]
            spans = zip(cells.starts[position][rows], cells.ends[position][rows], strict=True)
            texts = dict.fromkeys(block.data[start:end].decode() for start, end in spans)
            self._examples[position] = tuple(texts)[:_EXAMPLES]

    def _read_numbers(
        self, block: RowBlock, cells: Cells, reading: _Reading, before: NDArray[np.int64]
    ) -> None:
        """Take in the columns that have been numbers so far, all at once if they still are."""
        positions = np.array(
            [position for position, known in enumerate(self._reading) if known is reading],
            dtype=np.int64,
        )
        if not positions.size:
            return
        is_comma = reading is _Reading.COMMA
        texts = texts_by_row(cells, positions)
        numbers = parse_numbers(texts, decimal_comma=is_comma)
        if numbers is not None:
            by_column = numbers.reshape(-1, positions.size).T
            self._take_numbers(cells, positions, texts, by_column, ".,"[is_comma])
            return
        for position in positions.tolist():
            alone = np.array([position])
            texts = texts_of(cells, alone)
            numbers = parse_numbers(texts, decimal_comma=is_comma)
            if numbers is not None:
                self._take_numbers(cells, alone, texts, numbers[np.newaxis], ".,"[is_comma])
            else:
                self._read_otherwise(block, cells, position, texts, before)

    def _read_otherwise(
        self,
        block: RowBlock,
        cells: Cells,
        position: int,
        texts: pa.StringArray,
        before: NDArray[np.int64],
    ) -> None:
        """Decimal commas if they fit all that came before, else text."""
        was_comma = self._reading[position] is _Reading.COMMA
        may_be_comma = (
            self._may_be_comma
            and not was_comma
            and self._most_decimals[position] == 0
            and not self._has_exponent[position]
        )
        numbers = parse_numbers(texts, decimal_comma=True) if may_be_comma else None
        if numbers is not None:
            self._reading[position] = _Reading.COMMA
            return  # the pass over columns with decimal commas takes them in
        self._reading[position] = _Reading.TEXT
        self._is_comma[position] = was_comma
        self._n_numbers[position] = before[position]
        self._are_dates[position] &= before[position] == 0
        rows = np.flatnonzero(cells.observed[position])
        seen = texts.drop_null()
        good = are_numbers(seen, decimal_comma=was_comma)
        if may_be_comma:
            with_comma = are_numbers(seen, decimal_comma=True)
            self._is_comma[position] = with_comma.sum() > good.sum()
            good = with_comma if self._is_comma[position] else good
        row = int(rows[np.flatnonzero(~good)[0]])
        self._odd[position] = OddValue(
            texts[row].as_py(),
            row=block.first_row + row + 1,
            line=block.line_at(int(block.starts[row, position])),
        )

    def _take_numbers(
        self,
        cells: Cells,
        positions: NDArray[np.int64],
        texts: pa.StringArray,
        numbers: NDArray[np.float64],
        decimal_mark: str,
    ) -> None:
        observed = cells.observed[positions]
        self._n_numbers[positions] += np.count_nonzero(observed, axis=1)
        whole = (numbers == np.rint(numbers)) | ~observed
        huge = whole & (np.abs(numbers) >= _LARGEST_WHOLE)
        self._is_integer[positions] &= whole.all(axis=1)
        self._is_huge[positions] |= huge.any(axis=1)
        if self.n_rows == 0:
            self._first_value[positions] = numbers[:, 0]
            self._counts_rows[positions] &= np.isin(numbers[:, 0], (0.0, 1.0))
        rows = np.arange(self.n_rows, self.n_rows + numbers.shape[1])
        expected = self._first_value[positions, np.newaxis] + rows
        self._counts_rows[positions] &= (numbers == expected).all(axis=1)
        self._is_coded[positions] |= _have_leading_zeros(cells, positions)
        self._take_decimals(cells, positions, texts, decimal_mark)

    def _take_decimals(
        self,
        cells: Cells,
        positions: NDArray[np.int64],
        texts: pa.StringArray,
        decimal_mark: str,
    ) -> None:
        observed = cells.observed[positions]
        lengths = cells.ends[positions] - cells.starts[positions]
        places = pc.fill_null(pc.find_substring(texts, decimal_mark), -1)
        places = places.to_numpy(zero_copy_only=False).reshape(observed.shape[::-1]).T
        decimals = np.where(places >= 0, lengths - places - 1, 0)
        fewest = np.where(observed, decimals, np.iinfo(np.int64).max).min(axis=1)
        most = np.where(observed, decimals, 0).max(axis=1)
        self._fewest_decimals[positions] = np.minimum(self._fewest_decimals[positions], fewest)
        self._most_decimals[positions] = np.maximum(self._most_decimals[positions], most)
        raw = texts.buffers()[2]
        written = raw.to_pybytes() if raw is not None else b""
        if b"e" in written or b"E" in written:
            found = pc.fill_null(pc.match_substring(texts, "e", ignore_case=True), False)
            found = found.to_numpy(zero_copy_only=False).reshape(observed.shape[::-1]).T
            self._has_exponent[positions] |= found.any(axis=1)

    def _read_texts(self, cells: Cells, position: int) -> None:
        encoded = texts_of(cells, np.array([position])).drop_null().dictionary_encode()
        words = encoded.dictionary
        if not len(words):
            return
        times = np.bincount(encoded.indices.to_numpy(), minlength=len(words))
        with_space = pc.match_substring(words, " ").to_numpy(zero_copy_only=False)
        numbers = are_numbers(words, decimal_comma=bool(self._is_comma[position]))
        self._n_with_space[position] += int(times[with_space].sum())
        self._n_numbers[position] += int(times[numbers].sum())
        if self._are_dates[position]:
            self._are_dates[position] = look_like_dates(words)


def _have_leading_zeros(cells: Cells, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Columns in which a number of several digits begins with 0."""
    leading = np.zeros(len(positions), dtype=bool)
    first = cells.text.take(cells.starts[positions])
    for n_signs, sign in ((0, "0"), (1, "-"), (1, "+")):
        places, rows = np.nonzero(first == ord(sign))
        starts = cells.starts[positions[places], rows] + n_signs
        several = starts + 1 < cells.ends[positions[places], rows]
        starts, places = starts[several], places[several]
        second = cells.text.take(starts + 1)
        found = (cells.text.take(starts) == ord("0")) & (second >= ord("0")) & (second <= ord("9"))
        leading[places[found]] = True
    return leading

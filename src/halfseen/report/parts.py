"""What stands in a section: notes, tables, pictures, and what is folded away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "absent", "caution"]
CellTone = Literal["plain", "strong", "filled"]


@dataclass(frozen=True)
class Note:
    """A paragraph.

    Parameters
    ----------
    text : str
        Plain text; it is escaped when the page is written.
    tone : {"plain", "absent", "caution"}, default="plain"
        "absent" says what to give in order to see this part, "caution" what to mind.

    Examples
    --------
    >>> Note("Twelve columns, 3 of them labels.").tone
    'plain'
    """

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Facts:
    """A few figures to take in at a glance, each under its name.

    Parameters
    ----------
    items : sequence of (str, str)
        Name and figure, plain text.

    Examples
    --------
    >>> Facts((("rows", "2,407"), ("labels", "6"))).items[0]
    ('rows', '2,407')
    """

    items: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Picture:
    """A drawing under which a caption stands.

    Parameters
    ----------
    svg : str
        One ``<svg>`` element, as the functions of :mod:`halfseen.report.pictures` write it.
    caption : str
        Plain text.

    Examples
    --------
    >>> Picture("<svg></svg>", "Nothing.").caption
    'Nothing.'
    """

    svg: str
    caption: str


@dataclass(frozen=True)
class Gallery:
    """Pictures side by side, as many in a line as there is room for.

    Examples
    --------
    >>> len(Gallery((Picture("<svg></svg>", "a"), Picture("<svg></svg>", "b"))).pictures)
    2
    """

    pictures: Sequence[Picture]


@dataclass(frozen=True)
class Cell:
    """A cell that shows one thing and is sorted by another.

    Parameters
    ----------
    text : str
        What is shown, plain text.
    key : float, str or None, default=None
        What the cell is sorted by; None is the text itself.
    svg : str, default=""
        A small drawing beside the text.
    tone : {"plain", "strong", "filled"}, default="plain"
        "strong" for the best of its column, "filled" for what stands where a hole was.

    Examples
    --------
    >>> Cell("12 %", key=0.12).key
    0.12
    """

    text: str
    key: float | str | None = None
    svg: str = ""
    tone: CellTone = "plain"


Entry = Cell | str | int | float | None


@dataclass(frozen=True)
class TableColumn:
    """The head of a column.

    Parameters
    ----------
    title : str
        Plain text.
    numeric : bool, default=False
        Numbers stand to the right and are sorted as numbers.
    digits : int, default=3
        Significant digits of numbers that come as numbers.

    Examples
    --------
    >>> TableColumn("missing", numeric=True).digits
    3
    """

    title: str
    numeric: bool = False
    digits: int = 3


@dataclass(frozen=True)
class Table:
    """A table that the reader can sort, and search where it is long.

    Parameters
    ----------
    columns : sequence of TableColumn or str
        The heads; a plain text is the head of a column of text.
    rows : sequence of sequence of Cell, str, int, float or None
        None is shown as a dash and sorted last.
    caption : str
        Plain text above the table.
    shown : int, default=12
        Rows that are shown before the reader asks for all; the rest is printed nonetheless.
    sorts : bool, default=True
        Whether the reader can sort it.

    Examples
    --------
    >>> table = Table(("name", TableColumn("age", numeric=True)), [("Ada", 36)], "People.")
    >>> table.heads[0].title
    'name'
    """

    columns: Sequence[TableColumn | str]
    rows: Sequence[Sequence[Entry]]
    caption: str
    shown: int = 12
    sorts: bool = True

    def __post_init__(self) -> None:
        for position, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {position} of the table {self.caption!r} has {len(row)} cells, but there "
                    f"are {len(self.columns)} columns"
                )

    @property
    def heads(self) -> tuple[TableColumn, ...]:
        """The columns, each as a TableColumn."""
        return tuple(
            TableColumn(column) if isinstance(column, str) else column for column in self.columns
        )


@dataclass(frozen=True)
class Details:
    """Parts that are folded away until the reader opens them.

    Examples
    --------
    >>> Details("All settings", (Note("..."),)).summary
    'All settings'
    """

    summary: str
    parts: Sequence[Part]


Part = Note | Facts | Picture | Gallery | Table | Details

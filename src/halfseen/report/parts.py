"""What stands in a section: notes, tables, pictures, and what is folded away or in drawers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "absent", "caution"]
CellTone = Literal["plain", "strong", "equal", "filled"]


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
class Heading:
    """A heading within a section.

    Parameters
    ----------
    text : str
        Plain text.

    Examples
    --------
    >>> Heading("Calibration").text
    'Calibration'
    """

    text: str


@dataclass(frozen=True)
class Code:
    """Text that is shown as it was typed, line by line.

    Parameters
    ----------
    text : str
        Plain text; it is escaped when the page is written.

    Examples
    --------
    >>> Code("halfseen experiment run quick").text
    'halfseen experiment run quick'
    """

    text: str


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
    tone : {"plain", "strong", "equal", "filled"}, default="plain"
        "strong" for the best of its column, "equal" for what is not told from it,
        "filled" for what stands where a hole was.
    spread : str, default=""
        Small figures behind the text, for instance "± 0.002".
    below : str, default=""
        A few small words below the text, plain text.
    opens : str, default=""
        The name of the drawer that the cell opens when it is chosen; see :class:`Drawers`.

    Examples
    --------
    >>> Cell("12 %", key=0.12).key
    0.12
    """

    text: str
    key: float | str | None = None
    svg: str = ""
    tone: CellTone = "plain"
    spread: str = ""
    below: str = ""
    opens: str = ""


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
    group : str, default=""
        What stands above this head and those next to it that have the same group.

    Examples
    --------
    >>> TableColumn("missing", numeric=True).digits
    3
    """

    title: str
    numeric: bool = False
    digits: int = 3
    group: str = ""


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


@dataclass(frozen=True)
class Drawer:
    """What a cell opens: a title, some named texts, and a small table.

    Parameters
    ----------
    title : str
        Plain text.
    columns : sequence of str
        Heads of the table.
    rows : sequence of sequence of str
        Its cells, as they are shown.
    facts : sequence of (str, str), default=()
        Name and text, shown below the table.

    Examples
    --------
    >>> Drawer("halfseen on scene", ("mask", "AUC"), [("0", "0.943")]).rows[0][1]
    '0.943'
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    facts: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Drawers:
    """All drawers of a page, out of sight until a cell opens one.

    They are kept as data, not as tables, so that thousands of them cost a page little. At most one
    part of a page is of this kind.

    Parameters
    ----------
    by_name : mapping from str to Drawer
        The names that cells give as what they open.

    Examples
    --------
    >>> list(Drawers({"d0": Drawer("One", ("a",), [("1",)])}).by_name)
    ['d0']
    """

    by_name: Mapping[str, Drawer]


Part = Note | Heading | Code | Facts | Picture | Gallery | Table | Details | Drawers

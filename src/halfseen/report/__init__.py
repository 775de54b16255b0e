"""Results and models as one self-contained HTML page.

- :class:`Page`, :class:`Section` and their parts :class:`Note`, :class:`Facts`, :class:`Table`,
  :class:`Picture`, :class:`Gallery`, :class:`Details` - what a page consists of
- :func:`page_html`, :func:`write_page` - the page as text, and on disk
- :func:`model_report` - a fitted model as a page
- :mod:`halfseen.report.pictures` - drawings that follow dark and light
"""

from halfseen.report.model_report import model_report as model_report
from halfseen.report.page import Page as Page
from halfseen.report.page import Section as Section
from halfseen.report.page_html import page_html as page_html
from halfseen.report.parts import Cell as Cell
from halfseen.report.parts import Details as Details
from halfseen.report.parts import Facts as Facts
from halfseen.report.parts import Gallery as Gallery
from halfseen.report.parts import Note as Note
from halfseen.report.parts import Picture as Picture
from halfseen.report.parts import Table as Table
from halfseen.report.parts import TableColumn as TableColumn
from halfseen.report.score_row import ScoreRow as ScoreRow
from halfseen.report.write_page import write_page as write_page

__all__ = [
    "Cell",
    "Details",
    "Facts",
    "Gallery",
    "Note",
    "Page",
    "Picture",
    "ScoreRow",
    "Section",
    "Table",
    "TableColumn",
    "model_report",
    "page_html",
    "write_page",
]

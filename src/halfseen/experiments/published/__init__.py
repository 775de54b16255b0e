"""The paper's figures as data, and what is known to be wrong with them."""

from halfseen.experiments.published.known_inconsistencies import (
    KNOWN_INCONSISTENCIES as KNOWN_INCONSISTENCIES,
)
from halfseen.experiments.published.known_inconsistencies import Inconsistency as Inconsistency
from halfseen.experiments.published.published_figure import OUR_NAMES as OUR_NAMES
from halfseen.experiments.published.published_figure import PublishedFigure as PublishedFigure
from halfseen.experiments.published.published_figures import published_figure as published_figure
from halfseen.experiments.published.published_figures import (
    published_figures as published_figures,
)

__all__ = [
    "KNOWN_INCONSISTENCIES",
    "OUR_NAMES",
    "Inconsistency",
    "PublishedFigure",
    "published_figure",
    "published_figures",
]

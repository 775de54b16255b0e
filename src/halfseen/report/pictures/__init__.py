"""Drawings as SVG, written by hand, that take their colours from the page around them.

- :func:`curves_svg` of :class:`Curve` - curves with bands
- :func:`scatter_svg` of :class:`Cloud` - points, named or in clouds
- :func:`reliability_svg` of :func:`reliability_of` - what was said against what came true
- :func:`bars_svg`, :func:`dots_svg` of :class:`Bar` - figures side by side
- :func:`heat_map_svg`, :func:`missing_map_svg` - couplings, and where the holes are
- :func:`histogram_svg`, :func:`spark_svg`, :func:`share_svg` - distributions, large and small
- :func:`grey_images_svg` of :class:`ImageRow` - reconstructions
"""

from halfseen.report.pictures.bars import Bar as Bar
from halfseen.report.pictures.bars import bars_svg as bars_svg
from halfseen.report.pictures.bars import dots_svg as dots_svg
from halfseen.report.pictures.curves import Curve as Curve
from halfseen.report.pictures.curves import curves_svg as curves_svg
from halfseen.report.pictures.grey_images import ImageRow as ImageRow
from halfseen.report.pictures.grey_images import grey_images_svg as grey_images_svg
from halfseen.report.pictures.heat_map import heat_map_svg as heat_map_svg
from halfseen.report.pictures.histogram import histogram_svg as histogram_svg
from halfseen.report.pictures.histogram import share_svg as share_svg
from halfseen.report.pictures.histogram import spark_svg as spark_svg
from halfseen.report.pictures.missing_map import missing_map_svg as missing_map_svg
from halfseen.report.pictures.reliability import Reliability as Reliability
from halfseen.report.pictures.reliability import reliability_of as reliability_of
from halfseen.report.pictures.reliability import reliability_svg as reliability_svg
from halfseen.report.pictures.scatter import Cloud as Cloud
from halfseen.report.pictures.scatter import scatter_svg as scatter_svg

__all__ = [
    "Bar",
    "Cloud",
    "Curve",
    "ImageRow",
    "Reliability",
    "bars_svg",
    "curves_svg",
    "dots_svg",
    "grey_images_svg",
    "heat_map_svg",
    "histogram_svg",
    "missing_map_svg",
    "reliability_of",
    "reliability_svg",
    "scatter_svg",
    "share_svg",
    "spark_svg",
]

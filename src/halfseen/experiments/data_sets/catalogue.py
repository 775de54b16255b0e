"""The data sets that are files, with what they are known by."""

from __future__ import annotations

from dataclasses import dataclass

from halfseen.baselines.baseline import TargetKind


@dataclass(frozen=True)
class CatalogueEntry:
    """What is known of a data set before it is read.

    Attributes
    ----------
    digest : str
        Of the values, see :func:`content_digest`.
    n_rows, n_features, n_labels : int
        Its shape.
    target : {"labels", "classes"}
        Whether rows have labels or are of a class.
    openml_id : int or None
        Where OpenML keeps it; None if it does not.
    home : str
        Where it comes from.
    scale : float
        What the features are multiplied by.
    image : (height, width) or None
        Shape of a row that is an image.
    file : str
        Name of the file without ``.npz``, if it is not the data set's own.
    macro_stages : tuple of str
        Only the columns whose ``feature_macro`` in the file is one of these; () for all.

    Examples
    --------
    >>> CATALOGUE["mnist"].image, CATALOGUE["cptc2017_recon"].file
    ((28, 28), 'cptc2017_devices')
    """

    digest: str
    n_rows: int
    n_features: int
    n_labels: int
    target: TargetKind
    openml_id: int | None
    home: str
    scale: float = 1.0
    image: tuple[int, int] | None = None
    file: str = ""
    macro_stages: tuple[str, ...] = ()


_MULAN = "the multi-label sets of Mulan"
_UCI = "the UCI repository"
_CPTC = (
    "the Suricata alerts of the Collegiate Penetration Testing Competition 2017, counted per device"
)

CATALOGUE: dict[str, CatalogueEntry] = {
    "scene": CatalogueEntry(
        "667f92193655eccd5d7f42917f7e0274f24ce68b14a931cf0544abac0a86681a",
        2407, 294, 6, "labels", 41471, _MULAN,
    ),
    "yeast": CatalogueEntry(
        "66c27d6caeaffbf619ec65ad281b7422294ea90a83d74a55da75a01604b26d3d",
        2417, 103, 14, "labels", 41473, _MULAN,
    ),
    "pendigits": CatalogueEntry(
        "871945bb6445a2ff24db949e977cb12985efc254fe405edd6097b0c2491b8537",
        10992, 16, 10, "classes", 32, _UCI,
    ),
    "mnist": CatalogueEntry(
        "a41367255f6343f2abeea6ef8d96811983e139f0d9a55f0f82890bd84fb3b37f",
        70000, 784, 10, "classes", 554, "LeCun, Cortes and Burges", 1 / 255, (28, 28),
    ),
    "emotions": CatalogueEntry(
        "48122b73d6903ac12c59337ebb99e17729444543e1803f750cd18c1fa1f0b4f4",
        593, 72, 6, "labels", 41465, _MULAN,
    ),
    "cptc2017_devices": CatalogueEntry(
        "ef8b3d902bb65a1f90ca642e0d9e6d9c01c33e14aa0c6d0698fd2ad2fa15e1a0",
        573, 80, 6, "labels", None, _CPTC,
    ),
    "cptc2017_recon": CatalogueEntry(
        "7bd6c066648665e47ebbda08301f9c9a303f41e197ba36ff81b4763292780c3e",
        573, 31, 6, "labels", None, _CPTC,
        file="cptc2017_devices", macro_stages=("active_recon", "passive_recon"),
    ),
    "tox21": CatalogueEntry(
        "30e108596fbf5db19a5881ce4e6ffa8459f927d468848a8fd2c6b22de7b41c98",
        8006, 1024, 12, "labels", None,
        "the Tox21 challenge, with Morgan fingerprints of radius 2 and 1024 bits as features",
    ),
}  # fmt: skip

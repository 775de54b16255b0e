"""The data sets of the studies: looked up locally, else downloaded from OpenML, always verified."""

from halfseen.experiments.data_sets.catalogue import CATALOGUE as CATALOGUE
from halfseen.experiments.data_sets.catalogue import CatalogueEntry as CatalogueEntry
from halfseen.experiments.data_sets.content_digest import content_digest as content_digest
from halfseen.experiments.data_sets.data_set import DataSet as DataSet
from halfseen.experiments.data_sets.data_set_path import cache_folder as cache_folder
from halfseen.experiments.data_sets.data_set_path import data_set_path as data_set_path
from halfseen.experiments.data_sets.load_data_set import DATA_SETS as DATA_SETS
from halfseen.experiments.data_sets.load_data_set import load_data_set as load_data_set
from halfseen.experiments.data_sets.unavailable import FOLDER_VARIABLE as FOLDER_VARIABLE
from halfseen.experiments.data_sets.unavailable import DataSetUnavailable as DataSetUnavailable

__all__ = [
    "CATALOGUE",
    "DATA_SETS",
    "FOLDER_VARIABLE",
    "CatalogueEntry",
    "DataSet",
    "DataSetUnavailable",
    "cache_folder",
    "content_digest",
    "data_set_path",
    "load_data_set",
]

"""What is said when a data set cannot be had."""

from __future__ import annotations

FOLDER_VARIABLE = "HALFSEEN_DATA"


class DataSetUnavailable(RuntimeError):
    """The data set is nowhere to be found, or what was found is not it."""


def remedy(file: str) -> str:
    """What to do where a file is nowhere to be found.

    Examples
    --------
    >>> print(remedy("scene"))
    put scene.npz (arrays X and Y) into a folder and set the environment variable HALFSEEN_DATA
    to that folder; data set 'digits' needs no file
    """
    return (
        f"put {file}.npz (arrays X and Y) into a folder and set the environment variable "
        f"{FOLDER_VARIABLE} to that folder; data set 'digits' needs no file"
    )

"""Images that were restored, beside what was seen and what was true."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Course, Setting
from halfseen.report.experiment_sections.study import Study
from halfseen.report.parts import Picture
from halfseen.report.pictures import ImageRow, grey_images_svg

_MOST_SETTINGS = 2
_MOST_METHODS = 9


def reconstruction_pictures(
    study: Study, course: Course, colours: Mapping[Contender, int]
) -> list[Picture]:
    """Grids of images of a course: seen, restored by each contender, true.

    Parameters
    ----------
    study : Study
        Everything that was run.
    course : Course
        Of which.
    colours : mapping from Contender to int
        Those that stand out and are shown first.

    Returns
    -------
    list of Picture
        None if no images were kept; those of at most two settings, of the lowest and the highest
        rates.

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> len(reconstruction_pictures(study, study.courses[0], {}))  # no images were kept
    0
    """
    found = [
        (setting, pictures)
        for setting in study.settings_of(course)
        if (pictures := _kept(study, setting, colours))
    ]
    chosen = found if len(found) <= _MOST_SETTINGS else [found[0], found[-1]]
    return [
        picture
        for setting, pictures in chosen
        if (picture := _picture(setting, pictures)) is not None
    ]


class _Images:
    """What a file of images holds, of shape (n_images, height, width)."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        truth = np.asarray(arrays["truth"])
        side = math.isqrt(truth[0].size)
        shape = (side, side)
        if "image" in arrays:
            shape = (int(arrays["image"][0]), int(arrays["image"][1]))
        elif truth.ndim == 3:
            shape = (truth.shape[1], truth.shape[2])
        self.truth = _grey(truth, shape)
        self.completed = _grey(np.asarray(arrays["completed"]), shape)
        self.observed = np.asarray(arrays["observed"], bool).reshape(-1, *shape)


def _grey(values: NDArray[Any], shape: tuple[int, int]) -> NDArray[np.float64]:
    scale = 255.0 if values.dtype == np.uint8 else 1.0
    return values.reshape(-1, *shape).astype(np.float64) / scale


def _kept(
    study: Study, setting: Setting, colours: Mapping[Contender, int]
) -> list[tuple[Contender, _Images]]:
    folder = study.run / "pictures"
    found = []
    for one in study.contenders_in(setting):
        for record in study.done(setting, one):
            path = folder / f"{record.key}.npz"
            if path.is_file():
                found.append((one, _read_images(path)))
                break
    found.sort(key=lambda own: (colours.get(own[0], len(colours)), own[0]))
    return found[:_MOST_METHODS]


def _read_images(path: Path) -> _Images:
    """The images of one record.

    Raises
    ------
    ValueError
        The file is damaged or holds something else; the message names it.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return _Images(arrays)
    except (OSError, KeyError, ValueError, BadZipFile, IndexError) as error:
        raise ValueError(
            f"{path} does not hold truth, observed and completed images: {error}. Remove it to "
            "leave it out of the report."
        ) from error


def _picture(setting: Setting, pictures: list[tuple[Contender, _Images]]) -> Picture | None:
    first = pictures[0][1]
    rows = [ImageRow("seen", first.truth, first.observed)]
    for one, images in pictures:
        # Other images or other holes cannot stand under the same line of what was seen.
        if images.truth.shape == first.truth.shape and (images.observed == first.observed).all():
            rows.append(ImageRow(one.title, images.completed))
    rows.append(ImageRow("truth", first.truth))
    course = setting.course
    new = course.new_feature_rate
    hidden = setting.feature_rate if new is None else new
    svg = grey_images_svg(
        rows,
        title=f"Restored images of {course.data_set}",
        description=f"{len(first.truth)} images of each of {len(rows)} kinds.",
    )
    caption = f"{course.data_set}, {hidden:.0%} of the pixels hidden (coloured in the first line)"
    if new is not None:
        caption += f", trained with {setting.feature_rate:.0%} hidden"
    return Picture(svg, f"{caption}: what was seen, what each method made of it, and the truth.")

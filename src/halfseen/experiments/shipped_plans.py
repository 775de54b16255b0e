"""The plans that ship with halfseen."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def shipped_plans() -> tuple[str, ...]:
    """Names of the shipped plans: the full ones, then the quick ones.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "transductive-scene" in shipped_plans(), "quick/transductive-scene" in shipped_plans()
    (True, True)
    """
    folder = _folder()
    paths = sorted(folder.glob("*.toml")) + sorted(folder.glob("*/*.toml"))
    return tuple(path.relative_to(folder).with_suffix("").as_posix() for path in paths)


def shipped_plan_path(name: str) -> Path:
    """The file of a shipped plan.

    Parameters
    ----------
    name : str
        One of :func:`shipped_plans`.

    Returns
    -------
    Path

    Examples
    --------
    >>> shipped_plan_path("quick/transductive-scene").name
    'transductive-scene.toml'
    """
    return _folder() / f"{name}.toml"


def _folder() -> Path:
    return Path(str(files("halfseen.experiments") / "plans"))

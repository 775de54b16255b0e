"""Where a result goes, checked before anyone waits for it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from halfseen.cli.exit_codes import ExitCode
from halfseen.cli.problem import Problem, UsageProblem
from halfseen.cli.terminal import Terminal

_PACKED = ".gz"


def checked_destination(
    output: str, terminal: Terminal, sources: Iterable[str] = (), *, option: str = "-o"
) -> str:
    """A path that can be written, as far as one can tell beforehand.

    Parameters
    ----------
    output : str
        A path, or "-" for standard output.
    terminal : Terminal
        Which may want standard output for itself.
    sources : iterable of str
        Files that are read, and must not be replaced.
    option : str, default="-o"
        Name of the option, for messages.

    Returns
    -------
    str
        The same path.

    Raises
    ------
    Problem
        Its folder is not there or not writable, or it is a folder or a file that is read.

    Examples
    --------
    >>> checked_destination("-", Terminal())
    '-'
    """
    if output == "-":
        if terminal.as_json:
            raise UsageProblem(
                f"--json and {option} - both want standard output.", f"Name a file: {option} FILE."
            )
        return output
    path = Path(output)
    for source in sources:
        is_there = source != "-" and path.exists() and os.path.exists(source)
        if is_there and os.path.samefile(path, source):
            raise UsageProblem(
                f"{option} {output} would replace the file that is read.", "Name another file."
            )
    if path.is_dir():
        raise Problem(
            f"{output!r} is a folder.", f"Name a file: {option} FILE.", ExitCode.CANNOT_WRITE
        )
    folder = path.parent
    if not folder.is_dir():
        raise Problem(
            f"There is no folder {str(folder)!r} to write {path.name!r} into.",
            "Make it first, or write elsewhere.",
            ExitCode.CANNOT_WRITE,
        )
    if not os.access(folder, os.W_OK):
        raise Problem(
            f"Not allowed to write into the folder {str(folder)!r}.",
            f"Write elsewhere: {option} FILE.",
            ExitCode.CANNOT_WRITE,
        )
    return output


def beside(source: str, ending: str, *, otherwise: str) -> str:
    """A name for a result, beside the file that it comes from.

    Parameters
    ----------
    source : str
        The file; "-" for standard input.
    ending : str
        What takes the place of the file's extension; one that begins with "_" comes before it.
    otherwise : str
        The name if there is no file.

    Returns
    -------
    str

    Examples
    --------
    >>> beside("data/devices.csv.gz", ".safetensors", otherwise="model.safetensors")
    'data/devices.safetensors'
    >>> beside("data/devices.csv.gz", "_filled", otherwise="-")
    'data/devices_filled.csv.gz'
    """
    if source == "-":
        return otherwise
    path = Path(source)
    packed = path.suffix if path.suffix.lower() == _PACKED else ""
    bare = path.with_suffix("") if packed else path
    name = bare.stem + ending
    if ending.startswith("_"):
        name += bare.suffix + packed
    return str(path.with_name(name))

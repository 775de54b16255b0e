"""What can be wrong with a sealed file, one class per remedy."""

from reprlib import repr as short_repr


class SealError(ValueError):
    """A file cannot be opened as the sealed file that was asked for.

    The subclasses keep their facts in ``args`` and form the sentence when it is printed, so they
    survive the way back from a worker process.

    Examples
    --------
    >>> from halfseen.storage import DamagedFile, SealError
    >>> issubclass(DamagedFile, SealError) and issubclass(SealError, ValueError)
    True
    """


class NotOurFile(SealError):
    """The file was not written by halfseen.

    Parameters
    ----------
    path : str
        The file.
    reason : str
        What it seems to be instead.

    Examples
    --------
    >>> from halfseen.storage import NotOurFile
    >>> print(NotOurFile("model.pkl", "it looks like a Python pickle"))
    'model.pkl' is not a halfseen file (it looks like a Python pickle): pass a file that halfseen
    saved
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)

    def __str__(self) -> str:
        path, reason = self.args
        return f"{path!r} is not a halfseen file ({reason}): pass a file that halfseen saved"


class DamagedFile(SealError):
    """The file is incomplete or was altered after it was written.

    Parameters
    ----------
    path : str
        The file.
    reason : str
        The first thing that does not fit.

    Examples
    --------
    >>> from halfseen.storage import DamagedFile
    >>> print(DamagedFile("model.halfseen", "it is empty"))
    'model.halfseen' is damaged (it is empty): restore it from a copy or save it again
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)

    def __str__(self) -> str:
        path, reason = self.args
        return f"{path!r} is damaged ({reason}): restore it from a copy or save it again"


class NewerFile(SealError):
    """The file was written by a halfseen that is newer than this one.

    Parameters
    ----------
    path : str
        The file.
    version : int
        Version of the file.
    newest_version : int
        Newest version that this halfseen reads.

    Examples
    --------
    >>> from halfseen.storage import NewerFile
    >>> print(NewerFile("model.halfseen", 7, 1))
    'model.halfseen' was written by a newer halfseen (format 7, this one reads up to 1): upgrade
    halfseen
    """

    def __init__(self, path: str, version: int, newest_version: int) -> None:
        super().__init__(path, version, newest_version)

    def __str__(self) -> str:
        path, version, newest_version = self.args
        return (
            f"{path!r} was written by a newer halfseen (format {version}, this one reads up to "
            f"{newest_version}): upgrade halfseen"
        )


class WrongKind(SealError):
    """The file is sound, but holds another kind of thing than was asked for.

    Parameters
    ----------
    path : str
        The file.
    found : str
        Kind of the file.
    wanted : str
        Kind that was asked for.

    Examples
    --------
    >>> from halfseen.storage import WrongKind
    >>> print(WrongKind("run.halfseen", "checkpoint", "model"))
    'run.halfseen' is a halfseen file of kind 'checkpoint', not 'model': pass a file of kind 'model'
    """

    def __init__(self, path: str, found: str, wanted: str) -> None:
        super().__init__(path, found, wanted)

    def __str__(self) -> str:
        path, found, wanted = self.args
        return (
            f"{path!r} is a halfseen file of kind {short_repr(found)}, not {wanted!r}: pass a file "
            f"of kind {wanted!r}"
        )

"""What comes out of a sealed file."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Sealed:
    """The content of one sealed file, verified.

    Parameters
    ----------
    version : int
        Version found in the file; at most the newest one that the reader asked for. The caller
        upgrades older content.
    document : dict
        The JSON document. Objects come back with sorted keys, tuples as lists.
    arrays : dict of str to ndarray
        The arrays in native byte order. Each owns its memory and is writable; nothing keeps the
        file open.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.storage import Sealed
    >>> sealed = Sealed(version=1, document={"n_hidden": 3}, arrays={"bias": np.zeros(3)})
    >>> sealed.document["n_hidden"], sealed.arrays["bias"].shape
    (3, (3,))
    """

    version: int
    document: dict[str, Any]
    arrays: dict[str, np.ndarray]

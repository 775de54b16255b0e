"""Any result as values that JSON can hold."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np


def plain_json(value: Any) -> Any:
    """A value as JSON holds it: NaN and infinity as null, arrays as lists, records as mappings.

    Parameters
    ----------
    value : object
        Records, mappings, sequences, arrays, numbers, text.

    Returns
    -------
    dict, list, str, int, float, bool or None

    Examples
    --------
    >>> import numpy as np
    >>> plain_json({"mean": np.float32(0.5), "spread": np.nan, "rows": (1, 2)})
    {'mean': 0.5, 'spread': None, 'rows': [1, 2]}
    """
    if value is None or isinstance(value, str | bool):
        return str(value.value) if isinstance(value, Enum) else value
    if isinstance(value, Enum):
        return plain_json(value.value)
    if isinstance(value, np.generic | np.ndarray):
        return plain_json(value.tolist())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime.date | PurePath):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain_json(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return plain_json(value._asdict())
    if isinstance(value, Mapping):
        return {str(plain_json(key)): plain_json(one) for key, one in value.items()}
    if isinstance(value, Set):
        return sorted((plain_json(one) for one in value), key=str)
    if isinstance(value, Sequence):
        return [plain_json(one) for one in value]
    return str(value)

"""Workers that do not work."""

from __future__ import annotations

import time


def sleep(connection: object, run: object) -> None:
    """Never answer."""
    time.sleep(60)


def die(connection: object, run: object) -> None:
    """End at once."""

"""Results of a benchmark in a file, so that a run that was stopped goes on where it stood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_kept(path: Path) -> dict[str, Any]:
    """What was kept there; nothing if there is no file."""
    kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return kept


def write_kept(path: Path, kept: dict[str, Any]) -> None:
    """Keep it there, whole or not at all."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(kept))
    beside.replace(path)

"""Run a page in an empty folder, with halfseen from its wheel: ``python try_wheel.py PAGE``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import halfseen
from guide.run_page import run_page


def main(page: Path) -> None:
    """Run the page, and say by which halfseen."""
    assert "site-packages" in Path(halfseen.__file__).parts, f"not a wheel: {halfseen.__file__}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run_page(page)
    print(f"{page.name} runs with halfseen {halfseen.__version__} from its wheel")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())

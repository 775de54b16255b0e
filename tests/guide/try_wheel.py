"""Run a page in an empty folder, with halfseen from its wheel: ``python try_wheel.py PAGE``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import halfseen
from guide.run_page import run_page

page = Path(sys.argv[1]).resolve()
assert "site-packages" in Path(halfseen.__file__).parts, f"this is not a wheel: {halfseen.__file__}"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run_page(page)
print(f"{page.name} runs with halfseen {halfseen.__version__} from its wheel")

"""The README's Python runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.long
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    with pytest.warns(UserWarning) as heard:  # some pixel is blank in every training row
        for block in blocks:
            exec(block, names)
    assert all("missing" in str(warning.message) for warning in heard)
    assert names["scores"].min() > 0.6
    assert (tmp_path / "digits.safetensors").exists()

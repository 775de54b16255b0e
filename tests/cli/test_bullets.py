from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from halfseen.cli.bullets import bullets


def test_sentences_wrap_below_their_beginning() -> None:
    console = Console(file=io.StringIO(), width=24)
    console.print(bullets(["a sentence that is rather long", Text("styled", style="bold")]))
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert lines == [" • a sentence that is", "   rather long", " • styled"]

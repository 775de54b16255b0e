"""What the tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.tiny import MODEL, without_companion, write_tiny
from halfseen.cli.root import root

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Run the command with these words; nothing may end in a traceback."""

    def invoke(*words: str, input: bytes | None = None) -> Result:
        result = CliRunner().invoke(root, list(words), input=input)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert "Traceback" not in result.output
        return result

    return invoke


@pytest.fixture
def table(tmp_path: Path) -> str:
    return write_tiny(tmp_path)


@pytest.fixture(scope="session")
def model() -> str:
    return str(MODEL)


@pytest.fixture(scope="session")
def lone_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The model without its companion."""
    return without_companion(tmp_path_factory.mktemp("models"))

"""The command ``halfseen``: from a file with holes to answers."""

from halfseen.cli.main import main as main

__all__ = ["main"]

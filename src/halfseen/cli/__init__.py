"""The command ``halfseen``."""

from halfseen.cli.main import main as main

__all__ = ["main"]

"""halfseen: learn from tables that are only half seen."""

from halfseen._version import __version__

__all__ = ["__version__"]

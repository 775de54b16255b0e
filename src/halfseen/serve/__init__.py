"""A service of fitted models over HTTP: incomplete rows in, answers with their uncertainty out.

- :func:`create_app` - an ASGI application that serves model files
- :class:`Settings` - its limits, and who may ask it

On the command line it is ``halfseen serve MODEL``. The guide is in docs/guide/serving.md.
"""

from halfseen.serve.app import create_app as create_app
from halfseen.serve.settings import Settings as Settings

__all__ = ["Settings", "create_app"]

"""Files on disk: arrays and a document under one seal.

A sealed file is a safetensors file, so any safetensors reader can look into it. Its metadata hold
``format``, ``kind`` and ``version`` in plain words, one JSON document, and a SHA-256 digest over
all of it. Nothing in it is ever executed.
"""

from halfseen.storage._read_sealed import read_sealed as read_sealed
from halfseen.storage._seal_error import DamagedFile as DamagedFile
from halfseen.storage._seal_error import NewerFile as NewerFile
from halfseen.storage._seal_error import NotOurFile as NotOurFile
from halfseen.storage._seal_error import SealError as SealError
from halfseen.storage._seal_error import WrongKind as WrongKind
from halfseen.storage._sealed import Sealed as Sealed
from halfseen.storage._write_beside import write_beside as write_beside
from halfseen.storage._write_sealed import write_sealed as write_sealed

__all__ = [
    "DamagedFile",
    "NewerFile",
    "NotOurFile",
    "SealError",
    "Sealed",
    "WrongKind",
    "read_sealed",
    "write_beside",
    "write_sealed",
]

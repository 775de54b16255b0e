"""The text of a file as UTF-8, piece by piece, and back into the encoding of the file."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from halfseen.files.table_file_error import TableFileError

CHUNK_BYTES: Final = 1 << 20
_GZIP_MAGIC: Final = b"\x1f\x8b"
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class TextEnds(Exception):
    """The text cannot be read any further than this.

    Attributes
    ----------
    problem : str
        Why, without full stop.
    remedy : str
        What helps, without full stop.

    Examples
    --------
    >>> TextEnds("the compressed file is cut off", "Fetch it again").remedy
    'Fetch it again'
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True)
class TextStream:
    r"""Where the text of a file comes from, and how it is written.

    A byte-order mark is part of the text: it comes out as the mark of UTF-8 and goes back as it
    was.

    Attributes
    ----------
    path : str
        The file that is read.
    shown : str
        Its name in messages.
    encoding : str
        Its encoding, with the byte order.
    is_gzip : bool
        It is compressed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("é,b", encoding="utf-16")
    ...     stream = TextStream.open(str(path), "a.csv", None)
    ...     stream.encoding, b"".join(stream.chunks())
    ('utf-16-le', b'\xef\xbb\xbf\xc3\xa9,b')
    """

    path: str
    shown: str
    encoding: str
    is_gzip: bool

    @classmethod
    def open(cls, path: str, shown: str, encoding: str | None) -> TextStream:
        """Look at the first bytes of a file.

        Parameters
        ----------
        path : str
            The file.
        shown : str
            Its name in messages.
        encoding : str or None
            Its encoding; by default what a byte-order mark says, else UTF-8.

        Returns
        -------
        TextStream
            Its text, not read yet.

        Raises
        ------
        TableFileError
            Unknown encoding.
        """
        with open(path, "rb") as file:
            head = file.read(4)
        is_gzip = head.startswith(_GZIP_MAGIC)
        if is_gzip:
            with contextlib.suppress(TextEnds):
                head = next(_unpacked(path, 4), b"")
        return cls(path, shown, _resolved(encoding, head, shown), is_gzip)

    def chunks(self, chunk_bytes: int = CHUNK_BYTES) -> Iterator[bytes]:
        """Give the text as UTF-8, piece by piece; a character is never cut.

        Parameters
        ----------
        chunk_bytes : int
            Bytes of the file per piece.

        Yields
        ------
        bytes
            UTF-8.

        Raises
        ------
        TextEnds
            Bytes that are no text in this encoding, or a damaged gzip file, after everything
            before was given.
        """
        read = (_unpacked if self.is_gzip else _plain)(self.path, chunk_bytes)
        return self._valid_utf8(read) if self.encoding == "utf-8" else self._transcoded(read)

    def encode(self, text: str) -> bytes:
        """Text in the encoding of the file.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        bytes
            The same text.

        Raises
        ------
        UnicodeEncodeError
            The encoding has no such character.
        """
        return text.encode(self.encoding)

    def _valid_utf8(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        pending = b""
        for piece in chain(pieces, [b""]):
            chunk = pending + piece
            pending = b""
            if not chunk.isascii():
                try:
                    _, n_valid = codecs.utf_8_decode(chunk, "strict", not piece)
                except UnicodeDecodeError as error:
                    yield chunk[: error.start]
                    raise self._undecodable(chunk[error.start : error.start + 1]) from None
                chunk, pending = chunk[:n_valid], chunk[n_valid:]
            if chunk:
                yield chunk

    def _transcoded(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self.encoding)("strict")
        encoder = codecs.getincrementalencoder(self.encoding)("strict")
        unconfirmed = b""
        for piece in chain(pieces, [b""]):
            unconfirmed += piece
            try:
                text = decoder.decode(piece, not piece)
            except UnicodeDecodeError as error:
                yield bytes(error.object[: error.start]).decode(self.encoding, "ignore").encode()
                raise self._undecodable(bytes(error.object[error.start : error.end])) from None
            back = encoder.encode(text, not piece)
            if not unconfirmed.startswith(back) or (not piece and unconfirmed != back):
                raise TextEnds(
                    f"text in the encoding {self.encoding} cannot be written back unchanged",
                    "Convert the file to UTF-8 first",
                )
            unconfirmed = unconfirmed[len(back) :]
            if text:
                yield text.encode()

    def _undecodable(self, found: bytes) -> TextEnds:
        return TextEnds(
            f"the byte 0x{found.hex()} is no text in {self.encoding}",
            "Name the encoding of the file with --encoding, for instance cp1252",
        )


def _plain(path: str, chunk_bytes: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while chunk := file.read(chunk_bytes):
            yield chunk


def _unpacked(path: str, chunk_bytes: int) -> Iterator[bytes]:
    """The content of a gzip file; what was read before it broke comes out first."""
    with gzip.open(path, "rb") as file:
        pieces: list[bytes] = []
        n_bytes = 0
        while True:
            try:
                piece = file.read1(chunk_bytes - n_bytes)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                yield b"".join(pieces)
                raise TextEnds(
                    f"the compressed file is damaged or cut off ({error})",
                    "Fetch it again, or unpack as much as possible with gzip -d",
                ) from error
            pieces.append(piece)
            n_bytes += len(piece)
            if n_bytes == chunk_bytes or not piece:
                if pieces:
                    yield b"".join(pieces)
                pieces, n_bytes = [], 0
            if not piece:
                return


def _resolved(encoding: str | None, head: bytes, shown: str) -> str:
    """The encoding with its byte order, given the first bytes of the file."""
    marked = next((name for mark, name in _BYTE_ORDER_MARKS if head.startswith(mark)), None)
    if encoding is None:
        return marked or "utf-8"
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except LookupError:
        raise TableFileError(
            f"there is no text encoding named {encoding!r}",
            path=shown,
            remedy="Name one that Python knows, such as utf-8, cp1252, latin-1 or utf-16",
        ) from None
    if name == "utf-8-sig":
        return "utf-8"
    if name in ("utf-16", "utf-32"):
        return marked if marked is not None and marked.startswith(name) else f"{name}-le"
    return name

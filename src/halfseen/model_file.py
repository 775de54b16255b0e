"""Arrays and a document in one safetensors file, replaced as a whole or not at all.

The file has one metadata key, ``halfseen``. Its value is a JSON text with the kind of the file, the
format version, the document and a SHA-256 digest of everything. A single key fixes the order of the
metadata, so the same content always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import jax
import jax.numpy as jnp
import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from pydantic import BaseModel, Field, JsonValue

from halfseen.atomic import replace_atomically

FORMAT_VERSION: Final = 1

_METADATA_KEY: Final = "halfseen"
# JSON takes up to twenty times its size as Python objects, so this bounds memory as well.
_MAX_HEADER_BYTES: Final = 16 * 2**20
_DTYPES: Final = ("BOOL", *(f"{k}{n}" for k in "IU" for n in (8, 16, 32, 64)), "F16", "F32", "F64")
_DAMAGED: Final = "'{}' is damaged ({}): restore it from a copy or save the model again"
_FOREIGN: Final = "'{}' is not a halfseen model file ({}): name a file that halfseen saved"
_SIGNATURES: Final = {
    b"\x1f\x8b": "it is compressed with gzip: decompress it first",
    b"PK\x03\x04": "it is a zip archive, such as .npz or .xlsx",
    b"\x89HDF": "it is an HDF5 file",
    b"\x93NUMPY": "it is a numpy .npy file",
    **{bytes([0x80, n]): "it is a Python pickle, which halfseen never opens" for n in range(2, 6)},
}


class ModelFileError(ValueError):
    """A file is not a usable model file; the message names the file and the remedy."""


class ModelFileNotFoundError(ModelFileError, FileNotFoundError):
    """There is no file at this path."""


class _Versioned(BaseModel):
    version: Annotated[int, Field(strict=True, ge=1, lt=10**6)] = FORMAT_VERSION


class _Header(_Versioned, extra="forbid"):
    kind: Annotated[str, Field(min_length=1)]
    sha256: str = ""
    document: dict[str, JsonValue]


@dataclass(frozen=True)
class ModelFile:
    """Content of a model file: arrays are of native byte order, C-contiguous and writable."""

    kind: str
    document: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_model_file(
    path: str | os.PathLike[str],
    kind: str,
    document: Mapping[str, Any] | BaseModel,
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write JSON values and arrays of bool, integers or floats to one file, atomically."""
    stored = {name: _storable(name, array) for name, array in arrays.items()}
    values = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    header = _Header(kind=kind, document=dict(values))
    header.sha256 = _digest(header, stored)
    text = _canonical_json(header.model_dump())
    content = safetensors.numpy.save(stored, {_METADATA_KEY: text})
    n_bytes = int.from_bytes(content[:8], "little")
    if n_bytes > _MAX_HEADER_BYTES:
        raise ValueError(f"{n_bytes:,} bytes of header: store long lists of numbers as arrays")
    with replace_atomically(path) as part:
        part.write_bytes(content)


def read_model_file(path: str | os.PathLike[str], *, kind: str | None = None) -> ModelFile:
    """Read and check a file, of this kind if given; nothing in it is executed."""
    path = Path(path)
    _check_beginning(path)
    try:
        with safetensors.safe_open(path, "numpy") as file:
            header = _read_header(path, file.metadata())
            names = sorted(file.keys())
            if any(file.get_slice(name).get_dtype() not in _DTYPES for name in names):
                raise ValueError("an array has a dtype that halfseen does not write")
            arrays = {name: file.get_tensor(name) for name in names}
        if header.sha256 != _digest(header, arrays):
            raise ValueError("its content does not match its digest")
    except ModelFileError:
        raise
    except (safetensors.SafetensorError, ValueError, TypeError, MemoryError, RecursionError) as e:
        reason = str(e).partition("\n")[0][:150]
        raise ModelFileError(_DAMAGED.format(path, reason)) from e
    if kind not in (None, header.kind):
        found = f"of kind {header.kind[:40]!r}, not {kind!r}"
        raise ModelFileError(f"'{path}' is {found}: name another")
    return ModelFile(header.kind, header.document, arrays)


def _storable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array in C order and native byte order, booleans as bytes 0 and 1."""
    if not isinstance(name, str) or name == "__metadata__":
        raise ValueError(f"an array cannot be named {name!r}: choose another name")
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"array {name!r} is a {type(array).__name__}: pass a plain numpy array")
    dtype = array.dtype.newbyteorder("=")
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        found = f"array {name!r} has dtype {array.dtype}"
        raise TypeError(f"{found}: convert it to bool, integers or floats of at most 64 bits")
    stored = np.asarray(array, dtype=dtype, order="C")
    return np.asarray(stored.view(np.uint8) != 0) if dtype == np.bool_ else stored


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def _digest(header: _Header, arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 over kind, version, document, and the name, dtype, shape and bytes of all arrays."""
    named = sorted(arrays.items())
    layout = [[name, array.dtype.name, array.shape] for name, array in named]
    described = _canonical_json([header.kind, header.version, header.document, layout])
    digest = hashlib.sha256(described.encode())
    for _, array in named:
        # Little-endian, as in the file. The layout fixes every length, so no separators.
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(little.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _check_beginning(path: Path) -> None:
    """Refuse what is evidently no model file, before its content is parsed."""
    if not path.exists():
        raise ModelFileNotFoundError(f"there is no file '{path}': check its name")
    if path.is_dir():
        raise ModelFileError(f"'{path}' is a folder: name a file in it")
    if not path.is_file():  # opening a pipe would wait for a writer, and a device has no size
        raise ModelFileError(_FOREIGN.format(path, "it is a device or a pipe"))
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(9)
    # The length of a JSON header comes first, so that a model file may begin with any signature.
    if start[8:] != b"{":
        for signature, description in _SIGNATURES.items():
            if start.startswith(signature):
                raise ModelFileError(_FOREIGN.format(path, description))
        if len(start) > 8:
            raise ModelFileError(_FOREIGN.format(path, "it is not a safetensors file"))
    length = int.from_bytes(start[:8], "little")
    if length > min(size - 8, _MAX_HEADER_BYTES):
        reason = f"its header claims {length:,} bytes, the file has {size:,}"
        raise ModelFileError(_DAMAGED.format(path, reason))


def _read_header(path: Path, metadata: dict[str, str] | None) -> _Header:
    if metadata is None or set(metadata) != {_METADATA_KEY}:
        raise ModelFileError(_FOREIGN.format(path, "it is a safetensors file of another program"))
    found = json.loads(metadata[_METADATA_KEY])
    version = _Versioned.model_validate(found).version
    if version > FORMAT_VERSION:
        newer = f"made by a newer halfseen (format {version}, not {FORMAT_VERSION})"
        raise ModelFileError(f"'{path}' was {newer}: upgrade halfseen")
    header = _Header.model_validate(found)
    if _canonical_json(header.model_dump()) != metadata[_METADATA_KEY]:
        raise ValueError("its header is not written as halfseen writes it")
    return header


def tree_to_arrays(tree: Any) -> dict[str, NDArray[Any]]:
    """All arrays of nested tuples, lists and dicts; names are paths such as ``folds.0.mean``."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(p, simple=True, separator="."): np.asarray(a) for p, a in leaves}


def tree_from_arrays(types: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Nested values of declared types from what `tree_to_arrays` made of them.

    >>> arrays = tree_to_arrays({"sizes": [np.ones(2)], "seed": 3})
    >>> tree_from_arrays({"sizes": list[np.ndarray], "seed": int}, arrays)
    {'sizes': [array([1., 1.])], 'seed': 3}
    """
    tree: dict[str, Any] = {}
    for path, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {path!r} holds values that are not finite")
        *parents, name = path.split(".")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[name] = array
    return {name: _restored(type_, tree.get(name, {})) for name, type_ in types.items()}


def _restored(type_: Any, node: Any) -> Any:
    """A value of a declared type from a tree of arrays; None and what is empty have none."""
    of, origin = get_args(type_), get_origin(type_)
    if origin is UnionType:
        return _restored(of[0], node) if node else None
    if origin is list:
        return [_restored(of[0], node[str(place)]) for place in range(len(node))]
    if origin is dict:
        return {int(key): _restored(of[1], part) for key, part in node.items()}
    if hasattr(type_, "_fields"):
        hints = get_type_hints(type_)
        return type_(**{name: _restored(hint, node.get(name, {})) for name, hint in hints.items()})
    if not isinstance(node, np.ndarray):
        raise ValueError("arrays are missing")
    if type_ is jax.Array:
        return jnp.asarray(node)
    return type_(node) if type_ in (int, float, bool) else node

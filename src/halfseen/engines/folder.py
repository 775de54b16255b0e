"""A folder of Parquet files completed into another, file by file, on a Dask cluster.

A finished file has a record beside it: its rows, its digest, and of what and by which model it was
made. Files whose record still holds are not made again: repeat a job that ended early.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from halfseen._version import __version__
from halfseen.atomic import replace_atomically
from halfseen.engines.parts import SentModel, check_names, complete, modelled_columns, receive, send

try:
    import dask
    import fsspec
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    from distributed import Client, as_completed
except ImportError as error:
    raise ImportError('Dask is not installed: pip install "halfseen[dask]"') from error

MANIFEST = "_manifest.json"  # readers of data sets pass over names that begin with "_" or "."
_RECORDS = "_records"
_TRIM = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"
_RETRIES = 5  # of a file whose worker was lost


class FolderError(ValueError):
    """A folder cannot be completed; the message says why and what helps."""


class Record(BaseModel):
    """A finished file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    rows: int
    filled: int
    bytes: int
    sha256: str
    source: str  # tells whether the input has changed
    model: str  # digest of the model file


class Done(NamedTuple):
    """A job that ended: records of all files, and how many were finished before it began."""

    records: list[Record]
    n_before: int
    manifest: str


def local_or_remote(scheduler: str | None, n_workers: int | None) -> Client:
    """A client of the scheduler at this address, or of new processes on this machine."""
    if scheduler is None:
        # With any threshold malloc does not adapt to long arrays, and a third of the rate is lost.
        with dask.config.set({_TRIM: None}):
            # One thread each: a process is a core. None: as many as there are cores.
            return Client(n_workers=n_workers, threads_per_worker=1, dashboard_address=None)
    return Client(scheduler, timeout="20s")


def complete_folder(
    pattern: str,
    model: str,
    output: str,
    client: Client,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Done:
    """Complete all files that a pattern names, such as ``in/*.parquet``, into a folder.

    Parameters
    ----------
    pattern : str
        Files, with ``*`` and ``**`` for parts of names. A path with a protocol, such as
        ``s3://bucket/in/*.parquet``, is opened by fsspec.
    model : path
        A model file.
    output : str
        A folder, made if need be; files keep their names below the fixed part of the pattern.
    client : distributed.Client
        The cluster. All workers must reach both folders.
    progress : callable, optional
        Is called with the number of finished files, and of all.
    """
    sent = send(model)
    target, folder = fsspec.core.url_to_fs(output)
    sources = _sources(pattern)
    schemas = _schemas(sources, receive(sent))
    states = {name: _state(url) for name, url in sources.items()}
    kept = _kept_records(target, folder, states, sent)
    n_before = len(kept)
    progress(n_before, len(sources))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        # As a task, not as scattered data: a copy that was lost with a worker is made again.
        shipped = client.submit(_itself, sent, key=f"halfseen-model-{sent.digest}")
    futures = [
        client.submit(
            complete_file, url, output, name, schemas[name], states[name], shipped, pure=False,
            retries=_RETRIES,
        )
        for name, url in sources.items()
        if name not in kept
    ]  # fmt: skip
    for future in as_completed(futures):
        record = future.result()
        future.release()
        kept[record.name] = record
        progress(len(kept), len(sources))
    records = [kept[name] for name in sources]
    _remove_leftovers(target, folder, sources)
    manifest = {
        "halfseen": __version__,
        "model": sent.digest,
        "rows": sum(record.rows for record in records),
        "filled": sum(record.filled for record in records),
        "files": [record.model_dump() for record in records],
    }
    with _put(target, f"{folder}/{MANIFEST}") as part:
        part.write_text(json.dumps(manifest, indent=1) + "\n")
    return Done(records, n_before, f"{output.rstrip('/')}/{MANIFEST}")


def complete_file(
    url: str, output: str, name: str, schema: pa.Schema, state: str, sent: SentModel
) -> Record:
    """Complete one file, row group by row group, and put a record beside it."""
    model = receive(sent)
    source, path = fsspec.core.url_to_fs(url)
    target, folder = fsspec.core.url_to_fs(output)
    n_rows = n_filled = 0
    with _put(target, f"{folder}/{name}") as part:
        with _read_errors(url), source.open(path, "rb") as opened:
            file = pq.ParquetFile(opened, pre_buffer=False)
            with pq.ParquetWriter(part, schema) as writer:
                for group in range(file.num_row_groups):
                    rows = file.read_row_group(group).cast(schema)
                    filled = complete(rows, model)
                    n_rows += rows.num_rows
                    n_filled += _n_missing(rows, model) - _n_missing(filled, model)
                    writer.write_table(filled.cast(schema), max(1, rows.num_rows))
        content = hashlib.sha256()
        with part.open("rb") as written:
            while block := written.read(1 << 20):
                content.update(block)
        n_bytes = part.stat().st_size
    record = Record(
        name=name, rows=n_rows, filled=n_filled, bytes=n_bytes, sha256=content.hexdigest(),
        source=state, model=sent.digest,
    )  # fmt: skip
    with _put(target, f"{folder}/{_RECORDS}/{name}.json") as part:
        part.write_text(record.model_dump_json(indent=1) + "\n")
    return record


def _itself(sent: SentModel) -> SentModel:
    return sent


def _sources(pattern: str) -> dict[str, str]:
    """Addresses of the files of a pattern, by their names below its fixed part."""
    fs, path = fsspec.core.url_to_fs(pattern)
    fixed = path.partition("*")[0].rpartition("/")[0]
    found = sorted(file for file in fs.glob(path) if fs.isfile(file))
    if not found:
        raise FolderError(f"No file fits {pattern!r}. Check the folder, and quote the pattern.")
    others = [file for file in found if not file.endswith((".parquet", ".pq"))]
    if others:
        raise FolderError(
            f"{others[0]!r} is no Parquet file, and only those are completed on a cluster. Name "
            "'folder/*.parquet', or convert the others first."
        )
    return {file[len(fixed) :].lstrip("/"): fs.unstrip_protocol(file) for file in found}


def _schemas(sources: dict[str, str], model: Any) -> dict[str, pa.Schema]:
    """Schema of each result: a column without a value in its file has the type of the others."""
    own: dict[str, pa.Schema] = {}
    whole = pa.schema([])
    for name, url in sources.items():
        fs, path = fsspec.core.url_to_fs(url)
        with _read_errors(url), fs.open(path, "rb") as file:
            own[name] = pq.read_schema(file)
            whole = pa.unify_schemas([whole, own[name].remove_metadata()])
    check_names(whole.names, model)
    for name, column in modelled_columns(whole.names, model).items():
        if pa.types.is_null(whole.field(name).type):
            is_text = any(isinstance(value, str) for value in column.categories)
            field = pa.field(name, pa.string() if is_text else pa.float64())
            whole = whole.set(whole.get_field_index(name), field)
    return {
        name: pa.schema(
            [field.with_type(whole.field(field.name).type) for field in schema], schema.metadata
        )
        for name, schema in own.items()
    }


def _state(url: str) -> str:
    """What changes when a file does: its size and age, or whatever its store says."""
    fs, path = fsspec.core.url_to_fs(url)
    return str(fs.ukey(path))


def _kept_records(
    target: Any, folder: str, states: dict[str, str], sent: SentModel
) -> dict[str, Record]:
    """Records of finished files that still hold; refuses the work of another model."""
    kept = {}
    for name, state in states.items():
        path = f"{folder}/{_RECORDS}/{name}.json"
        try:
            record = Record.model_validate_json(target.cat_file(path))
            n_bytes = target.info(f"{folder}/{name}")["size"]
        except (FileNotFoundError, ValidationError):
            continue
        if record.model != sent.digest:
            raise FolderError(
                f"{folder!r} holds files that another model completed, such as {name!r}. Name "
                "another folder, or remove it."
            )
        if record.source == state and record.bytes == n_bytes:
            kept[name] = record
    return kept


def _n_missing(table: pa.Table, model: Any) -> int:
    columns = (table.column(name) for name in modelled_columns(table.column_names, model))
    return sum(pc.sum(pc.is_null(column, nan_is_null=True)).as_py() or 0 for column in columns)


@contextlib.contextmanager
def _put(fs: Any, path: str) -> Iterator[Path]:
    """A local file to write, which then takes its place as a whole, here or in a store."""
    fs.makedirs(path.rpartition("/")[0], exist_ok=True)
    if "file" in fs.protocol:
        with replace_atomically(path) as part:
            yield part
        return
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder, "part")
        yield part
        fs.put_file(str(part), path)


@contextlib.contextmanager
def _read_errors(url: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise FolderError(f"{url}: {reason}. Finished files stay as they are.") from error


def _remove_leftovers(target: Any, folder: str, names: Iterable[str]) -> None:
    """Remove what writers left behind that were killed; none is at work any more."""
    if "file" in target.protocol:
        for parent in {
            Path(folder, place, name).parent for name in names for place in ("", _RECORDS)
        }:
            for part in parent.glob(".part-*"):
                part.unlink(missing_ok=True)

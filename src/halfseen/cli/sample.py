"""``halfseen sample``: new rows from a model."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from halfseen.cli.console import Console
from halfseen.cli.options import check_outputs, command_with

_ROWS_AT_ONCE = 4_096
_HELP = """Draw new rows, features and labels together, from what MODEL has learned. They look like
rows of the table it was fitted to, and are none of them.

\b
Examples:
  halfseen sample devices.safetensors -n 1000 -o made_up.csv
  halfseen sample devices.safetensors -n 100000 --seed 1 -o made_up.parquet"""


@command_with("sample", _HELP, "MODEL")
@click.option("-n", "n_rows", type=click.IntRange(1), default=100, help="Rows.")
@click.option("-o", "--output", metavar="FILE", help="Where to write.  [default: standard output]")
def sample(model: str, n_rows: int, output: str | None, seed: int, console: Console) -> None:
    """Draw part by part."""
    import numpy as np

    from halfseen.cli.tables import load_model
    from halfseen.files import output_format, table_writer

    path = "-" if output is None else output
    check_outputs(console, [path], [model])
    fitted = load_model(model)
    form, write = output_format(path), None
    with ExitStack() as stack:
        advance = stack.enter_context(console.progress("Drawing", total=n_rows))
        for part, first in enumerate(range(0, n_rows, _ROWS_AT_ONCE)):
            # Every part has a seed of its own, and longer samples begin with shorter ones.
            state = np.random.SeedSequence([seed, part]).generate_state(1)[0] >> 1
            rows = _drawn(fitted, min(_ROWS_AT_ONCE, n_rows - first), int(state), form)
            write = write or stack.enter_context(table_writer(path, rows.schema, form))
            write(rows)
            advance(done=first + rows.num_rows)
    if path != "-":
        console.say(f"{n_rows:,} rows are in {path}. They are drawn, not observed.")
    console.give({"output": path, "rows": n_rows})


def _drawn(model: Any, n_rows: int, seed: int, form: str) -> Any:
    """Features in the types of training and labels, without columns that are not modelled."""
    import narwhals as nw
    import numpy as np
    import pyarrow as pa

    from halfseen.files.cells import TextStyle

    drawn, schema = model.sample(n_rows, seed), model.schema_
    table = nw.from_native(drawn.X, eager_only=True).to_arrow()
    for column in schema.features:
        name = str(column.name)
        if not column.n_units:
            table = table.drop_columns(name)
        elif form in ("csv", "tsv") and pa.types.is_floating(table.column(name).type):
            texts = TextStyle(whole=column.whole).write(table.column(name).to_pylist())
            table = table.set_column(table.column_names.index(name), name, pa.array(texts))
    targets: Any = [] if drawn.y is None else np.asarray(drawn.y).reshape(n_rows, -1).T
    for name, values in zip(schema.target_names, targets, strict=True):
        table = table.append_column(name, pa.array(values.tolist()))
    return table

"""An evaluation on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from halfseen.cli.bullets import bullets
from halfseen.cli.evaluation import ColumnScores, Evaluation, MethodScores
from halfseen.cli.printable import printable
from halfseen.cli.scored_cells import CellKind
from halfseen.cli.terminal import Terminal

_MOST_LABELS = 20
_MOST_FEATURES = 8
_SCORES = (
    ("rmse_of_numbers", "numbers:\nerror in sd", "numbers", False),
    ("right_categories", "categories:\nright", "categories", True),
    ("right_labels", "labels:\nright", "labels", True),
    ("auc_of_labels", "labels:\nAUC", "labels", True),
)


def show_evaluation(evaluation: Evaluation, words: Sequence[str], terminal: Terminal) -> None:
    """Show scores of all methods, of labels and of some features, and what it means.

    Parameters
    ----------
    evaluation : Evaluation
        What came out.
    words : sequence of str
        The verdict.
    terminal : Terminal
        Where to show it.
    """
    hidden = ", ".join(f"{n:,} {_kind_words(kind)}" for kind, n in evaluation.n_hidden.items())
    terminal.show(
        f"{100 * evaluation.hidden_share:g} % of what is known in {evaluation.n_rows:,} rows was "
        f"hidden: {hidden}.\n"
    )
    terminal.show(_methods(evaluation))
    terminal.show()
    labels = [column for column in evaluation.columns if column.kind == "labels"]
    if len(labels) > 1:
        terminal.show(_labels(labels))
        terminal.show()
    features = [column for column in evaluation.columns if column.kind != "labels"]
    if features:
        terminal.show(_features(features))
        terminal.show()
    terminal.show(Text("Should I trust this on my data?", style="bold"))
    terminal.show(bullets(map(_with_bold_head, words)))


def _with_bold_head(line: str) -> Text:
    head, sign, rest = line.partition(": ")
    return Text.assemble((head + sign, "bold") if rest else head, rest)


def _kind_words(kind: CellKind) -> str:
    return "cells of categories" if kind == "categories" else str(kind)


def _plain_table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for position, heading in enumerate(headings):
        table.add_column(heading, justify="right" if position else "left")
    return table


def _methods(evaluation: Evaluation) -> Table:
    shown = [score for score in _SCORES if score[2] in evaluation.n_hidden]
    table = _plain_table("", *(heading for _, heading, _, _ in shown), "seconds")
    for method in evaluation.methods:
        cells = [_cell(evaluation, method, name, higher) for name, _, _, higher in shown]
        table.add_row(method.name, *cells, f"{method.seconds:.1f}")
    return table


def _cell(evaluation: Evaluation, method: MethodScores, name: str, higher: bool) -> Text:
    value: float | None = getattr(method, name)
    if value is None:
        return Text("-", style="dim")
    others = [v for m in evaluation.methods if (v := getattr(m, name)) is not None]
    is_best = value == (max(others) if higher else min(others))
    is_share = name.startswith("right")
    return Text(_number(value, is_share), style="bold green" if is_best else "")


def _number(value: float, is_share: bool) -> str:
    return f"{100 * value:.1f} %" if is_share else f"{value:.3f}"


def _labels(labels: Sequence[ColumnScores]) -> Table:
    table = _plain_table("label", "hidden", "right", "best pipeline", "most frequent", "AUC")
    for column in labels[:_MOST_LABELS]:
        shares = (column.score, column.of_best_rival, column.of_trivial)
        auc = "-" if column.auc is None else f"{column.auc:.3f}"
        table.add_row(
            printable(column.name),
            f"{column.n_hidden:,}",
            *(f"{100 * share:.1f} %" for share in shares),
            auc,
        )
    if len(labels) > _MOST_LABELS:
        table.add_row(f"and {len(labels) - _MOST_LABELS} more (--json has all)")
    return table


def _features(features: Sequence[ColumnScores]) -> Table:
    """The features that are filled best and worst, compared with knowing the column alone."""
    ranked = sorted(features, key=_gain, reverse=True)
    shown = ranked
    if len(ranked) > _MOST_FEATURES:
        half = _MOST_FEATURES // 2
        shown = ranked[:half] + ranked[-half:]
    table = _plain_table("feature", "hidden", "", "best pipeline", "mean or most frequent")
    for position, column in enumerate(shown):
        if len(ranked) > _MOST_FEATURES and position == _MOST_FEATURES // 2:
            table.add_row(Text(f"... {len(ranked) - _MOST_FEATURES} between them ...", style="dim"))
        is_share = column.kind != "numbers"
        unit = " right" if is_share else " sd off"
        table.add_row(
            printable(column.name),
            f"{column.n_hidden:,}",
            _number(column.score, is_share) + unit,
            _number(column.of_best_rival, is_share),
            _number(column.of_trivial, is_share),
        )
    return table


def _gain(column: ColumnScores) -> float:
    if column.kind == "numbers":
        return 1 - column.score / max(column.of_trivial, 1e-9)
    return (column.score - column.of_trivial) / max(1 - column.of_trivial, 1e-9)

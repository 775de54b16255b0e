"""An evaluation on disk, for the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from halfseen.cli.evaluation import Evaluation
from halfseen.cli.plain_json import plain_json
from halfseen.cli.problem import Problem

if TYPE_CHECKING:
    from halfseen.report import ScoreRow

_KIND = "halfseen evaluation"
_SCORES = (
    ("right_labels", "labels, share right", True),
    ("auc_of_labels", "labels, AUC", True),
    ("brier_of_labels", "labels, Brier score", False),
    ("right_categories", "categories, share right", True),
    ("rmse_of_numbers", "numbers, RMSE in standard deviations", False),
)


def write_evaluation(path: str, evaluation: Evaluation) -> None:
    """Write an evaluation as JSON, beside and then renamed.

    Parameters
    ----------
    path : str
        For instance "devices.evaluation.json"; "-" is standard output.
    evaluation : Evaluation
        What to write.
    """
    import click

    from halfseen.storage import write_beside

    document = {"kind": _KIND, **plain_json(evaluation)}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if path == "-":
        click.echo(text, nl=False)
    else:
        write_beside(path, [text.encode("utf-8")])


def score_rows(methods: Any) -> list[ScoreRow]:
    """Scores of methods as the report takes them.

    Parameters
    ----------
    methods : list of dict
        As :func:`write_evaluation` writes them.

    Returns
    -------
    list of ScoreRow

    Examples
    --------
    >>> score_rows([{"name": "halfseen", "right_labels": 0.9, "seconds": 3.0}])[0].value
    0.9
    """
    from halfseen.report import ScoreRow

    return [
        ScoreRow(
            str(method["name"]),
            words,
            float(method[name]),
            seconds=float(method["seconds"]),
            higher_is_better=higher,
        )
        for name, words, higher in _SCORES
        for method in methods
        if method.get(name) is not None
    ]


def read_evaluation(path: str) -> list[ScoreRow]:
    """Scores from a file that :func:`write_evaluation` wrote.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    list of ScoreRow

    Raises
    ------
    Problem
        There is no such file, or it is something else.
    """
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document["kind"] != _KIND:
            raise ValueError("another kind of file")
        return score_rows(document["methods"])
    except OSError as error:
        raise Problem(f"Cannot read the evaluation {path!r}: {error.strerror}.") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Problem(
            f"{path!r} is no evaluation.", "Make one: halfseen evaluate TABLE -o FILE."
        ) from error

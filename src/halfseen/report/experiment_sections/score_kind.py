"""The scores of a record: what they are called, and which way is better."""

from __future__ import annotations

from typing import NamedTuple

from halfseen.report.number_text import MINUS, number_text


class ScoreKind(NamedTuple):
    """A score as it is named in records and on the page.

    Examples
    --------
    >>> SCORE_KINDS["rmse"].title, SCORE_KINDS["rmse"].higher_is_better
    ('RMSE', False)
    """

    name: str
    title: str
    higher_is_better: bool | None  # None: nearest to a level, or a mere width

    @property
    def sign(self) -> float:
        """1 if higher is better, -1 if lower is."""
        return 1.0 if self.higher_is_better else -1.0


SCORE_KINDS = {
    kind.name: kind
    for kind in (
        ScoreKind("micro_auc", "micro-AUC", True),
        ScoreKind("macro_auc", "macro-AUC", True),
        ScoreKind("averaged_auc", "averaged AUC", True),
        ScoreKind("hamming_accuracy", "Hamming accuracy", True),
        ScoreKind("accuracy", "accuracy", True),
        ScoreKind("accuracy_all_entries", "accuracy, observed entries counted as right", True),
        ScoreKind("log_loss", "log-loss", False),
        ScoreKind("calibration_error", "calibration error", False),
        ScoreKind("rmse", "RMSE", False),
        ScoreKind("standardised_rmse", "RMSE, standardised columns", False),
        ScoreKind("interval_coverage", "coverage of 90\N{NO-BREAK SPACE}% intervals", None),
        ScoreKind("interval_width", "width of intervals", None),
    )
}
FEATURE_SCORE = SCORE_KINDS["rmse"]
CALIBRATION_SCORES = ("calibration_error", "log_loss", "interval_coverage", "interval_width")


def label_score(target: str) -> ScoreKind:
    """The score by which answers about labels are ranked, as in the paper.

    Examples
    --------
    >>> label_score("labels").title, label_score("classes").title
    ('micro-AUC', 'averaged AUC')
    """
    return SCORE_KINDS["averaged_auc" if target == "classes" else "micro_auc"]


def paper_scores(target: str) -> tuple[ScoreKind, ...]:
    """The scores of the paper's tables, in their order.

    Examples
    --------
    >>> [kind.title for kind in paper_scores("labels")]
    ['RMSE', 'micro-AUC', 'Hamming accuracy']
    """
    accuracy = SCORE_KINDS["accuracy" if target == "classes" else "hamming_accuracy"]
    return FEATURE_SCORE, label_score(target), accuracy


def score_text(value: float, spread: float | None = None) -> str:
    """A score with as many decimals as tell methods apart, and its spread.

    Examples
    --------
    >>> score_text(0.94312, 0.0021), score_text(23.456), score_text(float("nan"))
    ('0.943 ± 0.002', '23.46', '–')
    """
    if value != value:
        return number_text(value)
    size = abs(value)
    decimals = 3 if size < 10 else 2 if size < 100 else 1
    text = f"{value:,.{decimals}f}".replace("-", MINUS)
    return text if spread is None else f"{text} ± {spread:,.{decimals}f}"

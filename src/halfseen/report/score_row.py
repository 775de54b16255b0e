"""One score of one method."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ScoreRow:
    """One score of one method on entries that were hidden from it.

    Parameters
    ----------
    method : str
        Name of the method.
    score : str
        Name of the score, for instance "micro-AUC" or "RMSE".
    value : float
        Its mean over repeats.
    spread : float or None, default=None
        Standard deviation over repeats; None where there was one.
    seconds : float or None, default=None
        Time of fitting and answering, a mean over repeats.
    higher_is_better : bool or None, default=None
        None goes by the name: errors, losses and RMSE are better when lower.
    is_ours : bool or None, default=None
        Whether it is the method of this model; None goes by the name, which then begins with
        "halfseen".

    Examples
    --------
    >>> ScoreRow("halfseen", "RMSE", 0.81, 0.02, 12.5).better_when_higher
    False
    >>> ScoreRow("halfseen", "accuracy", 0.93).better_when_higher
    True
    """

    method: str
    score: str
    value: float
    spread: float | None = None
    seconds: float | None = None
    higher_is_better: bool | None = None
    is_ours: bool | None = None

    @property
    def better_when_higher(self) -> bool:
        """Whether a larger value is a better one."""
        if self.higher_is_better is not None:
            return self.higher_is_better
        name = self.score.lower()
        return not any(word in name for word in ("rmse", "mse", "mae", "error", "loss", "brier"))

    @property
    def ours(self) -> bool:
        """Whether the method is that of the model reported on."""
        if self.is_ours is not None:
            return self.is_ours
        return self.method.lower().startswith("halfseen")

"""How a model is trained, as the command line says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from halfseen.cli.column_plan import ColumnPlan

Command = TypeVar("Command", bound=Callable[..., Any])
MOST_ROWS = 200_000


@dataclass(frozen=True)
class Training:
    """What the command line says about training.

    Attributes
    ----------
    effort : {"fast", "default", "best"}
        How much work training takes.
    max_rows : int
        Most rows to learn from.
    max_seconds : float or None
        When to stop by the clock.
    companion : bool
        Whether a likelihood-trained machine stays beside the model.
    sees_missing : bool
        Whether the model sees which features a row lacks.

    Examples
    --------
    >>> Training().max_rows
    200000
    """

    effort: str = "default"
    max_rows: int = MOST_ROWS
    max_seconds: float | None = None
    companion: bool = True
    sees_missing: bool = False

    def new_model(self, plan: ColumnPlan, seed: int) -> Any:
        """An estimator to be fitted.

        Parameters
        ----------
        plan : ColumnPlan
            Which columns are features and labels.
        seed : int
            Decides everything random.

        Returns
        -------
        HalfseenClassifier or HalfseenImputer
        """
        from halfseen import HalfseenClassifier, HalfseenImputer

        kinds = {name: kind for name, kind in plan.kinds.items() if name in plan.features}
        estimator = HalfseenClassifier if plan.labels else HalfseenImputer
        return estimator(
            effort=self.effort,
            companion=self.companion,
            sees_missing=self.sees_missing,
            max_seconds="auto" if self.max_seconds is None else self.max_seconds,
            column_kinds=kinds or "auto",
            random_state=seed,
        )


def with_training(command: Command) -> Command:
    """Add how a model is trained; the command receives ``training``.

    Examples
    --------
    >>> @click.command()
    ... @with_training
    ... def show(training: Training) -> None:
    ...     print(training.effort)
    >>> show.main(["--effort", "fast"], standalone_mode=False)
    fast
    """

    @with_effort
    @click.option(
        "--max-rows",
        type=click.IntRange(1),
        default=MOST_ROWS,
        show_default=True,
        help="Most rows to learn from; of longer tables a random sample.",
    )
    @click.option(
        "--max-seconds",
        type=click.FloatRange(0, min_open=True),
        help="Stop training by the clock. The result then depends on the machine.",
    )
    @click.option(
        "--companion/--no-companion",
        default=True,
        show_default=True,
        help="Also learn what is typical: 'sample', 'complete --copies' and unusual rows need it; "
        "without it fitting is quicker.",
    )
    @click.option(
        "--sees-missing",
        is_flag=True,
        help="Let the model see which features a row lacks; for holes that are not at random.",
    )
    @wraps(command)
    def with_one(
        *args: Any,
        effort: str,
        max_rows: int,
        max_seconds: float | None,
        companion: bool,
        sees_missing: bool,
        **kwargs: Any,
    ) -> Any:
        training = Training(effort, max_rows, max_seconds, companion, sees_missing)
        return command(*args, training=training, **kwargs)

    return with_one  # type: ignore[return-value]


def with_effort(command: Command) -> Command:
    """Add ``--effort`` alone.

    Examples
    --------
    >>> @click.command()
    ... @with_effort
    ... def show(effort: str) -> None:
    ...     print(effort)
    >>> show.main([], standalone_mode=False)
    default
    """
    return click.option(
        "--effort",
        type=click.Choice(["fast", "default", "best"]),
        default="default",
        show_default=True,
        help="How much work training takes: a minute or so, some minutes, many minutes.",
    )(command)

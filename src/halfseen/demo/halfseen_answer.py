"""What halfseen says about the hidden entries, with its defaults."""

from __future__ import annotations

from typing import NamedTuple

from halfseen.demo.answer import Answer
from halfseen.demo.hidden_digits import HiddenDigits
from halfseen.estimators import HalfseenClassifier
from halfseen.learning.trainer import interruption_is_the_end


class FittedAnswer(NamedTuple):
    """An answer and the model that gave it.

    Attributes
    ----------
    answer : Answer
        For the rows that the model learned from.
    model : HalfseenClassifier
        Ready for other rows.

    Examples
    --------
    >>> FittedAnswer._fields
    ('answer', 'model')
    """

    answer: Answer
    model: HalfseenClassifier


def halfseen_answer(digits: HiddenDigits, seed: int, n_epochs: int | str = "auto") -> FittedAnswer:
    """Fit one machine to everything observed, and complete the same rows with it.

    Parameters
    ----------
    digits : HiddenDigits
        Pixels and labels with holes.
    seed : int
        Makes the fit reproducible.
    n_epochs : int or "auto", default="auto"
        The most epochs to train.

    Returns
    -------
    FittedAnswer

    Raises
    ------
    KeyboardInterrupt
        When Ctrl-C stops the training.

    Examples
    --------
    >>> from halfseen.demo.hidden_digits import hide_digits
    >>> fitted = halfseen_answer(hide_digits(slice(20, 170), 0.5, seed=0), 0, n_epochs=2)
    >>> fitted.answer.scores.shape
    (150, 10)
    """
    model = HalfseenClassifier(n_epochs=n_epochs, random_state=seed, verbose=True)
    # An estimator that is interrupted stays usable and warns. Whoever stops a demo wants out.
    with interruption_is_the_end():
        model.fit(digits.X, digits.y)
    completed = model.complete(digits.X, digits.y)
    return FittedAnswer(Answer(completed.y, completed.proba, model.classes_, completed.X), model)

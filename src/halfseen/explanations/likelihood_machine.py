"""The likelihood-trained machine of a model, or a clear word that there is none."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.rbm_base import RBMBase


def likelihood_machine(model: RBMBase, purpose: str) -> FittedMachine:
    """The likelihood-trained machine of a fitted model.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    purpose : str
        What needs the machine, for the message.

    Returns
    -------
    FittedMachine

    Raises
    ------
    ValueError
        The model was fitted with ``companion=False``.
    """
    check_is_fitted(model)
    if model.machine_ is None:
        raise ValueError(
            f"{purpose} needs the likelihood-trained machine, which this model was fitted without "
            "(companion=False); fit it again with companion=True"
        )
    return model.machine_

"""How training went."""

from __future__ import annotations

import numpy as np

from halfseen.learning.history import History
from halfseen.report.number_text import number_text
from halfseen.report.page import Section
from halfseen.report.parts import Facts, Gallery, Note, Part, Picture
from halfseen.report.pictures import Curve, curves_svg

_ENDED = {
    "epochs": "all epochs were run",
    "look-ahead": "the held-out loss no longer fell",
    "callback": "a callback ended it",
    "interrupted": "it was interrupted",
    "time": "time was up",
}


def training_section(history: History, *, has_ensemble: bool) -> Section:
    """The curves of training.

    Parameters
    ----------
    history : History
        What happened, epoch by epoch.
    has_ensemble : bool
        Whether the model has a predictive ensemble, of which the history does not tell.

    Returns
    -------
    Section

    Examples
    --------
    >>> from halfseen.learning.history import EpochRecord
    >>> history = History([EpochRecord(e, 0.1, 0.01, 1.0, 2.0, loss=1 / (1 + e)) for e in range(9)])
    >>> len(training_section(history, has_ensemble=False).parts)
    3
    """
    if not len(history):
        return Section("Training", "training", [_without_history(has_ensemble)])
    epochs, loss = history["epoch"] + 1, history["loss"]
    known = np.isfinite(loss)
    facts = [("epochs", f"{len(history):,}"), ("seconds", number_text(history["seconds"].sum()))]
    if history.best_epoch is not None:
        facts.append(("best epoch", f"{history.best_epoch + 1:,}"))
    if known.any():
        facts.append(("lowest held-out loss", number_text(float(loss[known].min()))))
    parts: list[Part] = [Note(_story(history, has_ensemble)), Facts(facts)]
    pictures = [_losses(history, epochs)] if known.any() else []
    pictures.append(_norms(history, epochs))
    parts.append(Gallery(pictures))
    return Section("Training", "training", parts)


def _without_history(has_ensemble: bool) -> Note:
    if has_ensemble:
        return Note(
            "The predictive ensemble keeps no record of its training; fit with companion=True to "
            "see the curves of the likelihood-trained machine beside it.",
            "absent",
        )
    return Note(
        "This model was fitted in parts, which keeps no record; fit it in one go to see its "
        "curves.",
        "absent",
    )


def _story(history: History, has_ensemble: bool) -> str:
    what = "the likelihood-trained machine" if has_ensemble else "the machine"
    text = f"Training of {what}, epoch by epoch."
    if history.stop_reason is not None:
        text += f" It ended because {_ENDED[history.stop_reason]}."
    n_rolled_back = int(history["rolled_back"].sum())
    if n_rolled_back:
        times = "once" if n_rolled_back == 1 else f"{n_rolled_back} times"
        text += f" It was rolled back {times} to earlier parameters, and went on more slowly."
    if has_ensemble:
        text += (
            " The predictive ensemble, which answers predict and transform, was trained beside it "
            "for a fixed number of steps and keeps no such record."
        )
    return text


def _losses(history: History, epochs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Picture:
    names = (("loss", "all"), ("feature_loss", "features"), ("label_loss", "labels"))
    curves = [
        Curve(name, epochs, history[field])
        for field, name in names
        if np.isfinite(history[field]).any()
    ]
    # One part alone is the whole.
    curves = curves if len(curves) > 2 else curves[:1]
    best = history.best_epoch
    svg = curves_svg(
        curves,
        title="Held-out loss",
        description=f"The loss on held-out entries over {len(epochs)} epochs.",
        x_label="epoch",
        y_label="loss on held-out entries",
        mark_x=None if best is None else float(best + 1),
        mark_text="kept",
    )
    return Picture(svg, "Loss on entries that were held out; the dashed line marks what was kept.")


def _norms(history: History, epochs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Picture:
    curves = [
        Curve("weights", epochs, history["weight_norm"]),
        Curve("gradient", epochs, history["gradient_norm"]),
    ]
    svg = curves_svg(
        curves,
        title="Size of weights and gradient",
        description="Norms of the weights and of the gradient over the epochs.",
        x_label="epoch",
        y_label="norm",
        y_is_log=all((np.asarray(curve.y) > 0).all() for curve in curves),
    )
    return Picture(svg, "Norms of the weights and of the gradient: both should settle.")

"""The parameters that the estimators share, described once."""

from __future__ import annotations

from typing import TypeVar

SHARED_PARAMETERS = """\
preset : {"default", "paper"}, default="default"
        Where parameters that are "auto" take their values from. "paper" are the paper's settings.
        What was resolved stands in ``settings_``.
    effort : {"fast", "default", "best"} or "auto", default="auto"
        How much work training may take; bounded by the shape of the table and decided by entries
        put aside, so that the same seed gives the same numbers. The companion has a part in it: by
        default it takes long steps that end small, and runs all of its epochs, half as many as a
        machine by itself, all of them with "best" and a quarter of the updates with "fast". Set
        anything of its pace (``n_epochs``, ``learning_rate``, ``schedule``, ``stopping``,
        ``held_out_share``, ``patience``, ``monitor_every``), and the rest is as without ensemble.
    max_seconds : float or "auto", default="auto"
        Ends predictive training after so many seconds, where it stands or with what its last whole
        round has taught, and the companion that
        is trained beside it (but not one that is trained before, as of 65,536 rows and more); the
        result then depends on the machine's speed and is not reproducible.
    companion : bool or "auto", default="auto"
        Whether a predictive model also holds a likelihood-trained machine, which answers
        ``score_samples``, ``sample`` and ``impute``. Without it a fit is shorter.
    sees_missing : bool or "auto", default="auto"
        Whether mask units tell the predictive ensemble which features a row lacks. It helps where
        values are missing for a reason, if new rows lack theirs for the same reason. "auto" is
        False.
    label_weight : float or "auto", default="auto"
        Weight of the labels' loss beside the features' in predictive training.
    column_kinds : "auto", str or dict, default="auto"
        What the columns of X are: "numeric", "linear", "log", "ordinal", "binary" or "categorical";
        one word for all, or a mapping from column name or position. "auto": text is categorical,
        columns of 0 and 1 are binary, all other numbers are numeric. "ordinal" are numbers of which
        only those that were observed are answers, such as marks from 1 to 5; the levels of text
        have to be numbered first. "linear" and "log" are numeric on a linear or a log scale (values
        not below 0); "numeric" takes heavy-tailed counts, whole numbers from 0 to at least 10 with
        a skewness above 3, on a log scale, and all others on a linear one.
        ``print(model.schema_)`` shows the choice. A column declared "binary" may hold grey levels
        between 0 and 1, which are pinned as expectations.
    n_hidden : int or "auto", default="auto"
        Number of hidden units. More can express more and need more data.
    objective : str or "auto", default="auto"
        "predictive", the default, trains an ensemble to predict observed entries that are hidden
        again; it answers ``predict``, ``transform`` and ``complete``. The parameters below then
        describe its companion, the likelihood-trained machine; ``n_hidden``, ``learning_rate``,
        ``weight_decay``, ``batch_size``, ``n_epochs``, ``held_out_share`` and ``n_machines`` (of
        every kind) hold for both if they are set. All other objectives train by likelihood, and
        that machine answers everything: "lossy_cd" is Algorithm 1 of the paper, random starts in
        both terms; "data_started_cd" starts the negative chains at the data; "persistent_cd" keeps
        the negative chains from one minibatch to the next, "fully_persistent_cd" also the missing
        entries of every row; "mean_field_cd" replaces sampling by mean-field sweeps.
    n_gibbs_steps : int or "auto", default="auto"
        k: Gibbs steps (for "mean_field_cd" sweeps) of both terms in every update.
    n_chains : int or "auto", default="auto"
        Persistent negative chains.
    learning_rate, batch_size, n_epochs : float, int, int or "auto", default="auto"
        Step size, rows per minibatch, and the most epochs to run.
    optimizer : {"adam", "sgd"} or "auto", default="auto"
        How gradients become steps; ``momentum`` is for "sgd".
    momentum, weight_decay, clip_norm : float or "auto", default="auto"
        Momentum; decay of the weights only, times the learning rate; largest norm of a gradient.
    schedule : {"constant", "cosine"} or "auto", default="auto"
        Course of the learning rate over the epochs.
    centered : bool or "auto", default="auto"
        Whether gradients are taken around the means of the units.
    variance : "learned", float or "auto", default="auto"
        Variance of a numeric column given the hidden units, in units of the column's own.
    random_starts : {"marginals", "uniform"} or "auto", default="auto"
        Whether chains and restarts begin around the observed marginals, or know nothing.
    n_machines : int or "auto", default="auto"
        Machines trained at once from different random weights; their answers are averaged.
    completion : {"mean_field", "second_order", "gibbs"} or "auto", default="auto"
        How missing entries are found: the paper's mean-field equations, their second order (TAP),
        or averaged Gibbs chains.
    n_restarts, n_sweeps : int or "auto", default="auto"
        Start configurations, and the most sweeps from each.
    tolerance, damping : float or "auto", default="auto"
        A row rests when no entry moves by more than ``tolerance`` (in standard units); share of the
        old value kept in each sweep.
    averaging : {"free_energy", "equal"} or "auto", default="auto"
        Whether fixed points are weighted by their free energy or equally.
    stopping : {"held_out", "oracle", "none"} or "auto", default="auto"
        "held_out" puts aside ``held_out_share`` of the observed entries, judges every
        ``monitor_every`` epochs by the loss on them, stops when ``patience`` epochs brought no
        better one, and keeps the best parameters. "none" runs all epochs. "oracle", for
        HalfseenClassifier only, is the paper's rule, which peeks at the labels to be predicted; it
        needs ``oracle_y`` and serves to reproduce the paper's tables.
    held_out_share : float or "auto", default="auto"
        Share of the observed entries put aside.
    patience, monitor_every : int or "auto", default="auto"
        Look-ahead in epochs, and epochs from one judgement to the next.
    checkpoint : path-like or None, default=None
        File in which training saves its state every ``checkpoint_every`` epochs.
    checkpoint_every : int, default=10
        Epochs from one saving to the next.
    resume : bool, default=False
        Whether to go on from ``checkpoint`` if the file is there; the result is the same, bit for
        bit, as without the interruption. Needs an int as ``random_state``.
    callbacks : sequence of callables, default=()
        Called after every epoch with its record; one that returns True ends training.
    verbose : "auto" or bool, default="auto"
        Progress with the time left, for training that lasts longer than two seconds. "auto" shows
        it if standard error is a terminal.
    random_state : int, RandomState or None, default=None
        An int makes the fit reproducible."""

Class = TypeVar("Class", bound=type)


def with_shared_parameters(cls: Class) -> Class:
    """Put the description of the shared parameters into the docstring of an estimator."""
    if cls.__doc__ is not None:
        cls.__doc__ = cls.__doc__.replace("{shared_parameters}", SHARED_PARAMETERS)
    return cls

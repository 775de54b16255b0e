"""How the model and this page were made."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from halfseen._version import __version__
from halfseen.estimators.rbm_base import RBMBase
from halfseen.report.number_text import number_text
from halfseen.report.page import Section, command_text
from halfseen.report.parts import Details, Entry, Note, Part, Table

_PACKAGES = ("numpy", "scipy", "scikit-learn", "jax", "jaxlib", "optax")
_UNSAID = ("callbacks", "oracle_y", "verbose")


def making_section(model: RBMBase, made_by: Sequence[str]) -> Section:
    """Settings, seed, versions and the command.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    made_by : sequence of str
        The command, word by word; empty if there was none.

    Returns
    -------
    Section

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import HalfseenImputer
    >>> X = np.random.default_rng(0).random((30, 2))
    >>> model = HalfseenImputer(objective="data_started_cd", n_hidden=2, n_epochs=2, random_state=0)
    >>> making_section(model.fit(X), ()).parts[0].text
    "HalfseenImputer(n_epochs=2, n_hidden=2, objective='data_started_cd', random_state=0)"
    """
    chosen = _chosen(model)
    words = ", ".join(f"{name}={value!r}" for name, value in chosen)
    parts: list[Part] = [
        Note(f"{type(model).__name__}({words})"),
        Table(("what", "value"), _facts(model, made_by), "How it was made.", sorts=False),
        Details("All settings, as they were resolved", [_settings(model)]),
        Note(
            "The same table, settings, seed and versions give the same model, and the same model "
            "and rows give this page again, byte by byte."
        ),
    ]
    return Section("How it was made", "making", parts)


def _chosen(model: RBMBase) -> list[tuple[str, Any]]:
    """Parameters that were set to something other than their default."""
    usual = type(model)().get_params(deep=False)
    given: dict[str, Any] = model.get_params(deep=False)
    return [
        (name, value)
        for name, value in given.items()
        if name not in _UNSAID and repr(value) != repr(usual[name])
    ]


def _facts(model: RBMBase, made_by: Sequence[str]) -> list[list[Entry]]:
    halves = []
    if model.prediction_ is not None:
        halves.append("a predictive ensemble, which answers predict, transform and intervals")
    if model.machine_ is not None:
        halves.append("a likelihood-trained machine, which weighs, samples and draws rows")
    rows: list[list[Entry]] = [["model", "; ".join(halves)]]
    rows.append(["objective", model.settings_.objective])
    rows.append(["seed", str(getattr(model, "_seed", "not known"))])
    if made_by:
        rows.append(["command", command_text(made_by)])
    rows.append(["halfseen", __version__])
    rows.append(["Python", platform.python_version()])
    rows += [[name, found] for name in _PACKAGES if (found := _version(name)) is not None]
    return rows


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _settings(model: RBMBase) -> Table:
    rows = []
    for field in fields(model.settings_):
        value = getattr(model.settings_, field.name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        rows.append((field.name, number_text(value) if is_number else str(value)))
    return Table(("setting", "value"), rows, "Settings after every “auto” was resolved.", shown=50)

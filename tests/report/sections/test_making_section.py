from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from halfseen import HalfseenClassifier, __version__
from halfseen.estimators.settings import resolve_settings
from halfseen.report import Details, Note, Table
from halfseen.report.sections.making_section import making_section


def model_of(**parameters: Any) -> Any:
    model = HalfseenClassifier(**parameters)
    model.settings_ = resolve_settings("default", {}, n_rows=100, n_visible=5)
    model.prediction_, model.machine_ = SimpleNamespace(), None  # type: ignore[assignment]
    model._seed = 77
    return model


def test_what_was_set_and_nothing_else() -> None:
    model = model_of(effort="fast", random_state=3, verbose=False)
    note = making_section(model, ()).parts[0]
    assert isinstance(note, Note)
    assert note.text == "HalfseenClassifier(effort='fast', random_state=3)"


def test_seed_versions_and_command() -> None:
    table = making_section(model_of(), ("halfseen", "report", "my model")).parts[1]
    assert isinstance(table, Table)
    facts = {row[0]: row[1] for row in table.rows}
    assert facts["seed"] == "77"
    assert facts["halfseen"] == __version__
    assert facts["command"] == "halfseen report 'my model'"
    assert "weighs" not in str(facts["model"])
    assert {"Python", "numpy", "jax"} <= set(facts)


def test_all_settings_are_listed() -> None:
    model = model_of()
    details = making_section(model, ()).parts[2]
    assert isinstance(details, Details)
    (table,) = details.parts
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows][:2] == ["n_hidden", "objective"]

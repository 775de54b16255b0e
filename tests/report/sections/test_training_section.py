from __future__ import annotations

from halfseen.learning.history import EpochRecord, History
from halfseen.report import Facts, Gallery, Note
from halfseen.report.sections.training_section import training_section
from report.checked import checked_svg, words


def history_of(n: int, **losses: float) -> History:
    records = [EpochRecord(e, 0.5, 0.01, 1.0, 2.0 + e, **losses) for e in range(n)]
    return History(records, "look-ahead", n - 2)


def test_curves_and_facts() -> None:
    history = history_of(9, loss=0.5, feature_loss=0.25, label_loss=0.25)
    note, facts, gallery = training_section(history, has_ensemble=True).parts
    assert isinstance(note, Note)
    assert "no longer fell" in note.text
    assert "ensemble" in note.text
    assert isinstance(facts, Facts)
    assert dict(facts.items) == {
        "epochs": "9",
        "seconds": "4.50",
        "best epoch": "8",
        "lowest held-out loss": "0.500",
    }
    assert isinstance(gallery, Gallery)
    assert {"all", "features", "labels", "kept"} <= set(words(checked_svg(gallery.pictures[0].svg)))


def test_epochs_that_were_not_monitored_have_no_loss() -> None:
    gallery = training_section(history_of(3), has_ensemble=False).parts[-1]
    assert isinstance(gallery, Gallery)
    assert len(gallery.pictures) == 1


def test_one_part_of_the_loss_is_the_whole() -> None:
    history = history_of(4, loss=0.5, feature_loss=0.5)
    gallery = training_section(history, has_ensemble=False).parts[-1]
    assert isinstance(gallery, Gallery)
    assert "features" not in words(checked_svg(gallery.pictures[0].svg))


def test_rolling_back_is_told() -> None:
    history = history_of(3, loss=1.0)
    history.add(EpochRecord(3, 0.5, 0.01, 1.0, 2.0, rolled_back=True))
    note = training_section(history, has_ensemble=False).parts[0]
    assert isinstance(note, Note)
    assert "rolled back once" in note.text


def test_without_a_history_it_says_what_to_do() -> None:
    for has_ensemble, remedy in ((True, "companion=True"), (False, "in one go")):
        (note,) = training_section(History(), has_ensemble=has_ensemble).parts
        assert isinstance(note, Note)
        assert note.tone == "absent"
        assert remedy in note.text

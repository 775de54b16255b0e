"""Each complaint is one sentence that names the file and the remedy."""

import pickle

import pytest

from halfseen.storage import DamagedFile, NewerFile, NotOurFile, SealError, WrongKind

ERRORS = [
    (
        NotOurFile("a.bin", "it is a zip archive"),
        ["zip archive", "pass a file that halfseen"],
    ),
    (DamagedFile("a.bin", "it is empty"), ["it is empty", "restore it from a copy"]),
    (NewerFile("a.bin", 7, 1), ["format 7, this one reads up to 1", "upgrade halfseen"]),
    (WrongKind("a.bin", "checkpoint", "model"), ["'checkpoint'", "pass a file of kind 'model'"]),
]


@pytest.mark.parametrize(("error", "parts"), ERRORS)
def test_sentence_names_file_and_remedy(error: SealError, parts: list[str]) -> None:
    assert isinstance(error, SealError)
    assert isinstance(error, ValueError)
    for part in ["'a.bin'", *parts]:
        assert part in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(("error", "parts"), ERRORS)
def test_survives_the_way_back_from_a_worker(error: SealError, parts: list[str]) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_a_huge_kind_is_not_printed_in_full() -> None:
    assert len(str(WrongKind("a.bin", "x" * 10**6, "model"))) < 200

"""What the room shows is what it says it shows."""

from halfseen import storage


def test_all_is_what_is_visible() -> None:
    assert {name for name in vars(storage) if not name.startswith("_")} == set(storage.__all__)
    assert list(storage.__all__) == sorted(storage.__all__)

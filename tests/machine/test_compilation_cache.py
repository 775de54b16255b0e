"""Compiled programs are found again, and JAX's settings are as before."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.compilation_cache import compilation_cache

from halfseen.machine import compilation_cache as module
from halfseen.machine.compilation_cache import VARIABLE, cache_folder, kept_compilations

NAMES = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for what is compiled, and a JAX that was given none."""
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", None)
    compilation_cache.reset_cache()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(module, "_LEAST_SECONDS", 0.0)
    yield tmp_path
    jax.config.update("jax_compilation_cache_dir", before)
    compilation_cache.reset_cache()


def settings() -> list[object]:
    return [getattr(jax.config, name) for name in NAMES]


def compiled_anew(factor: float) -> np.ndarray:
    """A program that no other test has compiled, run once."""
    jax.clear_caches()
    return np.asarray(jax.jit(lambda x: jnp.sin(x) @ jnp.cos(x) * factor)(jnp.ones((3, 3))))


def entries(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*-cache")}


def test_what_was_compiled_is_found_again_and_says_the_same(folder: Path) -> None:
    with kept_compilations():
        first = compiled_anew(1.25)
    written = entries(folder)
    assert written
    hits: list[str] = []
    jax.monitoring.register_event_listener(lambda event, **_: hits.append(event))
    with kept_compilations():
        again = compiled_anew(1.25)
    assert "/jax/compilation_cache/cache_hits" in hits
    assert entries(folder) == written
    np.testing.assert_array_equal(again, first)


def test_settings_are_as_before_also_after_an_error_and_in_threads(folder: Path) -> None:
    before = settings()

    def fails() -> None:
        with kept_compilations(), kept_compilations():
            assert jax.config.jax_compilation_cache_dir.startswith(str(folder))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    threads = [threading.Thread(target=compiled_within, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settings() == before


def compiled_within(number: int) -> None:
    with kept_compilations():
        jnp.zeros(number + 1).block_until_ready()


def test_outside_nothing_is_kept(folder: Path) -> None:
    compiled_anew(3.5)
    assert not entries(folder)


def test_a_cache_of_the_users_is_left_alone(folder: Path, tmp_path: Path) -> None:
    theirs = str(tmp_path / "theirs")
    jax.config.update("jax_compilation_cache_dir", theirs)
    with kept_compilations():
        assert jax.config.jax_compilation_cache_dir == theirs
    assert jax.config.jax_compilation_cache_dir == theirs


def test_off_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    with kept_compilations():
        compiled_anew(2.25)
    assert not entries(folder)


def test_a_folder_that_others_may_write_to_is_not_used(folder: Path) -> None:
    own = cache_folder()
    assert own is not None
    os.chmod(own, 0o777)
    assert cache_folder() is None


def test_without_a_place_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(folder / "file"))
    assert cache_folder() is None
    with kept_compilations():
        compiled_anew(4.5)


def test_the_oldest_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = cache_folder()
    assert own is not None
    for age in range(4):
        (own / f"{age}").write_bytes(b"x" * 10)
        os.utime(own / f"{age}", (1000 - age, 1000 - age))
    monkeypatch.setattr(module, "MOST_BYTES", 20)
    cache_folder()
    assert sorted(path.name for path in own.iterdir()) == ["0", "1"]


def test_a_torn_entry_is_compiled_anew(folder: Path) -> None:
    with kept_compilations():
        first = compiled_anew(5.5)
    for path in entries(folder):
        path.write_bytes(path.read_bytes()[:20])
    with kept_compilations():
        np.testing.assert_array_equal(compiled_anew(5.5), first)

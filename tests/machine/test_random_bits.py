"""The generator of training: equal to its reference, uniform, and with streams of their own."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.extend.random import threefry_2x32 as of_jax
from scipy.stats import chisquare

from halfseen.machine.random_bits import threefry_2x32, training_key

WORDS = st.integers(0, 2**32 - 1)


@settings(max_examples=25, deadline=None)
@given(WORDS, WORDS, WORDS, WORDS)
def test_with_twenty_rounds_it_gives_the_words_of_jax(
    first: int, second: int, left: int, right: int
) -> None:
    key, counter = np.array([first, second], np.uint32), np.array([left, right], np.uint32)
    found = threefry_2x32(tuple(jnp.asarray(key)), tuple(jnp.asarray(counter)), rounds=20)
    np.testing.assert_array_equal(np.array(found), np.asarray(of_jax(key, counter)))


@pytest.mark.parametrize("n_bits", [8, 16, 32])
def test_every_bit_is_on_half_of_the_time(n_bits: int) -> None:
    words = np.asarray(jax.random.bits(training_key(1), (20_000,), f"uint{n_bits}"))
    share = [np.mean(words >> bit & 1) for bit in range(n_bits)]
    np.testing.assert_allclose(share, 0.5, atol=0.02)


def test_numbers_fall_evenly_and_do_not_follow_each_other() -> None:
    numbers = np.asarray(jax.random.uniform(training_key(2), (200, 200)))
    counts = np.histogram2d(numbers[:, :-1].ravel(), numbers[:, 1:].ravel(), 8, [[0, 1]] * 2)[0]
    assert chisquare(counts.ravel()).pvalue > 1e-3
    below = np.histogram2d(numbers[:-1].ravel(), numbers[1:].ravel(), 8, [[0, 1]] * 2)[0]
    assert chisquare(below.ravel()).pvalue > 1e-3


def test_streams_of_split_folded_and_seeded_keys_have_nothing_in_common() -> None:
    key = training_key(3)
    keys = [key, training_key(4), *jax.random.split(key), *jax.random.split(key, 3)[2:]]
    keys += [jax.random.fold_in(key, number) for number in range(3)]
    streams = np.stack([np.asarray(jax.random.uniform(own, (4000,))) for own in keys])
    between = np.corrcoef(streams)[np.triu_indices(len(keys), 1)]
    assert np.max(np.abs(between)) < 0.08


def test_a_stream_does_not_depend_on_its_companions() -> None:
    keys = jax.random.split(training_key(5), 3)
    together = jax.vmap(lambda key: jax.random.uniform(key, (7,)))(keys)
    alone = jax.random.uniform(keys[1], (7,))
    np.testing.assert_array_equal(np.asarray(together)[1], np.asarray(alone))


def test_all_keys_of_a_tree_have_counters_of_their_own() -> None:
    """Five levels of the widest splits: no branch is met twice, so no counter is either."""
    level = training_key(6)[None]
    branches: list[int] = []
    for _ in range(5):
        data = np.asarray(jax.random.key_data(level))
        assert len(np.unique(data[:, :2], axis=0)) == 1
        branches += data[:, 2].tolist()
        level = jax.vmap(lambda key: jax.random.split(key, 7))(level).reshape(-1)
    assert len(set(branches)) == len(branches) == sum(7**depth for depth in range(5))
    assert max(branches) < 2**30 / 8**4


def test_many_keys_are_split_by_the_generator_itself() -> None:
    data = np.asarray(jax.random.key_data(jax.random.split(training_key(7), 100)))
    assert len(np.unique(data[:, 0])) == 100
    assert not data[:, 2].any()


def test_words_of_split_and_folded_keys_and_numbers_are_all_different() -> None:
    key = training_key(8)
    drawn = np.asarray(jax.random.bits(key, (1000,)))
    split = np.asarray(jax.random.key_data(jax.random.split(key, 1000)))[:, 0]
    folded = [int(jax.random.key_data(jax.random.fold_in(key, n))[0]) for n in range(5)]
    assert not set(drawn) & set(split)
    assert not set(folded) & (set(drawn[:5]) | set(split[:5]))


def test_a_key_is_that_of_its_seed() -> None:
    expected = jax.random.key(2**31 + 5, impl=jax.random.key_impl(training_key(0)))
    found = training_key(2**31 + 5)
    np.testing.assert_array_equal(jax.random.key_data(found), jax.random.key_data(expected))
    assert found.dtype == expected.dtype

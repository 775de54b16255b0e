"""Random bits for training: Threefry-2x32 in thirteen rounds, written so that it fuses.

Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3", name thirteen
rounds as the fewest of Threefry-2x32 that pass all of their tests. JAX's own generator takes twenty
in a loop of its own; here every word is a plain expression of its place and the key, which XLA
computes in the loop that uses it, and no array of random numbers is ever written.

A key is two words and a branch, a number in a tree: splitting a key counts branches, and every
number drawn has a counter of branch, purpose and place that no other has under the same two words.
That is a multiplication where JAX's own keys take a run of the generator for every key.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.random import define_prng_impl
from numpy.typing import NDArray

ROUNDS = 13
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)
# What words are for: each has counters of its own under the same key.
_BITS, _MORE_BITS, _SPLIT, _FOLD = map(np.uint32, range(4))
_PURPOSES = np.uint32(4)
# Fewer keys than this are split off by counting alone; ten times in a row are told apart.
_BRANCHES = np.uint32(8)


def threefry_2x32(
    key: tuple[jax.Array, jax.Array],
    counter: tuple[jax.Array | np.uint32, jax.Array | np.uint32],
    rounds: int = ROUNDS,
) -> tuple[jax.Array, jax.Array]:
    """Two random words for every counter.

    Parameters
    ----------
    key, counter : pair of arrays of uint32 that broadcast
        The same key and counter always give the same words.
    rounds : int
        Twenty for the words that JAX's generator gives.

    Examples
    --------
    >>> zero = jnp.uint32(0)
    >>> [hex(int(word)) for word in threefry_2x32((zero, zero), (zero, zero), rounds=20)]
    ['0x6b200159', '0x99ba4efe']
    """
    schedule = (key[0], key[1], key[0] ^ key[1] ^ _PARITY)
    left, right = counter[0] + schedule[0], counter[1] + schedule[1]
    for done in range(rounds):
        left = left + right
        by = _ROTATIONS[done // 4 % 2][done % 4]
        right = (right << np.uint32(by)) | (right >> np.uint32(32 - by))
        right = right ^ left
        if done % 4 == 3:
            turn = done // 4 + 1
            left = left + schedule[turn % 3]
            right = right + schedule[(turn + 1) % 3] + np.uint32(turn)
    return left, right


def _words(key: jax.Array, purpose: np.uint32, shape: tuple[int, ...]) -> jax.Array:
    """One word for every place of an array."""
    place = jax.lax.iota(jnp.uint32, math.prod(shape)).reshape(shape)
    # A key is computed before it is used; else the key and all keys that it came from would be
    # computed again for every row.
    known = jax.lax.optimization_barrier(key)  # type: ignore[no-untyped-call]
    return _words_of(known, purpose, place)[0]


def _words_of(key: jax.Array, purpose: np.uint32, place: jax.Array) -> tuple[jax.Array, jax.Array]:
    return threefry_2x32((key[0], key[1]), (key[2] * _PURPOSES + purpose, place))


def _seed(seed: jax.Array) -> jax.Array:
    low = seed.astype(jnp.uint32)
    return jnp.stack([jnp.zeros_like(low), low, jnp.zeros_like(low)])


def _split(key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    place = jax.lax.iota(jnp.uint32, math.prod(shape)).reshape(shape)
    if place.size < _BRANCHES:
        branch = key[2] * _BRANCHES + 1 + place
        return jnp.stack([jnp.broadcast_to(word, shape) for word in (*key[:2], branch)], axis=-1)
    return _rooted(_words_of(key, _SPLIT, place))


def _fold_in(key: jax.Array, data: int | jax.Array) -> jax.Array:
    return _rooted(_words_of(key, _FOLD, jnp.uint32(data)))


def _rooted(words: tuple[jax.Array, jax.Array]) -> jax.Array:
    """Keys of two new words, each the root of a tree of its own."""
    return jnp.stack([*words, jnp.zeros_like(words[0])], axis=-1)


def _random_bits(key: jax.Array, bit_width: int, shape: tuple[int, ...]) -> jax.Array:
    if bit_width == 64:
        pair = [_words(key, half, shape).astype(jnp.uint64) for half in (_BITS, _MORE_BITS)]
        return (pair[0] << np.uint64(32)) | pair[1]
    return _words(key, _BITS, shape).astype(jnp.dtype(f"uint{bit_width}"))


_GENERATOR: Hashable = define_prng_impl(
    key_shape=(3,),
    seed=_seed,
    split=_split,
    random_bits=_random_bits,
    fold_in=_fold_in,
    name="halfseen_threefry13_tree",
    tag="hs",
)


def training_key(seed: int) -> jax.Array:
    """A key whose random numbers are cheap enough for every update of a training.

    Examples
    --------
    >>> float(jax.random.uniform(training_key(0))) == float(jax.random.uniform(training_key(0)))
    True
    """
    # What jax.random.key would give, without a program for it.
    words = jax.device_put(np.array([0, seed % 2**32, 0], np.uint32))
    return key_of_words(words)


def keys_of_steps(seed: int, steps: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The words of a key for every step, computed on the host; :func:`key_of_words` takes them.

    Examples
    --------
    >>> keys_of_steps(7, np.array([0, 1])).tolist()
    [[8, 0, 0], [8, 1, 0]]
    """
    words = np.zeros((len(steps), 3), np.uint32)
    words[:, 0] = (seed + 1) % 2**32
    words[:, 1] = steps
    return words


def keys_of_batches(
    seed: int, epoch: int, n_machines: int, batches: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """The words of a key for every minibatch of every machine, on the host likewise.

    Of shape (n_machines, n_batches, 3).

    Examples
    --------
    >>> keys = keys_of_batches(seed=7, epoch=0, n_machines=2, batches=np.arange(3))
    >>> len(np.unique(keys[..., :2].reshape(-1, 2), axis=0))
    6
    """
    machine = np.arange(n_machines, dtype=np.uint32)[:, None]
    batch = np.asarray(batches, np.uint32)[None]
    of_seed, of_epoch = (np.full((1, 1), number % 2**32, np.uint32) for number in (seed, epoch))
    words: tuple[Any, Any] = threefry_2x32((of_seed, machine), (of_epoch, batch))  # type: ignore[arg-type]
    return np.stack([*words, np.zeros_like(words[0])], axis=-1)


def key_of_words(words: jax.Array) -> jax.Array:
    """The key, or keys, of words on the device."""
    key: jax.Array = jax.random.wrap_key_data(words, impl=_GENERATOR)
    return key

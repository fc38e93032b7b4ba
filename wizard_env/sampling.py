"""Choosing among legal actions, compiled, and the random words to do it with.

Randomness comes as `Noise`: a `numpy.random.Generator`; or one for each row, as Gymnasium's SyncVectorEnv
has them; or one uint64 per row, for a choice that does not depend on the rest of the batch.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.chance import mix, scale, step_generator
from wizard_env.checks import check_words, shortened
from wizard_env.compiled.bits import count_bits, lowest_bit, nth_bit
from wizard_env.compiled.jit import compiled, kernel, wrapping
from wizard_env.compiled.packing import WORD_BITS, pack_bits

_LOW_COUNT = 60
_LOW_ACTIONS = (1 << _LOW_COUNT) - 1
_HIGH_ACTIONS = (1 << NUM_ACTIONS - _LOW_COUNT) - 1
"""A mask is read as two numbers: the first 60 actions, and the rest."""

Noise: TypeAlias = np.random.Generator | Sequence[np.random.Generator] | NDArray[np.uint64]


def draw_noise(rng: np.random.Generator, count: int) -> NDArray[np.uint64]:
    """Return uint64 [count] random words, expanded from one draw of the generator."""
    words = np.empty(count, np.uint64)
    _expand(rng.integers(0, 2**64, dtype=np.uint64), words)
    return words


def noise_streams(seeds: NDArray[np.uint64], key: int = 0) -> NDArray[np.uint64]:
    """Return uint64 [n], the start of a stream of random words for each seed.

    Agents see the words, and the seed of a game gives away its deals. So streams are derived by a
    cryptographic hash (BLAKE2, RFC 7693), from which the seed cannot be recovered.

    key: a different key gives different streams.
    """
    starts = [
        hashlib.blake2b(int(seed).to_bytes(8), digest_size=8, key=key.to_bytes(8)).digest() for seed in seeds
    ]
    return np.frombuffer(b"".join(starts), np.uint64).copy()


def next_words(streams: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return uint64 [k], the next words of the streams in some rows, which advance."""
    words = np.empty(len(rows), np.uint64)
    _draw_words(streams, rows, words)
    return words


def sample_legal(mask: ArrayLike, noise: Noise) -> NDArray[np.int64]:
    """Choose uniformly among the legal actions of every row.

    Args:
        mask: uint8 or bool [n, NUM_ACTIONS]; a row without a legal action gives 0.
        noise: a generator, or uint64 [n], or n generators.

    Returns:
        int64 [n]: action ids.

    Raises ValueError for a mask that is not of zeros and ones, and for other noise.
    """
    rows = _mask_rows(mask)
    actions = np.empty(len(rows), np.int64)
    _sample_legal(rows.reshape(-1), _words(noise, len(rows)), actions)
    return actions


def sample_softmax(
    logits: ArrayLike, mask: ArrayLike, noise: Noise
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Choose among the legal actions of every row with probability proportional to exp(logit).

    Args:
        logits: [n, NUM_ACTIONS], numbers that float32 can hold; entries of illegal actions are not read.
        mask: uint8 or bool [n, NUM_ACTIONS]; a row without a legal action gives action 0
            with probability 0.
        noise: a generator, or uint64 [n], or n generators.

    Returns:
        int64 [n] action ids, and float32 [n] the logarithms of their probabilities.

    Raises ValueError as `sample_legal` does, and for a row whose legal logits leave no probabilities: NaN,
    infinite, or all of them -inf.
    """
    rows = _mask_rows(mask)
    given = np.asarray(logits)
    if given.dtype.kind not in "iuf":
        raise ValueError(f"logits of type {given.dtype}: floats are needed")
    if given.shape != rows.shape:
        raise ValueError(f"logits of shape {given.shape}: the mask has shape {rows.shape}")
    actions = np.empty(len(rows), np.int64)
    log_probabilities = np.empty(len(rows), np.float32)
    words = _words(noise, len(rows))
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # what float32 cannot hold is infinite, and refused below
        scores = np.ascontiguousarray(given, np.float32)
        wrong = _sample_softmax(scores, rows, words, actions, log_probabilities)
    if wrong >= 0:
        legal = given[wrong][rows[wrong] != 0]
        raise ValueError(
            f"logits of row {wrong}: {shortened(legal.tolist())}, of type {given.dtype}: numbers that "
            "float32 can hold are needed where an action is legal, and one above -inf"
        )
    return actions, log_probabilities


def best_legal(scores: NDArray[np.floating[Any]], mask: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return int64 [n], the legal action of the highest score in every row; both are [n, NUM_ACTIONS]."""
    return np.where(mask, scores, -np.inf).argmax(axis=1)


def certain(actions: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return float32 [n, NUM_ACTIONS], the policy that always takes these actions, int64 [n]."""
    probabilities = np.zeros((len(actions), NUM_ACTIONS), np.float32)
    probabilities[np.arange(len(actions)), actions] = 1
    return probabilities


def _mask_rows(mask: ArrayLike) -> NDArray[np.uint8]:
    given = np.asarray(mask)
    if given.ndim != 2 or given.shape[1] != NUM_ACTIONS:
        raise ValueError(f"a mask of shape {given.shape}: (n, {NUM_ACTIONS}) is needed")
    rows = given.view(np.uint8) if given.dtype == np.bool_ else given  # such a bool may be any byte
    wrong = (rows > 1) if rows.dtype == np.uint8 else (rows != 0) & (rows != 1)
    if wrong.any():
        raise ValueError(f"the mask holds {rows[wrong][0]}, of type {given.dtype}: allowed are 0 and 1")
    return np.require(rows, np.uint8, ["C", "W"])


def _words(noise: Noise, count: int) -> NDArray[np.uint64]:
    if isinstance(noise, np.random.Generator):
        return draw_noise(noise, count)
    if isinstance(noise, Sequence) and any(isinstance(each, np.random.Generator) for each in noise):
        noise = np.concatenate([draw_noise(each, 1) for each in noise])
    return check_words("noise", noise, count)


@kernel([np.uint8], [np.uint64], [np.int64])
def _sample_legal(flat_mask: Any, words: Any, actions: Any) -> None:
    for row in range(len(actions)):
        low = pack_bits(flat_mask, row * NUM_ACTIONS) & _LOW_ACTIONS
        high = pack_bits(flat_mask, row * NUM_ACTIONS + NUM_ACTIONS - WORD_BITS)
        high = (high >> _LOW_COUNT - (NUM_ACTIONS - WORD_BITS)) & _HIGH_ACTIONS
        in_low = count_bits(low)
        in_high = count_bits(high)
        choice = scale(words[row], in_low + in_high)
        if choice < in_low:
            actions[row] = lowest_bit(nth_bit(low, choice))
        else:
            actions[row] = _LOW_COUNT + lowest_bit(nth_bit(high, choice - in_low)) if in_high else 0


@kernel([[np.float32]], [[np.uint8]], [np.uint64], [np.int64], [np.float32])
def _sample_softmax(logits: Any, mask: Any, words: Any, actions: Any, log_probabilities: Any) -> int:
    """Sample an action in every row; return the first row whose logits leave no probabilities, or -1."""
    for row in range(len(actions)):
        if not mask[row].any():
            actions[row] = 0
            log_probabilities[row] = -np.inf
            continue
        highest = -np.inf
        for action in range(NUM_ACTIONS):
            if mask[row, action] and logits[row, action] > highest:
                highest = logits[row, action]
        total = 0.0
        for action in range(NUM_ACTIONS):
            if mask[row, action]:
                total += np.exp(logits[row, action] - highest)
        if not total > 0:  # NaN
            return row
        left = unit_interval(words[row]) * total
        choice = 0
        for action in range(NUM_ACTIONS):
            if mask[row, action]:
                choice = action  # the last legal one, if rounding leaves a remainder
                left -= np.exp(logits[row, action] - highest)
                if left < 0:
                    break
        actions[row] = choice
        log_probabilities[row] = logits[row, choice] - highest - np.log(total)
    return -1


@compiled
def unit_interval(word: np.uint64) -> float:
    """Turn the upper 53 bits of a random word into a number in [0, 1)."""
    return float(word >> np.uint64(11)) * 2.0**-53


@wrapping
def word_at(word: np.uint64, index: int) -> np.uint64:
    """Return the `index`-th word of the stream of random words that begins at `word`."""
    return mix(step_generator(word, index))


@kernel(np.uint64, [np.uint64])
def _expand(first: Any, words: Any) -> None:
    for index in range(len(words)):
        words[index] = word_at(first, index)


@kernel([np.uint64], [np.int64], [np.uint64])
def _draw_words(streams: Any, rows: Any, words: Any) -> None:
    for index in range(len(rows)):
        streams[rows[index]] = step_generator(streams[rows[index]], 1)
        words[index] = mix(streams[rows[index]])

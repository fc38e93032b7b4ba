"""Playouts: actions tried in worlds of a seat's belief, each played out to the end of the round.

Perfect-information Monte Carlo (Ginsberg 2001, for bridge). The worlds are weighed by what was seen, and in
them every seat does what an `OpponentModel` says. All actions of a decision are tried in the same worlds.
"""

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.agents.search.belief import draw_deals
from wizard_env.agents.search.likelihood import (
    NOTHING,
    PLAYS,
    check_evidence,
    replay_bidding,
    replay_tricks,
    resample_into,
    soften,
)
from wizard_env.agents.search.seat_model import (
    HEURISTIC,
    KINDS,
    OpponentModel,
    model_action,
    working_copy,
)
from wizard_env.chance import mix, random_action, step_generator
from wizard_env.checks import check_integer
from wizard_env.compiled.jit import config, kernel, outlined
from wizard_env.compiled.threads import Pace, claim, finish, get_num_threads, new_board, share
from wizard_env.engine import apply
from wizard_env.sampling import unit_interval, word_at
from wizard_env.state import SCORED, STATE, State
from wizard_env.view import View

BATCH = 32
"""Worlds drawn and weighed per batch."""
CANDIDATES = 16
"""Worlds drawn for each one that is tried."""
WEIGHED = 4
"""Worlds left for each one that is tried, once the bids are weighed and before the plays are."""
EFFECTIVE = 0.25
"""The least share of effective worlds that weighing leaves."""
OUTLOOK_WORLDS = 128
"""Worlds that `chances` looks at, for each decision."""
_AT_ONCE = 2**20
"""Sums that a call of the kernel writes, at most, unless a single decision needs more."""
_POINTS, _GAIN, _SQUARE, _MET, _SUMS = range(5)
_pace = Pace()


class Outcome(NamedTuple):
    """What n decisions brought in the worlds; NaN for an action that was not tried."""

    points: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points of the round, on average."""
    gain: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points more than the reference brought in the same world, on average."""
    error: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the standard error of that average."""
    met: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the share of worlds in which the bid was met."""


class Playouts:
    """Tries actions in worlds. The same random words give the same outcome, on any number of threads.

    With a time limit, the number of worlds and so the outcome depend on the machine.
    """

    def __init__(
        self,
        worlds: int = 64,
        milliseconds: float | None = None,
        threads: int | None = None,
        evidence: str = "plays",
        model: OpponentModel = HEURISTIC,
        at_random: bool = False,
    ) -> None:
        """Set the effort.

        Args:
            worlds: worlds per decision, at least 1; rounded up to whole batches of BATCH if it is more
                than one batch.
            milliseconds: draw batches for this long per decision, instead of a number of worlds.
            threads: the most threads to use, up to the number of processors; None is as many as
                `wizard_env.set_num_threads` allows. Fewer are used while that is faster.
            evidence: what worlds are weighed by, see `wizard_env.agents.search.likelihood.EVIDENCE`.
            model: what all seats do, in weighing and in playing out.
            at_random: play out at random instead.

        Raises:
            ValueError: an option is out of range.
        """
        self.worlds = check_integer("worlds", worlds, 1, 2**20)
        if threads is not None:
            check_integer("threads", threads, 1, int(config.NUMBA_NUM_THREADS))
        self.threads = threads
        if milliseconds is not None and (isinstance(milliseconds, str) or not milliseconds > 0):
            raise ValueError(f"milliseconds={milliseconds!r}: a time above 0 is needed")
        self.milliseconds = milliseconds
        self.evidence = check_evidence(evidence)
        self.model = model
        self.at_random = at_random

    def __call__(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        tried: NDArray[np.bool_],
        reference: NDArray[np.int64],
    ) -> Outcome:
        """Try actions.

        Args:
            known: [n] records of dtype STATE, as in `View.known`.
            words: uint64 [n], a random word per decision.
            tried: bool [n, NUM_ACTIONS], the actions to try, all of them legal.
            reference: int64 [n], for each decision the action tried that the others are compared with.
        """
        actions = np.argsort(~tried, axis=1, kind="stable")[:, : tried.sum(axis=1).max(initial=1)]
        actions = np.where(np.take_along_axis(tried, actions, axis=1), actions, -1)
        sums = np.zeros((*actions.shape, _SUMS))
        worlds = np.empty(len(known))
        if self.milliseconds is None:
            count = min(self.worlds, BATCH)
            batches = -(-self.worlds // count)
            step = max(1, _AT_ONCE // (batches * actions.shape[1] * _SUMS))
            worlds[:] = batches * count
            for start in range(0, len(known), step):
                rows = slice(start, start + step)
                sums[rows] = self._sum(
                    known[rows], words[rows], range(batches), count, actions[rows], reference[rows]
                )
        else:
            at_once = self._most_threads()
            for index in range(len(known)):
                one = slice(index, index + 1)
                until, batches = perf_counter() + self.milliseconds / 1000, 0
                while batches == 0 or perf_counter() < until:
                    numbers = range(batches, batches + at_once)
                    sums[one] += self._sum(
                        known[one], words[one], numbers, BATCH, actions[one], reference[one]
                    )
                    batches += at_once
                worlds[index] = batches * BATCH
        return _outcome(sums, worlds[:, np.newaxis], actions)

    def _most_threads(self) -> int:
        return min(self.threads or get_num_threads(), get_num_threads())

    def _sum(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        batches: range,
        count: int,
        actions: NDArray[np.int64],
        reference: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """float64 [n, k, _SUMS]: sums over some batches of `count` worlds, for the actions [n, k]."""
        parts = np.zeros((len(known), len(batches), actions.shape[1], _SUMS))
        board = new_board()
        options = self.evidence, self.at_random
        arguments = (
            known, words, actions, reference, batches.start, count, options, *self.model, parts, board,
        )  # fmt: skip
        tasks = len(known) * len(batches)
        most = self._most_threads()
        if most == 1:
            share(_play_out, arguments, board, tasks, 1, 1)
        else:
            several = _pace.several()
            start = perf_counter()
            share(_play_out, arguments, board, tasks, 1, most if several else 1)
            _pace.note(several, perf_counter() - start, tasks)
        total: NDArray[np.float64] = parts.sum(axis=1)
        return total


def _outcome(sums: NDArray[np.float64], worlds: NDArray[np.float64], actions: NDArray[np.int64]) -> Outcome:
    tables = np.full((_SUMS, len(sums), NUM_ACTIONS), np.nan)
    places, columns = (actions >= 0).nonzero()
    tables[:, places, actions[places, columns]] = sums[places, columns].T
    points, gain, square, met = tables / worlds
    error = np.sqrt(np.maximum(square - gain**2, 0) / np.maximum(worlds - 1, 1))
    return Outcome(points, gain, error, met)


def chances(
    view: View, rng: np.random.Generator, worlds: int = OUTLOOK_WORLDS, model: OpponentModel = HEURISTIC
) -> NDArray[np.float64]:
    """float64 [n, NUM_ACTIONS]: the chance that each action leads to a bid met exactly; NaN if illegal."""
    tried = view.mask != 0
    return Playouts(worlds, model=model)(view.known, view.noise(rng), tried, tried.argmax(axis=1)).met


def believe(
    known: NDArray[Any],
    words: NDArray[np.uint64],
    count: int,
    evidence: str = "plays",
    model: OpponentModel = HEURISTIC,
) -> NDArray[Any]:
    """Draw worlds as the acting seats believe them to be, if the others bid and play like the model.

    Args:
        known: [n] records of dtype STATE, as in `View.known`.
        words: uint64 [n], a random word per decision.
        count: worlds per decision.
        evidence: what worlds are weighed by, one of `wizard_env.agents.search.likelihood.EVIDENCE`.
        model: what the other seats are believed to do.

    Returns:
        [n, count] records of dtype STATE, with hidden bids filled in.
    """
    worlds = np.empty((len(known), count), STATE)
    _believe_rows(known, words, check_evidence(evidence), *model, worlds)
    return worlds


@outlined
def _try_batch(
    known: State,
    word: np.uint64,
    count: int,
    options: Any,
    actions: Any,
    reference: int,
    model: Any,
    sums: Any,
) -> None:
    """Add up what each action brings in `count` worlds, the reference first."""
    evidence, at_random = options
    playout = np.empty(1, STATE)
    observer = int(known.seat)
    worlds, numbers, generator = believed_worlds(known, observer, word, count, evidence, model)
    compared = np.empty(count)
    for turn in range(-1, len(actions)):
        if turn >= 0 and (actions[turn] == reference or actions[turn] < 0):
            continue
        column = turn
        if turn < 0:
            column = 0
            while actions[column] != reference:
                column += 1
        brings = 0.0
        for number in range(count):
            if at_random or number == 0 or numbers[number] != numbers[number - 1]:
                playout[0] = worlds[numbers[number]]
                apply(playout[0], actions[column])
                while playout[0].phase < SCORED:
                    if at_random:
                        generator = step_generator(generator, 1)
                        apply(playout[0], random_action(playout[0], mix(generator)))
                    else:
                        apply(playout[0], model_action(playout[0], model))
                brings = float(playout[0].points[observer])
            if turn < 0:
                compared[number] = brings
            gain = brings - compared[number]
            sums[column, _POINTS] += brings
            sums[column, _GAIN] += gain
            sums[column, _SQUARE] += gain * gain
            sums[column, _MET] += 1.0 if brings > 0 else 0.0  # only a bid that is met brings points


@outlined
def believed_worlds(
    known: State, observer: int, word: np.uint64, count: int, evidence: int, model: Any
) -> tuple[Any, Any, np.uint64]:
    """Draw more worlds than wanted, weigh them by what was seen, and choose `count` by weight.

    Returns the worlds with hidden bids filled in, the indices of those chosen, int64 [count] in ascending
    order, and the generator after the draws.
    """
    past = np.empty(1, STATE)
    worlds = np.empty(count * (1 if evidence == NOTHING else CANDIDATES), STATE)
    weights = np.empty(len(worlds))
    generator = draw_deals(known, observer, word, worlds, False)
    for number in range(len(worlds)):
        past[0] = worlds[number]
        weights[number] = replay_bidding(worlds[number], past[0], observer, evidence != NOTHING, model)
    soften(weights, EFFECTIVE * len(weights))
    chosen = np.arange(len(worlds))
    if evidence == PLAYS and known.num_plays:
        chosen = np.empty(count * WEIGHED, np.int64)
        generator = step_generator(generator, 1)
        resample_into(weights, unit_interval(mix(generator)), chosen)
        weights = np.empty(len(chosen))
        for number in range(len(chosen)):
            if number and chosen[number] == chosen[number - 1]:
                weights[number] = weights[number - 1]
                continue
            world = worlds[chosen[number]]
            past[0] = world
            replay_bidding(world, past[0], observer, False, model)
            weights[number] = replay_tricks(world, past[0], observer, model)
        soften(weights, EFFECTIVE * len(weights))
    kept = np.empty(count, np.int64)
    generator = step_generator(generator, 1)
    resample_into(weights, unit_interval(mix(generator)), kept)
    return worlds, chosen[kept], generator


@kernel([STATE], [np.uint64], int, *KINDS, [[STATE]])
def _believe_rows(
    known: Any,
    words: Any,
    evidence: int,
    weights: Any,
    widths: Any,
    odd: float,
    temperature: float,
    worlds: Any,
) -> None:
    count = worlds.shape[1]
    for index in range(len(known)):
        model = working_copy(weights, widths, odd, temperature)  # its observation has zeros where nobody sits
        observer = int(known[index].seat)
        drawn, numbers, _ = believed_worlds(known[index], observer, words[index], count, evidence, model)
        for number in range(count):
            worlds[index, number] = drawn[numbers[number]]


@kernel(
    [STATE], [np.uint64], [[np.int64]], [np.int64], int, int, (int, bool), *KINDS,
    [[[[np.float64]]]], [np.int64], int,
)  # fmt: skip
def _play_out(
    known: Any,
    words: Any,
    actions: Any,
    reference: Any,
    first_batch: int,
    count: int,
    options: Any,
    weights: Any,
    widths: Any,
    odd: float,
    temperature: float,
    parts: Any,
    board: Any,
    patience: int,
) -> None:
    """Try those batches that the board gives."""
    batches = parts.shape[1]
    task = claim(board, patience)
    while task >= 0:
        index, batch = task // batches, task % batches
        model = working_copy(weights, widths, odd, temperature)
        word = word_at(words[index], first_batch + batch)
        _try_batch(
            known[index], word, count, options, actions[index], reference[index], model, parts[index, batch]
        )
        finish(board, 1)
        task = claim(board, patience)

"""SearchAgent: plays every choice on to the end of the round in many worlds, and takes the best on average.

Perfect-information Monte Carlo (Ginsberg 2001, for bridge): worlds are drawn from the belief of the
seat, each legal action is played out in the same worlds with the heuristic in all seats, and the action
with the most expected points is taken. Of the worlds drawn, those are kept more often in which the bids
seen are what such hands would bid.
"""

from time import perf_counter
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from agents.belief import PLAN, count_ways, draw_hands, make_plan, table_size
from agents.heuristic import SCRATCH, Scratch, best_bid_of, bid_values, heuristic_action
from agents.likelihood import weigh_bids
from wizard_env.actions import NUM_ACTIONS
from wizard_env.bits import lowest_bit
from wizard_env.cards import NUM_KINDS
from wizard_env.chance import mix, step_generator
from wizard_env.engine import apply, first_action, legal
from wizard_env.jit import compiled, config, kernel, parallel_kernel, prange
from wizard_env.rules import check_integer
from wizard_env.sampling import unit_interval, word_at
from wizard_env.state import BID, SCORED, STATE, State
from wizard_env.view import Actions, View

BATCH = 16
"""So many worlds are drawn and weighed together."""
BIDS_TRIED = 5
"""So many bids are tried: those of which the heuristic expects most."""
CANDIDATES = 4
"""So many worlds are drawn for each that is kept."""


class SearchAgent:
    """The same random words of the view give the same actions, on any number of threads.

    With a limit of time the number of worlds, and so the choice, depends on the machine.
    """

    def __init__(self, worlds: int = 64, milliseconds: float | None = None, threads: int = 1) -> None:
        """Set the effort.

        Args:
            worlds: in how many worlds every choice is tried, at least 1; rounded up to whole batches
                of BATCH where it is more than one.
            milliseconds: go on drawing batches for so long instead, for each decision.
            threads: on how many threads, up to those that numba has.

        Raises:
            ValueError: a number is out of range.
        """
        self.worlds = check_integer("worlds", worlds, 1, 2**20)
        most = int(config.NUMBA_NUM_THREADS)
        self.threads = check_integer("threads", threads, 1, most)
        if milliseconds is not None and not milliseconds > 0:
            raise ValueError(f"milliseconds={milliseconds!r}: a time above 0 is needed")
        self.milliseconds = milliseconds

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        actions: Actions = (
            np.nanargmax(self.expect(view, rng), axis=1) if len(view) else np.empty(0, np.int64)
        )
        return actions

    def expect(self, view: View, rng: np.random.Generator) -> NDArray[np.float64]:
        """float64 [n, NUM_ACTIONS]: the points of the round that each choice brings its seat on average.

        NaN where an action is illegal or not worth a try; the points are 0 where there is no choice.
        """
        words = view.noise(rng)
        totals = np.zeros((len(view), NUM_ACTIONS))
        if self.milliseconds is None:
            count = min(self.worlds, BATCH)
            batches = -(-self.worlds // count)
            self._add(view.known, words, range(batches), count, totals)
            return totals / (batches * count)
        for index in range(len(view)):
            one = slice(index, index + 1)
            until, batches = perf_counter() + self.milliseconds / 1000, 0
            while batches == 0 or perf_counter() < until:
                numbers = range(batches, batches + self.threads)
                self._add(view.known[one], words[one], numbers, BATCH, totals[one])
                batches += self.threads
            totals[one] /= batches * BATCH
        return totals

    def _add(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        batches: range,
        count: int,
        totals: NDArray[np.float64],
    ) -> None:
        """Add the points that every choice brings in some batches of `count` worlds."""
        parts = np.zeros((len(known), len(batches), NUM_ACTIONS))
        if self.threads == 1:
            _search(known, words, batches.start, count, parts)
        else:
            before = numba.get_num_threads()
            numba.set_num_threads(self.threads)
            try:
                _search_in_parallel(known, words, batches.start, count, parts)
            finally:
                numba.set_num_threads(before)
        totals += parts.sum(axis=1)


@compiled
def choices_of(state: State, scratch: Scratch) -> int:
    """The actions worth a try, as `legal` has them: of bids the most promising alone."""
    allowed = legal(state)
    if state.phase != BID:
        return allowed
    bid_values(state, int(state.trump), scratch)
    chosen = 0
    for _ in range(BIDS_TRIED):
        if allowed & ~chosen:
            chosen |= 1 << best_bid_of(allowed & ~chosen, scratch)
    return chosen


@compiled
def _try_batch(known: Any, word: np.uint64, count: int, points: Any) -> None:
    """Add to `points`, for each choice, what it brings in `count` worlds; NaN where nothing is tried."""
    plans = np.empty(1, PLAN)
    scratch = np.empty(1, SCRATCH)
    room = np.empty(1, STATE)
    observer = int(known.seat)
    first = first_action(known)
    choices = choices_of(known, scratch[0])
    for action in range(NUM_ACTIONS):
        tried = 0 <= action - first < NUM_KINDS and (choices >> (action - first)) & 1
        points[action] = 0.0 if tried else np.nan
    if choices & (choices - 1) == 0:
        return
    make_plan(known, observer, plans[0])
    table = np.empty(table_size(plans[0]))
    count_ways(plans[0], table)
    worlds = np.empty(count * CANDIDATES, STATE)
    weights = np.empty(count * CANDIDATES)
    generator = word
    total = 0.0
    for number in range(len(worlds)):
        worlds[number] = known
        generator = draw_hands(plans[0], table, worlds[number], generator)
        room[0] = worlds[number]
        weights[number] = weigh_bids(worlds[number], room[0], observer, scratch[0])
        total += weights[number]
    start = unit_interval(mix(step_generator(generator, 1)))
    number, reached = 0, weights[0]
    for kept in range(count):  # systematic resampling (Kitagawa 1996)
        while reached < (kept + start) / count * total and number + 1 < len(worlds):
            number += 1
            reached += weights[number]
        left = choices
        while left:
            action = first + lowest_bit(left)
            left &= left - 1
            room[0] = worlds[number]
            apply(room[0], action)
            while room[0].phase < SCORED:
                apply(room[0], heuristic_action(room[0], scratch[0]))
            points[action] += room[0].points[observer]


@kernel
def _search(known: Any, words: Any, first_batch: int, count: int, parts: Any) -> None:
    for index in range(len(known)):
        for batch in range(parts.shape[1]):
            _try_batch(known[index], word_at(words[index], first_batch + batch), count, parts[index, batch])


@parallel_kernel
def _search_in_parallel(known: Any, words: Any, first_batch: int, count: int, parts: Any) -> None:
    batches = parts.shape[1]
    for task in prange(len(known) * batches):
        index, batch = task // batches, task % batches
        _try_batch(known[index], word_at(words[index], first_batch + batch), count, parts[index, batch])

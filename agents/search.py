"""SearchAgent: plays out every choice to the end of the round in many worlds, and takes the best on average.

Perfect-information Monte Carlo (Ginsberg 2001, for bridge): worlds are drawn from the seat's belief, each
choice is played out in the same worlds with the heuristic in every seat, and the action with the most
expected points is taken. Worlds are chosen more often if their hands would make the bids and plays seen.
"""

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.agents.assessment import Assessment, certain
from wizard_env.agents.belief import draw_deals, unseen_by
from wizard_env.agents.heuristic import SCRATCH, Scratch, best_choice, choice_values, heuristic_action
from wizard_env.agents.likelihood import (
    NOTHING,
    PLAYS,
    check_evidence,
    replay_bidding,
    replay_tricks,
    resample_into,
)
from wizard_env.cards import NUM_KINDS, UNITS, WIZARD, rank_of, suit_of
from wizard_env.chance import mix, random_action, step_generator
from wizard_env.checks import check_choice, check_integer
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import compiled, config, kernel, outlined
from wizard_env.compiled.threads import Pace, claim, finish, new_board, share
from wizard_env.engine import apply, first_action, legal
from wizard_env.sampling import unit_interval, word_at
from wizard_env.state import NO_CARD, PLAY, SCORED, STATE, TRUMP, State
from wizard_env.view import Actions, View

BATCH = 16
"""Worlds drawn and weighed per batch."""
BIDS_TRIED = 5
"""Bids tried per decision: those of which the heuristic expects most."""
PLAYOUTS = ("heuristic", "random")
_pace = Pace()
CANDIDATES = 16
"""Worlds drawn for each one that is tried."""
WEIGHED = 4
"""Worlds left for each one that is tried, once the bids are weighed and before the plays are."""


class SearchAgent:
    """Chooses the same action for the same random words of the view, on any number of threads.

    With a time limit, the number of worlds and so the choice depend on the machine.
    """

    expects_points = True

    def __init__(
        self,
        worlds: int = 64,
        milliseconds: float | None = None,
        threads: int = 1,
        evidence: str = "plays",
        playouts: str = "heuristic",
    ) -> None:
        """Set the effort.

        Args:
            worlds: worlds that each choice is tried in, at least 1; rounded up to whole batches of
                BATCH if it is more than one batch.
            milliseconds: draw batches for this long per decision, instead of a number of worlds.
            threads: the most threads to use, up to the number of processors.
            evidence: what worlds are weighed by, see `wizard_env.agents.likelihood.EVIDENCE`.
            playouts: the agent that plays the round to its end, "heuristic" or "random".

        Raises:
            ValueError: an option is out of range.
        """
        self.worlds = check_integer("worlds", worlds, 1, 2**20)
        most = int(config.NUMBA_NUM_THREADS)
        self.threads = check_integer("threads", threads, 1, most)
        self.milliseconds = check_time(milliseconds)
        self.evidence = check_evidence(evidence)
        check_choice("playouts", playouts, PLAYOUTS)
        self.playouts = playouts

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        actions: Actions = (
            np.nanargmax(self.expect(view, rng), axis=1) if len(view) else np.empty(0, np.int64)
        )
        return actions

    def expect(self, view: View, rng: np.random.Generator, every: bool = False) -> NDArray[np.float64]:
        """float64 [n, NUM_ACTIONS]: the average points of the round that each choice brings its seat.

        NaN if an action is illegal or not worth trying; 0 if it is the only choice.

        every: try every legal action, even one not worth trying or the only choice.
        """
        words = view.noise(rng)
        totals = np.zeros((len(view), NUM_ACTIONS))
        if self.milliseconds is None:
            count = min(self.worlds, BATCH)
            batches = -(-self.worlds // count)
            self._add(view.known, words, range(batches), count, every, totals)
            return totals / (batches * count)
        for index in range(len(view)):
            one = slice(index, index + 1)
            until, batches = perf_counter() + self.milliseconds / 1000, 0
            while batches == 0 or perf_counter() < until:
                numbers = range(batches, batches + self.threads)
                self._add(view.known[one], words[one], numbers, BATCH, every, totals[one])
                batches += self.threads
            totals[one] /= batches * BATCH
        return totals

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """The points it expects of every legal action, and a policy that takes the best one."""
        points = self.expect(view, rng, every=True)
        return Assessment(certain(np.nanargmax(points, axis=1)), points, np.nanmax(points, axis=1))

    def _add(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        batches: range,
        count: int,
        every: bool,
        totals: NDArray[np.float64],
    ) -> None:
        """Add each choice's points in some batches of `count` worlds."""
        parts = np.zeros((len(known), len(batches), NUM_ACTIONS))
        options = self.evidence, self.playouts == "random", every
        board = new_board()
        arguments = known, words, batches.start, count, options, parts, board
        tasks = len(known) * len(batches)
        if self.threads == 1:
            share(_search, arguments, board, tasks, 1, 1)
        else:
            several = _pace.several()
            start = perf_counter()
            share(_search, arguments, board, tasks, 1, self.threads if several else 1)
            _pace.note(several, perf_counter() - start, tasks)
        totals += parts.sum(axis=1)


def check_time(milliseconds: float | None) -> float | None:
    """The time limit, or None. Raises ValueError if it is not above 0."""
    if milliseconds is not None and not milliseconds > 0:
        raise ValueError(f"milliseconds={milliseconds!r}: a time above 0 is needed")
    return milliseconds


def believe(
    known: NDArray[Any], words: NDArray[np.uint64], count: int, evidence: str = "plays"
) -> NDArray[Any]:
    """Draw worlds as the acting seats believe them to be, if the others bid and play like the heuristic.

    Args:
        known: [n] records of dtype STATE, as in `View.known`.
        words: uint64 [n], a random word per decision.
        count: worlds per decision.
        evidence: what worlds are weighed by, one of `wizard_env.agents.likelihood.EVIDENCE`.

    Returns:
        [n, count] records of dtype STATE, with hidden bids filled in.
    """
    worlds = np.empty((len(known), count), STATE)
    _believe_rows(known, words, check_evidence(evidence), worlds)
    return worlds


@outlined
def choices_of(state: State, scratch: Scratch) -> int:
    """The choices worth trying, as bits: the best few bids, every trump, one of each run of equal cards."""
    allowed = legal(state)
    if state.phase == PLAY:
        return distinct_cards(state, allowed)
    if state.phase == TRUMP:
        return allowed
    choice_values(state, scratch)
    chosen = 0
    for _ in range(BIDS_TRIED):
        if allowed & ~chosen:
            chosen |= 1 << best_choice(allowed & ~chosen, scratch)
    return chosen


@compiled
def distinct_cards(state: State, allowed: int) -> int:
    """The lowest of each run of equal cards: held cards of a suit with no unseen or trick card in between."""
    others = unseen_by(state, int(state.seat))
    for seat in range(state.num_players):
        if state.trick[seat] != NO_CARD:
            others |= UNITS[state.trick[seat]]
    distinct, previous, left = 0, NO_CARD, allowed
    while left:
        card = lowest_bit(left)
        left &= left - 1
        between = others & ((1 << card) - (1 << max(previous, 0)))
        lowest = previous == NO_CARD or card >= WIZARD or suit_of(card) != suit_of(previous)
        is_magic = state.magic_edition and not lowest and rank_of(int(previous)) == 0
        if lowest or between or is_magic:
            distinct |= 1 << card
        previous = card
    return distinct


@compiled
def _try_batch(known: Any, word: np.uint64, count: int, options: Any, points: Any) -> None:
    """Write the points that each choice brings in `count` worlds, summed, to `points`; NaN if not tried."""
    evidence, at_random, every = options
    scratch = np.empty(1, SCRATCH)
    playout = np.empty(1, STATE)
    observer = int(known.seat)
    first = first_action(known)
    choices = legal(known) if every else choices_of(known, scratch[0])
    for action in range(NUM_ACTIONS):
        tried = 0 <= action - first < NUM_KINDS and (choices >> (action - first)) & 1
        points[action] = 0.0 if tried else np.nan
    if not every and choices & (choices - 1) == 0:
        return
    worlds, numbers, generator = believed_worlds(known, observer, word, count, evidence, scratch[0])
    left = choices
    while left:
        choice = lowest_bit(left)
        left &= left - 1
        brings = 0
        for number in range(count):
            if at_random or number == 0 or numbers[number] != numbers[number - 1]:
                playout[0] = worlds[numbers[number]]
                apply(playout[0], first + choice)
                while playout[0].phase < SCORED:
                    if at_random:
                        generator = step_generator(generator, 1)
                        apply(playout[0], random_action(playout[0], mix(generator)))
                    else:
                        apply(playout[0], heuristic_action(playout[0], scratch[0]))
                brings = int(playout[0].points[observer])
            points[first + choice] += brings


@outlined
def believed_worlds(
    known: State, observer: int, word: np.uint64, count: int, evidence: int, scratch: Scratch
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
        weights[number] = replay_bidding(worlds[number], past[0], observer, evidence != NOTHING, scratch)
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
            replay_bidding(world, past[0], observer, False, scratch)
            weights[number] = replay_tricks(world, past[0], observer, scratch)
    kept = np.empty(count, np.int64)
    generator = step_generator(generator, 1)
    resample_into(weights, unit_interval(mix(generator)), kept)
    return worlds, chosen[kept], generator


@kernel([STATE], [np.uint64], int, [[STATE]])
def _believe_rows(known: Any, words: Any, evidence: int, worlds: Any) -> None:
    scratch = np.empty(1, SCRATCH)
    count = worlds.shape[1]
    for index in range(len(known)):
        observer = int(known[index].seat)
        drawn, numbers, _ = believed_worlds(known[index], observer, words[index], count, evidence, scratch[0])
        for number in range(count):
            worlds[index, number] = drawn[numbers[number]]


@kernel([STATE], [np.uint64], int, int, (int, bool, bool), [[[np.float64]]], [np.int64], int)
def _search(
    known: Any, words: Any, first_batch: int, count: int, options: Any, parts: Any, board: Any, patience: int
) -> None:
    """Try those batches that the board gives."""
    batches = parts.shape[1]
    task = claim(board, patience)
    while task >= 0:
        index, batch = task // batches, task % batches
        word = word_at(words[index], first_batch + batch)
        _try_batch(known[index], word, count, options, parts[index, batch])
        finish(board, 1)
        task = claim(board, patience)

"""Playouts: actions tried in worlds that a seat thinks likely, each played out to the end of the round.

Perfect-information Monte Carlo (Ginsberg 2001, for bridge). The worlds are weighed by what was seen, and in
them every seat does what its `SeatModel` says. All actions of a decision are tried in the same worlds.
"""

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_PLAY, NUM_ACTIONS
from wizard_env.agents.assessment import Evidence
from wizard_env.agents.search.likelihood import check_evidence, sample_weighed
from wizard_env.agents.search.seat_model import (
    GUESS,
    HEURISTIC,
    MODEL_KIND,
    SeatModel,
    Workspace,
    choose_action,
    guesses_for,
    new_workspace,
)
from wizard_env.cards import JESTER, NUM_KINDS, NUM_SUIT_CARDS, UNITS, WIZARD, jesters_in, wizards_in
from wizard_env.chance import mix, random_action, step_generator
from wizard_env.checks import check_integer, quoted
from wizard_env.compiled.jit import compiled, config, kernel, outlined
from wizard_env.compiled.threads import get_num_threads, share
from wizard_env.engine import apply
from wizard_env.rules import MAX_PLAYERS
from wizard_env.sampling import word_at
from wizard_env.state import NO_CARD, PLAY, SCORED, STATE, State
from wizard_env.win_probability import rounds_from, win_probability

BATCH = 32
"""Worlds drawn and weighed per batch."""
_PLAYOUTS_AT_ONCE = 2**18
"""Playouts of a call of the kernel, at most, unless a single decision needs more."""
_POINT = 1e-5
"""The part of a win that a point counts as: points decide where all actions win equally often."""


_FIELDS = [("winners", "i8"), ("points", "i2", MAX_PLAYERS), ("surplus", "i1"), ("takes_trick", "i1")]
PLAYOUT = np.dtype((np.record, _FIELDS))
"""The end of a playout: the points of each seat; and for the acting seat the set of cards with which it won
tricks, the tricks more than its bid, and 1 if it won the trick that is on the table."""


class Outcome(NamedTuple):
    """Results of n decisions in the worlds; NaN for an action that was not tried."""

    points: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points of the round, on average."""
    met: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the share of worlds in which the bid was met."""
    gain: NDArray[np.float64]
    """[n, NUM_ACTIONS]: what it brought more than the reference in the same world, on average."""
    error: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the standard error of that gain."""
    evidence: Evidence | None = None
    """None unless it was asked for."""


class _Decisions(NamedTuple):
    known: NDArray[Any]
    """[n] records of dtype STATE."""
    words: NDArray[np.uint64]
    """[n] random words."""
    actions: NDArray[np.int64]
    """[n, k] the actions to try; -1 after the last."""
    guesses: NDArray[Any]
    """[n, MAX_PLAYERS] records of dtype GUESS."""


class _Settings(NamedTuple):
    batch_size: int
    """The number of worlds in a batch."""
    evidence: int
    at_random: bool
    model: SeatModel


_DECISIONS_KIND = _Decisions._make(([STATE], [np.uint64], [[np.int64]], [[GUESS]]))
_SETTINGS_KIND = _Settings._make((int, int, bool, MODEL_KIND))


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
        model: SeatModel = HEURISTIC,
        at_random: bool = False,
    ) -> None:
        """Set the effort.

        Args:
            worlds: worlds per decision; above BATCH they are rounded up to whole batches.
            milliseconds: draw batches for this long per decision, instead of a number of worlds.
            threads: the most threads to use; None is as many as `wizard_env.set_num_threads` allows.
            evidence: as for `wizard_env.agents.search.likelihood.sample_worlds`.
            model: a guess at what all seats do, in weighing and in playing out.
            at_random: play out at random instead.
        """
        self.worlds = check_integer("worlds", worlds, 1, 2**20)
        if threads is not None:
            check_integer("threads", threads, 1, int(config.NUMBA_NUM_THREADS))
        self.threads = threads
        if milliseconds is not None and (isinstance(milliseconds, str) or not milliseconds > 0):
            raise ValueError(f"milliseconds={quoted(milliseconds)}: a time above 0 is needed")
        self.milliseconds = milliseconds
        batch = BATCH if milliseconds is not None else min(worlds, BATCH)
        self._settings = _Settings(batch, check_evidence(evidence), at_random, model)

    def __call__(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        tried: NDArray[np.bool_],
        reference: NDArray[np.int64] | None = None,
        guesses: NDArray[Any] | None = None,
        to_win: bool = False,
        explains: bool = False,
    ) -> Outcome:
        """Try actions.

        Args:
            known: [n] records of dtype STATE, as in `View.known`.
            words: uint64 [n], a random word per decision.
            tried: bool [n, NUM_ACTIONS], the actions to try, all of them legal.
            reference: int64 [n], for each decision the action tried that the others are compared with; None
                for the one that brings the most points.
            guesses: [n, MAX_PLAYERS] of dtype GUESS, the models of seats that differ; `model` has the
                network.
            to_win: the gain is one of the probability of winning the game after the round, not of points.
            explains: also return evidence.
        """
        actions = np.argsort(~tried, axis=1, kind="stable")[:, : tried.sum(axis=1).max(initial=1)]
        actions = np.where(np.take_along_axis(tried, actions, axis=1), actions, -1)
        guesses = guesses_for(self._settings.model, len(known), guesses)
        decisions = _Decisions(known, words, actions, guesses)
        shape = len(known), NUM_ACTIONS
        outcome = Outcome._make([*np.full((4, *shape), np.nan), None])
        if explains:
            wins = np.full((*shape, NUM_KINDS), np.nan)
            outcome = outcome._replace(evidence=Evidence._make([*np.full((3, *shape), np.nan), wins]))
        at_once = 1
        if self.milliseconds is None:
            at_once = max(1, _PLAYOUTS_AT_ONCE // (self.worlds * actions.shape[1]))
        for start in range(0, len(known), at_once):
            rows = slice(start, start + at_once)
            played = self._collect(decisions, rows)
            points = played["points"][np.arange(len(played)), ..., known["seat"][rows]]
            values: NDArray[Any] = points
            if to_win:
                values = _chances_after(known[rows], played["points"]) + _POINT * points
            compared = None if reference is None else reference[rows]
            _summarise(points, values, actions[rows], compared, outcome, start)
            if outcome.evidence is not None:
                _gather(played, actions[rows], outcome.evidence, start)
        return outcome

    def _collect(self, decisions: _Decisions, rows: slice) -> NDArray[Any]:
        """Return [rows, k, worlds] records of dtype PLAYOUT; 0 for an action that is not tried."""
        if self.milliseconds is None:
            return self._play(decisions, rows, range(-(-self.worlds // self._settings.batch_size)))
        step = self._most_threads()
        until, parts = perf_counter() + self.milliseconds / 1000, [self._play(decisions, rows, range(step))]
        while perf_counter() < until:
            done = len(parts) * step
            parts.append(self._play(decisions, rows, range(done, done + step)))
        return np.concatenate(parts, axis=2)

    def _most_threads(self) -> int:
        return min(self.threads or get_num_threads(), get_num_threads())

    def _play(self, decisions: _Decisions, rows: slice, batches: range) -> NDArray[Any]:
        """Return [rows, k, worlds] records of dtype PLAYOUT, in some batches of worlds."""
        decisions = _Decisions._make(values[rows] for values in decisions)
        count, width = decisions.actions.shape
        played = np.zeros((count, len(batches), width, self._settings.batch_size), PLAYOUT)

        def play(first: int, step: int) -> None:
            _play_out(decisions, self._settings, batches.start, played, first, step)

        share(play, min(self._most_threads(), count * len(batches)))
        return played.swapaxes(1, 2).reshape(count, width, -1)


def _chances_after(known: NDArray[Any], points: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return float64 [n, k, worlds]: the probability that the acting seat wins the game after the round.

    points: int16 [n, k, worlds, MAX_PLAYERS], those that each seat scores in the round.
    """
    left = rounds_from(known["hand_sizes"], known["round_index"].astype(np.int64) + 1)
    chances = [
        win_probability((state["scores"] + scored)[..., : state["num_players"]], sizes)
        for state, scored, sizes in zip(known, points, left, strict=True)
    ]
    return np.stack([each[..., seat] for each, seat in zip(chances, known["seat"], strict=True)])


def _summarise(
    points: NDArray[np.int16],
    values: NDArray[Any],
    actions: NDArray[np.int64],
    reference: NDArray[np.int64] | None,
    outcome: Outcome,
    start: int,
) -> None:
    """Write the outcome of some decisions, the first of which is number `start`.

    points: [n, k, worlds], the points that each of the actions [n, k] brings in each world.
    values: [n, k, worlds], what the actions are compared by.
    """
    rows, columns = (actions >= 0).nonzero()
    into = start + rows, actions[rows, columns]
    outcome.points[into] = points.mean(axis=2)[rows, columns]
    outcome.met[into] = (points > 0).mean(axis=2)[rows, columns]  # only a bid that is met brings points
    if reference is None:
        reference = np.nanargmax(outcome.points[start : start + len(points)], axis=1)
    compared = (actions == reference[:, np.newaxis]).argmax(axis=1)
    gain = values - values[np.arange(len(values)), compared][:, np.newaxis]
    outcome.gain[into] = gain.mean(axis=2)[rows, columns]
    variance = gain.var(axis=2) / max(points.shape[2] - 1, 1)
    outcome.error[into] = np.sqrt(variance)[rows, columns]


def _gather(played: NDArray[Any], actions: NDArray[np.int64], evidence: Evidence, start: int) -> None:
    """Write the evidence of some decisions; the arguments are as for `_summarise`.

    played: [n, k, worlds] records of dtype PLAYOUT.
    """
    rows, columns = (actions >= 0).nonzero()
    into = start + rows, actions[rows, columns]
    tried = played[rows, columns]
    evidence.takes_trick[into] = tried["takes_trick"].mean(axis=1)
    evidence.too_many[into] = (tried["surplus"] > 0).mean(axis=1)
    evidence.too_few[into] = (tried["surplus"] < 0).mean(axis=1)
    winners: Any = tried["winners"]
    for card in range(NUM_SUIT_CARDS):
        evidence.wins[(*into, card)] = (winners >> card & 1).mean(axis=1)
    evidence.wins[(*into, WIZARD)] = np.mean(wizards_in(winners), axis=1)
    evidence.wins[(*into, JESTER)] = np.mean(jesters_in(winners), axis=1)


@outlined
def _try_batch(
    decisions: Any, index: int, word: np.uint64, settings: Any, workspace: Workspace, played: Any
) -> None:
    """Play each action of a decision out in each world of a batch: [k, worlds] records of dtype PLAYOUT."""
    known, actions = decisions.known[index], decisions.actions[index]
    sample = sample_weighed(known, word, settings.batch_size, settings.evidence, workspace)
    generator = sample.generator
    playout = np.empty(1, STATE)
    for column in range(len(actions)):
        if actions[column] < 0:
            break
        for number in range(settings.batch_size):
            world = sample.chosen[number]
            if not settings.at_random and number and world == sample.chosen[number - 1]:
                played[column, number] = played[column, number - 1]
                continue
            playout[0] = sample.worlds[world]
            generator = _finish_round(
                playout[0], actions[column], settings.at_random, generator, workspace, played[column, number]
            )


@compiled
def _finish_round(
    state: State, action: int, at_random: bool, generator: np.uint64, workspace: Workspace, result: Any
) -> np.uint64:
    """Take an action, and play every seat as its model does, or at random, until the round is scored.

    result: a record of dtype PLAYOUT, written here.

    Returns the generator after the draws.
    """
    observer = int(state.seat)
    won, tricks, card = int(state.tricks_won[observer]), int(state.num_plays) // state.num_players, NO_CARD
    result.winners, result.takes_trick = 0, 0
    while True:
        if state.phase == PLAY and state.seat == observer:
            card = action - FIRST_PLAY
        apply(state, action)
        if state.tricks_won[observer] > won:
            won += 1
            result.winners += UNITS[card]
            if int(state.num_plays) // state.num_players == tricks + 1:
                result.takes_trick = 1
        if state.phase >= SCORED:
            break
        if at_random:
            generator = step_generator(generator, 1)
            action = random_action(state, mix(generator))
        else:
            action = choose_action(state, workspace)
    result.points[:] = state.points
    result.surplus = won - int(state.bids[observer])
    return generator


@kernel(_DECISIONS_KIND, _SETTINGS_KIND, int, [[[[PLAYOUT]]]], int, int)
def _play_out(decisions: Any, settings: Any, first_batch: int, played: Any, first: int, step: int) -> None:
    """Play each `step`-th batch of worlds, from number `first` on; the batches of all decisions count."""
    batches = played.shape[1]
    for task in range(first, played.shape[0] * batches, step):
        index, batch = task // batches, task % batches
        word = word_at(decisions.words[index], first_batch + batch)
        workspace = new_workspace(settings.model, decisions.guesses[index])
        _try_batch(decisions, index, word, settings, workspace, played[index, batch])

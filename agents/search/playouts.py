"""Playouts: actions tried in worlds that a seat thinks likely, each played out to the end of the round.

Perfect-information Monte Carlo (Ginsberg 2001, for bridge). The worlds are weighed by what was seen, and in
them every seat does what its `SeatModel` says. All actions of a decision are tried in the same worlds.
"""

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
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
from wizard_env.chance.dealing import mix, random_action, step_generator
from wizard_env.chance.sampling import word_at
from wizard_env.checks.arguments import check_integer
from wizard_env.compiled.jit import compiled, config, kernel, outlined
from wizard_env.compiled.threads import ThreadChooser, claim, finish, get_num_threads, new_queue, share
from wizard_env.engine import apply
from wizard_env.state import SCORED, STATE, State
from wizard_env.view import View

BATCH = 32
"""Worlds drawn and weighed per batch."""
_SUMS_AT_ONCE = 2**20
"""Sums that a call of the kernel writes, at most, unless a single decision needs more."""
_POINTS, _GAIN, _SQUARE, _MET, _SUMS = range(5)
_chooser = ThreadChooser()


class Outcome(NamedTuple):
    """Results of n decisions in the worlds; NaN for an action that was not tried."""

    points: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points of the round, on average."""
    gain: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the points more than the reference brought in the same world, on average."""
    error: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the standard error of that average."""
    met: NDArray[np.float64]
    """[n, NUM_ACTIONS]: the share of worlds in which the bid was met."""


class _Decisions(NamedTuple):
    known: NDArray[Any]
    """[n] records of dtype STATE."""
    words: NDArray[np.uint64]
    """[n] random words."""
    actions: NDArray[np.int64]
    """[n, k] the actions to try, first the one that the others are compared with; -1 after the last."""
    guesses: NDArray[Any]
    """[n, MAX_PLAYERS] records of dtype GUESS."""


class _Settings(NamedTuple):
    worlds: int
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
                Fewer are used while that is faster.
            evidence: as for `wizard_env.agents.search.likelihood.sample_worlds`.
            model: a guess at what all seats do, in weighing and in playing out.
            at_random: play out at random instead.
        """
        self.worlds = check_integer("worlds", worlds, 1, 2**20)
        if threads is not None:
            check_integer("threads", threads, 1, int(config.NUMBA_NUM_THREADS))
        self.threads = threads
        if milliseconds is not None and (isinstance(milliseconds, str) or not milliseconds > 0):
            raise ValueError(f"milliseconds={milliseconds!r}: a time above 0 is needed")
        self.milliseconds = milliseconds
        batch = BATCH if milliseconds is not None else min(worlds, BATCH)
        self._settings = _Settings(batch, check_evidence(evidence), at_random, model)

    def __call__(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        tried: NDArray[np.bool_],
        reference: NDArray[np.int64],
        guesses: NDArray[Any] | None = None,
    ) -> Outcome:
        """Try actions.

        Args:
            known: [n] records of dtype STATE, as in `View.known`.
            words: uint64 [n], a random word per decision.
            tried: bool [n, NUM_ACTIONS], the actions to try, all of them legal.
            reference: int64 [n], for each decision the action tried that the others are compared with.
            guesses: [n, MAX_PLAYERS] of dtype GUESS, the models of seats that differ; `model` has the
                network.
        """
        ranks = 2 - tried - (np.arange(NUM_ACTIONS) == reference[:, np.newaxis])
        actions = np.argsort(ranks, axis=1, kind="stable")[:, : tried.sum(axis=1).max(initial=1)]
        actions = np.where(np.take_along_axis(tried, actions, axis=1), actions, -1)
        guesses = guesses_for(self._settings.model, len(known), guesses)
        decisions = _Decisions(known, words, actions, guesses)
        sums = np.zeros((*actions.shape, _SUMS))
        batches = np.zeros(len(known))
        if self.milliseconds is None:
            batches[:] = number = -(-self.worlds // self._settings.worlds)
            step = max(1, _SUMS_AT_ONCE // (number * actions.shape[1] * _SUMS))
            for start in range(0, len(known), step):
                rows = slice(start, start + step)
                sums[rows] = self._sum(decisions, rows, range(number))
        else:
            at_once = self._most_threads()
            for index in range(len(known)):
                row = slice(index, index + 1)
                until, done = perf_counter() + self.milliseconds / 1000, 0
                while done == 0 or perf_counter() < until:
                    sums[row] += self._sum(decisions, row, range(done, done + at_once))
                    done += at_once
                batches[index] = done
        return _average(sums, batches[:, np.newaxis] * self._settings.worlds, actions)

    def _most_threads(self) -> int:
        return min(self.threads or get_num_threads(), get_num_threads())

    def _sum(self, decisions: _Decisions, rows: slice, batches: range) -> NDArray[np.float64]:
        """Return float64 [rows, k, _SUMS]: sums over some batches of worlds, for the actions to try."""
        decisions = _Decisions._make(values[rows] for values in decisions)
        parts = np.zeros((len(decisions.known), len(batches), decisions.actions.shape[1], _SUMS))
        queue = new_queue()
        tasks = len(decisions.known) * len(batches)
        most = self._most_threads()
        several = most > 1 and _chooser.choose_several()
        start = perf_counter()
        arguments = decisions, self._settings, batches.start, parts, queue
        share(_play_out, arguments, queue, tasks, 1, most if several else 1)
        if most > 1:
            _chooser.record(several, perf_counter() - start, tasks)
        total: NDArray[np.float64] = parts.sum(axis=1)
        return total


def _average(sums: NDArray[np.float64], worlds: NDArray[np.float64], actions: NDArray[np.int64]) -> Outcome:
    by_action = np.full((_SUMS, len(sums), NUM_ACTIONS), np.nan)
    rows, columns = (actions >= 0).nonzero()
    by_action[:, rows, actions[rows, columns]] = sums[rows, columns].T
    points, gain, square, met = by_action / worlds
    error = np.sqrt(np.maximum(square - gain**2, 0) / np.maximum(worlds - 1, 1))
    return Outcome(points, gain, error, met)


def estimate_bid_chances(
    view: View, rng: np.random.Generator, worlds: int = 128, model: SeatModel = HEURISTIC
) -> NDArray[np.float64]:
    """Estimate the chance that each action leads to a bid met exactly: float64 [n, NUM_ACTIONS].

    NaN if an action is illegal. worlds: per decision.
    """
    tried = view.mask != 0
    return Playouts(worlds, model=model)(view.known, view.noise(rng), tried, tried.argmax(axis=1)).met


@outlined
def _try_batch(
    decisions: Any, index: int, word: np.uint64, settings: Any, workspace: Workspace, sums: Any
) -> None:
    """Add up what each action of a decision brings in a batch of worlds."""
    known, actions = decisions.known[index], decisions.actions[index]
    sample = sample_weighed(known, word, settings.worlds, settings.evidence, workspace)
    generator = sample.generator
    playout = np.empty(1, STATE)
    compared = np.empty(settings.worlds)
    for column in range(len(actions)):
        if actions[column] < 0:
            break
        points = 0.0
        for number in range(settings.worlds):
            world = sample.chosen[number]
            if settings.at_random or number == 0 or world != sample.chosen[number - 1]:
                playout[0] = sample.worlds[world]
                apply(playout[0], actions[column])
                if settings.at_random:
                    generator = _finish_at_random(playout[0], generator)
                else:
                    _finish_round(playout[0], workspace)
                points = float(playout[0].points[known.seat])
            if column == 0:
                compared[number] = points
            gain = points - compared[number]
            sums[column, _POINTS] += points
            sums[column, _GAIN] += gain
            sums[column, _SQUARE] += gain * gain
            sums[column, _MET] += 1.0 if points > 0 else 0.0  # only a bid that is met brings points


@compiled
def _finish_round(state: State, workspace: Workspace) -> None:
    """Play every seat as its model does until the round is scored."""
    while state.phase < SCORED:
        apply(state, choose_action(state, workspace))


@compiled
def _finish_at_random(state: State, generator: np.uint64) -> np.uint64:
    """Play every seat at random until the round is scored; return the generator after the draws."""
    while state.phase < SCORED:
        generator = step_generator(generator, 1)
        apply(state, random_action(state, mix(generator)))
    return generator


@kernel(_DECISIONS_KIND, _SETTINGS_KIND, int, [[[[np.float64]]]], [np.int64], int)
def _play_out(decisions: Any, settings: Any, first_batch: int, parts: Any, queue: Any, patience: int) -> None:
    batches = parts.shape[1]
    task = claim(queue, patience)
    while task >= 0:
        index, batch = task // batches, task % batches
        word = word_at(decisions.words[index], first_batch + batch)
        workspace = new_workspace(settings.model, decisions.guesses[index])
        _try_batch(decisions, index, word, settings, workspace, parts[index, batch])
        finish(queue, 1)
        task = claim(queue, patience)

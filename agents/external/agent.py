"""ExternalAgent: a program in any language plays a seat, with lines of JSON over its stdin and stdout.

docs/external.md describes the protocol for authors of such programs.
"""

import itertools
import logging
import os
import shlex
import threading
import weakref
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from wizard_env.actions import ACTIONS, action_id
from wizard_env.agents.external.program import CRASHED, ILLEGAL, MALFORMED, Fault, Program
from wizard_env.cards import SUITS, card_names
from wizard_env.checks import check_number, quoted
from wizard_env.game import Game
from wizard_env.history.finished import read_plays
from wizard_env.sampling import sample_legal
from wizard_env.state import HIDDEN
from wizard_env.view import Actions, View

MAX_RESTARTS = 3
"""The most restarts of a crashed program."""

_GIVEN_UP = "given up"
"""A key of `ExternalAgent.forfeits`, as are the kinds of a `Fault`."""
_SHORTEST_WAIT, _LONGEST_WAIT = 0.001, 86_400
_NOISE_SHIFT = 11
"""Bits dropped from a random word: JSON readers in every language read the other 53 exactly."""

_log = logging.getLogger(__name__)
_agents: "weakref.WeakSet[ExternalAgent]" = weakref.WeakSet()
"""All of this process."""


class ExternalAgent:
    """Asks a program for one decision after another.

    A decision without a legal action in time is forfeited: a random legal action, drawn with
    `view.noise(rng)`, takes its place. A crashed program is restarted at the next decision, up to
    MAX_RESTARTS times; after that every decision is forfeited. The first forfeit for each reason is logged.

    The program and the processes that it started end with `close`, at the end of a `with` block, when the
    agent is garbage-collected, and when this process ends, even if it is killed.

    Threads may share an agent; the program is asked one question at a time. A forked process asks a program
    of its own.

    forfeits: the number of forfeited decisions by reason: "late", "malformed", "illegal", "crashed",
        "given up".
    """

    runs_programs = True
    """Lets `wizard_env.loading.programs` refuse it."""

    def __init__(
        self, command: str | Sequence[str], timeout: float = 10.0, start_timeout: float = 60.0
    ) -> None:
        """Start the program and wait for its hello.

        Args:
            command: the program and its arguments, as a list or as one string; no shell is run.
            timeout: seconds allowed for each answer.
            start_timeout: seconds allowed until the program's hello.

        Raises ChildProcessError if the program cannot be started or does not say hello.
        """
        self.forfeits: Counter[str] = Counter()
        self._arguments = _split(command)
        self._command = command if isinstance(command, str) else shlex.join(command)
        self._timeout, self._start_timeout = (
            check_number(name, value, _SHORTEST_WAIT, _LONGEST_WAIT, "a number of seconds")
            for name, value in (("timeout", timeout), ("start_timeout", start_timeout))
        )
        self._ids = itertools.count(1)
        self._restarts = 0
        self._closed = False
        self._lock = threading.Lock()
        self._program: Program | None = self._start()
        _agents.add(self)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Ask for every decision of the view. Raises ValueError if the agent is closed."""
        words = view.noise(rng)
        actions = np.empty(len(view), np.int64)
        for row in range(len(view)):
            with self._lock:
                self._check_open()
                try:
                    actions[row] = self._ask(view, row, int(words[row]))
                except Fault as fault:
                    self._check_open()
                    self._forfeit(fault)
                    actions[row] = sample_legal(view.mask[row : row + 1], words[row : row + 1])[0]
        return actions

    def close(self) -> None:
        """End the program, which has a moment to exit by itself."""
        self._closed = True  # before the program is read: see `_ask`
        program = self._program
        if program is not None:
            program.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError(f"the external agent {quoted(self._command)} is closed")

    def _start(self) -> Program:
        try:
            program = Program(self._arguments)
        except OSError as error:
            raise ChildProcessError(f"command {quoted(self._command)} cannot be started: {error}") from error
        try:
            program.greet(self._start_timeout)
        except Fault as fault:
            program.end()
            raise ChildProcessError(
                f"command {quoted(self._command)} did not say hello: {fault.reason}"
            ) from None
        return program

    def _ask(self, view: View, row: int, word: int) -> int:
        if self._program is None:
            self._program = self._restart()
            if self._closed:  # by another thread, which may have missed the new program
                self._program.end()
        request = {"id": next(self._ids), **describe(view, row), "noise": word >> _NOISE_SHIFT}
        try:
            answer = self._program.ask(request, self._timeout)
        except Fault as fault:
            if fault.kind == CRASHED:
                self._program = None
            raise
        return _legal_action(answer, view, row)

    def _restart(self) -> Program:
        if self._restarts == MAX_RESTARTS:
            raise Fault(_GIVEN_UP, f"it was restarted {MAX_RESTARTS} times and will not be restarted again")
        self._restarts += 1
        try:
            return self._start()
        except ChildProcessError as error:
            raise Fault(CRASHED, str(error)) from error

    def _forget_program(self) -> None:
        """Forget the program in a forked process, where no thread reads it: it is the parent's."""
        self._lock = threading.Lock()
        self._restarts = -1  # the start of its own is no restart
        if self._program is not None:
            self._program.abandon()
            self._program = None

    def _forfeit(self, fault: Fault) -> None:
        if fault.kind not in self.forfeits:
            _log.warning("%r forfeits a decision, %s: %s", self._command, fault.kind, fault.reason)
        self.forfeits[fault.kind] += 1


def _forget_programs() -> None:
    for agent in list(_agents):
        agent._forget_program()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_programs)


def describe(view: View, row: int) -> dict[str, Any]:
    """Describe a decision in plain values for JSON: all that its seat may know, and the legal actions."""
    state = view.known[row]
    game = Game.from_state(view.rules(row), state)
    legal = game.legal_actions()
    num_players = game.rules.num_players
    return {
        "num_players": num_players,
        "seat": game.seat,
        "phase": game.phase,
        "round_number": game.round_number,
        "num_rounds": game.num_rounds,
        "hand_size": game.hand_size,
        "dealer": game.dealer,
        "hand": card_names(state["hands"][state["seat"]]),
        "upcard": game.upcard,
        "trump": game.trump,
        "led_suit": game.led_suit,
        "trick": game.trick,
        "bids": [None if bid == HIDDEN else bid for bid in game.bids],
        "tricks_won": game.tricks_won,
        "scores": game.scores,
        "rounds": [finished._asdict() for finished in view.rounds(row)],
        "plays": read_plays(view.known[row : row + 1]),
        "played": [card_names(cards) for cards in state["played"][:num_players]],
        "voids": [
            [suit for bit, suit in enumerate(SUITS) if voids >> bit & 1]
            for voids in state["voids"][:num_players]
        ],
        "rules": game.rules.to_dict(),
        "legal": [ACTIONS[action] for action in legal],
        "legal_ids": legal,
    }


def _legal_action(answer: Any, view: View, row: int) -> int:
    """Return the id of the action in an answer."""
    if type(answer) not in (str, int):
        raise Fault(MALFORMED, f"its action is {quoted(answer)}: a name or an id is needed")
    try:
        action: int = action_id(answer) if isinstance(answer, str) else answer
        Game.from_state(view.rules(row), view.known[row]).check(action)
    except ValueError as illegal:
        raise Fault(ILLEGAL, str(illegal)) from None
    return action


def _split(command: str | Sequence[str]) -> str | list[str]:
    """Return the arguments of a command. Windows splits a string itself, by its own rules."""
    arguments: str | list[str]
    if isinstance(command, str):
        try:
            arguments = shlex.split(command) if os.name == "posix" else command
        except ValueError as error:
            raise ValueError(f"command={quoted(command)}: {error}") from None
    elif isinstance(command, Sequence) and all(isinstance(part, str) for part in command):
        arguments = list(command)
    else:
        raise TypeError(f"command={quoted(command)}: a string or a list of strings is needed")
    if not arguments:
        raise ValueError(f"command={quoted(command)}: a program is needed")
    return arguments

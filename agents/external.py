"""ExternalAgent: a program in any language plays a seat, with lines of JSON over its stdin and stdout.

docs/external.md describes the protocol for authors of such programs.
"""

import contextlib
import itertools
import json
import logging
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import IO, Any, Self

import numpy as np

from wizard_env.actions import ACTIONS, action_id
from wizard_env.cards import SUITS, card_names
from wizard_env.chance.sampling import sample_legal
from wizard_env.checks.arguments import check_number, quoted
from wizard_env.game import Game
from wizard_env.history.finished import read_plays
from wizard_env.state import HIDDEN
from wizard_env.view import Actions, View

PROTOCOL = "wizard-external"
VERSION = 1
MAX_RESTARTS = 3
"""The most restarts of a crashed program."""

_LATE, _MALFORMED, _ILLEGAL, _CRASHED, _GIVEN_UP = "late", "malformed", "illegal", "crashed", "given up"
"""Reasons for a forfeited decision: the keys of `ExternalAgent.forfeits`."""

_GRACE = 1.0
"""Seconds that a program has to exit by itself."""
_LONGEST_LINE = 1 << 16
_SHORTEST_WAIT, _LONGEST_WAIT = 0.001, 86_400
_LAST_LINES = 5
"""Lines of a program's stderr that are kept for error messages."""
_NOISE_SHIFT = 11
"""Bits dropped from a random word: JSON readers in every language read the other 53 exactly."""

_log = logging.getLogger(__name__)


class ExternalAgent:
    """Asks a program for one decision after another.

    A decision without a legal action in time is forfeited: a random legal action, drawn with
    `view.noise(rng)`, takes its place. A crashed program is restarted at the next decision, up to
    MAX_RESTARTS times; after that every decision is forfeited. The first forfeit for each reason is logged.

    The program ends with `close`, at the end of a `with` block, or when the agent is garbage-collected.

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
        self._program: _Program | None = self._start()

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Ask for every decision of the view. Raises ValueError if the agent is closed."""
        if self._closed:
            raise ValueError(f"the external agent {quoted(self._command)} is closed")
        words = view.noise(rng)
        actions = np.empty(len(view), np.int64)
        for row in range(len(view)):
            try:
                actions[row] = self._ask(view, row, int(words[row]))
            except _Fault as fault:
                self._forfeit(fault)
                actions[row] = sample_legal(view.mask[row : row + 1], words[row : row + 1])[0]
        return actions

    def close(self) -> None:
        """End the program, which has a moment to exit by itself."""
        self._closed = True
        if self._program is not None:
            self._program.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> "_Program":
        try:
            program = _Program(self._arguments)
        except OSError as error:
            raise ChildProcessError(f"command {quoted(self._command)} cannot be started: {error}") from error
        try:
            program.greet(self._start_timeout)
        except _Fault as fault:
            program.end()
            raise ChildProcessError(
                f"command {quoted(self._command)} did not say hello: {fault.reason}"
            ) from None
        return program

    def _ask(self, view: View, row: int, word: int) -> int:
        if self._program is None:
            self._program = self._restart()
        request = {"id": next(self._ids), **describe(view, row), "noise": word >> _NOISE_SHIFT}
        try:
            answer = self._program.ask(request, self._timeout)
        except _Fault as fault:
            if fault.kind == _CRASHED:
                self._program = None
            raise
        return _legal_action(answer, view, row)

    def _restart(self) -> "_Program":
        if self._restarts == MAX_RESTARTS:
            raise _Fault(_GIVEN_UP, f"it was restarted {MAX_RESTARTS} times and will not be restarted again")
        self._restarts += 1
        try:
            return self._start()
        except ChildProcessError as error:
            raise _Fault(_CRASHED, str(error)) from error

    def _forfeit(self, fault: "_Fault") -> None:
        if fault.kind not in self.forfeits:
            _log.warning("%r forfeits a decision, %s: %s", self._command, fault.kind, fault.reason)
        self.forfeits[fault.kind] += 1


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
        raise _Fault(_MALFORMED, f"its action is {quoted(answer)}: a name or an id is needed")
    try:
        action: int = action_id(answer) if isinstance(answer, str) else answer
        Game.from_state(view.rules(row), view.known[row]).check(action)
    except ValueError as illegal:
        raise _Fault(_ILLEGAL, str(illegal)) from None
    return action


class _Fault(Exception):  # noqa: N818 - the program's, not ours
    """A failure of the program to give a legal action; `kind` is a key of `ExternalAgent.forfeits`."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


class _Program:
    """A running program. Threads read and write its pipes, so that nothing it does blocks the game."""

    def __init__(self, arguments: str | Sequence[str]) -> None:
        self._process = process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # on POSIX, so that the processes it starts can be killed with it
        )
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr_tail: deque[bytes] = deque(maxlen=_LAST_LINES)
        tasks = (
            (_write, process.stdin, self._to_write),
            (_read, process.stdout, self._lines),
            (_keep_last, process.stderr, self._stderr_tail),
        )
        threads = [threading.Thread(target=task, args=with_pipe, daemon=True) for task, *with_pipe in tasks]
        for thread in threads:
            thread.start()
        # the threads hold no reference to this object, so the program ends when its agent is collected
        self._finalizer = weakref.finalize(self, _end, process, self._to_write, threads)

    def greet(self, timeout: float) -> None:
        """Exchange hellos, with the version of the protocol."""
        hello = {"protocol": PROTOCOL, "version": VERSION}
        self._send(hello)
        reply = _parse(self._receive(time.monotonic() + timeout, timeout))
        given = {key: reply.get(key) for key in hello}
        if given != hello:
            raise _Fault(_MALFORMED, f"it said {json.dumps(given)}, allowed is {json.dumps(hello)}")

    def ask(self, request: dict[str, Any], timeout: float) -> Any:
        """Return the action in the answer to a request, unchecked."""
        self._drop_lines()
        self._send(request)
        deadline = time.monotonic() + timeout
        while True:
            answer = _parse(self._receive(deadline, timeout))
            number = answer.get("id")
            if type(number) is not int or number > request["id"] or "action" not in answer:
                raise _Fault(_MALFORMED, f"{quoted(answer)} does not answer request {request['id']}")
            if number == request["id"]:
                return answer["action"]
            # otherwise this is a late answer to an earlier request

    def end(self) -> None:
        """End the program if it is still running, and wait for it."""
        self._finalizer()

    def _send(self, content: dict[str, Any]) -> None:
        self._to_write.put(json.dumps(content).encode() + b"\n")

    def _drop_lines(self) -> None:
        """Drop lines that came before the request; the mark for the end of output stays."""
        for _ in range(self._lines.qsize()):
            if self._lines.get() is None:
                self._lines.put(None)

    def _receive(self, deadline: float, timeout: float) -> bytes:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise queue.Empty  # even if lines are waiting: late answers could keep coming forever
            line = self._lines.get(timeout=left)
        except queue.Empty:
            raise _Fault(_LATE, f"no answer within {timeout} seconds") from None
        if line is None:
            self.end()
            raise _Fault(_CRASHED, self._exit_report())
        return line

    def _exit_report(self) -> str:
        written = b"".join(self._stderr_tail).decode(errors="replace").strip()
        status = f"it ended with exit status {self._process.returncode}"
        return f"{status}: {written}" if written else f"{status} and wrote nothing to stderr"


def _write(pipe: IO[bytes], lines: "queue.SimpleQueue[bytes | None]") -> None:
    with contextlib.suppress(OSError), pipe:  # the program may have closed it; the reader notices
        for line in iter(lines.get, None):
            pipe.write(line)
            pipe.flush()


def _read(pipe: IO[bytes], lines: "queue.SimpleQueue[bytes | None]") -> None:
    for line in _lines_of(pipe):
        lines.put(line)
    lines.put(None)


def _keep_last(pipe: IO[bytes], lines: deque[bytes]) -> None:
    lines.extend(_lines_of(pipe))


def _lines_of(pipe: IO[bytes]) -> Iterator[bytes]:
    """Read the lines of a pipe until its end; of a line that is far too long, only the beginning."""
    line = b""
    with pipe:
        for part in iter(lambda: pipe.readline(_LONGEST_LINE), b""):
            line = line or part
            if part.endswith(b"\n"):
                yield line
                line = b""
    if line:
        yield line


def _end(
    process: subprocess.Popen[bytes],
    to_write: "queue.SimpleQueue[bytes | None]",
    threads: list[threading.Thread],
) -> None:
    to_write.put(None)  # closes its stdin, which tells it to exit
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.wait()
    for thread in threads:
        if thread is not threading.current_thread():  # garbage collection may run in any of them
            thread.join(_GRACE)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has just exited by itself
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _parse(line: bytes) -> dict[str, Any]:
    shown = quoted(line.decode(errors="replace"))
    try:
        content = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise _Fault(_MALFORMED, f"{shown} is not JSON in UTF-8: {error}") from None
    if not isinstance(content, dict):
        raise _Fault(_MALFORMED, f"{shown} is not a JSON object")
    return content


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

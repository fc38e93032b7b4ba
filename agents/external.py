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
from collections import deque
from collections.abc import Sequence
from typing import IO, Any, Self

import numpy as np

from wizard_env.actions import ACTIONS, action_id
from wizard_env.cards import SUITS, card_names
from wizard_env.checks import check_seconds, quoted
from wizard_env.game import Game
from wizard_env.history.finished import read_plays
from wizard_env.sampling import sample_legal
from wizard_env.state import HIDDEN
from wizard_env.view import Actions, OutsideAgent, View

PROTOCOL = "wizard-external"
VERSION = 1
LATE, MALFORMED, ILLEGAL = "late", "malformed", "illegal"
"""Reasons for a forfeit."""

_NOISE_SHIFT = 11
"""Bits dropped from a random word: JSON readers in every language read the other 53 exactly."""
_GRACE = 1.0
"""Seconds that a program has to exit by itself."""
_LONGEST_LINE = 1 << 16
_MOST_WAITING = 100
"""Lines that wait to be read, in each direction; a program that writes more has to wait."""
_LAST_LINES = 5
"""Lines of a program's stderr that are kept for error messages."""

_END = b""
"""Stands for the end of a pipe, behind the last line."""

_log = logging.getLogger(__name__)


class _ForfeitError(Exception):
    """An answer that is no legal action in time; `reason` is a key of `ExternalAgent.forfeits`."""

    def __init__(self, reason: str, details: str) -> None:
        super().__init__(details)
        self.reason = reason


class ExternalAgent(OutsideAgent):
    """Asks a program for one decision after another.

    A decision without a legal action in time is forfeited: a random legal action, drawn with
    `view.noise(rng)`, takes its place. The first forfeit for each reason is logged.

    The program ends with `close`, at the end of a `with` block, and when the agent is garbage-collected.
    Threads may share an agent; the program is asked one question at a time.

    forfeits: the number of forfeited decisions by reason: "late", "malformed", "illegal".
    """

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
        super().__init__()
        self._timeout = check_seconds("timeout", timeout)
        start_timeout = check_seconds("start_timeout", start_timeout)
        self._lock = threading.Lock()
        self._program = _Program(command)
        try:
            self._program.greet(start_timeout)
        except _ForfeitError as error:
            self._program.end()
            raise ChildProcessError(f"{self._program} did not say hello: {error}") from None

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Ask for every decision of the view.

        Raises ChildProcessError if the program has ended, and ValueError if the agent is closed.
        """
        words = view.noise(rng)
        actions = np.empty(len(view), np.int64)
        for row in range(len(view)):
            request = {**describe(view, row), "noise": int(words[row]) >> _NOISE_SHIFT}
            with self._lock:
                try:
                    actions[row] = _legal_action(self._program.ask(request, self._timeout), view, row)
                except _ForfeitError as error:
                    self._forfeit(error)
                    actions[row] = sample_legal(view.mask[row : row + 1], words[row : row + 1])[0]
        return actions

    def close(self) -> None:
        """End the program, which has a moment to exit by itself."""
        self._program.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _forfeit(self, error: _ForfeitError) -> None:
        if error.reason not in self.forfeits:
            _log.warning("%s forfeits a decision, %s: %s", self._program, error.reason, error)
        self.forfeits[error.reason] += 1


class _Program:
    """A running program. Threads read and write its pipes, so that nothing it does blocks the game."""

    def __init__(self, command: str | Sequence[str]) -> None:
        self._name = f"command {quoted(command if isinstance(command, str) else shlex.join(command))}"
        # Windows splits a string by rules of its own.
        splits = isinstance(command, str) and os.name == "posix"
        try:
            self._process = process = subprocess.Popen(
                shlex.split(command) if splits else command,  # type: ignore[arg-type]
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # and with it a process group, on POSIX
            )
        except (OSError, ValueError) as error:
            raise ChildProcessError(f"{self._name} cannot be started: {error}") from error
        self._to_write: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._lines: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._last_words: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._tail = threading.Thread(target=_keep_last, args=(process.stderr, self._last_words), daemon=True)
        self._tail.start()
        threading.Thread(target=_write, args=(process.stdin, self._to_write), daemon=True).start()
        threading.Thread(target=_read, args=(process.stdout, self._lines), daemon=True).start()
        self._ids = itertools.count(1)
        # the threads hold no reference to this object, so the program ends when its agent is collected
        self._finalizer = weakref.finalize(self, _end, process, self._to_write, self._lines)

    def __str__(self) -> str:
        return self._name

    def greet(self, timeout: float) -> None:
        """Exchange hellos, with the version of the protocol."""
        hello = {"protocol": PROTOCOL, "version": VERSION}
        self._send(hello)
        reply = _parse(self._receive(time.monotonic() + timeout, timeout))
        given = {key: reply.get(key) for key in hello}
        if given != hello:
            raise _ForfeitError(MALFORMED, f"it said {json.dumps(given)}, allowed is {json.dumps(hello)}")

    def ask(self, request: dict[str, Any], timeout: float) -> Any:
        """Return the action in the answer to a request, unchecked."""
        number = next(self._ids)
        for _ in range(self._lines.qsize()):  # it wrote them before the request
            if not self._lines.get():
                self._lines.put(_END)
        self._send({"id": number, **request})
        deadline = time.monotonic() + timeout
        while True:
            answer = _parse(self._receive(deadline, timeout))
            given = answer.get("id")
            if type(given) is not int or given > number or "action" not in answer:
                raise _ForfeitError(MALFORMED, f"{quoted(answer)} does not answer request {number}")
            if given == number:
                return answer["action"]
            # otherwise this is a late answer to an earlier request

    def end(self) -> None:
        """End the program if it is still running, and wait for it."""
        self._finalizer()

    def _send(self, content: dict[str, Any]) -> None:
        if not self._finalizer.alive:
            raise ValueError(f"the agent that asks {self._name} is closed")
        try:
            self._to_write.put_nowait(json.dumps(content).encode() + b"\n")
        except queue.Full:
            raise _ForfeitError(LATE, f"it has not read the last {_MOST_WAITING} requests") from None

    def _receive(self, deadline: float, timeout: float) -> bytes:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise queue.Empty  # even if lines are waiting: late answers could keep coming forever
            line = self._lines.get(timeout=left)
        except queue.Empty:
            raise _ForfeitError(LATE, f"no answer within {timeout} seconds") from None
        if line == _END:
            self._lines.put(_END)
            raise ChildProcessError(self._describe_end())
        return line

    def _describe_end(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):  # then it has only closed its output
            self._process.wait(_GRACE)
        self._tail.join(_GRACE)
        written = b"".join(self._last_words).decode(errors="replace").strip()
        status = f"{self._name} ended with exit status {self._process.returncode}"
        return f"{status}: {written}" if written else f"{status} and wrote nothing to stderr"


def _write(pipe: IO[bytes], lines: "queue.Queue[bytes]") -> None:
    with contextlib.suppress(OSError), pipe:  # the program may have closed it; the reader notices
        for line in iter(lines.get, _END):
            pipe.write(line)
            pipe.flush()


def _keep_last(pipe: IO[bytes], lines: deque[bytes]) -> None:
    with pipe:
        lines.extend(pipe)


def _read(pipe: IO[bytes], lines: "queue.Queue[bytes]") -> None:
    """Read the lines of a pipe, long ones in parts."""
    with pipe:
        for line in iter(lambda: pipe.readline(_LONGEST_LINE), b""):
            lines.put(line)
    lines.put(_END)


def _end(
    process: subprocess.Popen[bytes], to_write: "queue.Queue[bytes]", lines: "queue.Queue[bytes]"
) -> None:
    """Close a program's stdin, which tells it to exit; kill it if it does not, and all that it started."""
    with contextlib.suppress(queue.Full):
        to_write.put_nowait(_END)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    process.kill()
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of its group is left
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with contextlib.suppress(queue.Empty, queue.Full):
        while lines.get(timeout=_GRACE) != _END:  # so that the thread that reads can end
            pass
        lines.put_nowait(_END)  # for a question of another thread


def _parse(line: bytes) -> dict[str, Any]:
    shown = quoted(line.decode(errors="replace"))
    try:
        content = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise _ForfeitError(MALFORMED, f"{shown} is not JSON in UTF-8: {error}") from None
    if not isinstance(content, dict):
        raise _ForfeitError(MALFORMED, f"{shown} is not a JSON object")
    return content


def _legal_action(answer: Any, view: View, row: int) -> int:
    """Return the id of the action in an answer."""
    if type(answer) not in (str, int):
        raise _ForfeitError(MALFORMED, f"its action is {quoted(answer)}: a name or an id is needed")
    try:
        action: int = action_id(answer) if isinstance(answer, str) else answer
        Game.from_state(view.rules(row), view.known[row]).check(action)
    except ValueError as illegal:
        raise _ForfeitError(ILLEGAL, str(illegal)) from None
    return action


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

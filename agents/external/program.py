"""A running program: its pipes, its end, and the end of the processes that it started."""

import contextlib
import json
import logging
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from typing import IO, Any

from wizard_env.checks import quoted

PROTOCOL = "wizard-external"
VERSION = 1
LATE, MALFORMED, ILLEGAL, CRASHED = "late", "malformed", "illegal", "crashed"
"""Kinds of a `Fault`."""

_GRACE = 1.0
"""Seconds that a program has to exit by itself."""
_LONGEST_LINE = 1 << 16
_MOST_OUTPUT = 1 << 20
"""Bytes that a program may write to stdout after one request."""
_MOST_WAITING = 1000
"""Requests that may wait for a program that does not read."""
_LAST_LINES = 5
"""Lines of a program's stderr that are kept for error messages."""
_WATCH = 'read -r _; kill -s KILL -- "-$1"'
"""Waits for the end of stdin, then kills a process group."""

_log = logging.getLogger(__name__)


class Fault(Exception):  # noqa: N818 - the program's, not ours
    """A failure of the program to give a legal action; `kind` is a key of `ExternalAgent.forfeits`."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


class Program:
    """A running program. Threads read and write its pipes, so that nothing it does blocks the game.

    On POSIX it has a process group of its own, which ends with it. A watching process ends the group if this
    process is killed.
    """

    def __init__(self, arguments: str | Sequence[str]) -> None:
        self._process = process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # and with it a process group, on POSIX
        )
        self._watcher = _Watcher(process.pid) if os.name == "posix" else None
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._output = _Output(process)
        self._stderr_tail: deque[bytes] = deque(maxlen=_LAST_LINES)
        writer = threading.Thread(target=_write, args=(process.stdin, self._to_write), daemon=True)
        tail = threading.Thread(target=_keep_last, args=(process.stderr, self._stderr_tail), daemon=True)
        reader = threading.Thread(target=self._output.read, daemon=True)
        waiter = threading.Thread(target=_wait, args=(process, reader, self._output), daemon=True)
        threads = [reader, writer, tail, waiter]
        for thread in threads:  # the last one waits for the first
            thread.start()
        # the threads hold no reference to this object, so the program ends when its agent is collected
        self._finalizer = weakref.finalize(self, _end, process, self._watcher, self._to_write, threads)

    def greet(self, timeout: float) -> None:
        """Exchange hellos, with the version of the protocol."""
        hello = {"protocol": PROTOCOL, "version": VERSION}
        self._send(hello)
        reply = _parse(self._receive(time.monotonic() + timeout, timeout))
        given = {key: reply.get(key) for key in hello}
        if given != hello:
            raise Fault(MALFORMED, f"it said {json.dumps(given)}, allowed is {json.dumps(hello)}")

    def ask(self, request: dict[str, Any], timeout: float) -> Any:
        """Return the action in the answer to a request, unchecked."""
        self._output.drop()
        self._send(request)
        deadline = time.monotonic() + timeout
        while True:
            answer = _parse(self._receive(deadline, timeout))
            number = answer.get("id")
            if type(number) is not int or number > request["id"] or "action" not in answer:
                raise Fault(MALFORMED, f"{quoted(answer)} does not answer request {request['id']}")
            if number == request["id"]:
                return answer["action"]
            # otherwise this is a late answer to an earlier request

    def end(self) -> None:
        """End the program if it is still running, and wait for it."""
        self._finalizer()

    def abandon(self) -> None:
        """Leave the program to the process that started it, of which this one is a fork."""
        if self._finalizer.detach() and self._watcher is not None:
            self._watcher.abandon()

    def _send(self, content: dict[str, Any]) -> None:
        if self._to_write.qsize() >= _MOST_WAITING:
            raise Fault(LATE, f"it has not read the last {_MOST_WAITING} requests")
        self._to_write.put(json.dumps(content).encode() + b"\n")

    def _receive(self, deadline: float, timeout: float) -> bytes:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise queue.Empty  # even if lines are waiting: late answers could keep coming forever
            line = self._output.lines.get(timeout=left)
        except queue.Empty:
            raise Fault(LATE, f"no answer within {timeout} seconds") from None
        if line is None:
            self.end()
            raise Fault(CRASHED, self._exit_report())
        return line

    def _exit_report(self) -> str:
        if self._output.too_much:
            return f"it was ended, because it wrote more than {_MOST_OUTPUT:,} bytes after one request"
        written = b"".join(self._stderr_tail).decode(errors="replace").strip()
        status = f"it ended with exit status {self._process.returncode}"
        return f"{status}: {written}" if written else f"{status} and wrote nothing to stderr"


class _Output:
    """Lines of a program's stdout, and None at its end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.too_much = False
        self._process = process
        self._bytes = 0

    def read(self) -> None:
        """Read until the end; end a program that writes too much."""
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            for line in _lines(self._count(_parts(pipe))):
                if not self.too_much:
                    self.lines.put(line)
        self.lines.put(None)

    def drop(self) -> None:
        """Drop lines that came before a request; the mark for the end of output stays."""
        self._bytes = 0
        for _ in range(self.lines.qsize()):
            if self.lines.get() is None:
                self.lines.put(None)

    def _count(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        for part in parts:
            self._bytes += len(part)
            if self._bytes > _MOST_OUTPUT:
                self.too_much = True
                _kill(self._process)
                return
            yield part


class _Watcher:
    """A small process that kills a process group once this process has ended, however it ends."""

    def __init__(self, group: int) -> None:
        end, self._lifeline = os.pipe()
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(
                ["sh", "-c", _WATCH, "sh", str(group)],
                stdin=end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # no key and no signal to the group reaches it
            )
        except OSError as error:
            _log.warning("external programs outlive this process if it is killed: no sh runs (%s)", error)
        finally:
            os.close(end)

    def end(self) -> None:
        """End the watch, without killing anything else."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        os.close(self._lifeline)

    def abandon(self) -> None:
        """Close the lifeline in a forked process, so that it ends with the parent."""
        os.close(self._lifeline)


def _write(pipe: IO[bytes], lines: "queue.SimpleQueue[bytes | None]") -> None:
    with contextlib.suppress(OSError), pipe:  # the program may have closed it; the reader notices
        for line in iter(lines.get, None):
            pipe.write(line)
            pipe.flush()


def _keep_last(pipe: IO[bytes], lines: deque[bytes]) -> None:
    with pipe:
        lines.extend(_lines(_parts(pipe)))


def _wait(process: subprocess.Popen[bytes], reader: threading.Thread, output: _Output) -> None:
    """Wait for the end of a program, then end the processes that it started, which may hold its pipes."""
    process.wait()
    _kill_group(process)
    reader.join(_GRACE)  # it has the last lines; but a process that left the group may hold the pipe still
    output.lines.put(None)


def _parts(pipe: IO[bytes]) -> Iterator[bytes]:
    """Read the lines of a pipe until its end, long ones in parts."""
    return iter(lambda: pipe.readline(_LONGEST_LINE), b"")


def _lines(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Put lines together; of a line that is far too long, only the beginning."""
    line = b""
    for part in parts:
        line = line or part
        if part.endswith(b"\n"):
            yield line
            line = b""
    if line:
        yield line


def _end(
    process: subprocess.Popen[bytes],
    watcher: _Watcher | None,
    to_write: "queue.SimpleQueue[bytes | None]",
    threads: list[threading.Thread],
) -> None:
    to_write.put(None)  # closes its stdin, which tells it to exit
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        _kill(process)
    for thread in threads:
        if thread is not threading.current_thread():  # garbage collection may run in any of them
            thread.join(_GRACE)
    if watcher is not None:
        watcher.end()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that may be running, and on POSIX its group."""
    process.kill()
    _kill_group(process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has just ended by itself
            os.killpg(process.pid, signal.SIGKILL)


def _parse(line: bytes) -> dict[str, Any]:
    shown = quoted(line.decode(errors="replace"))
    try:
        content = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise Fault(MALFORMED, f"{shown} is not JSON in UTF-8: {error}") from None
    if not isinstance(content, dict):
        raise Fault(MALFORMED, f"{shown} is not a JSON object")
    return content

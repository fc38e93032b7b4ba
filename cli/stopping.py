"""Ctrl-C, SIGTERM and a closed terminal: a command that can be resumed ends in order, and says how."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from wizard_env.cli.next_steps import repeat_command, say_next_steps

_FROM_A_SIGNAL = 128
"""Added to a signal's number in the exit code of the process that it ended."""


class Stop:
    """A request to stop, by a signal.

    signal: the number of the signal; 0 if there was none.
    handlers: those of the signals before.
    waits: True if the first signal is only noted, for a block that looks at `signal` where it can end.
    """

    def __init__(self) -> None:
        self.signal = 0
        self.waits = False
        self.handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        hang_up = getattr(signal, "SIGHUP", None)  # of a closed terminal; Windows has none
        if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:  # as `nohup` sets it
            self.handlers[hang_up] = signal.getsignal(hang_up)

    def listen(self) -> None:
        """Handle the signals from now on. Repeat this after Ray has started, which takes them over."""
        for number in self.handlers:
            signal.signal(number, self._handle)

    def _handle(self, number: int, frame: object) -> None:
        """Note a signal; raise KeyboardInterrupt for a second one, or if the block does not wait."""
        again, self.signal = self.signal, number
        if again or not self.waits:
            raise KeyboardInterrupt


@contextmanager
def stoppable() -> Iterator[Stop]:
    """If a signal stops the block, print the command that resumes it and end the program.

    The exit code is then 130 for Ctrl-C, 143 for SIGTERM and 129 for SIGHUP. Only for the main thread.
    """
    from wizard_env.train.selfplay.progress import StopLearning

    stop = Stop()
    stop.listen()
    try:
        yield stop
    except (KeyboardInterrupt, StopLearning):
        stop.signal = stop.signal or signal.SIGINT
    finally:
        for number, handler in stop.handlers.items():
            signal.signal(number, handler)
    if stop.signal:
        say_next_steps("stopped; to continue", repeat_command())
        raise typer.Exit(_FROM_A_SIGNAL + stop.signal)

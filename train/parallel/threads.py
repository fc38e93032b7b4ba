"""How many threads torch uses: as many as measuring shows to be fastest, up to a limit."""

from time import perf_counter

import torch

from wizard_env import get_num_threads
from wizard_env.compiled.threads import Pace


class TorchPace:
    """Chooses, for one kind of call, between one thread of torch and all that it may use.

    OpenMP's threads wait for each other, so beside another busy process several can take many times as long
    as one. Results do not depend on the choice.
    """

    def __init__(self) -> None:
        """Set the limit: what torch is set to use now, and what `set_num_threads` allows."""
        self._most = min(torch.get_num_threads(), get_num_threads())
        self._pace = Pace()
        self._several = False
        self._start = 0.0

    def begin(self) -> None:
        """Set torch's threads for the next call, and begin to measure it."""
        self._several = self._most > 1 and self._pace.several()
        torch.set_num_threads(self._most if self._several else 1)
        self._start = perf_counter()

    def end(self, units: int) -> None:
        """Note what the call cost, for so many units of work, and set torch's threads back."""
        self._pace.note(self._several, perf_counter() - self._start, units)
        torch.set_num_threads(self._most)

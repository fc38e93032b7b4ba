"""The number of threads that torch uses: the fastest by measuring, up to a limit."""

from time import perf_counter

import torch

from wizard_env import get_num_threads
from wizard_env.compiled.threads import ThreadChooser


class TorchThreads:
    """Chooses, for one kind of call, between one thread of torch and all that it may use.

    OpenMP's threads wait for each other, so beside another busy process several can take many times as long
    as one. The results of our networks do not depend on the choice; those of stable-baselines3 may differ in
    their last bits.
    """

    def __init__(self) -> None:
        self._limit = min(torch.get_num_threads(), get_num_threads())
        self._chooser = ThreadChooser()
        self._several = False
        self._start = 0.0

    def start(self) -> None:
        """Set torch's threads for the next call, and start to measure it."""
        self._several = self._limit > 1 and self._chooser.choose_several()
        torch.set_num_threads(self._limit if self._several else 1)
        self._start = perf_counter()

    def stop(self, units: int) -> None:
        """Note the cost of the call, which did this many units of work, and reset torch's threads."""
        self._chooser.record(self._several, perf_counter() - self._start, units)
        torch.set_num_threads(self._limit)

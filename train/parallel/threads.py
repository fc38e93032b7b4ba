"""The number of threads that torch uses."""

import torch


class TorchThreads:
    """Keeps torch to one thread for as long as a call takes.

    OpenMP's threads wait for each other, so beside another busy process several can take many times as long
    as one.
    """

    def __init__(self) -> None:
        self._before = torch.get_num_threads()

    def start(self) -> None:
        """Set torch's threads for the next call."""
        torch.set_num_threads(1)

    def stop(self, units: int) -> None:
        """Reset torch's threads after a call."""
        torch.set_num_threads(self._before)

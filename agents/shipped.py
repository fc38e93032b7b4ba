"""The networks that are shipped with the project."""

from importlib.resources import files
from pathlib import Path

from agents.network import Backend, NetworkAgent

_WEIGHTS = Path(str(files("agents"))) / "weights"
CHAMPION = _WEIGHTS / "champion"
RIVAL = _WEIGHTS / "rival"


class ChampionAgent(NetworkAgent):
    """The strongest network that the project has trained; nobody who plays with it needs torch."""

    def __init__(self, sample: bool = False, backend: Backend = "auto") -> None:
        """Read the network that came with the package; the options are those of `NetworkAgent`."""
        super().__init__(str(CHAMPION), sample, backend)


class RivalAgent(NetworkAgent):
    """A network of another mind, to measure others by; see `configs/rival.toml`."""

    def __init__(self, sample: bool = False, backend: Backend = "auto") -> None:
        """Read the network that came with the package; the options are those of `NetworkAgent`."""
        super().__init__(str(RIVAL), sample, backend)

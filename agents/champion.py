"""ChampionAgent: the network that is shipped with the project."""

from importlib.resources import files
from pathlib import Path

from agents.network import Backend, NetworkAgent

WEIGHTS = Path(str(files("agents"))) / "weights" / "champion.safetensors"


class ChampionAgent(NetworkAgent):
    """The strongest network that the project has trained; nobody who plays with it needs torch."""

    def __init__(self, sample: bool = False, backend: Backend = "auto") -> None:
        """Read the network that came with the package; the options are those of `NetworkAgent`."""
        super().__init__(str(WEIGHTS), sample, backend)

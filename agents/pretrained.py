"""Pretrained networks that come with the package."""

from pathlib import Path

from wizard_env.agents.network import Backend, NetworkAgent

_WEIGHTS = Path(__file__).parent / "weights"
CHAMPION = _WEIGHTS / "champion"
RIVAL = _WEIGHTS / "rival"
DISTILLED = _WEIGHTS / "distilled"
"""A small network distilled from the champion, for playouts; see `wizard distill`."""


class ChampionAgent(NetworkAgent):
    """The strongest network that the project has trained; it does not need torch."""

    def __init__(self, sample: bool = False, backend: Backend = "auto") -> None:
        """Read the network that comes with the package; the options are those of `NetworkAgent`."""
        super().__init__(str(CHAMPION), sample, backend)


class RivalAgent(NetworkAgent):
    """An independently trained network, used as a yardstick; see `configs/rival.toml`."""

    def __init__(self, sample: bool = False, backend: Backend = "auto") -> None:
        """Read the network that comes with the package; the options are those of `NetworkAgent`."""
        super().__init__(str(RIVAL), sample, backend)

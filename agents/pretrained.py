"""Pretrained networks that come with the package."""

from pathlib import Path
from typing import Literal, TypeAlias, get_args

from wizard_env.agents.network import Backend, NetworkAgent
from wizard_env.checks import check_choice

_WEIGHTS = Path(__file__).parent / "weights"
CHAMPION = _WEIGHTS / "champion"
CHAMPION_FOR_POINTS = CHAMPION / "points.safetensors"
"""The network from which the champion learned to win."""
ADAPTIVE = _WEIGHTS / "adaptive"
"""The network that reads beliefs about the other seats, see `wizard_env.agents.adaptive`."""
RIVAL = _WEIGHTS / "rival"
DISTILLED = _WEIGHTS / "distilled"
"""A small network distilled from the champion for points, for playouts; see `wizard distill`."""
DISTILLED_TO_WIN = DISTILLED / "win.safetensors"
"""The same, from the champion that plays to win."""
PARTNERS = _WEIGHTS / "partners"
"""Small networks that the champion trains beside."""

Goal: TypeAlias = Literal["win", "points"]


class ChampionAgent(NetworkAgent):
    """The strongest network that the project has trained; it does not need torch."""

    def __init__(self, sample: bool = False, backend: Backend = "auto", goal: Goal = "win") -> None:
        """Read the network.

        sample, backend: as for `NetworkAgent`.
        goal: whether it plays to "win" the game, or for the "points" of each round.
        """
        super().__init__(str(champion_file(goal)), sample, backend)


def champion_file(goal: Goal) -> Path:
    """Return the path of the champion that plays for a goal."""
    check_choice("goal", goal, get_args(Goal))
    return CHAMPION if goal == "win" else CHAMPION_FOR_POINTS


def playout_network(goal: Goal) -> Path:
    """Return the path of the small network that plays for a goal."""
    return DISTILLED_TO_WIN if goal == "win" else DISTILLED


class RivalAgent(NetworkAgent):
    """An independently trained network, used as a yardstick; see `configs/rival.toml`."""

    def __init__(self, sample: bool = False, backend: Backend = "auto") -> None:
        super().__init__(str(RIVAL), sample, backend)


class PartnerAgent(NetworkAgent):
    """A small network to train beside; the partners differ in reward, width, seed and experience.

    A population of such partners teaches a learner to play with strangers that are not heuristics (Strouse et
    al. 2021, "Collaborating with Humans without Human Data").
    """

    def __init__(self, name: str, sample: bool = False, backend: Backend = "auto") -> None:
        """Read the network of that name; the other options are those of `NetworkAgent`."""
        check_choice("name", name, partner_names())
        super().__init__(str(PARTNERS / f"{name}.safetensors"), sample, backend)


def partner_names() -> tuple[str, ...]:
    """List the names that `PartnerAgent` takes."""
    return tuple(sorted(path.stem for path in PARTNERS.glob("*.safetensors")))

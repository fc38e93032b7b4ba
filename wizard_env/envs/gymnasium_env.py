"""WizardEnv: a gymnasium.Env in which one learner plays against opponents."""

from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.envs.opponents import Episode, GamesWithOpponents, Opponents
from wizard_env.envs.rewards import Reward
from wizard_env.game import Game
from wizard_env.observation.fields import HIGHS
from wizard_env.render.modes import RENDER_FPS, RENDER_MODES, Renderer
from wizard_env.rules import make_rules

_ROW = np.zeros(1, np.int64)


class DrawnAction(np.int64):
    """A legal action drawn at random; if the game has moved on since, the nearest legal one is played."""


class LegalActions(gymnasium.spaces.Discrete):
    """All actions; without a mask, `sample` draws one that is legal in the environment at that moment.

    So `env.step(env.action_space.sample())` works as everywhere in Gymnasium, even with a `reset` in
    between. An action chosen by the caller is never replaced: if it is illegal, IllegalAction is raised.
    """

    def __init__(self, mask: NDArray[np.uint8]) -> None:
        """mask: uint8 [NUM_ACTIONS], which the environment rewrites in place."""
        super().__init__(NUM_ACTIONS)
        self.legal_now = mask

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw among the actions of a mask or by probabilities; by default among the legal ones."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        return DrawnAction(super().sample(self.legal_now.view(np.int8)))


class WizardEnv(gymnasium.Env[NDArray[np.uint8], np.int64]):
    """One learner plays Wizard against opponents; `step` returns at the learner's next decision.

    Observations are rows of bytes as the table OBSERVATION lays them out, uint8 [OBS_SIZE]. Actions
    are ids of ACTIONS; which are legal is in `info["action_mask"]`, int8 [NUM_ACTIONS], and in
    `action_masks()`, bool. `info["seat"]` is the learner's seat, `info["scores"]`, int64
    [num_players], everybody's points of the game. Rewards are in points, see `rewards`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        num_players: int = 4,
        seat: int | None = None,
        opponents: Opponents = "random",
        episode: Episode = "game",
        reward: Reward = "points",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Set up the game.

        Args:
            num_players: 3 to 6.
            seat: the learner's seat; drawn for each game if None.
            opponents: the name of an agent, an agent, or one for each seat to the learner's left.
            episode: "game", or "round": each episode is the next round of the game.
            reward: "points", "game", "relative", "win" or "rank", see `rewards`.
            render_mode: None, "ansi", "rgb_array" or "human"; what is shown is the learner's view.
            options: the other options of Rules.
        """
        rules = make_rules(WizardEnv, num_players, options)
        self._games = GamesWithOpponents(rules, 1, seat, opponents, episode, reward)
        self._renderer = Renderer(render_mode)
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8)
        self.action_space: LegalActions = LegalActions(self._games.mask[0])
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Start the next episode; with a seed, the game with that seed.

        Without a seed, games follow from the last seed, or from a random one at first.
        """
        super().reset(seed=seed)
        if seed is not None or not self._begun:
            first = self.np_random.integers(2**63) if seed is None else seed
            self._games.begin(_ROW, np.array([first], np.uint64))
        else:
            self._games.go_on(_ROW)
        self._begun = True
        self._show()
        return self._games.observation[0].copy(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.uint8], SupportsFloat, bool, bool, dict[str, Any]]:
        """Take an action, then let the opponents act until the learner's next decision.

        Raises IllegalAction; then nothing has changed.
        """
        if isinstance(action, DrawnAction):
            action = self._nearest_legal(int(action))
        self._games.step(np.array([action]), _ROW)
        self._show()
        games = self._games
        return (
            games.observation[0].copy(),
            float(games.reward[0]),
            bool(games.terminated[0]),
            False,
            self._info(),
        )

    def _nearest_legal(self, action: int) -> int:
        legal = self._games.mask[0].nonzero()[0]
        return int(legal[abs(legal - action).argmin()]) if len(legal) else action

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self.action_space.legal_now = self._games.mask[0]

    def action_masks(self) -> NDArray[np.bool_]:
        """bool [NUM_ACTIONS]: the legal actions, where sb3-contrib looks for them."""
        return self._games.mask[0].astype(np.bool_)

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._games.mask[0].astype(np.int8),
            "seat": int(self._games.seat[0]),
            "scores": self._games.scores[0].astype(np.int64),
        }

    @property
    def game(self) -> Game:
        """A copy of the current game; everything, hidden cards included."""
        return Game.from_state(self._games.rules, self._games.states)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """What the learner sees: text for "ansi", uint8 [height, width, 3] for "rgb_array"."""
        return self._renderer.render(self.game.scene(int(self._games.seat[0])))

    def close(self) -> None:
        self._renderer.close()

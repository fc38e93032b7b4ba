"""WizardEnv: a gymnasium.Env in which one learner plays against opponents."""

from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env.checks import check_seed
from wizard_env.envs.opponents import Episode, GamesWithOpponents, IllegalActions, Opponents
from wizard_env.envs.reset_options import ResetOptions
from wizard_env.envs.rewards import RewardFunction
from wizard_env.envs.seeds import OwnSeed
from wizard_env.envs.spaces import (
    LegalActions,
    ObservationType,
    fit_to_space,
    observation_space,
    with_history,
)
from wizard_env.envs.specification import OwnSpec
from wizard_env.game import Game
from wizard_env.render.modes import RENDER_FPS, RENDER_MODES, Renderer
from wizard_env.rules import make_rules

_ROW = np.zeros(1, np.int64)


class WizardEnv(OwnSeed, OwnSpec, gymnasium.Env[Any, np.int64]):
    """One learner plays Wizard against opponents; `step` returns at the learner's next decision.

    Observations are rows of bytes as in OBSERVATION, uint8 [OBS_SIZE], or float32 from 0 to 1. With
    `history=True` they are {"observation": the row, "history": int8 [num_rounds, ROUND_SIZE]}, where the
    finished rounds of the game come first, as in HISTORY. Actions are ids of ACTIONS; the legal ones are in
    `info["action_mask"]`, int8 [NUM_ACTIONS], and in `action_masks()`, bool. `info["seat"]` is the learner's
    seat, and `info["scores"]`, int64 [num_players], are the points of the game so far. After a step that
    ended a round `info["round"]`, int8 [ROUND_SIZE], is that round, as in HISTORY; else it is zero. With
    `illegal_action="end"`, `info["illegal_action"]` says whether one has ended the episode. Rewards are in
    points, see `rewards`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        num_players: int = 4,
        seat: int | None = None,
        opponents: Opponents = "random",
        episode: Episode = "game",
        reward: str | RewardFunction = "points",
        dtype: ObservationType = "uint8",
        history: bool = False,
        illegal_action: IllegalActions = "raise",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Set up the game.

        Args:
            num_players: 3 to 6.
            seat: the learner's seat; drawn for each game if None.
            opponents: the name of an agent, an agent, or one for each seat to the learner's left.
            episode: "game", or "round": each episode is the next round of the game.
            reward: "points", "game", "relative", "win", "rank" or "win_probability", see `rewards`; or a
                function, or where to import one, see `find_reward`.
            dtype: of the observations: "uint8" as in OBSERVATION, or "float32" with each entry / high.
            history: also show the finished rounds of the game.
            illegal_action: "raise" IllegalAction; or "end" the episode, and its game, for algorithms that
                know no masks.
            illegal_reward: the reward of a step that is ended by an illegal action.
            render_mode: None, "ansi", "rgb_array" or "human"; the learner's view is shown.
            options: the other options of Rules.
        """
        rules = make_rules(WizardEnv, num_players, options)
        self._games = GamesWithOpponents(
            rules, 1, seat, opponents, episode, reward, illegal_action, illegal_reward
        )
        self._renderer = Renderer(render_mode)
        self.render_mode = render_mode
        self._row_space = observation_space(dtype)
        self._history = bool(history)
        self.observation_space: gymnasium.Space[Any] = (
            with_history(self._row_space, rules) if history else self._row_space
        )
        self.action_space: LegalActions = LegalActions(self._games.mask[0])
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next episode; with a seed, the game with that seed, from 0 to 2**64 - 1.

        Without a seed, games follow from the last seed, at first from a random one, `np_random_seed`.

        options: for this game alone, see ResetOptions; with any of them a new game begins.
        """
        asked = ResetOptions.read(options, self._games.rules, history=self._history)
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        if seed is not None or not self._begun:
            first = self._first_seed() if seed is None else seed
            self._games.begin(_ROW, np.array([first], np.uint64), asked)
        else:
            self._games.next_episode(_ROW, asked)
        self._begun = True
        return self._show()

    def step(self, action: np.int64 | int) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take an action, then let the opponents act until the learner's next decision.

        Raises IllegalAction, and then leaves the game unchanged; with `illegal_action="end"` only ValueError,
        if the episode has ended.
        """
        games = self._games
        games.step(np.array([action]), _ROW)
        observation, info = self._show()
        return observation, float(games.reward[0]), bool(games.terminated[0]), False, info

    def _show(self) -> tuple[Any, dict[str, Any]]:
        """Return observation and info, and renew the window if there is one."""
        if self.render_mode == "human":
            self.render()
        row = fit_to_space(self._games.observation[0], self._row_space)
        if not self._history:
            return row, self._info()
        return {"observation": row, "history": self._games.history[0].copy()}, self._info()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.action_space.legal_now = self._games.mask[0]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool [NUM_ACTIONS], the legal actions, where sb3-contrib looks for them."""
        return self._games.mask[0].astype(np.bool_)

    def _info(self) -> dict[str, Any]:
        info = {
            "action_mask": self._games.mask[0].astype(np.int8),
            "seat": self._games.seat[0],
            "scores": self._games.scores[0].astype(np.int64),
            "round": self._games.finished[0].copy(),
        }
        if self._games.illegal is not None:
            info["illegal_action"] = bool(self._games.illegal[0])
        return info

    @property
    def game(self) -> Game:
        """A copy of the current game, hidden cards included."""
        return self._games.game(0)

    def render(self) -> Any:
        """Show the learner's view: text for "ansi", uint8 [height, width, 3] for "rgb_array"."""
        return self._renderer.render(self.game.scene(int(self._games.seat[0])))

    def close(self) -> None:
        self._renderer.close()

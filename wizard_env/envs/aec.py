"""The PettingZoo AEC environment: every seat is an agent."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from wizard_env.actions import NUM_ACTIONS
from wizard_env.checks import check_seed
from wizard_env.envs.reset_options import ResetOptions
from wizard_env.envs.rewards import RewardFunction, find_reward
from wizard_env.envs.spaces import ObservationType, fit_to_space, history_space, observation_space
from wizard_env.game import Game
from wizard_env.history.finished import count_finished
from wizard_env.observation.fields import FULL_HIGHS, ROUND_SIZE, as_rows
from wizard_env.render.modes import RENDER_FPS, RENDER_MODES, Renderer
from wizard_env.rules import make_rules
from wizard_env.state import OVER

_NO_ACTIONS = np.zeros(NUM_ACTIONS, np.int8)
_NO_ROUND = np.zeros(ROUND_SIZE, np.int8)
_NO_ACTIONS.flags.writeable = False


def env(**options: Any) -> AECEnv[str, dict[str, NDArray[Any]], int]:
    """Make `raw_env` in PettingZoo's wrappers: an illegal action ends the game with reward -1."""
    return _OrderEnforcing(_AssertOutOfBounds(_TerminateIllegal(raw_env(**options), illegal_reward=-1)))


class _Direct:
    """Reads attributes straight through a wrapper, whose failed look-ups are most of its cost.

    Before `reset` the attributes do not exist, and the wrapper's own `__getattr__` answers.
    """

    env: Any
    agents = property(lambda self: self.env.agents)
    agent_selection = property(lambda self: self.env.agent_selection)
    rewards = property(lambda self: self.env.rewards)
    terminations = property(lambda self: self.env.terminations)
    truncations = property(lambda self: self.env.truncations)
    infos = property(lambda self: self.env.infos)
    _cumulative_rewards = property(lambda self: self.env._cumulative_rewards)

    def __str__(self) -> str:
        return str(self.env)


class _TerminateIllegal(_Direct, wrappers.TerminateIllegalWrapper):  # type: ignore[misc]
    pass


class _AssertOutOfBounds(_Direct, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]
    pass


class _OrderEnforcing(_Direct, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    pass


class raw_env(AECEnv[str, dict[str, NDArray[Any]], int]):  # type: ignore[misc]  # noqa: N801
    """Wizard for PettingZoo. Agents are "player_0" to "player_5", by seat.

    Observations are {"observation": uint8 [OBS_SIZE], "action_mask": int8 [NUM_ACTIONS]}, see
    OBSERVATION; the mask is zero for an agent that does not act, and is in `infos` too. With `history=True`
    there is also "history", int8 [num_rounds, ROUND_SIZE], where the finished rounds of the game come first,
    as in HISTORY. From the end of a round to its own next step an agent finds that round in its info, as
    "round", int8 [ROUND_SIZE], which is zero at all other times. `step` raises IllegalAction, and leaves the
    game unchanged.
    """

    metadata: dict[str, Any] = {
        "name": "wizard_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        num_players: int = 4,
        reward: str | RewardFunction = "points",
        dtype: ObservationType = "uint8",
        history: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Set up the game.

        Args:
            num_players: 3 to 6.
            reward: "points", "game", "relative", "win", "rank" or "win_probability", see `rewards`; or a
                function, or where to import one, see `find_reward`.
            dtype: of the observations: "uint8" as in OBSERVATION, or "float32" with each entry / high.
            history: also show the finished rounds of the game.
            render_mode: None, "ansi", "rgb_array" or "human"; the acting seat's view is shown.
            options: the other options of Rules.
        """
        super().__init__()
        self.rules = make_rules(raw_env, num_players, options)
        self.reward = reward
        self._compute_rewards = find_reward(reward)
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._history = bool(history)
        self._num_rounds = len(self.rules.rounds)
        past = {"history": history_space(self.rules)} if history else {}
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": observation_space(dtype),
                    "action_mask": gymnasium.spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
                    **past,
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        self.state_space = gymnasium.spaces.Box(0, FULL_HIGHS, dtype=np.uint8)
        self._row_space = observation_space(dtype)
        self._bytes = dtype == "uint8"
        self._rng = np.random.default_rng()

    def __getstate__(self) -> dict[str, Any]:
        rows = ("_copy_row", "_copy_mask")
        return {name: value for name, value in self.__dict__.items() if name not in rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "game" in state:
            self._take_rows()

    def _take_rows(self) -> None:
        """Keep the methods that copy the game's rows, for speed."""
        self._copy_row = self.game.observation_row.copy
        self._copy_mask = self.game.mask_row.view(np.int8).copy

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game: `Game(rules, seed=seed)`, or without a seed the next of a series.

        options: for this game, see ResetOptions: "dealer" and "hand_sizes". Another dealer turns the first
            deal round the table, so that the seat to the dealer's left gets the same cards.
        """
        given = dict(options or {})
        given.pop("options", None)  # PettingZoo's own test suites reset with {"options": 1}
        asked = ResetOptions.read(given, self.rules, without=("seat",), history=self._history)
        if seed is not None:
            seed = check_seed(seed)
            self._rng = np.random.default_rng(seed)
        number = int(self._rng.integers(2**63)) if seed is None else seed
        self.game = Game(asked.change(self.rules), number)
        if asked.dealer is not None:
            self.game = _turn_deal(self.game, asked.dealer)
        self._take_rows()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._paid = False
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {
            agent: {"action_mask": _NO_ACTIONS.copy(), "round": _NO_ROUND.copy()} for agent in self.agents
        }
        self._select()

    def _select(self) -> None:
        agent = self.agent_selection = self.possible_agents[self.game.acting_seat]
        self.infos[agent]["action_mask"] = self._copy_mask()
        if self.render_mode == "human":
            self.render()

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, NDArray[Any]] | None, float, bool, bool, dict[str, Any]]:
        """Return what PettingZoo's own `last` does, faster."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        game, seat = self.game, self._seats[agent]
        if seat == game.acting_seat and game.phase_code < OVER and not self._has_ended(agent):
            row, mask = self._copy_row(), self._copy_mask()
        else:
            row, mask = game.observe(seat), _NO_ACTIONS.copy()
        observation = row if self._bytes else fit_to_space(row, self._row_space)
        if not self._history:
            return {"observation": observation, "action_mask": mask}
        history, finished = np.zeros((self._num_rounds, ROUND_SIZE), np.int8), as_rows(game.finished_rounds)
        history[: len(finished)] = finished  # fewer rounds where `reset` was asked for them
        return {"observation": observation, "action_mask": mask, "history": history}

    def _has_ended(self, agent: str) -> bool:
        """Return whether an agent's game has ended: wrappers end games that are not over."""
        return self.terminations.get(agent, True) or self.truncations[agent]

    def _deads_step_first(self) -> str:
        """Take every choice away and turn to the first agent: PettingZoo's wrappers end a game with this."""
        for info in self.infos.values():
            info["action_mask"] = _NO_ACTIONS.copy()
        selected: str = super()._deads_step_first()
        return selected

    def state(self) -> NDArray[np.uint8]:
        """Return uint8 [FULL_SIZE], as in FULL_STATE: everything, with seats counted from player_0."""
        return self.game.full_state()

    def step(self, action: int | None) -> None:
        """Take the action of the selected agent; None if its game is over. Raises IllegalAction."""
        agent = self.agent_selection
        if self._has_ended(agent):
            self._was_dead_step(action)
            return
        game = self.game
        finished = game.step(action)  # type: ignore[arg-type]
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent]["action_mask"] = _NO_ACTIONS.copy()
        self.infos[agent]["round"] = _NO_ROUND.copy()
        if self._paid:
            self._clear_rewards()
            self._paid = False
        if finished is not None:
            self._pay(finished.points)
            last = as_rows(game.finished_rounds)[int(count_finished(game.state)[0]) - 1]
            for info in self.infos.values():
                info["round"] = last.copy()
        if game.phase_code < OVER:
            self._select()
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]  # every agent is stepped once more, with None
            if self.render_mode == "human":
                self.render()

    def _pay(self, points: list[int]) -> None:
        over = np.asarray(self.game.phase_code == OVER)
        scores = np.array(self.game.scores, np.int16)
        paid = self._compute_rewards(np.array(points, np.int16), scores, over, self._find_rounds).tolist()
        self.rewards = dict(zip(self.possible_agents, paid, strict=True))
        self._paid = True
        self._accumulate_rewards()

    def _find_rounds(self) -> NDArray[np.int8]:
        """Return the hand sizes of the round just scored and of those after it."""
        number = int(count_finished(self.game.state)[0])
        return np.array(self.game.rules.rounds[number - 1 :], np.int8)

    def render(self) -> Any:
        """Show the acting seat's view: text for "ansi", uint8 [height, width, 3] for "rgb_array"."""
        return self._renderer.render(self.game.scene(self.game.acting_seat))

    def close(self) -> None:
        self._renderer.close()


def _turn_deal(game: Game, dealer: int) -> Game:
    """Return a game with the same first deal, turned round the table so that `dealer` deals it."""
    turn = dealer - game.dealer
    players = game.rules.num_players
    hands = [game.hands[(seat - turn) % players] for seat in range(players)]
    return Game.from_deal(game.rules, dealer, hands, game.upcard, seed=game.seed, round_number=1)

"""SelfPlayRounds: rounds of Wizard as an environment of RLlib, and the runner that counts its decisions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode

from wizard_env import Games, sample_legal
from wizard_env.agents import load
from wizard_env.sampling import draw_noise
from wizard_env.state import SCORED
from wizard_env.train.rllib.module import ACTION_SPACE, OBSERVATION_SPACE
from wizard_env.train.selfplay.games import REWARD_SCALES, draw_learners
from wizard_env.view import actions_by_owner

POINTS = "points"
"""The metric with the points of the seats that learn, in the rounds of an iteration: arrays, int16 [k]."""


class SelfPlayRounds(MultiAgentEnv):  # type: ignore[misc]
    """Several games side by side; an episode is one round of each, all of the same hand size.

    Agents are the seats that learn, "game_0/player_0" and so on, drawn again for every round. A step
    takes one decision in each game whose round is not over, by the agent whose observation was
    returned: {"observation": uint8 [OBS_SIZE], "action_mask": uint8 [NUM_ACTIONS]}. As in `SelfPlayGames`
    observations and actions are in canonical suits, and decisions with one legal action are skipped. The
    last step of an episode pays every agent its own points of the round, scaled as in `SelfPlayGames`.

    The games are one environment because RLlib cannot handle several. Either it cuts their episodes, and
    loses the decisions of all seats that do not act at the cut (ray-project/ray#44677), or it drops every
    episode but the first to end, and so the rounds of large hands.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: `rules`, `num_games`, `seed`, `sparring`, `partners`, `alone`, as for `SelfPlayGames`."""
        super().__init__()
        rules, num_games = config["rules"], config["num_games"]
        self._sparring, self._alone = config["sparring"], config["alone"]
        self._partners = [load(partner) for partner in config["partners"]]
        self._rng = np.random.default_rng((config["seed"], getattr(config, "worker_index", 0)))
        self.games = Games(rules, num_games, canonical_suits=True, skip_forced=True, pause="round")
        self._rows = np.arange(num_games)
        self._learns = np.ones((num_games, rules.num_players), np.bool_)
        self._partner = np.zeros(num_games, np.int64)
        self.possible_agents = [
            f"game_{game}/player_{seat}" for game in range(num_games) for seat in range(rules.num_players)
        ]
        self.agents = self.possible_agents
        self.observation_spaces = dict.fromkeys(self.agents, OBSERVATION_SPACE)
        self.action_spaces = dict.fromkeys(self.agents, ACTION_SPACE)
        for _ in range(self._rng.integers(len(rules.rounds))):  # else all workers would be at the same round
            self._deal()
            while len(rows := self._unfinished()):
                self.games.step(sample_legal(self.games.mask[rows], self._rng), rows)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal the next round. The seed is ignored: RLlib passes the same one for every episode."""
        self._acted: set[str] = set()
        self._deal()
        while not len(self._unfinished()):  # no seat that learns had a choice
            self._deal()
        return self._observations(), {}

    def step(
        self, action_dict: Mapping[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Take the agents' decisions and play on to the next ones; changes nothing if it raises."""
        rows = self._unfinished()
        agents = self._acting_agents(rows)
        self.games.step([action_dict[agent] for agent in agents], rows)
        self._acted.update(agents)
        self._play_partners()
        over = not len(self._unfinished())
        rewards = self._rewards() if over else dict.fromkeys(agents, 0.0)
        return self._observations(), rewards, {"__all__": over}, {"__all__": False}, {}

    def _unfinished(self) -> NDArray[np.int64]:
        """Return the games whose round is not over."""
        return (self.games.states["phase"] < SCORED).nonzero()[0]

    def _acting_agents(self, rows: NDArray[np.int64]) -> list[str]:
        numbers = rows * self._learns.shape[1] + self.games.seat[rows]
        return [self.agents[number] for number in numbers]

    def _deal(self) -> None:
        """Deal in every game, draw the seats that learn, and play on to their first decisions."""
        games, rng = self.games, self._rng
        if (games.states["phase"] == SCORED).all():
            games.deal(self._rows)
        else:
            games.begin(self._rows, draw_noise(rng, games.num_games))
        self._learns = draw_learners(np.ones_like(self._learns), self._sparring, self._alone, rng)
        self._partner = rng.integers(0, len(self._partners), games.num_games)
        self._play_partners()

    def _play_partners(self) -> None:
        """Play for the partners until a learner acts next in every game whose round is not over."""
        games = self.games
        while True:
            rows = self._unfinished()
            rows = rows[~self._learns[rows, games.seat[rows]]]
            if not len(rows):
                return
            actions = actions_by_owner(self._partners, self._partner[rows], games.view(rows), self._rng)
            games.step(actions, rows, printed=True)

    def _observations(self) -> dict[str, dict[str, NDArray[np.uint8]]]:
        games, rows = self.games, self._unfinished()
        return {
            agent: {"observation": games.observation[row].copy(), "action_mask": games.mask[row].copy()}
            for agent, row in zip(self._acting_agents(rows), rows, strict=True)
        }

    def _rewards(self) -> dict[str, float]:
        """Return the rewards of the round for the agents that had a choice in it."""
        rewards = (self.games.points * REWARD_SCALES["points"]).ravel().tolist()
        return {agent: rewards[number] for number, agent in enumerate(self.agents) if agent in self._acted}


class CountingRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Counts decisions as RLlib's steps, and logs the points of every round.

    RLlib's own count of agents' steps fails if an agent does not act in every sample, as happens with
    partners in the game; and it keeps a dozen averages for each agent.
    """

    def _increase_sampled_metrics(
        self, num_steps: int, next_obs: dict[str, Any], episode: MultiAgentEpisode
    ) -> int:
        decisions: int = episode.agent_steps() if episode.is_done else 0
        super()._increase_sampled_metrics(decisions, {}, episode)
        return num_steps

    def _log_episode_metrics(
        self, length: int, ret: float, sec: float, agents: dict[str, float], *by_agent: Any
    ) -> None:
        super()._log_episode_metrics(length, ret, sec)
        points = np.rint(np.array(list(agents.values())) / REWARD_SCALES["points"]).astype(np.int16)
        for half in np.array_split(points, 2):  # RLlib reports a series of one as its item
            self.metrics.log_value(POINTS, half, reduce="item_series")

"""SelfPlayRunner: an EnvRunner of RLlib that plays batches of games and hands over arrays."""

from collections.abc import Collection
from typing import Any

import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.callbacks.utils import make_callback
from ray.rllib.core import COMPONENT_RL_MODULE
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.utils import force_list
from ray.rllib.utils.checkpoints import Checkpointable
from ray.rllib.utils.framework import get_device
from ray.rllib.utils.metrics import (
    EPISODE_LEN_MEAN,
    EPISODE_RETURN_MAX,
    EPISODE_RETURN_MEAN,
    EPISODE_RETURN_MIN,
    NUM_AGENT_STEPS_SAMPLED,
    NUM_AGENT_STEPS_SAMPLED_LIFETIME,
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES,
    NUM_EPISODES_LIFETIME,
    NUM_MODULE_STEPS_SAMPLED,
    NUM_MODULE_STEPS_SAMPLED_LIFETIME,
    SAMPLE_TIMER,
    WEIGHTS_SEQ_NO,
)
from ray.rllib.utils.torch_utils import FLOAT_MIN

from wizard_env import NUM_ACTIONS, OBS_SIZE, sample_softmax
from wizard_env.sampling import best_legal
from wizard_env.train.rllib.decisions import Decisions
from wizard_env.train.rllib.env import POINTS
from wizard_env.train.rllib.module import ACTION_SPACE, MODULE, OBSERVATION_SPACE
from wizard_env.train.selfplay.advantages import seat_advantages
from wizard_env.train.selfplay.games import REWARD_SCALES, SelfPlayGames

STEPS_PER_TURN = 16
"""How many steps are played at a time where a number of rounds is asked for."""


class SelfPlayRunner(EnvRunner, Checkpointable):  # type: ignore[misc]
    """Plays `SelfPlayGames`, all of them in each step, and hands over `Decisions` with their advantages.

    RLlib's own runner keeps each decision as Python objects in an episode of its agent, and goes through
    one pipeline of connectors to the module and another one back. Here a step is one batch, from the games
    to the module and back.

    To RLlib a step is a decision, an episode is a round of one seat that learns, and the agent is MODULE.
    Rounds go on from sample to sample; `seat_advantages` says how decisions are credited whose round a
    sample cuts. RLlib's callback `on_sample_end` is called, those on episodes are not.

    The module has the spaces of `wizard_env.train.rllib.module`, and `forward_exploration` and
    `forward_inference` return logits and values (`Columns.ACTION_DIST_INPUTS`, `Columns.VF_PREDS`).
    """

    def __init__(self, *, config: AlgorithmConfig, **options: Any) -> None:
        """Build the module. The games are dealt for the first sample.

        config: of `num_envs_per_env_runner` games; `env_config` has `rules`, `seed`, `sparring`, `partners`
            and `alone`, as for `SelfPlayGames`.
        """
        super().__init__(config=config, **options)
        self._device = get_device(
            self.config, self.config.num_gpus_per_env_runner if self.worker_index else 0
        )
        self._callbacks = [make() for make in force_list(self.config.callbacks_class)]
        self._weights_seq_no = 0
        self._times_dealt = 0
        self._rng: np.random.Generator
        self._self_play: SelfPlayGames | None = None
        self.module: MultiRLModule
        self.make_module()

    # --- playing

    def sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool | None = None,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[Decisions]:
        """Play on.

        Args:
            num_timesteps: the least number of decisions; by default this runner's share of a train batch.
            num_episodes: the least number of rounds to finish, counted for each seat that learns.
            explore: draw actions by their probabilities; otherwise take the likeliest. By default what
                the config says.
            random_actions: draw evenly among the legal actions.
            force_reset: deal new games first.

        Returns:
            The decisions, step by step, and in a step game by game.

        Raises:
            ValueError: both numbers are given, or one that is less than 1.
        """
        given = [number for number in (num_timesteps, num_episodes) if number is not None]
        if len(given) > 1 or min(given, default=1) < 1:
            raise ValueError(f"{num_timesteps=}, {num_episodes=}: one may be given, and is at least 1")
        explore = self.config.explore if explore is None else explore
        with self.metrics.log_time(SAMPLE_TIMER):
            if force_reset or self._self_play is None:
                self._self_play = self._deal()
            if num_timesteps is None:
                steps = self.config.get_rollout_fragment_length(self.worker_index)
            else:
                steps = -(-num_timesteps // self.config.num_envs_per_env_runner)
            samples: list[Decisions] = []
            points: list[NDArray[np.int16]] = []
            if num_episodes is None:
                samples.append(self._play(self._self_play, steps, explore, random_actions, points))
            else:
                while sum(len(part) for part in points) < num_episodes:
                    samples.append(
                        self._play(self._self_play, STEPS_PER_TURN, explore, random_actions, points)
                    )
            self._log(sum(len(decisions) for decisions in samples), np.concatenate(points))
            make_callback(
                "on_sample_end",
                callbacks_objects=self._callbacks,
                callbacks_functions=self.config.callbacks_on_sample_end,
                kwargs={"env_runner": self, "metrics_logger": self.metrics, "samples": samples},
            )
        return samples

    def _deal(self) -> SelfPlayGames:
        """New games; others for each runner, and for one that takes the place of a lost one."""
        config = self.config
        games = config.env_config
        numbers = games["seed"], self.worker_index or 0, config.in_evaluation, self._weights_seq_no
        dealing, acting = np.random.SeedSequence((*map(int, numbers), self._times_dealt)).spawn(2)
        self._times_dealt += 1
        self._rng = np.random.default_rng(acting)
        return SelfPlayGames(
            games["rules"],
            config.num_envs_per_env_runner,
            int(dealing.generate_state(1)[0]),
            games["sparring"],
            games["partners"],
            games["alone"],
        )

    def _play(
        self,
        self_play: SelfPlayGames,
        steps: int,
        explore: bool,
        random_actions: bool,
        points: list[NDArray[np.int16]],
    ) -> Decisions:
        """Take one decision in each game, `steps` times.

        points: to which the points of the finished rounds are added, an array [k] for each step.
        """
        games = self_play.games
        shape = steps, games.num_games
        observations = np.empty((*shape, OBS_SIZE), np.uint8)
        masks = np.empty((*shape, NUM_ACTIONS), np.uint8)
        logits = np.empty((*shape, NUM_ACTIONS), np.float32)
        actions = np.empty(shape, np.int64)
        log_probabilities = np.zeros(shape, np.float32)
        values = np.empty(shape, np.float32)
        seats = np.empty(shape, np.int64)
        rewards = np.empty((*shape, self_play.learns.shape[1]), np.float32)
        ended = np.empty(shape, np.bool_)
        for step in range(steps):
            observations[step] = games.observation
            masks[step] = games.mask
            seats[step] = games.seat
            logits[step], values[step] = self._answers(games.observation, games.mask, explore)
            if random_actions:
                logits[step] = np.where(games.mask, 0, FLOAT_MIN)
            if explore or random_actions:
                actions[step], log_probabilities[step] = sample_softmax(logits[step], games.mask, self._rng)
            else:
                actions[step] = best_legal(logits[step], games.mask)
            self_play.step(actions[step])
            rewards[step] = self_play.rewards
            ended[step] = self_play.ended
            points.append(self_play.learners_points())
        advantages = np.empty(shape, np.float32)
        _, last_values = self._answers(games.observation, games.mask, explore)
        seat_advantages(
            seats,
            rewards,
            ended,
            values,
            last_values,
            games.seat.astype(np.int64),
            self.config.gamma,
            self.config.lambda_,
            advantages,
        )
        count = steps * games.num_games
        return Decisions(
            observations=observations.reshape(count, OBS_SIZE),
            masks=masks.reshape(count, NUM_ACTIONS),
            logits=logits.reshape(count, NUM_ACTIONS),
            actions=actions.reshape(count),
            log_probabilities=log_probabilities.reshape(count),
            advantages=advantages.reshape(count),
            value_targets=(advantages + values).reshape(count),
        )

    def _answers(
        self, observation: NDArray[np.uint8], mask: NDArray[np.uint8], explore: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The module's logits, float32 [n, NUM_ACTIONS], and values, [n]."""
        module = self.module[MODULE]
        forward = module.forward_exploration if explore else module.forward_inference
        seen = {"observation": observation, "action_mask": mask}
        tensors = {name: torch.from_numpy(array).to(self._device) for name, array in seen.items()}
        outputs = forward({Columns.OBS: tensors})
        logits, values = outputs[Columns.ACTION_DIST_INPUTS], outputs[Columns.VF_PREDS]
        return logits.cpu().numpy(), np.ascontiguousarray(values.cpu().numpy())  # a column of the outputs

    # --- what RLlib asks of a runner

    def _log(self, decisions: int, points: NDArray[np.int16]) -> None:
        """Count decisions and rounds. points: int16 [k], of each seat that learns in the rounds finished."""
        log = self.metrics.log_value
        log(WEIGHTS_SEQ_NO, self._weights_seq_no, window=1)
        log(NUM_ENV_STEPS_SAMPLED, decisions, reduce="sum")
        log(NUM_ENV_STEPS_SAMPLED_LIFETIME, decisions, reduce="lifetime_sum", with_throughput=True)
        log((NUM_AGENT_STEPS_SAMPLED, MODULE), decisions, reduce="sum")
        log((NUM_AGENT_STEPS_SAMPLED_LIFETIME, MODULE), decisions, reduce="lifetime_sum")
        log((NUM_MODULE_STEPS_SAMPLED, MODULE), decisions, reduce="sum")
        log((NUM_MODULE_STEPS_SAMPLED_LIFETIME, MODULE), decisions, reduce="lifetime_sum")
        log(NUM_EPISODES, points.size, reduce="sum")
        log(NUM_EPISODES_LIFETIME, points.size, reduce="lifetime_sum")
        for half in np.array_split(points, 2):  # RLlib reports a series of one as its item
            log(POINTS, half, reduce="item_series")
        if points.size:
            returns = points * REWARD_SCALES["points"]
            log(EPISODE_RETURN_MEAN, float(returns.mean()), window=1)
            log(EPISODE_RETURN_MIN, float(returns.min()), reduce="min", window=1)
            log(EPISODE_RETURN_MAX, float(returns.max()), reduce="max", window=1)
            log(EPISODE_LEN_MEAN, decisions / points.size, window=1)

    def get_metrics(self) -> Any:
        """The metrics since the last call, as RLlib's statistics."""
        return self.metrics.reduce()

    def get_spaces(self) -> dict[str, tuple[Any, Any]]:
        """The spaces of the module and, which is the same here, of the environment."""
        spaces = OBSERVATION_SPACE, ACTION_SPACE
        return {INPUT_ENV_SPACES: spaces, INPUT_ENV_SINGLE_SPACES: spaces, MODULE: spaces}

    def make_module(self) -> None:
        """Build the module that the config specifies, on this runner's device."""
        spec = self.config.get_multi_rl_module_spec(spaces=self.get_spaces(), inference_only=True)
        self.module = spec.build()
        self.module[MODULE].to(self._device)

    def assert_healthy(self) -> None:
        """Nothing can be missing once the runner is made."""

    def get_state(
        self,
        components: str | Collection[str] | None = None,
        *,
        not_components: str | Collection[str] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """The decisions counted by RLlib and, if it is among the components, the module."""
        state: dict[str, Any] = {NUM_ENV_STEPS_SAMPLED_LIFETIME: self.num_env_steps_sampled_lifetime}
        if self._check_component(COMPONENT_RL_MODULE, components, not_components):
            state[COMPONENT_RL_MODULE] = self.module.get_state(
                components=self._get_subcomponents(COMPONENT_RL_MODULE, components),
                not_components=self._get_subcomponents(COMPONENT_RL_MODULE, not_components),
                **options,
            )
            state[WEIGHTS_SEQ_NO] = self._weights_seq_no
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over what `get_state` returned, or the learners' weights unless they are older than these."""
        if COMPONENT_RL_MODULE in state:
            number = state.get(WEIGHTS_SEQ_NO, 0)
            if number == 0 or number > self._weights_seq_no:
                module = state[COMPONENT_RL_MODULE]
                self.module.set_state(ray.get(module) if isinstance(module, ray.ObjectRef) else module)
            if number > 0:
                self._weights_seq_no = number
        if NUM_ENV_STEPS_SAMPLED_LIFETIME in state:
            self.num_env_steps_sampled_lifetime = state[NUM_ENV_STEPS_SAMPLED_LIFETIME]

    def get_ctor_args_and_kwargs(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What a checkpoint makes the runner from."""
        return (), {"config": self.config}

    def get_checkpointable_components(self) -> list[tuple[str, Any]]:
        """The module."""
        return [(COMPONENT_RL_MODULE, self.module)]

"""Masked DQN with Tianshou's PettingZoo wrapper: one seat learns against random ones, or all by self-play.

python examples/tianshou_wizard.py --hand-size 3 --self-play
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams

from wizard_env import wizard_v0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the options; every option has a default."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for name, default, meaning in (
        ("seed", 1, "of the deals and of everything drawn at random"),
        ("num-players", 3, "players of a game, 3 to 6"),
        ("hand-size", 2, "cards in the one round of a game"),
        ("epochs", 10, "of playing and learning"),
        ("steps-per-epoch", 5000, "decisions of an epoch"),
        ("num-envs", 16, "games played side by side"),
        ("buffer-size", 20_000, "decisions that the replay keeps"),
        ("batch-size", 256, "decisions of a gradient step"),
        ("gradient-steps-per-step", 0.05, "gradient steps for each decision"),
        ("learning-rate", 1e-3, "of Adam"),
        ("epsilon", 0.1, "share of random decisions while learning"),
        ("test-games", 200, "games played before and after, to measure"),
    ):
        parser.add_argument(f"--{name}", type=type(default), default=default, help=meaning)
    parser.add_argument("--self-play", action="store_true", help="the learner plays all seats, not just one")
    return parser.parse_args(arguments)


class QNetwork(torch.nn.Module):
    """The expected points of each action, with the signature that Tianshou calls."""

    def __init__(self, high: NDArray[np.uint8], num_actions: int) -> None:
        super().__init__()
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(high).float().rsqrt())
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(len(high), 256),
            torch.nn.ReLU(),
            torch.nn.Linear(256, 256),
            torch.nn.ReLU(),
            torch.nn.Linear(256, num_actions),
        )

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Map uint8 [n, observation] to float32 [n, actions]; return the state unchanged."""
        return self.layers(torch.as_tensor(obs) * self.scale), state


def make_env(options: argparse.Namespace) -> PettingZooEnv:
    """Make a game of a single round, so that all rewards come at its end."""
    return PettingZooEnv(wizard_v0.env(num_players=options.num_players, hand_sizes=(options.hand_size,)))


def make_learner(options: argparse.Namespace, env: PettingZooEnv) -> DQN[Any]:
    policy = DiscreteQLearningPolicy(
        model=QNetwork(env.observation_space["observation"].high, env.action_space.n),
        action_space=env.action_space,
        eps_training=options.epsilon,
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=options.learning_rate),
        gamma=1.0,
        # The next decision in the buffer belongs to another seat, and so would its value. So no value is
        # used: returns reach to the end of the round, over bids, cards and a choice of trump.
        n_step_return_horizon=options.num_players * (options.hand_size + 1) + 1,
    )


def train(options: argparse.Namespace) -> tuple[float, float]:
    """Learn; return the mean points per round of player_0 before and after."""
    np.random.seed(options.seed)  # noqa: NPY002 - Tianshou draws from it
    torch.manual_seed(options.seed)
    env = make_env(options)
    learner = make_learner(options, env)
    others = [
        learner if options.self_play else MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space)
        for _ in env.agents[1:]
    ]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner, *others], env=env)

    training = DummyVectorEnv([lambda: make_env(options) for _ in range(options.num_envs)])
    testing = DummyVectorEnv([lambda: make_env(options) for _ in range(options.num_envs)])
    training.seed(options.seed)
    testing.seed(options.seed + options.num_envs)
    buffer = VectorReplayBuffer(options.buffer_size, options.num_envs)
    collector = Collector[CollectStats](algorithm, training, buffer, exploration_noise=True)
    tester = Collector[CollectStats](algorithm, testing)
    collector.reset()

    before = mean_points(tester, options.test_games)
    print(f"before       points per round {before:+.1f}")
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=options.epochs,
            epoch_num_steps=options.steps_per_epoch,
            collection_step_num_env_steps=options.num_envs * 10,
            batch_size=options.batch_size,
            update_step_num_gradient_steps_per_sample=options.gradient_steps_per_step,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            verbose=False,
            show_progress=False,
        )
    )
    after = mean_points(tester, options.test_games)
    print(f"after        points per round {after:+.1f}")
    return before, after


def mean_points(tester: Collector[CollectStats], games: int) -> float:
    """Return the mean points of player_0, without exploration."""
    return float(tester.collect(n_episode=games, reset_before_collect=True).returns[:, 0].mean())


if __name__ == "__main__":
    train(parse())

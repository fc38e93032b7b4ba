"""Masked PPO in one file, in the style of CleanRL: one learner against opponents, on the vector environment.

python examples/cleanrl_wizard.py --opponents rule_based --hand-sizes 1,2,3
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_args

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import wizard_env


@dataclass
class Args:
    """The options of the command line, such as `--total-timesteps 100000`."""

    seed: Annotated[int, "of the deals and of everything drawn at random"] = 1
    num_players: Annotated[int, "players of a game, 3 to 6"] = 4
    hand_sizes: Annotated[str, "cards in the rounds of a game, for example 1,2,3; without, all"] = ""
    opponents: Annotated[str, "agent in all other seats"] = "random"
    total_timesteps: Annotated[int, "decisions to learn from"] = 500_000
    learning_rate: Annotated[float, "of Adam at the start; it falls to 0"] = 1e-3
    num_envs: Annotated[int, "games played side by side"] = 128
    num_steps: Annotated[int, "decisions of each game in an iteration"] = 32
    gamma: Annotated[float, "discount"] = 1.0
    gae_lambda: Annotated[float, "lambda of GAE"] = 0.95
    num_minibatches: Annotated[int, "gradient steps of a pass"] = 4
    update_epochs: Annotated[int, "passes over the decisions of an iteration"] = 4
    clip_coef: Annotated[float, "clip range of the probability ratio"] = 0.2
    ent_coef: Annotated[float, "weight of the entropy bonus"] = 0.005
    vf_coef: Annotated[float, "weight of the value loss"] = 0.5
    max_grad_norm: Annotated[float, "largest norm of the gradient"] = 0.5


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Parse the fields of `Args` as options."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, help=get_args(field.type)[1]
        )
    return Args(**vars(parser.parse_args(arguments)))


def layer(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """Make a linear layer with orthogonal weights, which suit PPO."""
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Agent(nn.Module):
    """Actor and critic on a shared trunk."""

    def __init__(self, observation_space: Any, num_actions: int) -> None:
        super().__init__()
        high = torch.from_numpy(observation_space.high).float()
        self.scale: torch.Tensor
        self.register_buffer("scale", 1 / high.sqrt())  # flags stay 1, and a count of 1 does not vanish
        self.trunk = nn.Sequential(
            layer(len(high), 256, 2**0.5), nn.ReLU(), layer(256, 256, 2**0.5), nn.ReLU()
        )
        self.actor = layer(256, num_actions, 0.01)
        self.critic = layer(256, 1, 1.0)

    def forward(self, obs: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Map uint8 [n, observation] and bool [n, actions] to distributions of actions and values [n]."""
        hidden = self.trunk(obs * self.scale)
        logits = self.actor(hidden).masked_fill(~mask, torch.finfo(torch.float32).min)
        return Categorical(logits=logits), self.critic(hidden).squeeze(1)


def train(args: Args) -> list[float]:
    """Learn and print the progress; return the mean points per round of every iteration."""
    hand_sizes = tuple(int(size) for size in args.hand_sizes.split(",")) if args.hand_sizes else None
    # An episode is one round, so only its points pay for its bids and plays. With autoreset in the same step
    # every row of a batch is a decision.
    envs = gymnasium.make_vec(
        "wizard_env/Wizard-v0",
        num_envs=args.num_envs,
        num_players=args.num_players,
        hand_sizes=hand_sizes,
        opponents=args.opponents,
        episode="round",
        autoreset_mode="SameStep",
    )
    observation_space: Any = envs.single_observation_space
    num_actions = wizard_env.NUM_ACTIONS
    torch.manual_seed(args.seed)
    agent = Agent(observation_space, num_actions)
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros((*shape, *observation_space.shape), dtype=torch.uint8)
    masks = torch.zeros((*shape, num_actions), dtype=torch.bool)
    actions = torch.zeros(shape, dtype=torch.int64)
    logprobs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))

    batch_size = args.num_steps * args.num_envs
    iterations = max(1, args.total_timesteps // batch_size)
    began, curve = time.time(), []
    observation, info = envs.reset(seed=args.seed)
    next_obs, next_mask = torch.from_numpy(observation), torch.from_numpy(info["action_mask"]).bool()
    for iteration in range(iterations):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - iteration / iterations)
        points: list[float] = []
        for step in range(args.num_steps):
            obs[step], masks[step] = next_obs, next_mask
            with torch.no_grad():
                policy, values[step] = agent(next_obs, next_mask)
                actions[step] = policy.sample()
                logprobs[step] = policy.log_prob(actions[step])
            observation, reward, done, _, info = envs.step(actions[step].numpy())
            next_obs, next_mask = torch.from_numpy(observation), torch.from_numpy(info["action_mask"]).bool()
            rewards[step] = torch.from_numpy(reward) / 20  # so that returns are about 1
            dones[step] = torch.from_numpy(done)
            points += reward[done].tolist()

        with torch.no_grad():
            _, next_value = agent(next_obs, next_mask)
        advantages = torch.zeros(shape)
        last = torch.zeros(args.num_envs)
        for step in reversed(range(args.num_steps)):
            discount = args.gamma * (1 - dones[step])
            following = values[step + 1] if step + 1 < args.num_steps else next_value
            last = rewards[step] + discount * (following + args.gae_lambda * last) - values[step]
            advantages[step] = last
        returns = advantages + values

        flat_obs, flat_masks = obs.flatten(0, 1), masks.flatten(0, 1)
        flat_actions, flat_logprobs = actions.flatten(), logprobs.flatten()
        flat_advantages, flat_returns = advantages.flatten(), returns.flatten()
        for _ in range(args.update_epochs):
            for rows in torch.randperm(batch_size).chunk(args.num_minibatches):
                policy, value = agent(flat_obs[rows], flat_masks[rows])
                ratio = (policy.log_prob(flat_actions[rows]) - flat_logprobs[rows]).exp()
                chosen = flat_advantages[rows]
                chosen = (chosen - chosen.mean()) / (chosen.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(ratio * chosen, clipped * chosen).mean()
                value_loss = (value - flat_returns[rows]).square().mean()
                loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        steps = (iteration + 1) * batch_size
        curve.append(float(np.mean(points)))
        met = float(np.mean(np.array(points) > 0))
        speed = steps / (time.time() - began)
        scored = f"points per round {curve[-1]:+6.1f}  bids met {met:.3f}"
        print(f"step {steps:>9,}  {scored}  {speed:,.0f} steps/s")
    envs.close()
    return curve


if __name__ == "__main__":
    train(parse())

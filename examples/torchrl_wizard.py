"""Masked PPO with TorchRL: one learner against opponents, on the vector environment.

python examples/torchrl_wizard.py --opponents rule_based --hand-sizes 1,2,3    # writes runs/torchrl

`Learned` plays what was trained, anywhere:

wizard evaluate examples/torchrl_wizard.py:Learned rule_based rule_based rule_based --hand-sizes 1,2,3
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_args

import gymnasium
import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary
from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymWrapper, TransformedEnv
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.modules import MaskedCategorical, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from wizard_env import HIGHS, NUM_ACTIONS, OBS_SIZE, View
from wizard_env.sampling import best_legal
from wizard_env.view import Actions

FILE_NAME = "torchrl.safetensors"


@dataclass
class Args:
    """The options of the command line, such as `--iterations 100`."""

    folder: Annotated[str, "where to write when training ends"] = "runs/torchrl"
    seed: Annotated[int, "of the deals and of everything drawn at random"] = 1
    num_players: Annotated[int, "players of a game, 3 to 6"] = 4
    hand_sizes: Annotated[str, "cards in the rounds of a game"] = "1,2,3"
    opponents: Annotated[str, "agent in all other seats"] = "random"
    iterations: Annotated[int, "of playing and learning"] = 50
    num_envs: Annotated[int, "games played side by side"] = 128
    num_steps: Annotated[
        int, "decisions of each game in an iteration; at best a whole game, since all games start together"
    ] = 32
    learning_rate: Annotated[float, "of Adam"] = 1e-3
    width: Annotated[int, "of the two hidden layers"] = 256
    minibatch_size: Annotated[int, "decisions of a gradient step"] = 1024
    update_epochs: Annotated[int, "passes over the decisions of an iteration"] = 4


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Parse the fields of `Args` as options."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, help=get_args(field.type)[1]
        )
    return Args(**vars(parser.parse_args(arguments)))


def make_env(args: Args) -> Any:
    """Make the vector environment for TorchRL, which resets it; the mask comes from the infos."""
    env = GymWrapper(
        gymnasium.make_vec(
            "wizard_env/Wizard-v0",
            num_envs=args.num_envs,
            num_players=args.num_players,
            hand_sizes=tuple(map(int, args.hand_sizes.split(","))),
            opponents=args.opponents,
            episode="round",
            dtype="float32",
            autoreset_mode="Disabled",
        ),
        categorical_action_encoding=True,
    )
    mask = Binary(NUM_ACTIONS, shape=(args.num_envs, NUM_ACTIONS), dtype=torch.int8)
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], spec=[mask]))
    as_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(env, Compose(as_bool, ActionMask()))


def network(width: int, outputs: int) -> nn.Sequential:
    """Make a network of two hidden layers for observations."""
    return nn.Sequential(
        nn.Linear(OBS_SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, outputs)
    )


def train(args: Args) -> list[float]:
    """Learn and print the progress; return the mean points per round of every iteration."""
    torch.manual_seed(args.seed)
    env = make_env(args)
    env.set_seed(args.seed)
    policy = network(args.width, NUM_ACTIONS)
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule(policy, ["observation"], ["logits"]),
        ProbabilisticTensorDictModule(
            in_keys={"logits": "logits", "mask": "action_mask"},
            out_keys=["action"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
        ),
    )
    critic = ValueOperator(network(args.width, 1), in_keys=["observation"])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.005, critic_coeff=0.5, normalize_advantage=True)
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), args.learning_rate, eps=1e-5)
    size = args.num_envs * args.num_steps
    collector = Collector(env, actor, frames_per_batch=size, total_frames=size * args.iterations)

    curve: list[float] = []
    for iteration, rollout in enumerate(collector):
        ended = rollout["next", "done"]
        points = rollout["next", "reward"][ended]
        curve.append(points.mean().item())
        met = (points > 0).float().mean().item()
        print(f"iteration {iteration + 1:>4}  points per round {curve[-1]:+6.1f}  bids met {met:.3f}")
        rollout["next", "reward"] = rollout["next", "reward"] / 20  # so that returns are about 1
        for _ in range(args.update_epochs):
            with torch.no_grad():
                advantage(rollout)
            decisions = rollout.reshape(-1)
            for rows in torch.split(torch.randperm(size), args.minibatch_size):
                losses = loss(decisions[rows])
                total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
    collector.shutdown()
    folder = Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(policy.state_dict(), folder / FILE_NAME)
    return curve


class Learned:
    """Plays a trained network, which takes its likeliest legal action."""

    def __init__(self, path: str = "runs/torchrl") -> None:
        """Read a network. path: the folder that `train` wrote."""
        weights = load_file(Path(path) / FILE_NAME)
        self.network = network(len(weights["0.bias"]), NUM_ACTIONS)
        self.network.load_state_dict(weights)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode()
        with torch.inference_mode():
            scaled = encoding.observation / HIGHS  # as the environment gives them as floats
            logits = self.network(torch.from_numpy(scaled).float())
        return best_legal(logits.numpy(), encoding.mask)


if __name__ == "__main__":
    train(parse())

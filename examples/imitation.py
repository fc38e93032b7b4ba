"""Learning from a data set without playing: imitation, or offline reinforcement learning.

wizard dataset data champion:sample=True --decisions 1000000 --canonical-suits --skip-forced
python examples/imitation.py data imitator
wizard evaluate imitator rule_based rule_based rule_based

With --temperature, actions count more if their round brought more points than expected (advantage-weighted
regression, Peng et al. 2019): the agent can become better than those it learns from.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.evaluation.datasets.parquet import read_decisions
from wizard_env.train.networks.policy_value import PolicyValueNetwork

COLUMNS = ("observation", "mask", "action", "probabilities", "points")
POINTS_UNIT = 20.0
LARGEST_WEIGHT = 20.0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of a data set with canonical suits")
    parser.add_argument("out", type=Path, help="the folder for the agent")
    parser.add_argument("--temperature", type=float, help="in points; without, the agent imitates")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the data")
    parser.add_argument("--batch-size", type=int, default=1024, help="decisions of a gradient step")
    parser.add_argument("--learning-rate", type=float, default=1e-3, help="the highest of one cycle")
    parser.add_argument("--width", type=int, default=512, help="of the two hidden layers")
    parser.add_argument("--seed", type=int, default=0, help="of the first weights and the order of the data")
    return parser.parse_args(arguments)


def policy_loss(
    logits: torch.Tensor, batch: dict[str, torch.Tensor], advantages: torch.Tensor, temperature: float | None
) -> torch.Tensor:
    """Return the loss of logits [n, actions]. advantages: [n], in points. temperature: see `parse`."""
    if temperature is not None:
        weights = (advantages / temperature).exp().clamp(max=LARGEST_WEIGHT)
        losses = torch.nn.functional.cross_entropy(logits, batch["action"].long(), reduction="none")
        return (weights * losses).mean()
    known = ~batch["probabilities"].isnan().any(dim=1, keepdim=True)
    taken = torch.nn.functional.one_hot(batch["action"].long(), logits.shape[1]).float()
    # The whole distribution, where it is known, says more than one action drawn from it.
    return torch.nn.functional.cross_entropy(logits, torch.where(known, batch["probabilities"], taken))


def train(options: argparse.Namespace) -> list[float]:
    """Learn and write the agent; return how often it agreed with the actions, epoch by epoch."""
    parts = list(read_decisions(options.data, COLUMNS))
    data = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])) for name in COLUMNS}
    torch.manual_seed(options.seed)
    network = PolicyValueNetwork([options.width, options.width], options.seed)
    optimizer = torch.optim.Adam(network.parameters(), options.learning_rate)
    count = len(data["action"])
    steps = options.epochs * -(-count // options.batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.learning_rate, steps)
    curve: list[float] = []
    for epoch in range(options.epochs):
        agreed = 0
        for rows in torch.split(torch.randperm(count), options.batch_size):
            batch = {name: column[rows] for name, column in data.items()}
            outputs = network(batch["observation"])
            logits = outputs[:, :-1].masked_fill(batch["mask"] == 0, -1e9)
            errors = batch["points"] / POINTS_UNIT - outputs[:, -1]
            advantages = POINTS_UNIT * errors.detach()
            loss = policy_loss(logits, batch, advantages, options.temperature)
            loss = loss + 0.1 * errors.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            agreed += int((logits.argmax(dim=1) == batch["action"]).sum())
        curve.append(agreed / count)
        print(f"epoch {epoch + 1:>3}  agrees {curve[-1]:.3f}")
    options.out.mkdir(parents=True, exist_ok=True)
    save_agent(network.agent(POINTS_UNIT), options.out / FILE_NAME)
    return curve


if __name__ == "__main__":
    train(parse())

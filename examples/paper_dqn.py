"""Deep Q-networks as published for Wizard, in one file, in the style of CleanRL.

Schumacher and Pleines, Improving Bidding and Playing Strategies in the Trick-Taking Game Wizard using
Deep Q-Networks, IEEE CoG 2022; details after their code, https://github.com/jonas-schumacher/drl-pomdp.
Bidding and playing are two problems with one network each. The value of a bid is learned from the points of
its round. The value of a play is learned from the value of the seat's next play, by a target network (Mnih
et al. 2015, with masks), and the value of a seat's last play from the points. Nothing is discounted.

python examples/paper_dqn.py                     # writes runs/paper_dqn, which `load` opens
python examples/paper_dqn.py --hand-sizes 1 --folder runs/paper_dqn_1
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Annotated, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from wizard_env import NUM_ACTIONS, OBS_SIZE, Rules, sample_legal
from wizard_env.actions import FIRST_PLAY, FIRST_TRUMP
from wizard_env.agents.network import FILE_NAME, input_scale, save_agent
from wizard_env.files import write_atomically
from wizard_env.sampling import best_legal
from wizard_env.train.selfplay.games import SelfPlayGames

CHECKPOINT = "checkpoint.pt"
BID, TRUMP, PLAY = range(3)
NONE = -1


@dataclass
class Args:
    """The options of the command line, such as `--decisions 100000`."""

    folder: Annotated[
        str, "where to write; a run that was stopped continues, with new deals and empty replays"
    ] = "runs/paper_dqn"
    seed: Annotated[int, "of the deals and of everything drawn at random"] = 0
    num_players: Annotated[int, "players of a game, 3 to 6"] = 4
    hand_sizes: Annotated[str, "cards in the rounds of a game"] = "3"
    decisions: Annotated[int, "to learn from, those with one legal action left out"] = 4_200_000
    num_games: Annotated[int, "played side by side"] = 128
    decisions_per_update: Annotated[
        int, "between gradient steps of each network; 105 are those of ten rounds of three cards"
    ] = 105
    batch_size: Annotated[int, "transitions of a gradient step"] = 1024
    learning_rate: Annotated[float, "of Adam"] = 5e-4
    replay_size: Annotated[int, "transitions that each network's replay keeps"] = 300_000
    replay_start: Annotated[int, "transitions that a network needs before its first gradient step"] = 30_000
    target_rate: Annotated[
        float, "weight of the learning network in the target network after each gradient step"
    ] = 0.05
    exploration: Annotated[float, "share of random decisions at the start"] = 1.0
    final_exploration: Annotated[float, "share of random decisions at the end"] = 0.01
    exploration_share: Annotated[
        float, "share of the run in which exploration decays to its final value, geometrically"
    ] = 0.9
    bid_layers: Annotated[str, "widths of the hidden layers that value bids and trumps"] = "100,100,50"
    play_layers: Annotated[str, "widths of the hidden layers that value cards, as many as for bids"] = (
        "200,200,100"
    )
    steps_per_line: Annotated[
        int, "decisions of each game between two lines of output, and two checkpoints"
    ] = 128


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Parse the fields of `Args` as options."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, help=get_args(field.type)[1]
        )
    return Args(**vars(parser.parse_args(arguments)))


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def stack(widths: Sequence[int]) -> nn.Sequential:
    """Make fully connected layers with ReLU between them."""
    layers = [part for sizes in pairwise(widths) for part in (nn.Linear(*sizes), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


def linear_layers(stacked: nn.Sequential) -> list[nn.Linear]:
    return [layer for layer in stacked if isinstance(layer, nn.Linear)]


class QNetwork(nn.Module):
    """Values of all actions: one stack for bids and trumps, one for plays."""

    def __init__(self, bid_layers: list[int], play_layers: list[int]) -> None:
        super().__init__()
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(input_scale()), persistent=False)
        self.bids = stack([OBS_SIZE, *bid_layers, FIRST_PLAY])
        self.plays = stack([OBS_SIZE, *play_layers, NUM_ACTIONS - FIRST_PLAY])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Compute values, float32 [n, NUM_ACTIONS], from observations, uint8 [n, OBS_SIZE]."""
        inputs = observations * self.scale
        return torch.cat([self.bids(inputs), self.plays(inputs)], dim=1)

    def weights(self) -> dict[str, torch.Tensor]:
        """Return both stacks side by side as one network, as `save_agent` takes them."""
        found: dict[str, torch.Tensor] = {}
        for number, (bid, play) in enumerate(
            zip(linear_layers(self.bids), linear_layers(self.plays), strict=True)
        ):
            if not number:  # the first layers read the same observation
                weight = torch.cat([bid.weight, play.weight])
            else:
                weight = torch.block_diag(bid.weight, play.weight)  # type: ignore[no-untyped-call]
            found[f"layer.{number}.weight"] = weight.detach()
            found[f"layer.{number}.bias"] = torch.cat([bid.bias, play.bias]).detach()
        return found


class Replay:
    """The most recent transitions, up to `size` of them; new ones overwrite the oldest."""

    def __init__(self, size: int) -> None:
        self.observations = np.zeros((size, OBS_SIZE), np.uint8)
        self.actions = np.zeros(size, np.int64)
        self.rewards = np.zeros(size, np.float32)
        self.next_observations = np.zeros((size, OBS_SIZE), np.uint8)
        self.next_masks = np.zeros((size, NUM_ACTIONS), np.uint8)  # all zero after a seat's last decision
        self.added = 0

    def add(
        self, observations: NDArray[np.uint8], actions: NDArray[np.int64], rewards: NDArray[np.float32]
    ) -> NDArray[np.int64]:
        """Add decisions that nothing follows; returns their rows."""
        rows = np.arange(self.added, self.added + len(actions)) % len(self.actions)
        self.added += len(actions)
        self.observations[rows], self.actions[rows], self.rewards[rows] = observations, actions, rewards
        self.next_masks[rows] = 0
        return rows

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        return rng.integers(0, min(self.added, len(self.actions)), count)


class Recorder:
    """Files each decision of N games in a replay once its outcome is known.

    A play leads to the seat's own next play of the round, and the last play to the seat's points. A bid or a
    choice of trump leads straight to the points: at that time a good next play is not yet known.
    """

    def __init__(self, num_games: int, num_players: int, bids: Replay, plays: Replay) -> None:
        self.bids, self.plays = bids, plays
        self.games = np.arange(num_games)
        # each seat's latest decision of each kind in the current round
        self.observations = np.zeros((num_games, num_players, 3, OBS_SIZE), np.uint8)
        self.actions = np.full((num_games, num_players, 3), NONE, np.int64)

    def decide(
        self,
        seats: NDArray[np.int64],
        observations: NDArray[np.uint8],
        masks: NDArray[np.uint8],
        actions: NDArray[np.int64],
    ) -> None:
        """Note a decision of a seat in every game."""
        before = self.actions[self.games, seats, PLAY]
        follow = ((actions >= FIRST_PLAY) & (before != NONE)).nonzero()[0]
        unpaid = np.zeros(len(follow), np.float32)
        rows = self.plays.add(self.observations[follow, seats[follow], PLAY], before[follow], unpaid)
        self.plays.next_observations[rows] = observations[follow]
        self.plays.next_masks[rows] = masks[follow]
        kinds = np.select([actions >= FIRST_PLAY, actions >= FIRST_TRUMP], [PLAY, TRUMP], BID)
        self.observations[self.games, seats, kinds] = observations
        self.actions[self.games, seats, kinds] = actions

    def pay(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Note the rewards, float32 [n, seats], in the games whose round ended, bool [n]."""
        waiting = (self.actions != NONE) & ended[:, np.newaxis, np.newaxis]
        for kind, replay in ((BID, self.bids), (TRUMP, self.bids), (PLAY, self.plays)):
            games, seats = waiting[:, :, kind].nonzero()
            decided = self.observations[games, seats, kind], self.actions[games, seats, kind]
            replay.add(*decided, rewards[games, seats])
        self.actions[ended] = NONE


class Learner:
    """Two networks, a target network, their optimiser and replays, and the games that they learn from."""

    def __init__(self, args: Args) -> None:
        self.args, self.decisions, self.folder = args, 0, Path(args.folder)
        torch.manual_seed(args.seed)
        self.network = QNetwork(numbers(args.bid_layers), numbers(args.play_layers))
        self.target = stack([OBS_SIZE, *numbers(args.play_layers), NUM_ACTIONS - FIRST_PLAY])
        self.target.load_state_dict(self.network.plays.state_dict())
        self.optimizer = torch.optim.Adam(self.network.parameters(), args.learning_rate, fused=True)
        if (self.folder / CHECKPOINT).exists():
            kept = torch.load(self.folder / CHECKPOINT, weights_only=True)
            self.decisions = kept["decisions"]
            self.network.load_state_dict(kept["network"])
            self.target.load_state_dict(kept["target"])
            self.optimizer.load_state_dict(kept["optimizer"])
        seed = args.seed + self.decisions  # other deals than those that the run started with
        self.rng = np.random.default_rng(seed)
        rules = Rules(args.num_players, hand_sizes=tuple(numbers(args.hand_sizes)))
        self.self_play = SelfPlayGames(rules, args.num_games, seed)
        self.bids, self.plays = Replay(args.replay_size), Replay(args.replay_size)
        self.recorder = Recorder(args.num_games, args.num_players, self.bids, self.plays)

    def exploration(self) -> float:
        """Return the share of decisions that are taken at random at this point of the run."""
        args = self.args
        progress = self.decisions / (args.decisions * args.exploration_share)
        return args.exploration * (args.final_exploration / args.exploration) ** min(progress, 1.0)

    def play(self) -> NDArray[np.int16]:
        """Take a decision in every game; returns the points of the seats whose rounds ended."""
        self_play, rng = self.self_play, self.rng
        observation, mask = self_play.games.observation.copy(), self_play.games.mask.copy()
        seats = self_play.games.seat.astype(np.int64)
        with torch.inference_mode():
            values = self.network(torch.from_numpy(observation)).numpy()
        explores = rng.random(len(values)) < self.exploration()
        actions = np.where(explores, sample_legal(mask, rng), best_legal(values, mask))
        self.recorder.decide(seats, observation, mask, actions)
        self_play.step(actions)
        self.recorder.pay(self_play.rewards, self_play.ended)
        self.decisions += self.args.num_games
        return self_play.learners_points()

    def learn(self) -> None:
        """Take a gradient step of each network whose replay has enough transitions."""
        if self.bids.added >= self.args.replay_start:
            self.descend(self.bids, self.network.bids, 0)
        if self.plays.added >= self.args.replay_start:
            self.descend(self.plays, self.network.plays, FIRST_PLAY)
            with torch.no_grad():
                for behind, ahead in zip(
                    self.target.parameters(), self.network.plays.parameters(), strict=True
                ):
                    behind.lerp_(ahead, self.args.target_rate)

    def descend(self, replay: Replay, network: nn.Module, first: int) -> None:
        """Take a gradient step of the squared error of values. first: the network's first action."""
        rows = replay.draw(self.args.batch_size, self.rng)
        expected = torch.from_numpy(replay.rewards[rows])
        if first == FIRST_PLAY:
            expected = expected + self.best_next_value(replay, rows)
        values = network(torch.from_numpy(replay.observations[rows]) * self.network.scale)
        taken = values.gather(1, torch.from_numpy(replay.actions[rows] - first)[:, None])[:, 0]
        self.optimizer.zero_grad()  # the other network then has no gradient, and does not change
        nn.functional.mse_loss(taken, expected).backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()

    def best_next_value(self, replay: Replay, rows: NDArray[np.int64]) -> torch.Tensor:
        """Return the best value of each seat's next play by the target network; 0 if there is none."""
        with torch.no_grad():
            values = self.target(torch.from_numpy(replay.next_observations[rows]) * self.network.scale)
        masks = torch.from_numpy(replay.next_masks[rows, FIRST_PLAY:]).bool()
        best = values.masked_fill(~masks, -torch.inf).amax(dim=1)
        return torch.where(masks.any(dim=1), best, 0)

    def iterate(self) -> Iterator[tuple[int, float, float]]:
        """Learn to the end; yields the decisions, bids met and points per round of every line."""
        args = self.args
        while self.decisions < args.decisions:
            points: list[int] = []
            for _ in range(args.steps_per_line):
                before = self.decisions // args.decisions_per_update
                points += self.play().tolist()
                for _ in range(self.decisions // args.decisions_per_update - before):
                    self.learn()
            self.save()
            yield self.decisions, float(np.mean(np.array(points) > 0)), float(np.mean(points))

    def save(self) -> None:
        """Write the agent, and a checkpoint."""
        kept = {
            "decisions": self.decisions,
            "network": self.network.state_dict(),
            "target": self.target.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        write_atomically(self.folder / FILE_NAME, lambda path: save_agent(self.network.weights(), path))
        write_atomically(self.folder / CHECKPOINT, lambda path: torch.save(kept, path))


def train(args: Args) -> list[float]:
    """Learn and print the progress; return the share of bids met of every line."""
    torch.set_num_threads(1)
    learner, began, curve = Learner(args), time.time(), []
    Path(args.folder).mkdir(parents=True, exist_ok=True)
    for decisions, met, points in learner.iterate():
        curve.append(met)
        scored = f"points per round {points:+6.1f}  bids met {met:.3f}"
        print(f"decisions {decisions:>10,}  {scored}  {time.time() - began:6.0f} s", flush=True)
    return curve


if __name__ == "__main__":
    train(parse())

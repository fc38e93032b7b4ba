"""Recurrent PPO in one file: a GRU learns within a game what kind of players sit at the table.

python examples/recurrent_wizard.py    # trains with memory and without, and compares both on the same deals

One seat learns in each game. The others are copies of a partner that is drawn for the game from a population:
each bids too high or too low by its own habit, and half of them always play their weakest card. So a bid is
worth more or less with each partner, but only finished rounds tell which one it is.

The network bids, and `heuristic` plays the cards for it, so that learning is quick. The trajectory of a seat
is its part of one game: an observation at each of its bids, and one of the scored table after each round,
with all cards on it. The memory is zero as a game begins. A bid is paid the points of its round, but
gradients go back through the memory to the first round.

`Recurrent` plays what was trained, anywhere:

wizard evaluate examples/recurrent_wizard.py:Recurrent rule_based --hand-sizes 6,6,6,6,6,6
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.distributions import Categorical

from wizard_env import HIGHS, NUM_ACTIONS, OBS_SIZE, SLICES, Agent, Games, Rules, View
from wizard_env.agents import load
from wizard_env.evaluation.statistics import Estimate, estimate_weighted_sums
from wizard_env.history.recall import recall
from wizard_env.sampling import best_legal
from wizard_env.state import BID, OVER, SCORED
from wizard_env.view import Actions, ask, printed_actions

FILE_NAME = "recurrent.safetensors"
MEMORIES = ("game", "round", "none")
"""What the GRU remembers: the game, the current round, or nothing, which makes it a plain layer."""
POINTS_UNIT = 20.0
"""Points; values are learned in this unit, so that they are about 1."""
PLAYER = "heuristic"
"""The agent that plays the cards, and names trumps, for the network's seat."""
NO_ACTION = -1


@dataclass
class Args:
    """The options of the command line, such as `--bids 100000`."""

    folder: Annotated[
        str, "where to write; each memory has a folder in it, written when its training ends"
    ] = "runs/recurrent"
    memories: Annotated[
        str, "to train with (game, round, none); the first is then compared with each of the others"
    ] = "game,none"
    seed: Annotated[int, "of the deals and of everything drawn at random"] = 1
    num_players: Annotated[int, "players of a game, 3 to 6"] = 4
    hand_sizes: Annotated[str, "cards in the rounds of a game"] = "6,6,6,6,6,6"
    population: Annotated[int, "partners to train with; as many others are drawn for the comparison"] = 8
    bids: Annotated[int, "to learn from, for each memory"] = 600_000
    num_games: Annotated[int, "games of an iteration, played side by side"] = 512
    compared_games: Annotated[int, "games of the comparison"] = 4096
    width: Annotated[int, "of the layers and of the memory"] = 128
    learning_rate: Annotated[float, "of Adam at the start; it falls to 0"] = 1e-3
    update_epochs: Annotated[int, "passes over the games of an iteration"] = 4
    num_minibatches: Annotated[int, "gradient steps of a pass"] = 8
    clip: Annotated[float, "clip range of the probability ratio (PPO)"] = 0.2
    entropy_bonus: Annotated[float, "weight of the entropy bonus"] = 0.005


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Parse the fields of `Args` as options."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, help=get_args(field.type)[1]
        )
    return Args(**vars(parser.parse_args(arguments)))


def draw_population(count: int, seed: int) -> list[Agent]:
    """Draw agents that bid too high or too low; every other one always plays its weakest card."""
    rng = np.random.default_rng(seed)
    biases, greeds = rng.uniform(-0.5, 0.5, count).round(2), np.arange(count) % 2 - 1
    return [load(f"variant:of=rule_based,bias={b},greed={g}") for b, g in zip(biases, greeds, strict=True)]


class Network(nn.Module):
    """A policy and a value that read an observation, and what a GRU has kept of those before it."""

    def __init__(self, width: int, memory: str) -> None:
        super().__init__()
        if memory not in MEMORIES:
            raise ValueError(f"memory={memory!r}: allowed are {', '.join(MEMORIES)}")
        self.width, self.memory = width, memory
        self.scale: Tensor
        self.register_buffer("scale", torch.from_numpy(HIGHS).float().rsqrt(), persistent=False)
        self.encoder = nn.Sequential(nn.Linear(OBS_SIZE, width), nn.ReLU())
        self.cell = nn.GRUCell(width, width)
        self.outputs = nn.Sequential(
            nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, NUM_ACTIONS + 1)
        )

    def forward(self, observations: Tensor, memories: Tensor) -> tuple[Tensor, Tensor]:
        """Follow trajectories for some steps.

        Args:
            observations: uint8 [steps, n, OBS_SIZE], in canonical suits.
            memories: float32 [n, width], from the steps before; zeros at the beginning of a game.

        Returns:
            The outputs at each step, [steps, n, NUM_ACTIONS + 1]: logits and the value; and the memories.
        """
        encoded = self.encoder(observations * self.scale)
        remembered = []
        for step, keeps in zip(encoded, self.keeps(observations), strict=True):
            state = self.cell(step, memories)
            remembered.append(state)
            memories = state * keeps
        return self.outputs(torch.cat([encoded, torch.stack(remembered)], dim=2)), memories

    def keeps(self, observations: Tensor) -> Tensor:
        """Return what each step leaves to the next, [..., 1]: 1 to keep the memory, 0 to reset it."""
        if self.memory == "round":
            return (~are_scored(observations)).float()[..., None]
        return torch.full((*observations.shape[:-1], 1), float(self.memory == "game"))


def are_scored(observations: Tensor) -> Tensor:
    """Return which observations are of a scored round, and so ask for no decision: bool [...]."""
    return observations[..., SLICES["phase"]].sum(dim=-1) == 0


def policy_of(outputs: Tensor, masks: Tensor) -> Any:  # torch does not type the methods of distributions
    """Return `Categorical` distributions of legal actions. masks: uint8 [..., NUM_ACTIONS]."""
    logits = outputs[..., :NUM_ACTIONS].masked_fill(masks == 0, torch.finfo(torch.float32).min)
    return Categorical(logits=logits, validate_args=False)


class Steps(NamedTuple):
    """Steps of trajectories, [k, ...], or of all trajectories side by side, [steps, trajectories, ...].

    Where a trajectory has ended, or a round was scored, the action is NO_ACTION.
    """

    observations: Tensor
    """uint8 [..., OBS_SIZE]"""
    masks: Tensor
    """uint8 [..., NUM_ACTIONS]"""
    actions: Tensor
    log_probabilities: Tensor
    values: Tensor
    """In POINTS_UNIT, as the points."""
    points: Tensor
    """Of the round, at the step that sees it scored."""


class Tables:
    """Games in which one seat learns and copies of a partner take the others, drawn anew for each game."""

    def __init__(self, args: Args, partners: Sequence[Agent], num_games: int, seed: int) -> None:
        hand_sizes = tuple(map(int, args.hand_sizes.split(",")))
        self.rng = np.random.default_rng(seed)
        rules = Rules(args.num_players, hand_sizes=hand_sizes)
        self.games = Games(rules, num_games, seed, canonical_suits=True, skip_forced=True, pause="round")
        self.partners, self.player = partners, load(PLAYER)

    def play(self, network: Network, *, sample: bool) -> tuple[Steps, NDArray[np.int64]]:
        """Play a game in every row; return the trajectories, and int64 [n], the points of each game.

        sample: draw actions from the policy; else take the likeliest.
        """
        games, rng = self.games, self.rng
        rows = np.arange(games.num_games)
        games.begin(rows, rng.integers(0, 2**64, len(rows), np.uint64))
        learner = rng.integers(0, games.num_players)
        partner = rng.integers(0, len(self.partners), len(rows))
        memories = torch.zeros(len(rows), network.width)
        points = torch.zeros(len(rows))
        steps: list[Steps] = []
        owners: list[NDArray[np.int64]] = []

        def act(actions: Actions, mine: NDArray[np.int64], *, printed: bool = False) -> None:
            games.step(actions, mine, printed=printed)
            points[mine] = torch.from_numpy(games.points[mine, learner[mine]]) / POINTS_UNIT

        while len(rows):
            learns, bids = games.seat[rows] == learner[rows], games.states["phase"][rows] == BID
            if len(mine := rows[learns & bids]):
                step = see(network, memories, mine, games.observation[mine], games.mask[mine], sample=sample)
                act(step.actions.numpy(), mine)
                steps.append(step)
                owners.append(mine)
            if len(mine := rows[learns & ~bids]):
                act(ask(self.player, games.view(mine), rng), mine, printed=True)
            for number in np.unique(partner[rows[~learns]]):
                theirs = rows[~learns & (partner[rows] == number)]
                act(ask(self.partners[number], games.view(theirs), rng), theirs, printed=True)
            scored = rows[games.states["phase"][rows] >= SCORED]
            if len(scored):
                observed = games.observe(learner[scored], scored)
                step = see(network, memories, scored, observed, np.ones((len(scored), NUM_ACTIONS), np.uint8))
                steps.append(step._replace(points=points[scored]))
                owners.append(scored)
                games.deal(scored[games.states["phase"][scored] == SCORED])
                rows = rows[games.states["phase"][rows] != OVER]
        won = games.scores[np.arange(games.num_games), learner].astype(np.int64)
        return line_up(steps, np.concatenate(owners)), won


def see(
    network: Network,
    memories: Tensor,
    rows: NDArray[np.int64],
    observations: NDArray[np.uint8],
    masks: NDArray[np.uint8],
    *,
    sample: bool = False,
) -> Steps:
    """Let some trajectories take a step, and write their memories.

    memories: [trajectories, width]; the others: [k] and [k, ...], of the trajectories that take one.
    """
    seen, legal = torch.from_numpy(observations), torch.from_numpy(masks)
    with torch.no_grad():
        outputs, memories[rows] = network(seen[None], memories[rows])
        policy = policy_of(outputs[0], legal)
        actions = policy.sample() if sample else policy.probs.argmax(dim=1)
        logs = policy.log_prob(actions)
    actions[are_scored(seen)] = NO_ACTION
    return Steps(seen, legal, actions, logs, outputs[0, :, -1], torch.zeros(len(rows)))


def line_up(steps: Sequence[Steps], owners: NDArray[np.int64]) -> Steps:
    """Put steps in the order in which they were taken side by side, a column for each trajectory.

    owners: int64 [k], the trajectory of each step; every trajectory has some.
    """
    order = owners.argsort(kind="stable")
    owner, counts = owners[order], np.bincount(owners)
    place = np.arange(len(owner)) - (counts.cumsum() - counts)[owner]
    columns = []
    for name, parts in zip(Steps._fields, zip(*steps, strict=True), strict=True):
        taken = torch.cat(parts)[order]
        column = taken.new_full(
            (int(counts.max()), len(counts), *taken.shape[1:]), NO_ACTION if name == "actions" else 0
        )
        column[place, owner] = taken
        columns.append(column)
    return Steps(*columns)


def credit(steps: Steps) -> Tensor:
    """Return the points of each bid's round: [steps, trajectories]."""
    points, credited = torch.zeros_like(steps.points[0]), torch.zeros_like(steps.points)
    scored = are_scored(steps.observations)
    for step in reversed(range(len(credited))):
        points = torch.where(scored[step], steps.points[step], points)
        credited[step] = points
    return credited


def learn(network: Network, optimizer: torch.optim.Optimizer, steps: Steps, args: Args) -> None:
    """Take the gradient steps of an iteration; each follows some trajectories from beginning to end."""
    targets, decides = credit(steps), steps.actions != NO_ACTION
    advantages = targets - steps.values
    advantages = (advantages - advantages[decides].mean()) / (advantages[decides].std() + 1e-8)
    for _ in range(args.update_epochs):
        for columns in torch.randperm(targets.shape[1]).chunk(args.num_minibatches):
            part = Steps(*(column[:, columns] for column in steps))
            outputs, _ = network(part.observations, torch.zeros(len(columns), network.width))
            mine = decides[:, columns]
            policy, values = policy_of(outputs[mine], part.masks[mine]), outputs[mine][:, -1]
            ratio = (policy.log_prob(part.actions[mine]) - part.log_probabilities[mine]).exp()
            advantage = advantages[:, columns][mine]
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            gain = torch.min(ratio * advantage, clipped * advantage).mean()
            error = (values - targets[:, columns][mine]).square().mean()
            loss = 0.5 * error - gain - args.entropy_bonus * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def train(args: Args, memory: str) -> list[float]:
    """Train a network, write it and print the progress; return the points of a round at each iteration."""
    torch.manual_seed(args.seed)
    network = Network(args.width, memory)
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    tables = Tables(args, draw_population(args.population, args.seed), args.num_games, args.seed)
    num_rounds, curve, bids, began = len(tables.games.rules.rounds), [], 0, time.process_time()
    while bids < args.bids:
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - bids / args.bids)
        steps, points = tables.play(network, sample=True)
        learn(network, optimizer, steps, args)
        bids += int((steps.actions != NO_ACTION).sum())
        curve.append(float(points.mean()) / num_rounds)
        print(
            f"{memory:5}  bids {bids:>10,}  points per round {curve[-1]:+6.2f}"
            f"  {time.process_time() - began:6.0f} s",
            flush=True,
        )
    path = Path(args.folder) / memory / FILE_NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(network.state_dict(), path, {"memory": memory})
    return curve


def read_network(path: Path, memory: str = "") -> Network:
    """Read a network that `train` wrote. memory: another than it was trained with, unless empty."""
    with safe_open(path, "pt") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
        trained = file.metadata()["memory"]
    network = Network(len(weights["encoder.0.bias"]), memory or trained)
    network.load_state_dict(weights)
    return network


class Recurrent:
    """Plays a trained network. It keeps nothing between calls: memories are worked out from the view."""

    def __init__(self, path: str = "runs/recurrent/game", memory: str = "") -> None:
        """Read a network. path: the folder that `train` wrote; memory: as for `read_network`."""
        self.network, self.player = read_network(Path(path) / FILE_NAME, memory), load(PLAYER)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        actions = ask(self.player, view, rng).copy()
        if (bids := view.known["phase"] == BID).any():
            actions[bids] = self.bid(view.select(bids))
        return actions

    def bid(self, view: View) -> Actions:
        """Bid in every game of a view."""
        seen = recall(view.known, view.finished_rounds, canonical_suits=True, forced=False)
        phases = seen.observations[:, SLICES["phase"]]
        taken = (phases[:, BID] > 0) | ~phases.any(axis=1)  # the network saw bids and scored rounds alone
        observations, games = seen.observations[taken], seen.games[taken]
        lengths = np.bincount(games)
        trajectories = torch.zeros((int(lengths.max()), len(view), OBS_SIZE), dtype=torch.uint8)
        place = np.arange(len(games)) - (lengths.cumsum() - lengths)[games]
        trajectories[place, games] = torch.from_numpy(observations)
        with torch.inference_mode():
            outputs, _ = self.network(trajectories, torch.zeros(len(view), self.network.width))
        encoding = view.encode(canonical_suits=True)
        last = outputs[lengths - 1, np.arange(len(view)), :NUM_ACTIONS]
        return printed_actions(best_legal(last.numpy(), encoding.mask), encoding.order)


def compare(args: Args, memory: str, other: str) -> Estimate:
    """Play the same games with two networks; return the points that the first has more in a game.

    The partners are new to both, and neither samples.
    """
    partners, points = draw_population(args.population, args.seed + 1), []
    for each in (memory, other):
        tables = Tables(args, partners, args.compared_games, args.seed + 1)
        points.append(tables.play(read_network(Path(args.folder) / each / FILE_NAME), sample=False)[1])
    gains = (points[0] - points[1]).astype(np.float64)
    return estimate_weighted_sums([gains], np.ones((1, 1)), args.seed)[0]


def main(args: Args) -> list[Estimate]:
    """Train with each memory; return, and print, the gain of the first over each of the others."""
    torch.set_num_threads(1)
    first, *others = args.memories.split(",")
    for memory in (first, *others):
        train(args, memory)
    gains = []
    for other in others:
        gains.append(compare(args, first, other))
        gain = f"{gains[-1].mean:+.1f} ({gains[-1].low:+.1f} to {gains[-1].high:+.1f})"
        print(f"memory {first} against {other}: {gain} points a game, in {args.compared_games:,} games")
    return gains


if __name__ == "__main__":
    main(parse())

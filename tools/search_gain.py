"""What search gains over its network, against worlds: python tools/search_gain.py FILE.csv --deals 20.

Four copies of the network play whole games. At every decision, or at a share of them drawn at random, the
search is asked with each number of worlds. Where it would take another action, copies of the network play
the round out from there: the points of that seat, less those without the deviation, are what it gains.
Their sum over the decisions of a game estimates the gain of a seat that searches. It leaves out how
deviations act together; but all numbers of worlds deviate from the same games, and so compare closely.

FILE.csv gets a line for each deal; a later call adds the deals that are missing.
"""

import argparse
import copy
import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Games, Rules, load
from wizard_env.agents.network_search import NetworkSearchAgent

WORLDS = (32, 64, 128, 256, 512, 1024, 2048, 4096)
BATCH = 4
"""Deals played side by side, and written together."""


def points_after(
    games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], network: Agent
) -> NDArray[np.int64]:
    """int64 [rows]: what the acting seats score if they take these actions and copies play the round out."""
    branch, seats = copy.deepcopy(games), games.seat[rows].copy()
    points = np.zeros(len(rows), np.int64)
    branch.step(actions, rows)
    going = np.arange(len(rows))
    while len(going):
        ended = branch.round_done[rows[going]]
        over, going = going[ended], going[~ended]
        points[over] = branch.points[rows[over], seats[over]]
        if len(going):
            view = branch.view(rows[going])
            branch.step(network.act(view, np.random.default_rng(0)), rows[going])
    return points


def deviation_gains(
    games: Games,
    rows: NDArray[np.int64],
    chosen: NDArray[np.int64],
    others: NDArray[np.int64],
    network: Agent,
) -> NDArray[np.float64]:
    """float64 [worlds, rows]: the gain of each of `others`, actions [worlds, rows], over those chosen."""
    found = np.zeros(others.shape)
    as_played = points_after(games, rows, chosen, network)
    for action in np.unique(others):
        deviates = (others == action) & (chosen != action)
        at = deviates.any(axis=0).nonzero()[0]
        if len(at):
            points = points_after(games, rows[at], np.full(len(at), action), network)
            found[:, at] += np.where(deviates[:, at], points - as_played[at], 0)
    return found


def gains(seeds: NDArray[np.uint64], searching: Sequence[Agent], share: float) -> NDArray[np.float64]:
    """float64 [deals, worlds]: the gain of a seat that searches, in points per game."""
    network, rules, rng = load("champion"), Rules(), np.random.default_rng(seeds)
    games = Games(rules, len(seeds), seeds, skip_forced=True, pause="round", observe=False)
    found = np.zeros((len(seeds), len(searching)))
    going = np.arange(len(seeds))
    while len(going):
        chosen = network.act(games.view(going), rng)
        word = int(rng.integers(2**63))
        asked = (rng.random(len(going)) < share).nonzero()[0]
        if len(asked):
            rows = going[asked]
            view = games.view(rows)
            others = np.stack([agent.act(view, np.random.default_rng(word)) for agent in searching])
            found[rows] += deviation_gains(games, rows, chosen[asked], others, network).T
        games.step(chosen, going)
        going = going[~games.done[going]]
        games.deal(going[games.round_done[going]])
    return found / (share * rules.num_players)


def read(path: Path) -> dict[int, list[float]]:
    """The gains of the deals so far, by seed."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {
            int(line["seed"]): [float(line[str(each)]) for each in WORLDS] for line in csv.DictReader(file)
        }


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--deals", type=int, default=20)
    parser.add_argument("--share", type=float, default=1.0, help="of decisions that are searched")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args(arguments)
    known = read(options.file)
    missing = np.array([seed for seed in range(1, options.deals + 1) if seed not in known], np.uint64)
    searching = [NetworkSearchAgent(worlds=each, threads=options.threads) for each in WORLDS]
    for start in range(0, len(missing), BATCH):
        seeds = missing[start : start + BATCH]
        for seed, line in zip(seeds.tolist(), gains(seeds, searching, options.share).tolist(), strict=True):
            known[seed] = line
        with options.file.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["seed", *WORLDS])
            writer.writerows([seed, *known[seed]] for seed in sorted(known))
    table = np.array(list(known.values()))
    errors = table.std(axis=0, ddof=1) / np.sqrt(len(table))
    for each, mean, error in zip(WORLDS, table.mean(axis=0), errors, strict=True):
        low, high = mean - 1.96 * error, mean + 1.96 * error
        print(f"{each:5} worlds: {mean:+.1f} points per game ({low:+.1f} to {high:+.1f}), {len(table)} deals")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Fit `wizard_env/win_probability.json` to games of champions: python -m tools.win_probability.

A number is the variance of a round's points among the seats, times a factor. The variance is measured for
each hand size, and the factor is fitted by maximum likelihood to the winners of the games, both for each
number of players. The calibration on other games is printed. Equal seeds give equal files.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from wizard_env import Rules
from wizard_env.evaluation.duplicate_deals import Deals, load_players, play
from wizard_env.files import write_atomically
from wizard_env.games import game_seeds
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS
from wizard_env.win_probability import FILE_NAME, chances_to_win

TARGET = Path(__file__).parent.parent / "wizard_env" / FILE_NAME
NUM_BINS = 10
CHAMPION = "champion"
"""Most tables that show these probabilities seat it. It learned from those of `champion:goal=points`."""
LEAST = 1e-6
"""The least probability in the likelihood, so that one game cannot decide it."""


class Played(NamedTuple):
    """Games that are over, seen at the beginning of each of their rounds."""

    points: NDArray[np.float64]
    """[games, rounds, seats], of each round."""
    scores: NDArray[np.float64]
    """[games, rounds, seats], before each round."""
    wins: NDArray[np.float64]
    """[games, 1, seats]: 1, shared among the winners."""


class Bin(NamedTuple):
    """Seats, at the beginning of a round, with about the same probability of winning."""

    predicted: float
    """The mean of their probabilities."""
    won: float
    """The share that won."""
    seats: int


def play_copies(agent: str, rules: Rules, games: int, seed: int) -> Played:
    """Play games of an agent against itself."""
    results = play(Deals(load_players([agent]), rules, game_seeds(seed, games)))
    points = results.points[0].transpose(1, 2, 0).astype(np.float64)
    scores = points.cumsum(axis=1)
    wins = chances_to_win(scores[:, -1:], np.zeros((games, 1)))
    return Played(points, scores - points, wins)


def fit(played: Played) -> NDArray[np.float64]:
    """Return float64 [rounds]: the variance of the luck in each round of the games."""
    measured = played.points.var(axis=2, ddof=1).mean(axis=0)

    def surprise(log_factor: float) -> float:
        chances = chances_to_win(played.scores, sum_of_left(np.exp(log_factor) * measured))
        return -float((played.wins * np.log(np.maximum(chances, LEAST))).sum(axis=2).mean())

    return np.exp(minimize_scalar(surprise, bounds=(-1, 1), method="bounded").x) * measured


def sum_of_left(variances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 [rounds]: the sum over each round and those after it."""
    return variances[::-1].cumsum()[::-1]


def calibrate(chances: NDArray[np.float64], wins: NDArray[np.float64]) -> list[Bin]:
    """Compare probabilities of winning with the games won, in bins of a tenth.

    Args:
        chances: [games, rounds, seats], before each round.
        wins: as in `Played`.
    """
    won = np.broadcast_to(wins, chances.shape)
    numbers = np.minimum((chances * NUM_BINS).astype(np.int64), NUM_BINS - 1)
    return [
        Bin(float(chances[inside].mean()), float(won[inside].mean()), int(inside.sum()))
        for inside in (numbers == number for number in range(NUM_BINS))
        if inside.any()
    ]


def report(played: Played, variances: NDArray[np.float64]) -> None:
    """Print how well the numbers are calibrated in games."""
    print(f"{played.scores.shape[2]} players: predicted, won, seats")
    for each in calibrate(chances_to_win(played.scores, sum_of_left(variances)), played.wins):
        print(f"{each.predicted:.3f} {each.won:.3f} {each.seats:7}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4000, help="games for each number of players")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", type=Path, default=TARGET, help="the file")
    parser.add_argument("--check", metavar="AGENT", help="only compare the file with games of this agent")
    options = parser.parse_args(arguments)
    if options.check:
        for players, variances in json.loads(options.target.read_text(encoding="utf-8")).items():
            played = play_copies(options.check, Rules(int(players)), options.games, options.seed + 1)
            report(played, np.array(variances))
            print(f"a fit to these games has {(fit(played) / variances).mean():.2f} times the variance")
        return
    fitted = {}
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        rules = Rules(players)
        variances = fit(play_copies(CHAMPION, rules, options.games, options.seed)).round(1)
        fitted[str(players)] = variances.tolist()
        report(play_copies(CHAMPION, rules, options.games, options.seed + 1), variances)
    text = json.dumps(fitted).replace('], "', '],\n "') + "\n"
    write_atomically(options.target, lambda path: path.write_text(text, encoding="utf-8"))


if __name__ == "__main__":
    main()

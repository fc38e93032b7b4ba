"""Compare what hints promise with what comes: the judge bids and plays beside agents of each level.

A hint promises points and a chance to meet the bid; the judge takes its best bid and plays the round.
"""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from wizard_table.commands import OFFERED

from wizard_env import Game, Rules, View
from wizard_env.evaluation.advice import ActionAdvice, advise
from wizard_env.loading import load

JUDGE = "champion+search:worlds=32"
"""The agent that gives hints in the browser."""


class Promises(NamedTuple):
    """Bids, and means over them."""

    bids: int
    points: float
    """Promised."""
    came: float
    error: float
    """The standard error of the points that came less those promised."""
    met: float
    """The promised chance to meet the bid."""
    came_met: float


def measure(opponent: str, games: int, rules: Rules, seed: int = 2026) -> Promises:
    """Bid and play as the judge in the first seat, beside agents of that name."""
    judge, others, rng = load(JUDGE), load(opponent), np.random.default_rng(seed)
    playing = [Game(rules, seed + number) for number in range(games)]
    promises: list[ActionAdvice | None] = [None] * games
    found = []

    def step(number: int, action: int | str) -> None:
        finished, promise = playing[number].step(action), promises[number]
        if finished is not None and promise is not None:
            found.append((promise.points, finished.points[0], promise.met, finished.points[0] > 0))

    while on := [number for number, game in enumerate(playing) if game.seat is not None]:
        own = [number for number in on if playing[number].seat == 0]
        for number in [number for number in own if playing[number].phase == "bid"]:
            promises[number] = best = advise(judge, playing[number]).choices[0]
            step(number, best.action)
        for agent, asked in (
            (judge, [number for number in own if playing[number].phase != "bid"]),
            (others, [number for number in on if number not in own]),
        ):
            if asked:
                chosen = agent.act(View.of([playing[number] for number in asked]), rng)
                for number, action in zip(asked, chosen.tolist(), strict=True):
                    step(number, action)
    rows = np.array(found, np.float64)
    points, came, met, came_met = rows.mean(axis=0).tolist()
    error = float((rows[:, 1] - rows[:, 0]).std() / len(rows) ** 0.5)
    return Promises(len(rows), points, came, error, met, came_met)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=27, help="games beside each level")
    parser.add_argument("--players", type=int, default=4, help="players at the table")
    parser.add_argument("--seed", type=int, default=2026, help="seed of the first game's deals")
    parser.add_argument("--levels", nargs="*", default=OFFERED, help="agents in the other seats")
    options = parser.parse_args(arguments)
    for name in options.levels:
        found = measure(name, options.games, Rules(options.players), options.seed)
        print(
            f"{name:27} {found.bids} bids: promised {found.points:5.1f} points, {found.met:.0%} met; "
            f"came {found.came:5.1f} points (standard error {found.error:.1f}), {found.came_met:.0%} met",
            flush=True,
        )


if __name__ == "__main__":
    main()

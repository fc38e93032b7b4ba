"""Measure the strength of the agents that the lobby offers (`make strength`).

Each plays alone against three `rule_based`, on the same deals; its strength is its lead in points per game.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track
from wizard_table.commands import OFFERED
from wizard_table.web.agents import STRENGTH

from wizard_env import Rules
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.evaluation.workers import Map, workers
from wizard_env.files import write_atomically
from wizard_env.loading import load

OPPONENT = "rule_based"
RULES = Rules(4)
SEED = 2026
SLOW = "search"


def lead(name: str, games: int, spread: Map) -> float:
    """Return the lead of an agent over the others at its table, in points per game."""
    field = [Entrant(name, load(name)), *[Entrant("others", load(OPPONENT))] * 3]
    (difference,) = evaluate(field, RULES, games, SEED, spread=spread).differences
    return difference.points


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--games", type=int, default=400, help="deals per agent; agents that search play a twentieth of them"
    )
    parser.add_argument("--workers", type=int, default=2, help="number of processes")
    parser.add_argument(
        "--out", type=Path, default=STRENGTH, help="the JSON file to write, which the lobby reads"
    )
    options = parser.parse_args(arguments)
    with workers(options.workers) as spread:
        leads = {
            name: round(lead(name, max(2, options.games // (20 if SLOW in name else 1)), spread))
            for name in track(OFFERED)
        }
    write_atomically(options.out, lambda path: path.write_text(json.dumps(leads, indent=2) + "\n"))


if __name__ == "__main__":
    main()

"""OpenSpiel's equilibrium algorithms: external-sampling MCCFR on one card, and Deep CFR on two.

python examples/openspiel_wizard.py mccfr
python examples/openspiel_wizard.py deep_cfr

MCCFR (Lanctot et al. 2009) learns a table of strategies. With a small deck OpenSpiel walks through the whole
game and computes NashConv, the sum of what each seat could gain by a best response, which falls towards 0.
Deep CFR (Brown et al. 2019), which needs torch and dm-tree, learns networks, and then plays against an agent.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

from wizard_env.envs.openspiel import PolicyAgent
from wizard_env.evaluation.duplicate_deals import Entrant
from wizard_env.evaluation.evaluate import evaluate

PLAYERS = 3
ONE_CARD = {"players": PLAYERS, "hand_sizes": "1", "dealer": PLAYERS - 1}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the options; every option has a default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    algorithms = parser.add_subparsers(dest="algorithm", required=True)
    for name, choices in {
        "mccfr": [
            ("deck", "2S;9S;AS;5H;QH;WI;JE", "the cards of the game"),
            ("upcard", "2S", "the card that is turned up"),
            ("iterations", 1000, "between two lines of output"),
            ("lines", 3, "of output, each with NashConv"),
        ],
        "deep_cfr": [
            ("iterations", 20, "of Deep CFR"),
            ("traversals", 60, "walks through the game in an iteration, for each seat"),
            ("train_steps", 300, "gradient steps for the advantages in an iteration"),
            ("batch_size", 512, "samples of a gradient step"),
            ("learning_rate", 1e-3, "of Adam"),
            ("memory", 40_000, "samples that are kept"),
            ("opponent", "rule_based", "the agent to play against at the end"),
            ("games", 500, "deals to play against it"),
        ],
    }.items():
        options = algorithms.add_parser(name, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        for option, default, meaning in (*choices, ("seed", 1, "of everything drawn at random")):
            options.add_argument(
                f"--{option.replace('_', '-')}", type=type(default), default=default, help=meaning
            )
    return parser.parse_args(arguments)


def lead_over(opponent: str, policy: Any, game: Any, games: int, seed: int) -> float:
    """Play a policy against an agent, which sits in all other seats; return and print its lead in points."""
    ours = Entrant("policy", PolicyAgent(policy, game))
    entrants: list[Entrant | str] = [ours, *[opponent] * (game.num_players() - 1)]
    (lead,) = evaluate(entrants, game.rules, games, seed).differences
    interval = f"{lead.points_low:+.1f} to {lead.points_high:+.1f}"
    print(f"lead over {opponent} in points a round: {lead.points:+.1f} ({interval})")
    return lead.points


def make_solver(seed: int, **params: str) -> ExternalSamplingSolver:
    """Return a solver of rounds of one card.

    params: more parameters of the game, such as `deck` and `upcard`; by default it plays the whole deck.
    """
    np.random.seed(seed)  # noqa: NPY002 - OpenSpiel draws from it
    return ExternalSamplingSolver(pyspiel.load_game("wizard", {**ONE_CARD, **params, "chance": "sampled"}))


def mccfr(options: argparse.Namespace) -> list[float]:
    """Learn the bids of one card, and the dealer's trump; return NashConv, line by line."""
    params = {"deck": options.deck, "upcard": options.upcard}
    solver = make_solver(options.seed, **params)
    game = pyspiel.load_game("wizard", {**ONE_CARD, **params})
    curve: list[float] = []
    for line in range(options.lines):
        for _ in range(options.iterations):
            solver.iteration()
        curve.append(nash_conv(game, solver.average_policy(), use_cpp_br=False))
        print(f"iteration {(line + 1) * options.iterations:>6}  NashConv {curve[-1]:.2f}")
    return curve


def deep_cfr(options: argparse.Namespace) -> float:
    """Learn two cards with networks; return the lead over the opponent."""
    from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

    game = pyspiel.load_game(
        "wizard", {"players": PLAYERS, "hand_sizes": "2", "chance": "sampled", "rng_seed": options.seed}
    )
    solver = DeepCFRSolver(
        game,
        num_iterations=options.iterations,
        num_traversals=options.traversals,
        learning_rate=options.learning_rate,
        batch_size_advantage=options.batch_size,
        batch_size_strategy=options.batch_size,
        memory_capacity=options.memory,
        policy_network_train_steps=10 * options.train_steps,
        advantage_network_train_steps=options.train_steps,
        seed=options.seed,
    )
    solver.solve()
    return lead_over(options.opponent, solver, game, options.games, options.seed)


if __name__ == "__main__":
    options = parse()
    {"mccfr": mccfr, "deep_cfr": deep_cfr}[options.algorithm](options)

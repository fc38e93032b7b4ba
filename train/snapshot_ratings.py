"""Ratings of a learner while it learns: alone against copies of each agent, on held-out deals."""

from wizard_env.agents import load
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.train.config.run import Config
from wizard_env.train.networks.policy_value import GreedyAgent, PolicyValueNetwork
from wizard_env.train.selfplay.workers import ALONE, Peers

RATING = "rating/"
"""The beginning of the names of ratings."""
SEEN, HELD_OUT = "seen", "held_out"
"""The groups of agents that ratings are against: partners in training, and others."""
SEED = 2**33
"""The seed of the deals, which are the same for every snapshot of every run."""


class SnapshotRatings:
    """Rates the snapshots of a run."""

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        """Load the agents to rate against; the workers share the games."""
        self._peers = peers
        self._rules = config.evaluation_rules()
        self._games = config.ratings.games
        self._agents = {name: load(name) for name in config.ratings.agents}
        self._partners = set(config.partners())

    def rate(self, network: PolicyValueNetwork) -> dict[str, float]:
        """Play the network alone against copies of each agent; returns the metrics to log, by name.

        Those are its lead in points per game, its share of games won, and its mean lead over each group.
        """
        learner = Entrant("learner", GreedyAgent(network))
        metrics: dict[str, float] = {}
        means: dict[str, list[float]] = {}
        for name, agent in self._agents.items():
            others = [Entrant(name, agent)] * (self._rules.num_players - 1)
            result = evaluate([learner, *others], self._rules, self._games, SEED, spread=self._peers.map)
            (difference,) = result.differences
            group = SEEN if name in self._partners else HELD_OUT
            metrics[f"{RATING}{group}/{name}"] = difference.points
            metrics[f"{RATING}{group}/{name}/won"] = result.standings[0].win_share
            means.setdefault(group, []).append(difference.points)
        return metrics | {f"{RATING}{group}": sum(each) / len(each) for group, each in means.items()}

"""What the score card plays: which tables, with whom, on which deals.

Cards compare only within one version. Whatever changes a table, its deals or the reckoning needs another.
"""

from typing import Any, NamedTuple

from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_PLAYERS, MIN_PLAYERS, Rules

VERSION = 1
SEED = 20_260_000
"""The tables of the score have deals of seeds SEED, SEED + 1, ...; adaptation and self-play the next two."""

DEALS = {"full": 100, "short": 10}
"""Deals of a whole game per table. The short card, for agents that think for more than a millisecond, plays
the first deals of the full one."""
SELF_PLAY_SHARE = 4
"""Self-play has this many times the deals: it plays each once, not in every rotation of the seats."""

PANEL = ("random", "rule_based", "heuristic", "rival", "champion")
"""The opponents at tables of every size, from the weakest to the strongest."""
FLAT_SEARCH = "search:playouts=random,evidence=nothing,worlds=32"
STRANGERS = (
    ("variant:of=heuristic,bias=-0.5,noise=0.1",) * 3,
    ("variant:of=rule_based,bias=1,greed=0.5",) * 3,
    (FLAT_SEARCH,) * 3,
    ("rival", FLAT_SEARCH, "variant:of=heuristic,bias=0.7,greed=-0.3"),
)
"""Tables of four with kinds of agents to keep out of training; the last is one of each."""
BIASED = "variant:of=heuristic,bias=1"
"""The opponents of the measurement of adaptation: they bid a trick too many."""
ADAPTATION_ROUNDS = 12
"""Rounds of five cards; what an agent learns in the first half can help it in the second."""

VARIANTS, WITH_STRANGERS = "variants", "strangers"
PARTS = (
    *(f"{players} players" for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    VARIANTS,
    WITH_STRANGERS,
)
"""The parts of the score; each counts alike."""


class Table(NamedTuple):
    """One table of the card: the agent sits alone among the opponents."""

    part: str
    title: str
    rules: Rules
    opponents: tuple[str, ...]

    @property
    def key(self) -> str:
        """What names the table in the file of references."""
        return f"{self.part}: {self.title}"


def tables() -> list[Table]:
    """The tables that the score is the mean of, in the order of their seeds."""
    found = []
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        rules = Rules(players)
        found += [Table(f"{players} players", one, rules, (one,) * (players - 1)) for one in PANEL]
    variants: list[dict[str, Any]] = [
        *({"bid_restriction": name} for name in BID_RESTRICTIONS[1:]),
        *({"bid_reveal": name} for name in BID_REVEALS[1:]),
        {"magic_edition": True},
    ]
    for option in variants:
        ((name, value),) = option.items()
        found.append(Table(VARIANTS, f"{name}={value}", Rules(4, **option), ("heuristic",) * 3))
    for opponents in STRANGERS:
        title = opponents[0] if len(set(opponents)) == 1 else "three kinds at one table"
        found.append(Table(WITH_STRANGERS, title, Rules(4), opponents))
    return found


def adaptation_rules() -> Rules:
    """Rounds of equal size, so that only what has been seen tells the first from the last."""
    return Rules(4, hand_sizes=(5,) * ADAPTATION_ROUNDS)

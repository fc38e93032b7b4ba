"""The protocol of the score card: its tables, opponents and deals.

Score cards compare only within one version. A change of a table, its deals or the scale needs a new version.
"""

from typing import Any, NamedTuple

from wizard_env.rules import BID_REVEALS, MAX_PLAYERS, MIN_PLAYERS, Rules

VERSION = 1
SELF_PLAY_SHARE = 4
"""Self-play has this many times the deals, since it plays each just once."""

STRONGEST = "champion:goal=points"
"""The 100 of the scale; it stays as it is, while `champion` may grow stronger."""
PANEL = ("random", "rule_based", "heuristic", "rival", STRONGEST)
"""The opponents at tables of every size, from the weakest to the strongest."""
_FLAT_SEARCH = "search:playouts=random,evidence=nothing,worlds=32"
STRANGERS = (
    ("variant:of=heuristic,bias=-0.5,noise=0.1",) * 3,
    ("variant:of=rule_based,bias=1,greed=0.5",) * 3,
    (_FLAT_SEARCH,) * 3,
    ("rival", _FLAT_SEARCH, "variant:of=heuristic,bias=0.7,greed=-0.3"),
)
"""Opponents of kinds that are kept out of training, at tables of four; the last has one of each."""
BIASED = "variant:of=heuristic,bias=1"
"""The opponents for adaptation: they bid a trick too many."""
ADAPTATION_ROUNDS = 12
"""Rounds of five cards; an agent can use in the second half what it has learned in the first."""
ADAPTATION_RULES = Rules(4, hand_sizes=(5,) * ADAPTATION_ROUNDS)
"""All rounds are of one size: the last differs from the first only in what was seen before."""

_VARIANTS, _WITH_STRANGERS = "variants", "strangers"
PARTS = (
    *(f"{players} players" for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    _VARIANTS,
    _WITH_STRANGERS,
)
"""The parts of the score, with equal weights."""


class Table(NamedTuple):
    """A table where the agent sits alone among the opponents."""

    part: str
    title: str
    rules: Rules
    opponents: tuple[str, ...]

    @property
    def key(self) -> str:
        """The name of the table in the file of references."""
        return f"{self.part}: {self.title}"


def _all_tables() -> tuple[Table, ...]:
    """Return the tables of the score, in the order of their seeds; a rule that is added later has none."""
    found: list[Table] = []
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        rules = Rules(players)
        found += [Table(f"{players} players", one, rules, (one,) * (players - 1)) for one in PANEL]
    variants: list[tuple[str, Any]] = [
        *(("bid_restriction", value) for value in ("no_even", "leader", "canadian")),
        *(("bid_reveal", value) for value in BID_REVEALS[1:]),
        ("magic_edition", True),
    ]
    for name, value in variants:
        rules = Rules(4, **{name: value})
        found.append(Table(_VARIANTS, f"{name}={value}", rules, ("heuristic",) * 3))
    for opponents in STRANGERS:
        title = opponents[0] if len(set(opponents)) == 1 else "three kinds at one table"
        found.append(Table(_WITH_STRANGERS, title, Rules(4), opponents))
    return tuple(found)


class Effort(NamedTuple):
    """The games of a card."""

    tables: tuple[Table, ...]
    seed: int
    """The tables play the deals of seed, seed + 1, ...; then come those of adaptation and of self-play."""
    deals: int
    """Deals per table, each a whole game."""
    networks: tuple[str, ...]
    """The networks that a result depends on besides the agent's own."""
    has_self_play: bool = True
    """Also play against copies of the agent, and against the opponents for adaptation."""
    baseline: tuple[str, ...] = ()
    """Agents of several kinds and strengths. Their mean lead on a deal says how good its cards were, and is
    subtracted. This control variate (Lavenberg and Welch 1981) takes away part of the luck of the deal."""
    reference_deals: int = 0
    """Deals for the scale and for the mean of the baseline, if more than `deals`, which are the first."""


_FULL = Effort(_all_tables(), 20_260_000, 100, ("rival", STRONGEST))
EFFORTS = {
    "full": _FULL,
    "short": _FULL._replace(deals=10),
    "few": Effort(
        (
            Table(
                "few deals",
                "three kinds at one table",
                Rules(4, hand_sizes=(2, 4, 6, 8)),
                ("rule_based", "heuristic", "rival"),
            ),
        ),
        20_270_000,
        6,
        ("rival", STRONGEST, "adaptive"),
        has_self_play=False,
        baseline=(
            STRONGEST,
            "adaptive",
            "heuristic",
            "rule_based",
            f"variant:of={STRONGEST},noise=0.3",
            "variant:of=heuristic,bias=0.3",
            "variant:of=heuristic,noise=0.1",
            "variant:of=rule_based,bias=-0.3",
        ),
        reference_deals=300,
    ),
}
"""The short card, for agents that think for more than a millisecond, plays the first deals of the full one.
The card of few deals is for agents that are slow or dear, such as language models."""

"""The score of an agent whose decisions are slow or dear, such as a language model: a few deals.

The agent plays a table in all its seats. From its lead on each deal, the mean lead of a baseline of fast
agents on the same cards is subtracted, and the mean that the baseline has on many deals is added. This
control variate (Lavenberg and Welch 1981) takes away part of the luck of the deal. The champion alone would
add more noise than it takes away: its lead on a deal says little about that of weaker agents.
"""

from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Rules
from wizard_env.agents import load
from wizard_env.evaluation.duplicate_deals import (
    Deals,
    Player,
    Results,
    leads_of_first,
    load_players,
    make_entrant,
    play,
)
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.evaluation.statistics import Estimate, estimate_small_mean
from wizard_env.evaluation.workers import Map, in_this_process
from wizard_env.games import game_seeds

FEW = "few"
"""The name of this effort of the score card."""
VERSION = 1
"""Scores compare only within one version: a change of anything below needs a new one."""
SEED = 20_270_000
RULES = Rules(4, hand_sizes=(2, 4, 6, 8))
OPPONENTS = ("rule_based", "heuristic", "rival")
DEALS = 6
REFERENCE_DEALS = 300
"""The first of them are the few deals."""
BASELINE = (
    "champion",
    "adaptive",
    "heuristic",
    "rule_based",
    "variant:of=champion,noise=0.3",
    "variant:of=heuristic,bias=0.3",
    "variant:of=heuristic,noise=0.1",
    "variant:of=rule_based,bias=-0.3",
)
"""Agents of several kinds and strengths; their mean on a deal says how good its cards were."""
_WEAKEST, _STRONGEST = "random", "champion"


@dataclass(frozen=True)
class FewDeals:
    """The outcome of `measure_few`. `_low` and `_high` are 95% intervals."""

    version: str
    """Of the package."""
    protocol: int
    effort: str
    name: str
    agent: str | None
    """The name that `load` takes; None for an agent that was given as an object."""
    note: str
    fingerprint: str
    panel: dict[str, str]
    """The fingerprints of the networks among the opponents and the baseline."""
    deals: int
    decisions: int
    """Of the agent, those with one legal action included, but no trumps."""
    score: float
    """The lead on a scale from `random`, 0, to `champion`, 100, at the same table."""
    score_low: float
    score_high: float
    lead: float
    """Points per game above the mean of the opponents, corrected by the baseline."""
    lead_low: float
    lead_high: float
    lead_on_these_deals: float
    """Not corrected."""
    champion_lead: float
    """On many deals."""
    champion_lead_on_these_deals: float
    bid_accuracy: float
    """Share of bids met exactly."""
    champion_bid_accuracy: float
    """On the same cards."""
    forfeits: dict[str, int]
    """Decisions that the agent has forfeited, by reason, if it counts them."""
    usage: dict[str, float]
    """The cost of the agent's answers, if it counts that."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


class _Played(NamedTuple):
    """Results of an agent alone at the table."""

    leads: NDArray[np.float64]
    """[deals]"""
    met: NDArray[np.bool_]
    """[seats, deals, rounds]"""


def measure_few(
    agent: str | Agent, name: str | None = None, note: str = "", spread: Map = in_this_process
) -> FewDeals:
    """Play a few deals with an agent, in this process, and many with the baseline.

    Args:
        agent: what `load` takes.
        name: the agent's name on the card; by default what `load` takes.
        note: a description of the agent, and how others get it.
        spread: where the baseline plays, see `wizard_env.evaluation.workers`.

    Raises ValueError if an agent that is an object gets no name.
    """
    seated = load_players([make_entrant(agent, name), *OPPONENTS])
    references = (*BASELINE, _WEAKEST)
    tasks = [_deals(load_players([one, *OPPONENTS]), REFERENCE_DEALS) for one in references]
    found = dict(zip(references, map(_lead_of, spread(play, tasks)), strict=True))
    return _compare(seated, note, play(_deals(seated, DEALS)), found)


def _deals(players: tuple[Player, ...], count: int) -> Deals:
    return Deals(players, RULES, game_seeds(SEED, REFERENCE_DEALS)[:count])


def _lead_of(results: Results) -> _Played:
    return _Played(leads_of_first(results.points), results.bids[0] == results.tricks_won[0])


def _compare(seated: tuple[Player, ...], note: str, results: Results, found: dict[str, _Played]) -> FewDeals:
    player, own = seated[0], _lead_of(results)
    baseline = np.mean([found[name].leads for name in BASELINE], axis=0)
    corrected = own.leads - baseline[:DEALS] + baseline.mean()
    lowest, highest = (float(found[name].leads.mean()) for name in (_WEAKEST, _STRONGEST))
    lead = estimate_small_mean(corrected)
    score = Estimate(*(100 * (points - lowest) / (highest - lowest) for points in lead))
    champion = found[_STRONGEST]
    usage = getattr(player.agent, "usage", None)
    return FewDeals(
        version=version("wizard-env"),
        protocol=VERSION,
        effort=FEW,
        name=player.name,
        agent=player.entrant.agent if isinstance(player.entrant.agent, str) else None,
        note=note,
        fingerprint=fingerprint(player.name, player.agent),
        panel={name: fingerprint(name, load(name)) for name in ("rival", "champion", "adaptive")},
        deals=DEALS,
        decisions=results.bids[0].size + int(results.points[0].shape[0] * DEALS * sum(RULES.rounds)),
        score=score.mean,
        score_low=score.low,
        score_high=score.high,
        lead=lead.mean,
        lead_low=lead.low,
        lead_high=lead.high,
        lead_on_these_deals=float(own.leads.mean()),
        champion_lead=highest,
        champion_lead_on_these_deals=float(champion.leads[:DEALS].mean()),
        bid_accuracy=float(own.met.mean()),
        champion_bid_accuracy=float(champion.met[:, :DEALS].mean()),
        forfeits=dict(getattr(player.agent, "forfeits", {})),
        usage={} if usage is None else asdict(usage),
    )

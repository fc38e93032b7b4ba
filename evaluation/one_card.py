"""Exact exploitability in rounds of one card: the points that the best response of each seat gains.

All deals are counted (see `wizard_env.agents.one_card`), and an agent is asked for every decision that it can
meet. The sum of the seats' gains is NashConv (Lanctot et al. 2017), which is 0 in a Nash equilibrium.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Rules, View
from wizard_env.actions import FIRST_BID, FIRST_TRUMP
from wizard_env.agents import load
from wizard_env.agents.assessment import ProbabilisticAgent
from wizard_env.agents.one_card.deals import (
    CERTAIN,
    SIZES,
    Deals,
    begin_bidding,
    bid_as_heard,
    cards_left,
    deal_round,
    is_hidden,
    legal_bids,
    outcomes,
    points_of_bids,
)
from wizard_env.agents.one_card.equilibrium import Strategies, in_first_suit, solve
from wizard_env.cards import CARD_NAMES, COPIES, DECK_SIZE, NUM_KINDS, NUM_SUITS, UNITS, WIZARD, suit_of
from wizard_env.checks import quoted
from wizard_env.evaluation.duplicate_deals import Entrant
from wizard_env.sampling import certain
from wizard_env.view import ask


@dataclass(frozen=True)
class UpcardValues:
    """The points of the round after one upcard, by seat as in `ExactExploit`."""

    upcard: str
    probability: float
    equilibrium: list[float]
    values: list[float]
    gains: list[float]

    @property
    def kind(self) -> str:
        """Return "suit card", "Wizard" or "Jester"."""
        return {"WI": "Wizard", "JE": "Jester"}.get(self.upcard, "suit card")


@dataclass(frozen=True)
class ExactExploit:
    """Points of the round by seat, from the dealer's left to the dealer; exact but for rounding."""

    agent: str
    rules: Rules
    equilibrium: list[float]
    """The points of each seat in the equilibrium of `wizard_env.agents.one_card.equilibrium`."""
    values: list[float]
    """The points of each seat among copies of the agent."""
    gains: list[float]
    """The points that the best response of a seat scores more, among copies of the agent."""
    nash_conv: float
    """The sum of `gains`."""
    decisions: int
    """The number of decisions that the agent was asked for: all that differ in what the seat has seen."""
    by_upcard: list[UpcardValues]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        return asdict(self) | {"rules": self.rules.to_dict()}


class _Profile(NamedTuple):
    """The strategies of all seats after an upcard, for each trump that can follow it."""

    bids: Sequence[Sequence[NDArray[np.float64]]]
    """For each trump, of each seat float64 [heard, 54]: the probability that it bids 1."""
    naming: NDArray[np.float64]
    """float64 [trumps, 54]: the probability that the dealer names the trump, by its card; else 1."""


class _Points(NamedTuple):
    """Points of the round by seat, float64 [seats] each."""

    values: NDArray[np.float64]
    best: NDArray[np.float64]
    """Those of the best response of each seat."""


def measure_exactly(
    agent: str | Entrant, rules: Rules, report: Callable[[int], None] = lambda done: None
) -> ExactExploit:
    """Measure the gain of each seat's best response to copies of an agent, in rounds of one card.

    Everybody has 0 points, so no seat leads: `leader` and `canadian` restrict nobody. The dealer is the last
    seat.

    Args:
        agent: what `load` takes, or an agent with a name. It must give its probabilities (`act_and_tell`),
            or not draw at random.
        rules: of the round; their hand sizes must be (1,).
        report: called with the number of upcards that are done, of 54.

    Raises:
        ValueError: other rounds; or the agent draws at random and gives no probabilities, or acts illegally.
    """
    if rules.hand_sizes != (1,) or rules.num_players not in SIZES:
        raise ValueError(
            f"hand_sizes={rules.hand_sizes}, num_players={rules.num_players}: exact values are computed for "
            f"one round of one card, hand_sizes=(1,), with {SIZES[0]} or {SIZES[-1]} players"
        )
    name, given = agent if isinstance(agent, Entrant) else (agent, agent)
    player, deals = load(given), Deals(rules)
    known: dict[bytes, _Points] = {}

    def evaluate(upcard: int, profile: _Profile) -> _Points:
        key = b"".join(array.tobytes() for array in (np.array(upcard), profile.naming, *chain(*profile.bids)))
        if key not in known:  # most agents do the same in all suits
            known[key] = _evaluate(deals, rules, upcard, profile)
        return known[key]

    solved = {
        upcard: evaluate(upcard, _name_each(strategies, upcard)).values
        for upcard, strategies in solve(rules).items()
    }
    lines, decisions = [], 0
    for upcard in range(NUM_KINDS):
        profile, count = _ask_all(name, player, rules, upcard)
        turned = in_first_suit(np.arange(NUM_KINDS), np.array(suit_of(upcard)))
        alike = int(turned[upcard])
        values, best = evaluate(alike, _turn(profile, turned))
        probability = COPIES[upcard] / DECK_SIZE
        each = [points.tolist() for points in (solved[alike], values, (best - values).clip(0))]
        lines.append(UpcardValues(CARD_NAMES[upcard], probability, *each))
        decisions += count
        report(upcard + 1)

    def mean(name: str) -> list[float]:
        return np.sum([line.probability * np.array(getattr(line, name)) for line in lines], axis=0).tolist()

    gains = mean("gains")
    return ExactExploit(
        agent=name,
        rules=rules,
        equilibrium=mean("equilibrium"),
        values=mean("values"),
        gains=gains,
        nash_conv=sum(gains),
        decisions=decisions,
        by_upcard=lines,
    )


def _trumps(upcard: int) -> range:
    """Return the suits that the dealer may name; a single one, which means nothing, if there is no choice."""
    return range(NUM_SUITS if upcard == WIZARD else 1)


def _turn(profile: _Profile, turned: NDArray[np.int64]) -> _Profile:
    """Return a profile with its suits turned. turned: int64 [54], what each card becomes."""
    cards = turned.argsort()
    bids = [[own.take(cards, axis=1) for own in by_seat] for by_seat in profile.bids]
    return _Profile(bids, profile.naming.take(cards, axis=1))


def _name_each(strategies: Strategies, upcard: int) -> _Profile:
    """Return the equilibrium after an upcard, for each suit that the dealer may name."""
    turned = [in_first_suit(np.arange(NUM_KINDS), np.array(trump)) for trump in _trumps(upcard)]
    return _Profile(
        [[bids[:, cards] for bids in strategies.bids] for cards in turned],
        np.stack([strategies.naming[cards] for cards in turned]),
    )


def _evaluate(deals: Deals, rules: Rules, upcard: int, profile: _Profile) -> _Points:
    """Return the points after an upcard where the first suit is trump, or none, or the dealer names one."""
    legal, hidden, dealer = legal_bids(rules, upcard), is_hidden(rules), rules.num_players - 1
    values, best = np.zeros(rules.num_players), np.zeros(rules.num_players)
    best_by_trump = []
    for trump, (bids, naming) in enumerate(zip(profile.bids, profile.naming, strict=True)):
        for seat, counts in enumerate(deals.count(upcard, trump, naming)):
            points = points_of_bids(outcomes(counts, bids[:seat], hidden))
            by_card = (points[0] + bids[seat] * (points[1] - points[0])).sum(axis=0)
            best_by_card = np.where(legal[seat], points, -np.inf).max(axis=0).sum(axis=0)
            if seat == dealer:  # its deals are counted for any trump that it might have named
                by_card = by_card * naming
                best_by_trump.append(best_by_card)
            else:
                best[seat] += best_by_card.sum()
            values[seat] += by_card.sum()
    best[dealer] = np.max(best_by_trump, axis=0).sum()
    total = np.prod(np.arange(DECK_SIZE - 1, DECK_SIZE - 1 - rules.num_players, -1.0))
    return _Points(values / total, best / total)


def _ask_all(name: str, agent: Agent, rules: Rules, upcard: int) -> tuple[_Profile, int]:
    """Ask an agent for all decisions after an upcard; return its strategies, and the number of decisions."""
    cards = cards_left(upcard).nonzero()[0]
    parts, places = [], []
    for trump in _trumps(upcard):
        start = begin_bidding(rules, upcard, trump)
        for seat, legal in enumerate(legal_bids(rules, upcard)):
            for heard in range(legal.shape[1]):
                parts.append(_hold_each(bid_as_heard(start, seat, heard).state, seat, cards))
                places.append((trump, seat, heard))
    if upcard == WIZARD:
        parts.append(_hold_each(deal_round(rules, upcard).state, rules.num_players - 1, cards))
    policy = _policy_of(name, agent, View(np.concatenate(parts))).reshape(len(parts), len(cards), -1)
    bids = [
        [np.zeros((own.shape[1], NUM_KINDS)) for own in legal_bids(rules, upcard)] for _ in _trumps(upcard)
    ]
    for (trump, seat, heard), chances in zip(places, policy, strict=False):
        bids[trump][seat][heard, cards] = chances[:, FIRST_BID + 1]
    naming = CERTAIN[np.newaxis].copy()
    if upcard == WIZARD:
        naming = np.zeros((NUM_SUITS, NUM_KINDS))
        naming[:, cards] = policy[-1, :, FIRST_TRUMP : FIRST_TRUMP + NUM_SUITS].T
    return _Profile(bids, naming), len(parts) * len(cards)


def _hold_each(state: NDArray[Any], seat: int, cards: NDArray[np.int64]) -> NDArray[Any]:
    """Return a state once for each card that the acting seat may hold, without the other hands."""
    states = state.repeat(len(cards))
    states["hands"] = 0
    states["hands"][:, seat] = UNITS[cards]
    return states


def _policy_of(name: str, agent: Agent, view: View) -> NDArray[np.float64]:
    """Return float64 [n, NUM_ACTIONS], the probability of each action."""
    if isinstance(agent, ProbabilisticAgent):
        policy = agent.act_and_tell(view, np.random.default_rng(0))[1].astype(np.float64)
    else:
        once, again = (ask(agent, view, np.random.default_rng(seed)) for seed in range(2))
        if (once != again).any():
            raise ValueError(
                f"agent {quoted(name)} draws at random without giving its probabilities, which exact "
                "gains need: it has no `act_and_tell`"
            )
        policy = certain(once).astype(np.float64)
    legal = np.where(view.mask, policy, 0.0).sum(axis=1, keepdims=True)
    if not (abs(legal - 1) < 1e-3).all():
        raise ValueError(f"agent {quoted(name)} gives illegal actions a probability of {1 - legal.min():.3g}")
    return policy / legal

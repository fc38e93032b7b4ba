"""Belief: worlds are consistent with what was seen, and all are equally likely."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from wizard_env import Games, Rules, sample_legal
from wizard_env.agents.search.belief import count_deals, draw_worlds
from wizard_env.cards import NUM_SUITS, SUIT_SETS, pack, unpack_cards
from wizard_env.engine import cards_left
from wizard_env.rules import BID_REVEALS, MAX_PLAYERS, MIN_PLAYERS
from wizard_env.state import NO_CARD

RNG = np.random.default_rng(0)


def played(rules: Rules, seed: int, decisions: int, count: int = 16) -> Games:
    """Games after a number of random decisions."""
    games, rng = Games(rules, count, seed), np.random.default_rng(seed)
    for _ in range(decisions):
        games.step(sample_legal(games.mask, rng))
    return games


def unseen(known: Any) -> list[int]:
    """The cards that the acting seat has not seen, counted one by one."""
    pool = Counter({card: 4 if card >= 52 else 1 for card in range(54)})
    pool.subtract(unpack_cards(known["hands"][known["seat"]]))
    for cards in known["played"]:
        pool.subtract(unpack_cards(cards))
    if known["upcard"] != NO_CARD:
        pool.subtract([int(known["upcard"])])
    assert min(pool.values()) >= 0
    return sorted(pool.elements())


def all_deals(known: Any) -> Counter[tuple[int, ...]]:
    """The number of ways to get each combination of the others' hands, by trying every deal."""
    seats = [seat for seat in range(known["num_players"]) if seat != known["seat"]]
    pool = unseen(known)

    def deal(left: tuple[int, ...], others: list[int]) -> Iterator[tuple[int, ...]]:
        if not others:
            yield ()
            return
        seat = others[0]
        banned = sum(int(SUIT_SETS[suit]) for suit in range(NUM_SUITS) if known["voids"][seat] >> suit & 1)
        for chosen in combinations(left, cards_left(known, seat)):
            hand = pack(pool[index] for index in chosen)
            if not hand & banned:
                for rest in deal(tuple(set(left) - set(chosen)), others[1:]):
                    yield (hand, *rest)

    return Counter(deal(tuple(range(len(pool))), seats))


@given(
    players=st.integers(MIN_PLAYERS, MAX_PLAYERS),
    reveal=st.sampled_from(BID_REVEALS),
    seed=st.integers(0, 2**32),
    data=st.data(),
)
def test_worlds_fit_what_was_seen(players: int, reveal: Any, seed: int, data: st.DataObject) -> None:
    """Hands have the right size, only unseen cards and no suits shown void; all else is as known."""
    hand_size = data.draw(st.integers(1, 60 // players))
    rules = Rules(players, bid_reveal=reveal, hand_sizes=(hand_size,))
    games = played(rules, seed, data.draw(st.integers(0, players * (hand_size + 1) - 1)))
    view = games.view()
    worlds = draw_worlds(view, 3, np.random.default_rng(seed))
    for known, drawn in zip(view.known, worlds, strict=True):
        for world in drawn:
            for field in set(known.dtype.names) - {"hands", "generator"}:
                assert np.array_equal(world[field], known[field]), field
            pool = Counter(unseen(known))
            for seat in range(players):
                hand = unpack_cards(world["hands"][seat])
                if seat == known["seat"]:
                    assert hand == unpack_cards(known["hands"][seat])
                    continue
                assert len(hand) == cards_left(known, seat)
                pool.subtract(hand)
                for suit in range(NUM_SUITS):
                    if known["voids"][seat] >> suit & 1:
                        assert not world["hands"][seat] & SUIT_SETS[suit]
            assert min(pool.values(), default=0) >= 0


LATE_POSITIONS = [
    (Rules(3, hand_sizes=(20,)), 3 * 17 + 3),  # nothing is left over
    (Rules(3, hand_sizes=(19,)), 3 * 16 + 4),  # two cards are not dealt
    (Rules(4, hand_sizes=(15,)), 4 * 14 + 2),
    (Rules(4, hand_sizes=(14,)), 4 * 13 + 1),
    (Rules(6, hand_sizes=(10,)), 6 * 10),
]


@pytest.mark.parametrize(("rules", "decisions"), LATE_POSITIONS)
def test_deals_are_counted_correctly(rules: Rules, decisions: int) -> None:
    games = played(rules, 3, decisions, 40)
    view = games.view()
    counted = [sum(all_deals(known).values()) for known in view.known]
    assert count_deals(view).tolist() == counted
    assert len(set(counted)) > 1


@pytest.mark.parametrize(("rules", "decisions"), LATE_POSITIONS)
def test_all_deals_are_equally_likely(rules: Rules, decisions: int) -> None:
    """A chi-square test over all deals, in the games with few deals and the most different voids."""
    games = played(rules, 8, decisions, 200)
    view = games.view()
    totals = count_deals(view)
    rows = np.flatnonzero((totals > 5) & (totals < 400))
    voids = [len(set(view.known["voids"][row, : rules.num_players].tolist())) for row in rows]
    rows = rows[np.argsort(voids)[::-1][:4]]
    assert len(rows)
    for row in rows:
        deals = all_deals(view.known[row])
        chosen = view.select([row])
        others = np.arange(rules.num_players) != view.known[row]["seat"]
        hands = draw_worlds(chosen, 100 * len(deals), np.random.default_rng(1))[0]["hands"]
        seen = Counter(map(tuple, hands[:, : rules.num_players][:, others].tolist()))
        assert set(seen) <= set(deals)
        ways = np.array(list(deals.values()))
        found = [seen[deal] for deal in deals]
        assert chisquare(found, ways * (sum(found) / ways.sum())).pvalue > 1e-4


def test_future_deals_are_not_those_of_the_game() -> None:
    games = played(Rules(4), 2, 6)
    worlds = draw_worlds(games.view(), 3, RNG)
    assert len(np.unique(worlds["generator"])) == worlds.size
    assert not np.isin(worlds["generator"], games.states["generator"]).any()

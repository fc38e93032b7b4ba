"""RuleBasedAgent: what it thinks cards are worth, and how it bids and plays."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.positions import under_way
from wizard_env import Game, Games, Rules, View, action_name
from wizard_env.agents.rule_based import PUBLISHED_ACCURACY, RuleBasedAgent, trick_chances
from wizard_env.cards import (
    COPIES,
    DECK,
    JESTER,
    NUM_RANKS,
    NUM_SUITS,
    SUITS,
    WIZARD,
    pack,
    unpack_cards,
)
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_PLAYERS, MIN_PLAYERS
from wizard_env.state import BID, NO_CARD, NO_SUIT

every_num_players = pytest.mark.parametrize("num_players", range(MIN_PLAYERS, MAX_PLAYERS + 1))
every_trump = pytest.mark.parametrize("trump", range(NO_SUIT + 1))
UNUSED_RNG = np.random.default_rng(0)


def act(game: Game) -> str:
    return action_name(int(RuleBasedAgent().act(View.of([game]), UNUSED_RNG)[0]))


@st.composite
def all_rules(draw: st.DrawFn) -> Rules:
    """Rules of every kind, with one or two rounds."""
    players = draw(st.integers(MIN_PLAYERS, MAX_PLAYERS))
    restriction: Any = draw(st.sampled_from(BID_RESTRICTIONS))
    reveal: Any = draw(st.sampled_from(BID_REVEALS)) if restriction == "free" else "open"
    sizes = draw(st.lists(st.integers(1, 60 // players), min_size=1, max_size=2))
    return Rules(players, restriction, reveal, draw(st.booleans()), tuple(sizes))


# --- what a card is worth


@every_num_players
@every_trump
def test_all_cards_together_win_all_tricks(num_players: int, trump: int) -> None:
    """The 60 cards win 60 / num_players tricks."""
    chances = trick_chances(num_players, trump)
    assert chances.shape == (54,)
    assert (chances * COPIES).sum() == pytest.approx(60 / num_players)


@every_num_players
@every_trump
def test_the_order_of_the_cards(num_players: int, trump: int) -> None:
    """Wizards above all, Jesters below all, higher ranks above lower, trumps above other suits."""
    chances = trick_chances(num_players, trump)
    by_suit = chances[:WIZARD].reshape(NUM_SUITS, NUM_RANKS)
    assert chances[WIZARD] > by_suit.max()
    assert chances[JESTER] < by_suit.min()
    assert (np.diff(by_suit) > 0).all()
    plain = [suit for suit in range(NUM_SUITS) if suit != trump]
    assert np.allclose(by_suit[plain], by_suit[plain[0]])
    if trump != NO_SUIT:
        assert by_suit[trump].min() > by_suit[plain].max()


@pytest.mark.parametrize("hand_size", PUBLISHED_ACCURACY)
def test_bids_are_met_as_often_as_published(hand_size: int) -> None:
    """In the paper an upturned Wizard means no trump: rounds with one count here like those with a Jester."""
    games = Games(Rules(4, hand_sizes=(hand_size,)), 6000, seed=hand_size, pause="game")
    upcard, rows = games.states["upcard"].copy(), np.arange(games.num_games)
    while len(rows):
        games.step(RuleBasedAgent().act(games.view(rows), UNUSED_RNG), rows)
        rows = rows[~games.done[rows]]
    met = (games.scores > 0).mean(axis=1)
    if hand_size == 15:
        assert met.mean() == pytest.approx(PUBLISHED_ACCURACY[hand_size], abs=0.015)
        return
    suited, without = met[upcard < WIZARD], met[upcard == JESTER]
    accuracy = (52 * suited.mean() + 8 * without.mean()) / 60
    assert accuracy == pytest.approx(PUBLISHED_ACCURACY[hand_size], abs=0.015)


# --- any position


@given(rules=all_rules(), seed=st.integers(0, 2**32))
def test_it_does_not_read_hidden_information(rules: Rules, seed: int) -> None:
    """With the unseen cards dealt again and hidden bids changed, the action is the same."""
    games, rng = under_way(rules, 24, seed), np.random.default_rng(seed)
    actions = RuleBasedAgent().act(games.view(), UNUSED_RNG)
    changed = games.states.copy()
    for state in changed:
        seat, players = int(state["seat"]), rules.num_players
        seen = int(state["hands"][seat]) + sum(map(int, state["played"][:players]))
        if state["upcard"] != NO_CARD:
            seen += pack([int(state["upcard"])])
        unseen = rng.permutation(unpack_cards(DECK - seen)).tolist()
        for other in set(range(players)) - {seat}:
            size = len(unpack_cards(state["hands"][other]))
            state["hands"][other] = pack(unseen[:size])
            unseen = unseen[size:]
            if rules.bid_reveal == "secret" and state["bids"][other] >= 0:
                state["bids"][other] = rng.integers(state["hand_size"] + 1)
    assert RuleBasedAgent().act(View(changed, copy=False), UNUSED_RNG).tolist() == actions.tolist()


@given(rules=all_rules(), seed=st.integers(0, 2**32))
def test_it_bids_the_legal_number_nearest_to_what_its_hand_is_worth(rules: Rules, seed: int) -> None:
    games = under_way(rules, 24, seed)
    actions = RuleBasedAgent().act(games.view(), UNUSED_RNG)
    for row in (games.states["phase"] == BID).nonzero()[0]:
        state = games.states[row]
        hand = unpack_cards(state["hands"][state["seat"]])
        worth = trick_chances(rules.num_players, int(state["trump"]))[hand].sum()
        legal = games.mask[row].nonzero()[0].tolist()
        assert abs(worth - actions[row]) == pytest.approx(min(abs(worth - bid) for bid in legal))


@pytest.mark.parametrize("suit", SUITS)
def test_it_names_its_strongest_suit_as_trump(suit: str) -> None:
    others = [other for other in SUITS if other != suit]
    mine = [f"A{suit}", f"Q{suit}", f"T{suit}", f"2{others[0]}", f"K{others[1]}"]
    rest = [rank + other for other in others[1:] for rank in "34567"]
    game = Game.from_deal(Rules(num_players=3), dealer=0, hands=[mine, rest[:5], rest[5:]], upcard="WI")
    assert game.phase == "trump"
    assert act(game) == f"trump {suit}"


# Dealer 0, so seat 1 bids and leads first, then 2, then 0. Clubs are trump.
PLAYS = [
    # it needs a trick: its likeliest card, if that takes the trick
    ("7S 8H 9D/AS 2H 3D/4S 5H 6D", "bid 1/bid 0/bid 0", "play AS"),
    ("7S 8H 9D/9S 2H 3D/TS KS 6D", "bid 0/bid 1/bid 0/play 9S", "play KS"),
    ("7S 8H 9D/9S 2H 3D/2C KH 6D", "bid 0/bid 1/bid 0/play 9S", "play 2C"),
    # it needs a trick, and its likeliest card does not take this one: the unlikeliest
    ("7S 8H 9D/WI 2H 3D/KS 2S AH", "bid 0/bid 1/bid 0/play WI", "play 2S"),
    ("7S 8H 9D/AS 2H 3D/KS 4S AH", "bid 0/bid 1/bid 0/play AS", "play 4S"),
    # it needs none: the likeliest card that does not take the trick
    ("7S 8H 9D/9S 2H 3D/TS 8S 2S", "bid 0/bid 0/bid 0/play 9S", "play 8S"),
    ("7S 8H 9D/9S 2H 3D/JE AH AC", "bid 0/bid 0/bid 0/play 9S", "play AH"),
    # all its cards take the trick: the unlikeliest
    ("7S 8H 9D/2S 2H 3D/3S KS AS", "bid 0/bid 0/bid 0/play 2S", "play 3S"),
    ("7S 8H 9D/WI 2H 3D/3S KS AS", "bid 0/bid 0/bid 0", "play 2H"),
    # ... or as the last to play, the likeliest
    ("7S 8S 9S/2S 2H 3D/4S KS AS", "bid 0/bid 0/bid 0/play 2S/play 4S", "play 9S"),
    # its bid is met already
    ("7S 8H 9D/AS 2S KD/3S 2H AH", "bid 1/bid 0/bid 0/play AS/play 3S/play 7S", "play 2S"),
]


@pytest.mark.parametrize(("hands", "actions", "play"), PLAYS)
def test_it_plays_as_documented(hands: str, actions: str, play: str) -> None:
    """`_best_card` in positions made by hand."""
    game = Game.from_deal(Rules(num_players=3), dealer=0, hands=hands.split("/"), upcard="5C")
    for action in actions.split("/"):
        game.step(action)
    assert act(game) == play


@pytest.mark.parametrize(("magic", "play"), [(False, "play 2S"), (True, "play 3S")])
def test_it_knows_the_magic_edition(magic: bool, play: str) -> None:
    """The 2 of the led suit then takes the trick, so to lose the trick it plays the 3 instead."""
    hands = ["7S 7H", "4S 4H", "2S 3S" if magic else "2S 6S"]
    game = Game.from_deal(Rules(num_players=3, magic_edition=magic), dealer=0, hands=hands, upcard="5C")
    for action in ("bid 0", "bid 0", "bid 0", "play 4S"):
        game.step(action)
    assert act(game) == play

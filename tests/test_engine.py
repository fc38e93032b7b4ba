"""One test for each paragraph and table row of rules.md."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from wizard_env import Game, Games, IllegalAction, Rules, View, action_name, unpack
from wizard_env.cards import CARD_NAMES, COPIES, DECK_SIZE, RANKS, SUITS, card_id, pack
from wizard_env.chance import draw_for_dealer, draw_or_reshuffle
from wizard_env.engine import draw_cards
from wizard_env.state import DECK_ORDER, HIDDEN, OVER, STATE, write_rules

DECK = [name for name, copies in zip(CARD_NAMES, COPIES, strict=True) for _ in range(copies)]


def lay(hands: list[str], upcard: str | None, scores: list[int] | None = None, **options: Any) -> Game:
    """A deal by the last seat, so that seat 0 bids and leads first."""
    rules = Rules(num_players=len(hands), **options)
    return Game.from_deal(rules, len(hands) - 1, hands, upcard, scores)


def names(game: Game) -> list[str]:
    return [action_name(action) for action in game.legal_actions()]


def cards(game: Game) -> set[str]:
    """The cards that the acting seat may play."""
    return {name.removeprefix("play ") for name in names(game)}


def bids(game: Game) -> list[int]:
    """The bids that the acting seat may make."""
    return [int(name.removeprefix("bid ")) for name in names(game)]


def take(game: Game, *actions: str) -> Game:
    for action in actions:
        game.step(action)
    return game


def bid_all(game: Game, *tricks: int) -> Game:
    return take(game, *(f"bid {bid}" for bid in tricks or [0] * game.rules.num_players))


def trick_winner(trick: str, upcard: str, **options: Any) -> int:
    """The place in the trick of the card that wins it, played from hands of one card."""
    game = bid_all(lay(trick.split(), upcard, **options))
    take(game, *(f"play {card}" for card in trick.split()))
    return game.rounds[0].tricks_won.index(1)


def any_winner(game: Game) -> Game:
    """Play the game to its end, each seat taking the last action that is legal."""
    while game.phase != "over":
        game.step(game.legal_actions()[-1])
    return game


# --- Deck


def test_deck() -> None:
    """Deck: 60 cards, four suits of 13 ranks, four Wizards and four Jesters."""
    suit_cards = [rank + suit for suit in SUITS for rank in RANKS]
    assert sorted(DECK) == sorted(suit_cards + ["WI"] * 4 + ["JE"] * 4)
    assert len(DECK) == DECK_SIZE == 60
    assert (len(SUITS), len(RANKS)) == (4, 13)


@pytest.mark.parametrize(("low", "high"), list(pairwise(RANKS)))
def test_ranks(low: str, high: str) -> None:
    """Deck: 2 < 3 < ... < 10 < J < Q < K < A."""
    assert trick_winner(f"{low}H {high}H JE", "3C") == 1
    assert trick_winner(f"{high}H {low}H JE", "3C") == 0
    assert (RANKS[0], RANKS[-1]) == ("2", "A")


@pytest.mark.parametrize("card", ["2S", "AS", "AC"])
def test_wizards_above_and_jesters_below_every_card(card: str) -> None:
    """Deck: Wizards rank above every card, Jesters below; clubs are trump here."""
    assert trick_winner(f"{card} WI JE", "KC") == 1
    assert trick_winner(f"JE {card} JE", "KC") == 1


def test_the_four_wizards_are_alike_and_so_are_the_four_jesters() -> None:
    """Deck: one action stands for each of them."""
    game = bid_all(lay(["WI WI JE JE", "WI WI JE JE", "2S 3S 4S 5S"], "6S"))
    assert names(game) == ["play WI", "play JE"]
    assert game.hands[0] == ["WI", "WI", "JE", "JE"]


# --- Players, rounds, deal


@pytest.mark.parametrize(("num_players", "num_rounds"), [(3, 20), (4, 15), (5, 12), (6, 10)])
def test_rounds(num_players: int, num_rounds: int) -> None:
    """Players: 60 / players rounds; in round r each player is dealt r cards."""
    game = Game(Rules(num_players=num_players), seed=num_players)
    assert game.num_rounds == num_rounds
    while game.phase != "over":
        if game.phase == "bid":
            assert game.hand_size == game.round_number
            assert [len(hand) for hand in game.hands] == [game.hand_size] * num_players
            dealt = [card for hand in game.hands for card in hand]
            dealt += [game.upcard] if game.upcard else []
            assert all(dealt.count(card) <= DECK.count(card) for card in dealt)
        game.step(game.legal_actions()[0])
    assert [entry.hand_size for entry in game.rounds] == list(range(1, num_rounds + 1))


def test_every_round_is_dealt_from_all_60_cards_freshly_shuffled() -> None:
    """Deal: in a first and a second round, each kind is as likely as it is frequent in every place."""
    games = Games(Rules(hand_sizes=(14, 14)), 4000, seed=5, pause="round")
    share = np.array(COPIES) / DECK_SIZE
    for round_index in range(2):
        for seat in range(4):
            held = unpack(games.observe(seat))["hand"].mean(axis=0)
            assert (np.abs(held - 14 * share) < 5 * np.sqrt(14 * share / games.num_games)).all()
        turned = np.bincount(games.states["upcard"], minlength=len(share)) / games.num_games
        assert (np.abs(turned - share) < 5 * np.sqrt(share / games.num_games)).all()
        while games.mask.any():
            rows = np.flatnonzero(games.mask.any(axis=1))
            games.step(games.mask[rows].argmax(axis=1), rows)
        if round_index == 0:
            games.deal(np.arange(games.num_games))
    assert (games.states["phase"] == OVER).all()


def first_dealer(draw: list[tuple[int, str]], num_players: int) -> tuple[int, int]:
    """Return the dealer by a draw, and the number of draws; check that just the tied players draw again."""
    order = ["JE", *RANKS, "WI"]
    drawing, times, left = list(range(num_players)), 0, list(draw)
    while len(drawing) > 1:
        drawn, left = left[: len(drawing)], left[len(drawing) :]
        assert [seat for seat, _ in drawn] == drawing
        values = [order.index(card if card in ("JE", "WI") else card[0]) for _, card in drawn]
        drawing = [seat for (seat, _), value in zip(drawn, values, strict=True) if value == max(values)]
        times += 1
    assert not left
    return drawing[0], times


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_draw_for_the_first_dealer(num_players: int) -> None:
    """First dealer: the highest card deals (Jester < 2 < ... < A < Wizard); tied players draw again."""
    dealers, draws = set(), set()
    for seed in range(300):
        game = Game(Rules(num_players=num_players), seed)
        dealer, times = first_dealer(game.draw, num_players)
        assert game.dealer == dealer
        assert not [card for _, card in game.draw if [c for _, c in game.draw].count(card) > DECK.count(card)]
        dealers.add(dealer)
        draws.add(times)
    assert dealers == set(range(num_players))
    assert draws >= {1, 2}


@pytest.mark.parametrize(
    ("drawn", "highest"),
    [
        ("2H 3S JE", "010"),
        ("JE JE 2C", "001"),
        ("AS WI AH", "010"),
        ("AS AH KD", "110"),  # suits don't break the tie
        ("WI 3C WI", "101"),
        ("JE JE JE", "111"),
        ("TD 9D JC 2S", "0010"),
        ("KC QC KD KH", "1011"),
    ],
)
def test_highest_draw(drawn: str, highest: str) -> None:
    """First dealer: the highest deals; the tied players are those that hold the highest card."""
    state, deck = rigged(drawn)
    seats = draw_cards(state, deck, (1 << len(drawn.split())) - 1) or 1 << state["dealer"]
    assert [seats >> seat & 1 for seat in range(len(highest))] == [int(tied) for tied in highest]


@pytest.mark.parametrize(
    ("drawn", "drawing", "highest"), [("5D 6D", 0b110, 0b100), ("9S 9H 8C", 0b1011, 0b0011)]
)
def test_only_the_tied_players_draw_again(drawn: str, drawing: int, highest: int) -> None:
    """First dealer: tied highest cards, the tied players draw again."""
    state, deck = rigged(drawn, num_players=4)
    tied = draw_cards(state, deck, drawing)
    assert tied == (highest if highest.bit_count() > 1 else 0)
    assert (tied or 1 << state["dealer"]) == highest
    assert deck["drawn"] == len(drawn.split())
    drawers = [seat for seat in range(4) if drawing >> seat & 1]
    assert list(deck["drawers"][: len(drawers)]) == drawers


def rigged(drawn: str, num_players: int | None = None) -> tuple[Any, Any]:
    """A game's record and a deck with the named cards on top."""
    states, decks = np.zeros(1, STATE), np.zeros(1, DECK_ORDER)
    write_rules(Rules(num_players=num_players or len(drawn.split())), states)
    top = [card_id(name) for name in drawn.split()]
    decks["cards"][0, : len(top)] = top
    return states[0], decks[0]


def test_the_draw_goes_on_when_the_deck_is_used_up() -> None:
    """First dealer: after a run of ties that leaves too few cards, all 60 are shuffled again."""
    state, deck = rigged("", num_players=3)
    deck["drawn"] = DECK_SIZE - 2
    tied = draw_or_reshuffle(state, deck, 0b111)
    assert 0 < (tied or 1 << state["dealer"]) < 0b1000
    assert sorted(deck["cards"]) == sorted(card_id(name) for name in DECK)
    assert deck["drawn"] == 3
    draw_for_dealer(state, deck)
    assert state["dealer"] in range(3)


def test_the_deal_passes_to_the_left() -> None:
    """First dealer: afterwards the deal passes to the left each round."""
    game = Game(Rules(num_players=5, hand_sizes=(1, 2, 1, 3, 1, 2, 1)), seed=3)
    first = game.dealer
    any_winner(game)
    assert [entry.dealer for entry in game.rounds] == [(first + i) % 5 for i in range(7)]


@pytest.mark.parametrize("upcard", ["3C", "AH", "2D", "TS"])
def test_upcard_of_a_suit(upcard: str) -> None:
    """Upcard: a suit card, its suit is trump."""
    game = lay(["4S", "4H", "4D"], upcard)
    assert (game.trump, game.upcard, game.phase) == (upcard[1], upcard, "bid")
    assert trick_winner(f"5S 7S 4{upcard[1]}", upcard) == (1 if upcard[1] == "S" else 2)


def test_upcard_jester() -> None:
    """Upcard: a Jester, no trump this round."""
    game = lay(["4S", "4H", "4D"], "JE")
    assert (game.trump, game.upcard, game.phase, game.seat) == (None, "JE", "bid", 0)
    assert trick_winner("4S 5H 6D", "JE") == 0


@pytest.mark.parametrize("suit", SUITS)
def test_upcard_wizard(suit: str) -> None:
    """Upcard: a Wizard, the dealer names any of the four suits as trump, before the bidding."""
    game = lay(["5S", "5H", "5D"], "WI")
    assert (game.phase, game.seat, game.trump, game.upcard) == ("trump", game.dealer, None, "WI")
    assert names(game) == [f"trump {each}" for each in SUITS]
    take(game, f"trump {suit}")
    assert (game.phase, game.seat, game.trump) == ("bid", 0, suit)
    bid_all(game)
    take(game, "play 5S", "play 5H", "play 5D")
    assert game.rounds[0].tricks_won.index(1) == {"S": 0, "H": 1, "D": 2, "C": 0}[suit]
    assert game.rounds[0].trump == suit


def test_the_dealer_has_seen_their_hand_before_naming_the_trump() -> None:
    """Upcard: a Wizard, so the dealer looks at their hand and names the trump."""
    game = lay(["5S", "5H", "5D"], "WI")
    assert unpack(game.observe(2))["hand"][card_id("5D")] == 1


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_last_round_has_no_upcard(num_players: int) -> None:
    """Upcard: last round, all 60 cards dealt: no upcard, no trump."""
    size = DECK_SIZE // num_players
    game = Game(Rules(num_players=num_players, hand_sizes=(size,)), seed=1)
    assert (game.upcard, game.trump, game.phase) == (None, None, "bid")
    assert sorted(card for hand in game.hands for card in hand) == sorted(DECK)


def test_every_other_round_has_an_upcard() -> None:
    """Upcard: after the deal the next card is turned up."""
    for size in range(1, 15):
        for seed in range(20):
            game = Game(Rules(hand_sizes=(size,)), seed)
            assert game.upcard is not None
            suit = None if game.upcard in ("WI", "JE") else game.upcard[1]
            assert game.trump == suit
            assert (game.phase == "trump") == (game.upcard == "WI")


# --- Bidding


def test_bidding_order_and_range() -> None:
    """Bidding: from the dealer's left, clockwise, 0 to r; the dealer bids last; any total."""
    game = Game.from_deal(Rules(), 1, ["2S 3S", "4S 5S", "6S 7S", "8S 9S"], "TS")
    order = []
    while game.phase == "bid":
        assert game.seat is not None
        order.append(game.seat)
        assert bids(game) == [0, 1, 2]
        game.step("bid 1")
    assert order == [2, 3, 0, 1]
    assert game.bids == [1, 1, 1, 1]


@pytest.mark.parametrize("bid", [[0, 0, 2], [0, 1, 1], [2, 2, 2], [0, 0, 0]])
def test_by_default_the_total_may_be_anything(bid: list[int]) -> None:
    """Bidding, `free`: none."""
    game = bid_all(lay(["2S 3S", "4S 5S", "6S 7S"], "TS", bid_restriction="free"), *bid)
    assert game.bids == bid


HANDS = ["2S 3S", "4S 5S", "6S 7S"]
LEADING, TIED, BEHIND, START = [20, 10, 30], [30, 10, 30], [40, 10, 30], [0, 0, 0]


@pytest.mark.parametrize(
    ("restriction", "scores", "hand_sizes", "forbidden"),
    [
        ("no_even", LEADING, None, True),
        ("no_even", TIED, None, True),
        ("no_even", BEHIND, None, True),
        ("no_even", START, (2, 3), True),
        ("leader", LEADING, None, True),
        ("leader", TIED, None, False),  # a tie for first place lifts it
        ("leader", BEHIND, None, False),
        ("leader", START, None, False),
        ("leader", LEADING, (2,), True),
        ("canadian", LEADING, None, False),  # not the last round
        ("canadian", LEADING, (3, 2), True),  # the last round that is played
        ("canadian", LEADING, (2, 3), False),
        ("canadian", LEADING, (2,), True),
        ("canadian", TIED, (3, 2), False),
        ("canadian", BEHIND, (3, 2), False),
        ("free", LEADING, (2,), False),
    ],
)
@pytest.mark.parametrize("first", [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 1), (2, 2)])
def test_bid_restrictions(
    restriction: str,
    scores: list[int],
    hand_sizes: tuple[int, ...] | None,
    forbidden: bool,
    first: tuple[int, int],
) -> None:
    """Bidding, the restrictions: the last bidder may not make the total equal r."""
    game = lay(HANDS, "TS", scores, bid_restriction=restriction, hand_sizes=hand_sizes)
    for bid in first:
        assert bids(game) == [0, 1, 2]
        game.step(f"bid {bid}")
    left = 2 - sum(first)
    assert bids(game) == [bid for bid in (0, 1, 2) if not (forbidden and bid == left)]
    if forbidden and left >= 0:
        with pytest.raises(IllegalAction, match=restriction):
            game.step(f"bid {left}")


def test_the_leader_by_negative_points_is_restricted_too() -> None:
    """Bidding, `leader`: sole leader on points so far, whatever their sign."""
    game = lay(HANDS, "TS", [-30, -20, -10], bid_restriction="leader")
    assert bids(take(game, "bid 0", "bid 1")) == [0, 2]


def test_no_even_holds_in_every_round_of_a_game() -> None:
    """Bidding, `no_even`: every round."""
    game = any_winner(Game(Rules(num_players=3, bid_restriction="no_even"), seed=9))
    assert all(sum(entry.bids) != entry.hand_size for entry in game.rounds)


def test_canadian_holds_in_the_full_game_at_the_last_round_only() -> None:
    """Bidding, `canadian`: only in the game's last round, here of 20 cards and without an upcard."""
    hands = [" ".join(DECK[seat::3]) for seat in range(3)]
    last = lay(hands, None, LEADING, bid_restriction="canadian")
    assert bids(take(last, "bid 9", "bid 9")) == [bid for bid in range(21) if bid != 2]
    before = [" ".join(DECK[seat:57:3]) for seat in range(3)]
    game = lay(before, "JE", LEADING, bid_restriction="canadian")
    assert bids(take(game, "bid 9", "bid 9")) == list(range(20))


@pytest.mark.parametrize(
    ("reveal", "in_bidding", "in_play"),
    [("open", True, True), ("simultaneous", False, True), ("secret", False, False)],
)
def test_bid_reveals(reveal: str, in_bidding: bool, in_play: bool) -> None:
    """Bidding, the reveals: when the others see a bid; a seat always knows what it bid."""
    game = lay(["AS KS", "4S 5S", "6S 7S"], "TS", bid_reveal=reveal, hand_sizes=(2,))
    assert list(unpack(game.observe(1))["bid_hidden"]) == [0] * 6
    take(game, "bid 2", "bid 1")
    check_bids(game, in_bidding, [2, 1, None])
    take(game, "bid 0")
    check_bids(game, in_play, [2, 1, 0])
    take(game, "play AS", "play 4S", "play 6S", "play KS", "play 5S")
    check_bids(game, in_play, [2, 1, 0])
    take(game, "play 7S")
    check_bids(game, True, [2, 1, 0])


def check_bids(game: Game, public: bool, made: list[int | None]) -> None:
    """Each of three seats sees its own bid, and the bids of others where they are public."""
    for observer in range(3):
        seen = unpack(game.observe(observer))
        known = View.of([game]).known["bids"][0] if game.seat == observer else None
        for place in range(3):
            seat = (observer + place) % 3
            bid = made[seat]
            shown = bid is not None and (public or seat == observer)
            assert seen["bid_known"][place] == shown
            assert seen["bid_hidden"][place] == (bid is not None and not shown)
            assert seen["bid"][place] == (bid if shown else 0)
            assert not (seen["needed"][place] or seen["surplus"][place]) or shown
            if known is not None and bid is not None:
                assert known[seat] == (bid if shown else HIDDEN)


@pytest.mark.parametrize("reveal", ["simultaneous", "secret"])
@pytest.mark.parametrize("restriction", ["no_even", "leader", "canadian"])
def test_a_restriction_needs_open_bids(restriction: Any, reveal: Any) -> None:
    """Bidding: any restriction other than `free` with a reveal other than `open` is refused."""
    with pytest.raises(ValueError, match=f"(?s){restriction}.*{reveal}.*must know the other bids"):
        Rules(bid_restriction=restriction, bid_reveal=reveal)


@pytest.mark.parametrize("reveal", ["simultaneous", "secret"])
def test_hidden_bids_are_made_in_the_same_order_and_change_no_mask(reveal: Any) -> None:
    """Bidding: in hidden bidding the players still act in the same order."""
    for first in (0, 1, 2):
        game = lay(HANDS, "TS", bid_reveal=reveal)
        assert game.seat == 0
        take(game, f"bid {first}")
        assert (game.seat, bids(game)) == (1, [0, 1, 2])
        take(game, f"bid {first}")
        assert (game.seat, bids(game)) == (2, [0, 1, 2])


# --- Play


def test_the_seat_left_of_the_dealer_leads_with_any_card() -> None:
    """Play: the player left of the dealer leads to the first trick with any card."""
    game = Game.from_deal(Rules(num_players=3), 0, ["2S 3S 4S 5S", "AS 3H WI JE", "6S 7S 8S 9S"], "TS")
    bid_all(game)
    assert game.seat == 1
    assert cards(game) == {"AS", "3H", "WI", "JE"}


def test_play_goes_clockwise_and_the_winner_leads() -> None:
    """Play: play goes clockwise; the winner of a trick leads to the next, with any card."""
    hands = ["2S 3H", "9S 2D", "AS 4H", "KS 5H"]
    game = bid_all(Game.from_deal(Rules(), 3, hands, "TC"))
    order = []
    for card in ("2S", "9S", "AS", "KS"):
        order.append(game.seat)
        take(game, f"play {card}")
    assert order == [0, 1, 2, 3]
    assert (game.seat, game.tricks_won, game.trick, game.led_suit) == (2, [0, 0, 1, 0], [], None)
    take(game, "play 4H")
    assert (game.seat, game.trick) == (3, [(2, "4H")])
    assert game.led_suit == "H"


@pytest.mark.parametrize(
    ("led", "suit"),
    [
        ("7H", "H"),
        ("JE 7H", "H"),  # the first card that is not a Jester
        ("JE JE 7D", "D"),
        ("7H AS", "H"),
        ("7H WI", "H"),  # a Wizard after it changes nothing
        ("JE", None),  # not yet
        ("JE JE", None),
        ("WI", None),
        ("WI 7H", None),  # whatever comes later
        ("JE WI", None),
        ("JE WI 7H", None),
    ],
)
def test_led_suit(led: str, suit: str | None) -> None:
    """Play, led suit: the suit of the first card that is not a Jester; none after a Wizard."""
    table = [*led.split(), "3S", "4S", "5S"][:4]
    hands = [f"{card} {other}" for card, other in zip(table, ("QC", "KC", "TC", "AC"), strict=True)]
    game = bid_all(lay(hands, "2D"))
    take(game, *(f"play {card}" for card in led.split()))
    assert game.led_suit == suit
    assert len(game.trick) == len(led.split())


@pytest.mark.parametrize(
    ("led", "hand", "allowed"),
    [
        ("7H", "9H 2H 3S WI JE", "9H 2H WI JE"),  # must follow, or any Wizard or Jester
        ("7H", "9S 3S 4D WI JE", "9S 3S 4D WI JE"),  # holds none of it: any card
        ("7H", "9H 3S 4S 5S 6S", "9H"),
        ("7H", "WI WI JE 3S 4S", "WI JE 3S 4S"),  # Wizards and Jesters are of no suit
        ("JE", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),  # while only Jesters lie there, any card
        ("JE JE", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),
        ("JE 7H", "9H 2H 3S WI JE", "9H 2H WI JE"),
        ("JE JE 7H", "9H 2H 3S WI JE", "9H 2H WI JE"),
        ("WI", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),  # a led Wizard: everyone after it is free
        ("WI 7H", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),  # whatever comes later
        ("WI WI", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),
        ("JE WI", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),  # Jesters followed by a Wizard
        ("JE WI 7H", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),
        ("WI JE 7H", "9H 2H 3S WI JE", "9H 2H 3S WI JE"),
        ("7H WI", "9H 2H 3S WI JE", "9H 2H WI JE"),  # a later Wizard does not lift the duty
        ("7H JE WI", "9H 2H 3S WI JE", "9H 2H WI JE"),
        ("7H AC", "9H 2H 3C WI JE", "9H 2H WI JE"),  # trump does not change what was led
        ("7C", "9H 2H 3C WI JE", "3C WI JE"),  # trump led is followed as any suit
    ],
)
def test_follow_suit(led: str, hand: str, allowed: str) -> None:
    """Play, follow suit: a seat that holds the led suit plays it, or a Wizard or a Jester."""
    table = led.split()
    spare = [rank + suit for suit in "SD" for rank in RANKS if rank + suit not in hand.split()]
    hands = [" ".join([card, *spare[4 * i : 4 * i + 4]]) for i, card in enumerate(table)] + [hand]
    if len(hands) < 3:
        hands.append("9D TD JD QD KD")
    dealer = len(hands) - 1
    game = bid_all(Game.from_deal(Rules(num_players=len(hands)), dealer, hands, "KC"))
    take(game, *(f"play {card}" for card in table))
    assert cards(game) == set(allowed.split())
    for card in set(hand.split()) - set(allowed.split()):
        with pytest.raises(IllegalAction, match="H was led" if table[0] != "7C" else "C was led"):
            game.step(f"play {card}")


# --- Who wins the trick


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("2H WI WI", 1),  # 1: the first Wizard played
        ("WI WI WI", 0),
        ("WI AC KC", 0),
        ("AC JE WI", 2),
        ("JE WI AH", 1),
        ("AH 2C KH", 1),  # 2: else the highest trump; clubs are trump
        ("AH 2C 3C", 2),
        ("TC JC 9C", 1),
        ("JE 2C AH", 1),
        ("AH 3C KH 9C", 3),
        ("2H 3H AS", 1),  # 3: else the highest card of the led suit
        ("2H AS AD", 0),
        ("JE 3S 9S", 2),  # a led Jester passes the lead on
        ("JE JE 2S", 2),
        ("JE 2S AH", 1),
        ("9H JE TH", 2),
        ("9H TH JE", 1),
        ("2D JE JE", 0),
        ("5D 4D 3D 2D", 0),
        ("2D 3D 4D 5D AH AS", 3),
        ("JE JE JE", 0),  # 4: only Jesters, the first
        ("JE JE JE JE", 0),
    ],
)
def test_trick_winner(trick: str, winner: int) -> None:
    """Winning a trick, 1 to 4, with clubs as trump; the 2 is a plain card."""
    assert trick_winner(trick, "QC") == winner


@pytest.mark.parametrize(
    ("trick", "winner"), [("2H AS KH", 2), ("JE 3S 9D", 1), ("3H AC JE", 0), ("JE JE JE", 0)]
)
def test_trick_winner_without_trump(trick: str, winner: int) -> None:
    """Winning a trick: without trump, 1, 3 and 4."""
    assert trick_winner(trick, "JE") == winner


def test_the_first_card_after_a_led_wizard_sets_no_suit() -> None:
    """Winning a trick: the Wizard; hearts after it are not led."""
    assert trick_winner("WI 3H AH", "2H") == 0
    assert trick_winner("JE WI AC", "2C") == 1


def test_the_winner_takes_the_trick_from_any_seat() -> None:
    """Winning a trick: seats count clockwise from the leader."""
    game = bid_all(Game.from_deal(Rules(num_players=3), 1, ["AS", "KS", "QS"], "2H"))
    take(game, "play QS", "play AS", "play KS")
    assert game.rounds[0].tricks_won == [1, 0, 0]


# --- Magic Edition


MAGIC = [
    ("7H 2H AH", 1, 2),  # beats the led suit
    ("7H AH 2H", 2, 1),
    ("7H WI 2H", 2, 1),  # wins even over a Wizard played before it
    ("7H 2H WI", 1, 2),  # and over one played after it
    ("7H WI 2H WI", 2, 1),
    ("7H AC 2H", 2, 1),  # beats trump
    ("7H 2H AC", 1, 2),
    ("7C AC 2C", 2, 1),  # the 2 of trump where trump was led
    ("JE 7H 2H", 2, 1),  # a led Jester: the next card set the led suit
    ("JE JE 7H 2H", 3, 2),
    ("7H JE 2H", 2, 0),
    ("2H 7H AH", 2, 2),  # the 2 that itself sets the led suit is plain
    ("2H 3S 4S", 0, 0),
    ("JE 2H 7H", 2, 2),
    ("JE JE 2H", 2, 2),
    ("2H WI AH", 1, 1),
    ("7H 2S 9H", 2, 2),  # a 2 of another suit is plain
    ("7H 2C 9C", 2, 2),  # of trump too
    ("7H 2C 9H", 1, 1),
    ("WI 2H 7H", 0, 0),  # a 2 in a trick without led suit is plain
    ("WI 7H 2H", 0, 0),
    ("JE WI 2H", 1, 1),
    ("JE WI 7H 2H", 1, 1),
    ("WI 2H WI", 0, 0),
]


@pytest.mark.parametrize(("trick", "magic", "plain"), MAGIC)
def test_magic_edition(trick: str, magic: int, plain: int) -> None:
    """Magic Edition: the 2 of the led suit, played after the card that set it, wins the trick."""
    assert trick_winner(trick, "QC", magic_edition=True) == magic
    assert trick_winner(trick, "QC", magic_edition=False) == plain


def test_magic_edition_is_off_by_default() -> None:
    """Magic Edition: option, default off."""
    assert not Rules().magic_edition


def test_the_magic_wizard_is_still_a_card_of_its_suit() -> None:
    """Magic Edition: the 2 follows suit, forces to follow, and may not be played off suit."""
    hands = ["7H 7S", "2H 3S", "2S 9D"]
    game = bid_all(lay(hands, "KC", magic_edition=True))
    take(game, "play 7H")
    assert cards(game) == {"2H"}  # must still follow suit with it
    take(game, "play 2H")
    assert cards(game) == {"2S", "9D"}
    off_suit = bid_all(lay(["7H 7S", "2S 3H", "4S 9D"], "KC", magic_edition=True))
    assert cards(take(off_suit, "play 7H")) == {"3H"}  # unlike a Wizard, the 2 of spades is no way out


# --- Scoring and end


@pytest.mark.parametrize(
    ("bid", "points"),
    [
        ([0, 0, 0], [-20, 20, 20]),  # met exactly with none: 20
        ([2, 1, 2], [40, -10, -20]),  # 20 + 10 for each trick; -10 for each trick under
        ([1, 2, 0], [-10, -20, 20]),  # -10 for each trick over
    ],
)
def test_scoring(bid: list[int], points: list[int]) -> None:
    """Scoring: bid met exactly 20 + 10 per trick won; missed -10 for each trick over or under."""
    game = bid_all(lay(["AS KS", "4S 5S", "6S 7S"], "TH", [100, 0, -50]), *bid)
    take(game, "play AS", "play 4S", "play 6S", "play KS", "play 5S", "play 7S")
    assert game.rounds[0].tricks_won == [2, 0, 0]
    assert game.rounds[0].points == points
    assert game.scores == [100 + points[0], points[1], -50 + points[2]]


def test_scoring_of_the_largest_hand() -> None:
    """Scoring: 20 tricks bid and won make 220; missed by 20, -200."""
    strong = "WI WI WI WI " + " ".join(f"{rank}S" for rank in RANKS) + " AH KH QH"
    rest = list(DECK)
    for card in strong.split():
        rest.remove(card)
    game = bid_all(lay([strong, " ".join(rest[0::2]), " ".join(rest[1::2])], None), 20, 20, 0)
    while not game.rounds:
        game.step(game.legal_actions()[0])
    assert game.rounds[0].tricks_won == [20, 0, 0]
    assert game.rounds[0].points == [220, -200, 20]


def test_tricks_won_are_public() -> None:
    """Scoring: tricks won are public throughout, also with closed bidding."""
    game = bid_all(lay(["AS KS", "4S 5S", "6S 7S"], "TH", bid_reveal="secret"))
    take(game, "play AS", "play 4S", "play 6S")
    for observer in range(3):
        won = unpack(game.observe(observer))["tricks_won"]
        assert [won[(seat - observer) % 3] for seat in range(3)] == [1, 0, 0]


def test_the_game_ends_after_the_last_round() -> None:
    """End: the most points win."""
    game = lay(["AS", "4S", "6S"], "TH", [0, 30, 10], hand_sizes=(3, 1))
    take(bid_all(game, 1, 0, 1), "play AS", "play 4S")
    assert (game.phase, game.winners) == ("play", [])
    take(game, "play 6S")
    assert (game.phase, game.seat, game.legal_actions()) == ("over", None, [])
    assert (game.scores, game.winners) == ([30, 50, 0], [1])


def test_equal_points_share_the_place() -> None:
    """End: equal points share the place."""
    game = lay(["AS", "4S", "6S"], "TH", [20, 30, 30], hand_sizes=(1,))
    take(bid_all(game, 1, 0, 0), "play AS", "play 4S", "play 6S")
    assert (game.scores, game.winners) == ([50, 50, 50], [0, 1, 2])


@pytest.mark.parametrize("hand_sizes", [(5,), (5, 5, 5), (3, 1, 15, 2), (15, 14)])
def test_a_subset_of_rounds(hand_sizes: tuple[int, ...]) -> None:
    """End: a research setting may play a subset of rounds; "no upcard" follows from no card left."""
    game = Game(Rules(hand_sizes=hand_sizes), seed=4)
    assert game.num_rounds == len(hand_sizes)
    upcards = {}
    while game.phase != "over":
        upcards[game.round_number] = game.upcard
        game.step(game.legal_actions()[0])
    assert [entry.hand_size for entry in game.rounds] == list(hand_sizes)
    for number, size in enumerate(hand_sizes, 1):
        assert (upcards[number] is None) == (size == 15)


def test_the_last_round_of_a_subset_is_the_last_for_canadian() -> None:
    """End: "last round" then means the last one that is played, also where the size comes twice."""
    for seed in range(40):
        rules = Rules(num_players=3, hand_sizes=(2, 1, 2), bid_restriction="canadian")
        game = Game(rules, seed)
        while game.phase != "over":
            others = [score for seat, score in enumerate(game.scores) if seat != game.seat]
            if game.phase == "bid" and game.seat == game.dealer:
                total = sum(bid for bid in game.bids if bid is not None)
                leads = game.scores[game.dealer] > max(others)
                restricted = leads and game.round_number == 3
                assert (game.hand_size - total in bids(game)) == (game.hand_size >= total and not restricted)
            game.step(game.legal_actions()[seed % len(game.legal_actions())])


def test_packed_hands_hold_what_people_read() -> None:
    """Deck: a hand in the record is the set of the cards that are named."""
    game = lay(["WI JE JE", "2S AC WI", "3H 4H 5H"], "6H")
    assert int(game.state["hands"][0, 0]) == pack(card_id(name) for name in ("JE", "WI", "JE"))
    assert game.hands == [["WI", "JE", "JE"], ["2S", "AC", "WI"], ["3H", "4H", "5H"]]

"""Game: every name of its public contract, with the meaning that rules.md gives it."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from wizard_env import NUM_ACTIONS, Game, IllegalAction, Rules, action_id, action_name

THREE = Rules(num_players=3)
HANDS = ["AS 3H", "4S 5S", "6S JE"]


def start(**options: Any) -> Game:
    """Seat 0 bids and leads first; diamonds are trump."""
    return Game.from_deal(Rules(num_players=3, **options), 2, HANDS, "TD")


def take(game: Game, *actions: str) -> Game:
    for action in actions:
        game.step(action)
    return game


def play_on(game: Game, rng: np.random.Generator, steps: int = 10_000) -> Game:
    """Take random legal actions, up to the end of the game."""
    while game.phase != "over" and steps:
        game.step(int(rng.choice(game.legal_actions())))
        steps -= 1
    return game


def contents(game: Game) -> bytes:
    """All that a game shows."""
    seen = [game.observe(seat).tobytes() for seat in range(game.rules.num_players)]
    read = [game.phase, game.seat, game.trick, game.bids, game.rounds, game.draw, game.history, game.scores]
    return repr(read).encode() + game.state.tobytes() + game.legal_mask().tobytes() + b"".join(seen)


# --- reading


def test_a_deal_as_it_is_read() -> None:
    """Deal; upcard; bidding begins at the dealer's left."""
    game = start()
    assert (game.phase, game.round_number, game.num_rounds, game.hand_size) == ("bid", 2, 20, 2)
    assert (game.dealer, game.seat) == (2, 0)
    assert game.hands == [["AS", "3H"], ["4S", "5S"], ["6S", "JE"]]
    assert (game.upcard, game.trump, game.led_suit, game.trick) == ("TD", "D", None, [])
    assert (game.bids, game.tricks_won, game.scores) == ([None] * 3, [0] * 3, [0] * 3)
    assert (game.winners, game.rounds, game.draw, game.history) == ([], [], [], [])
    assert game.rules == THREE


def test_a_round_as_it_is_read() -> None:
    """Play; scoring; the deal passes to the left and the next round is dealt by the same step."""
    game = take(start(), "bid 1", "bid 0", "bid 2")
    assert (game.phase, game.bids, game.seat) == ("play", [1, 0, 2], 0)
    take(game, "play AS", "play 4S")
    assert (game.trick, game.led_suit, game.seat) == ([(0, "AS"), (1, "4S")], "S", 2)
    take(game, "play JE")
    assert (game.trick, game.led_suit, game.seat, game.tricks_won) == ([], None, 0, [1, 0, 0])
    assert game.step("play 3H") is None
    assert game.step("play 5S") is None
    finished = game.step("play 6S")
    (pad,) = game.rounds
    assert finished == pad
    assert pad._asdict() == {
        "hand_size": 2,
        "dealer": 2,
        "upcard": "TD",
        "trump": "D",
        "bids": [1, 0, 2],
        "tricks_won": [2, 0, 0],
        "points": [-10, 20, -20],
        "plays": ((0, "AS"), (1, "4S"), (2, "JE"), (0, "3H"), (1, "5S"), (2, "6S")),
    }
    assert game.scores == pad.points
    assert (game.round_number, game.hand_size, game.dealer, len(game.hands[0])) == (3, 3, 0, 3)
    assert (game.phase, game.seat) in {("bid", 1), ("trump", 0)}
    assert (game.bids, game.tricks_won, game.trick) == ([None] * 3, [0] * 3, [])


def test_legal_actions_are_sorted_and_agree_with_the_mask() -> None:
    game, rng = Game(Rules(num_players=5, hand_sizes=(5, 2)), seed=11), np.random.default_rng(1)
    while game.phase != "over":
        legal, mask = game.legal_actions(), game.legal_mask()
        assert legal == sorted(set(legal))
        assert all(type(action) is int for action in legal)
        assert mask.dtype == np.uint8
        assert mask.shape == (NUM_ACTIONS,)
        assert mask.nonzero()[0].tolist() == legal
        assert set(mask.tolist()) <= {0, 1}
        play_on(game, rng, 1)


def test_what_is_returned_is_a_copy() -> None:
    """Writing into what a game or a step returns changes neither the game nor its score pad."""
    game = take(start(hand_sizes=(2, 1)), "bid 1", "bid 0", "bid 2", "play AS", "play 4S", "play JE")
    take(game, "play 3H", "play 5S")
    finished = game.step("play 6S")
    before, begun = contents(game), repr(game.start)
    assert finished is not None
    assert game.start is not None
    finished.points[0] = game.rounds[0].points[0] = 999
    game.start["hands"].clear()
    game.legal_mask()[:] = 7
    game.observe(0)[:] = 7
    game.observe(game.seat or 0)[:] = 7
    game.hands[0].clear()
    game.scores[0] = game.bids[0] = game.tricks_won[0] = 99
    game.rounds.clear()
    game.history.clear()
    game.legal_actions().clear()
    assert (contents(game), repr(game.start)) == (before, begun)


# --- acting


@pytest.mark.parametrize(
    "kind", [int, np.int64, np.uint8, np.int32, lambda action: np.array(action), action_name]
)
def test_step_takes_ids_and_names(kind: Any) -> None:
    """Bidding and play with ids of Python's and numpy's whole numbers, and with names."""
    game = start()
    for name in ("bid 1", "bid 0", "bid 2", "play AS", "play 4S", "play JE"):
        game.step(kind(action_id(name)))
    assert game.tricks_won == [1, 0, 0]
    assert game.history == [1, 0, 2, *(action_id(f"play {card}") for card in ("AS", "4S", "JE"))]
    assert all(type(action) is int for action in game.history)


BEFORE_PLAY = ["bid 1", "bid 0", "bid 2"]
VOID = Game.from_deal(THREE, 2, ["AS 3H", "4S 5H", "6S JE"], "TD")


@pytest.mark.parametrize(
    ("game", "before", "action", "message"),
    [
        (start(), [], "bid 3", r"seat 0 may not bid 3: it bids 0 to 2; legal: bid 0, bid 1, bid 2 \(round 2"),
        (start(), BEFORE_PLAY, "bid 0", r"seat 0 may not bid 0.*legal: play AS, play 3H"),
        (
            start(),
            BEFORE_PLAY,
            "play 4S",
            r"seat 0 .*play 4S: it holds AS, 3H; legal: play AS, play 3H \(.*trick 1",
        ),
        (
            VOID,
            ["bid 0", "bid 0", "bid 0", "play AS"],
            "play 5H",
            r"5H: S was led and it holds 4S; legal: play 4S ",
        ),
        (
            start(bid_restriction="no_even"),
            ["bid 1", "bid 0"],
            "bid 1",
            r"seat 2 .*bid 1.*'no_even'.*add up to 2; legal: bid 0, bid 2",
        ),
        (
            Game.from_deal(THREE, 2, HANDS, "WI"),
            [],
            "bid 1",
            r"seat 2 may not bid 1: .*legal: trump S, trump H, ",
        ),
        (start(), [], "Bid 1", "unknown action 'Bid 1'.*legal: bid 0, bid 1, bid 2"),
        (start(), [], 79, "seat 0 .*79: ids run from 0 to 78; legal: bid 0"),
    ],
    ids=str,
)
def test_illegal_actions(game: Game, before: list[str], action: int | str, message: str) -> None:
    """An action that the rules do not allow is refused with seat, action, reason and what is legal."""
    game = take(game.clone(), *before)
    unchanged = contents(game)
    with pytest.raises(IllegalAction, match=message):
        game.step(action)
    assert contents(game) == unchanged


@pytest.mark.parametrize("action", [1.0, None, [1], b"bid 1"])
def test_actions_of_another_type(action: Any) -> None:
    game = start()
    unchanged = contents(game)
    with pytest.raises((TypeError, IllegalAction)):
        game.step(action)
    assert contents(game) == unchanged


def test_nothing_is_legal_after_the_end() -> None:
    """End: the game ends after the last round."""
    game = play_on(Game(Rules(hand_sizes=(1,)), 3), np.random.default_rng(0))
    unchanged = contents(game)
    for action in (0, "play WI", "nonsense", -5):
        with pytest.raises(IllegalAction, match="the game is over"):
            game.step(action)
    assert contents(game) == unchanged


# --- what a seat may know


@pytest.mark.parametrize("method", ["observe", "full_state"])
@pytest.mark.parametrize("seat", [3, -1, 6, 100])
def test_observers_sit_at_the_table(method: str, seat: int) -> None:
    """Players: three here, seats 0 to 2."""
    with pytest.raises(ValueError, match=f"seat={seat}: allowed are 0 to 2"):
        getattr(start(), method)(seat)


# --- copies


def positions() -> list[Game]:
    """Games at their start, in the middle and at their end, from a seed and from a deal."""
    rng = np.random.default_rng(7)
    fresh = [Game(Rules(num_players=n, magic_edition=n == 5), seed=n) for n in (3, 4, 5, 6)]
    middle = [play_on(Game(Rules(num_players=n), seed=n), rng, 150) for n in (3, 4, 5, 6)]
    over = play_on(Game(Rules(hand_sizes=(2, 1)), 3), rng)
    return [*fresh, *middle, over, take(start(), "bid 1", "bid 1"), Game.from_deal(THREE, 0, HANDS, "WI")]


COPIES = [
    Game.clone,
    copy.copy,
    copy.deepcopy,
    lambda game: pickle.loads(pickle.dumps(game)),
    lambda game: copy.deepcopy([game])[0],
]


@pytest.mark.parametrize("make", COPIES, ids=["clone", "copy", "deepcopy", "pickle", "in a list"])
def test_copies_are_equal_and_independent(make: Any) -> None:
    """A copy shows the same, has the same deals to come, and leaves the original alone."""
    for game in positions():
        before = contents(game)
        copied = make(game)
        assert copied == game
        assert contents(copied) == before
        assert copied.start == game.start
        play_on(copied, np.random.default_rng(3), 60)
        assert contents(game) == before
        if game.phase != "over":
            assert copied != game
            again = play_on(make(game), np.random.default_rng(3), 60)
            assert again == copied
            assert contents(again) == contents(copied)


def test_equality() -> None:
    """Games are equal where rules, position and score pad are; they are no keys."""
    assert Game(THREE, 1) == Game(THREE, 1)
    others = [Game(THREE, 2), Game(Rules(3, magic_edition=True), 1), take(Game(THREE, 1), "bid 0"), "a game"]
    assert [other for other in others if other == Game(THREE, 1)] == []
    with pytest.raises(TypeError, match="unhashable"):
        hash(start())


# --- a given deal


def test_from_deal_takes_lists_and_strings() -> None:
    """A hand is written as one string or as a list of cards."""
    assert Game.from_deal(THREE, 2, [hand.split() for hand in HANDS], "TD") == start()


@pytest.mark.parametrize(
    ("hand_sizes", "round_number"), [(None, 2), ((2,), 1), ((5, 2, 3), 2), ((5, 2, 2), 2)]
)
def test_from_deal_plays_the_round_of_that_hand_size(
    hand_sizes: tuple[int, ...] | None, round_number: int
) -> None:
    """Deal: in round r each player is dealt r cards; where a size comes twice, its first round."""
    game = start(hand_sizes=hand_sizes)
    assert (game.round_number, game.hand_size) == (round_number, 2)


def test_from_deal_with_scores_and_a_seed() -> None:
    """Scores so far are kept, and the seed decides the deals that follow."""
    games = [Game.from_deal(THREE, 2, HANDS, "TD", scores=[-30, 0, 110], seed=seed) for seed in (1, 1, 2)]
    assert games[0].scores == [-30, 0, 110]
    for game in games:
        take(game, "bid 1", "bid 0", "bid 2", "play AS", "play 4S", "play JE")
        take(game, "play 3H", "play 5S", "play 6S")
        assert game.scores == [-40, 20, 90]
    assert games[0] == games[1]
    assert games[0].hands != games[2].hands


def deck_hands() -> list[str]:
    suit_cards = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
    deck = suit_cards + ["WI"] * 4 + ["JE"] * 4
    return [" ".join(deck[seat::3]) for seat in range(3)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dealer": 3}, "dealer=3: allowed are 0 to 2"),
        ({"hands": HANDS[:2]}, "2 hands: 3 are needed"),
        ({"hands": ["AS 3H", "4S", "6S JE"]}, r"hands of \[2, 1, 2\] cards: all must have the same size"),
        ({"hands": ["JE JE", "JE JE", "6S 7S"], "upcard": "JE"}, "5 copies of JE: the deck holds 4"),
        ({"hands": ["AS 1H", "4S 5S", "6S JE"]}, "unknown card '1H'"),
        ({"hands": deck_hands(), "upcard": "TD"}, "upcard='TD': 0 cards are left"),
        ({"scores": [0, 0, 5]}, r"scores=\[0, 0, 5\]: 3 multiples of 10"),
        ({"seed": -1}, r"seed=-1: allowed are 0 to 18446744073709551615"),
        (
            {"rules": Rules(num_players=3, hand_sizes=(3, 4))},
            r"hands of 2 cards: the rounds are played with \(3, 4\)",
        ),
    ],
)
def test_from_deal_refuses_what_is_not_possible(given: dict[str, Any], said: str) -> None:
    """Deck, deal and upcard: 60 cards, equal hands, an upcard exactly where a card is left."""
    deal: dict[str, Any] = {"rules": THREE, "dealer": 2, "hands": HANDS, "upcard": "TD"}
    with pytest.raises(ValueError, match=said):
        Game.from_deal(**deal | given)


def test_scores_do_not_overflow() -> None:
    """Scoring: the largest scores that a deal may begin with leave room for all 60 rounds."""
    rules = Rules(num_players=3, hand_sizes=(20,) * 60)
    with pytest.raises(ValueError, match="scores"):
        Game.from_deal(rules, 0, deck_hands(), None, scores=[10**6, 0, 0])
    for highest in range(10_000, 40_000, 1_000):
        try:
            game = Game.from_deal(rules, 0, deck_hands(), None, scores=[highest, 0, 0])
        except ValueError:
            continue
        assert np.iinfo(game.state["scores"].dtype).max >= highest + 60 * 220, highest


# --- seeds


def deals(game: Game, rng: np.random.Generator) -> list[Any]:
    """The draw, and dealer, hands and upcard of every round."""
    seen: list[Any] = [game.draw]
    while game.phase != "over":
        if len(seen) == game.round_number:
            seen.append((game.dealer, game.hands, game.upcard))
        play_on(game, rng, 1)
    return seen


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_the_same_seed_gives_the_same_deals_whoever_plays(num_players: int) -> None:
    """Rules never roll dice: deals depend on the seed alone, not on what is played or how it is bid."""
    plain = Rules(num_players=num_players)
    other = Rules(num_players=num_players, magic_edition=True, bid_restriction="no_even")
    first = deals(Game(plain, 9), np.random.default_rng(1))
    assert len(first) == 1 + plain.max_hand_size
    assert first == deals(Game(plain, 9), np.random.default_rng(2))
    assert first == deals(Game(other, 9), np.random.default_rng(3))
    assert first != deals(Game(plain, 10), np.random.default_rng(1))


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.uint64(2**64 - 1), np.int64(7)])
def test_seeds(seed: Any) -> None:
    """A seed is any integer of 64 bits."""
    assert Game(THREE, seed).seed == int(seed)
    assert Game(THREE, seed) == Game(THREE, int(seed))


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (2**64, ValueError), (1.5, TypeError)])
def test_other_seeds(seed: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Game(THREE, seed)


def test_rules_are_needed() -> None:
    """A game takes Rules, or none for the default ones."""
    assert Game().rules == Rules()
    with pytest.raises(TypeError, match="a Rules object is needed"):
        Game({"num_players": 3})  # type: ignore[arg-type]

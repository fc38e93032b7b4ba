"""Invariants of every position of every game, over rules of every kind and random play."""

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Game, Games, Rules, View, action_id, action_name, unpack
from wizard_env.actions import FIRST_PLAY, FIRST_TRUMP
from wizard_env.cards import CARD_NAMES, COPIES, NUM_RANKS, RANKS, SUITS, card_id, pack, unpack_cards
from wizard_env.engine import conceal
from wizard_env.history.decisions import retrace, rewind
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS
from wizard_env.state import NO_CARD
from wizard_env.view import printed_actions, reorder_actions

DECK = Counter(dict(zip(CARD_NAMES, COPIES, strict=True)))
BY_SEAT = ("hands", "played", "scores", "points", "bids", "tricks_won", "voids", "trick")
SEATS = ("dealer", "seat", "leader", "best_seat")
seeds = st.integers(0, 2**64 - 1)


@st.composite
def all_rules(
    draw: st.DrawFn, smallest_hand: int = 1, reveal: str | None = None, restriction: str | None = None
) -> Rules:
    num_players = draw(st.integers(3, 6))
    if restriction in BID_RESTRICTIONS[1:]:
        reveal = "open"
    reveal = reveal or draw(st.sampled_from(BID_REVEALS))
    if reveal != "open":
        restriction = "free"
    restriction = restriction or draw(st.sampled_from(BID_RESTRICTIONS))
    sizes = st.lists(st.integers(smallest_hand, 60 // num_players), min_size=1, max_size=3)
    options: Any = {
        "num_players": num_players,
        "bid_restriction": restriction,
        "bid_reveal": reveal,
        "magic_edition": draw(st.booleans()),
        "hand_sizes": draw(sizes if smallest_hand > 1 else st.none() | sizes),
    }
    return Rules(**options)


class TrackedGame:
    """A game, and the plays of its round by seat."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.plays: list[tuple[int, str]] = []

    def step(self, action: int) -> None:
        seat, round_number, name = self.game.seat, self.game.round_number, action_name(action)
        self.game.step(action)
        if name.startswith("play") and seat is not None:
            self.plays.append((seat, name.removeprefix("play ")))
        if self.game.round_number != round_number:
            self.plays = []

    def tricks(self) -> list[list[tuple[int, str]]]:
        """The round's finished tricks."""
        players = self.game.rules.num_players
        full = len(self.plays) // players * players
        return [self.plays[start : start + players] for start in range(0, full, players)]


@st.composite
def tracked_games(
    draw: st.DrawFn, smallest_hand: int = 1, longest: int = 200, reveal: str | None = None
) -> TrackedGame:
    """A game at its start, in the middle, or at its end, after random play."""
    rules, seed = draw(all_rules(smallest_hand, reveal)), draw(st.integers(0, 2**63))
    if draw(st.booleans()) and rules.rounds[0] * rules.num_players < 60:
        while Game(rules, seed).phase != "trump":  # begin with a Wizard as upcard, which is rare
            seed += 1
    tracked = TrackedGame(Game(rules, seed))
    rng = np.random.default_rng(draw(seeds))
    for _ in range(draw(st.integers(0, longest))):
        if tracked.game.phase == "over":
            break
        tracked.step(int(rng.choice(tracked.game.legal_actions())))
    event(f"{tracked.game.rules.bid_reveal}, {tracked.game.phase}")
    return tracked


# --- the rules once more, as written in rules.md and as slow as need be


def led_suit(trick: list[str]) -> str | None:
    """The suit of the first card that is not a Jester; none if that is a Wizard, or while there is none."""
    first = next((card for card in trick if card != "JE"), "WI")
    return None if first == "WI" else first[1]


def winner(trick: list[str], trump: str | None, magic_edition: bool) -> int:
    """The place of the card that wins: Magic Wizard, first Wizard, highest trump, led suit, first Jester."""
    led = led_suit(trick)
    opener = next((i for i, card in enumerate(trick) if card != "JE"), len(trick))
    if magic_edition and led and f"2{led}" in trick[opener + 1 :]:
        return trick.index(f"2{led}")
    if "WI" in trick:
        return trick.index("WI")
    for suit in (trump, led):
        ranks = {RANKS.index(card[0]): i for i, card in enumerate(trick) if card != "JE" and card[1] == suit}
        if ranks:
            return ranks[max(ranks)]
    return 0


def legal_names(game: Game) -> set[str]:
    if game.seat is None:
        return set()
    if game.phase == "trump":
        return {f"trump {suit}" for suit in SUITS}
    if game.phase == "bid":
        return {f"bid {bid}" for bid in range(game.hand_size + 1)} - forbidden_bid(game)
    hand = game.hands[game.seat]
    led = led_suit([card for _, card in game.trick])
    follow = [card for card in hand if card not in ("WI", "JE") and card[1] == led]
    cards = [card for card in hand if card in follow or card in ("WI", "JE")] if follow else hand
    return {f"play {card}" for card in cards}


def forbidden_bid(game: Game) -> set[str]:
    others = [score for seat, score in enumerate(game.scores) if seat != game.dealer]
    leads = game.scores[game.dealer] > max(others)
    last = game.round_number == game.num_rounds
    restricted = {"free": False, "no_even": True, "leader": leads, "canadian": leads and last}
    if game.seat != game.dealer or not restricted[game.rules.bid_restriction]:
        return set()
    return {f"bid {game.hand_size - sum(bid for bid in game.bids if bid is not None)}"}


def bid_is_public(game: Game) -> bool:
    public = {"open": True, "simultaneous": game.phase in ("play", "over"), "secret": game.phase == "over"}
    return public[game.rules.bid_reveal]


# --- whole games


@pytest.mark.parametrize("restriction", BID_RESTRICTIONS)
@given(data=st.data(), seed=seeds, play_seed=seeds)
def test_a_game_follows_the_rules_from_deal_to_end(
    restriction: str, data: st.DataObject, seed: int, play_seed: int
) -> None:
    """Deck, bidding, play, who wins the trick: at every decision of a game."""
    rules = data.draw(all_rules(restriction=restriction))
    tracked, rng = TrackedGame(Game(rules, seed)), np.random.default_rng(play_seed)
    game = tracked.game
    while game.phase != "over":
        legal = game.legal_actions()
        assert {action_name(action) for action in legal} == legal_names(game)
        check_cards(tracked)
        before = tracked.game.clone()
        tracked.step(int(rng.choice(legal)))
        if before.phase == "play":
            check_trick(before, tracked)
    check_pad(game)


def check_cards(tracked: TrackedGame) -> None:
    """No card in two places; hands, played and tricks add up to what was dealt."""
    game = tracked.game
    held = Counter(card for hand in game.hands for card in hand)
    played = Counter(card for _, card in tracked.plays)
    upcard = Counter([game.upcard] if game.upcard else [])
    dealt = held + played + upcard
    assert dealt <= DECK
    assert dealt.total() == game.hand_size * game.rules.num_players + upcard.total()
    assert upcard.total() == (game.hand_size * game.rules.num_players < 60)
    assert (DECK - dealt).total() == 60 - dealt.total()
    assert sum(game.tricks_won) * game.rules.num_players + len(game.trick) == len(tracked.plays)
    order = [CARD_NAMES[card] for card in game.state["plays"][0] if card != NO_CARD]
    assert order == [card for _, card in tracked.plays]
    assert game.tricks_won == tricks_won(tracked)


def tricks_won(tracked: TrackedGame) -> list[int]:
    won = [0] * tracked.game.rules.num_players
    for trick in tracked.tricks():
        place = winner([card for _, card in trick], tracked.game.trump, tracked.game.rules.magic_edition)
        won[trick[place][0]] += 1
    return won


def check_trick(before: Game, tracked: TrackedGame) -> None:
    """Clockwise; the winner of a trick leads to the next."""
    game, players = tracked.game, before.rules.num_players
    assert before.seat is not None
    if len(before.trick) < players - 1:
        assert game.seat == (before.seat + 1) % players
        assert game.trick[:-1] == before.trick
        return
    assert game.trick == []
    if len(game.rounds) == len(before.rounds):
        trick = tracked.tricks()[-1]
        assert (
            game.seat == trick[winner([card for _, card in trick], game.trump, game.rules.magic_edition)][0]
        )


def check_pad(game: Game) -> None:
    """Scoring, end, and the deal that passes to the left, from the score pad."""
    rules, scores = game.rules, np.zeros(game.rules.num_players, int)
    assert tuple(entry.hand_size for entry in game.rounds) == rules.rounds
    for index, entry in enumerate(game.rounds):
        assert entry.dealer == (game.rounds[0].dealer + index) % rules.num_players
        assert sum(entry.tricks_won) == entry.hand_size
        leads = scores[entry.dealer] > max(np.delete(scores, entry.dealer))
        last = index == len(game.rounds) - 1
        restricted = {"free": False, "no_even": True, "leader": leads, "canadian": leads and last}
        assert not restricted[rules.bid_restriction] or sum(entry.bids) != entry.hand_size
        points = [
            20 + 10 * won if won == bid else -10 * abs(won - bid)
            for bid, won in zip(entry.bids, entry.tricks_won, strict=True)
        ]
        assert entry.points == points
        assert 0 not in points
        scores += points
    assert game.scores == scores.tolist()
    assert game.winners == [seat for seat, score in enumerate(game.scores) if score == max(game.scores)]


# --- what a seat sees


def expected_observation(tracked: TrackedGame, observer: int) -> dict[str, Any]:
    """The observation of a seat, from what people read of the game."""
    game, rules = tracked.game, tracked.game.rules
    players = rules.num_players
    seats = [(observer + place) % players for place in range(players)]
    trick = game.trick
    tricks = tracked.tricks()
    cards = [card for _, card in trick]
    leader = trick[0][0] if trick else (game.dealer + 1) % players
    if tricks and not trick:
        last = [card for _, card in tricks[-1]]
        leader = tricks[-1][winner(last, game.trump, rules.magic_edition)][0]
    played = [Counter(card for seat, card in tracked.plays if seat == each) for each in seats]
    upcard = [game.upcard] if game.upcard else []
    unseen = DECK - Counter(game.hands[observer]) - sum(played, Counter()) - Counter(upcard)
    bids = [game.bids[seat] for seat in seats]
    known = [bid is not None and (bid_is_public(game) or place == 0) for place, bid in enumerate(bids)]
    shown = [bid if bid is not None and seen else 0 for bid, seen in zip(bids, known, strict=True)]
    won = [game.tricks_won[seat] for seat in seats]
    short = [bid - tricks if seen else 0 for bid, tricks, seen in zip(shown, won, known, strict=True)]
    led = led_suit(cards)
    opened = any(card != "JE" for card in cards)
    ahead = [(game.scores[seat] - game.scores[observer]) // 10 + 128 for seat in seats]
    return {
        "hand": kinds(Counter(game.hands[observer])),
        "unseen": kinds(unseen),
        "played": pad([kinds(each) for each in played]),
        "trick": pad([card_code(dict(trick).get(seat)) for seat in seats]),
        "winning": hot(
            6, seats.index(trick[winner(cards, game.trump, rules.magic_edition)][0]) if trick else None
        ),
        "led_suit": hot(5, SUITS.index(led) if led else 4 if opened else None),
        "void": pad([void_suits(tracked, seat) for seat in seats]),
        "trump": hot(5, SUITS.index(game.trump) if game.trump else 4 if game.phase != "trump" else None),
        "upcard": card_code(game.upcard),
        "trump_chosen": [int(game.upcard == "WI")],
        "phase": hot(3, ("trump", "bid", "play").index(game.phase) if game.phase != "over" else None),
        "hand_size": [game.hand_size],
        "tricks_left": [game.hand_size - len(tricks)],
        "num_players": hot(4, players - 3),
        "dealer": hot(6, seats.index(game.dealer)),
        "leader": hot(6, seats.index(leader)),
        "position": hot(6, (observer - leader) % players),
        "bid": pad(shown),
        "bid_known": pad([int(seen) for seen in known]),
        "bid_hidden": pad([int(b is not None and not k) for b, k in zip(bids, known, strict=True)]),
        "tricks_won": pad(won),
        "needed": pad([max(lacking, 0) for lacking in short]),
        "surplus": pad([max(-lacking, 0) for lacking in short]),
        "bid_total": [sum(shown)],
        "score": pad([min(max(score, 0), 255) for score in ahead]),
        "bid_restriction": hot(4, BID_RESTRICTIONS.index(rules.bid_restriction)),
        "bid_reveal": hot(3, BID_REVEALS.index(rules.bid_reveal)),
        "magic_edition": [int(rules.magic_edition)],
        "spare": [0] * 20,
    }


def kinds(cards: Counter[str]) -> list[int]:
    return [cards[name] for name in CARD_NAMES]


def hot(size: int, place: int | None) -> list[int]:
    return [int(i == place) for i in range(size)]


def pad(rows: list[Any]) -> NDArray[np.int64]:
    """Six places, zero where nobody sits."""
    full = np.array(rows)
    return np.concatenate([full, np.zeros((6 - len(rows), *full.shape[1:]), int)])


def card_code(card: str | None) -> list[int]:
    if card is None:
        return [0] * 19
    if card in ("WI", "JE"):
        return hot(19, 4 if card == "WI" else 5)
    return hot(6, SUITS.index(card[1])) + hot(13, RANKS.index(card[0]))


def void_suits(tracked: TrackedGame, seat: int) -> list[int]:
    """A seat is void in what was led when it plays a suit card of another suit."""
    shown = set()
    for trick in [*tracked.tricks(), tracked.game.trick]:
        cards = [card for _, card in trick]
        for place, (player, card) in enumerate(trick):
            led = led_suit(cards[:place])
            if player == seat and led and card not in ("WI", "JE") and card[1] != led:
                shown.add(led)
    return [int(suit in shown) for suit in SUITS]


@pytest.mark.parametrize("reveal", BID_REVEALS)
@given(data=st.data())
def test_an_observation_says_what_people_read(reveal: str, data: st.DataObject) -> None:
    """Every field of every seat's observation agrees with the game's readable fields."""
    tracked = data.draw(tracked_games(reveal=reveal))
    for observer in range(tracked.game.rules.num_players):
        seen = unpack(tracked.game.observe(observer))
        expected = expected_observation(tracked, observer)
        assert seen.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(seen[name], value, err_msg=f"{name}, seat {observer}")


def observe(states: NDArray[Any], rules: Rules, seat: int, canonical_suits: bool = False) -> bytes:
    """Return a seat's observation of a record."""
    games = Games(rules, 1, canonical_suits=canonical_suits)
    games.states[:] = states
    return games.observe(seat).tobytes()


def view_contents(states: NDArray[Any], finished_rounds: NDArray[Any]) -> list[Any]:
    """All that the acting seat's view of a record holds."""
    view = View(states.copy(), None, finished_rounds[np.newaxis], copy=False)  # a swap may undo a void shown
    canonical = view.encode(canonical_suits=True)
    arrays = [view.known, view.observation, view.mask, view.seat, *canonical, view.information(0)]
    began = rewind(view.known, view.finished_rounds)
    past = [view.finished_rounds, *began, *retrace(began.states, began.rounds)]
    return [view.rounds(0), *(np.asarray(array).tobytes() for array in [*arrays, *past])]


@pytest.mark.parametrize("reveal", BID_REVEALS)
@given(data=st.data(), seed=seeds)
def test_nothing_hidden_shows(reveal: str, data: st.DataObject, seed: int) -> None:
    """Bidding: no observation, mask or record shows others' unrevealed bids; nor cards nobody has seen."""
    tracked = data.draw(tracked_games(reveal=reveal))
    game, rng = tracked.game, np.random.default_rng(seed)
    rules = game.rules
    for observer in range(rules.num_players):
        other = game.state.copy()
        unseen = DECK - Counter(game.hands[observer]) - Counter(card for _, card in tracked.plays)
        unseen -= Counter([game.upcard] if game.upcard else [])
        cards = rng.permutation([card_id(name) for name in unseen.elements()]).tolist()
        for seat in set(range(rules.num_players)) - {observer}:
            count = len(game.hands[seat])
            other["hands"][0, seat] = pack(cards[:count])
            del cards[:count]
            if game.bids[seat] is not None and not bid_is_public(game):
                other["bids"][0, seat] = rng.integers(game.hand_size + 1)
        other["generator"] = rng.integers(2**63)
        for canonical in (False, True):
            assert observe(other, rules, observer, canonical) == observe(
                game.state, rules, observer, canonical
            )
        if observer == game.seat:
            rounds = game.finished_rounds
            assert view_contents(other, rounds) == view_contents(game.state, rounds)


@pytest.mark.parametrize("reveal", BID_REVEALS)
@given(data=st.data())
def test_a_record_without_what_is_hidden_is_observed_alike(reveal: str, data: st.DataObject) -> None:
    """A concealed record holds nothing but what its observer sees, and all of that."""
    tracked = data.draw(tracked_games(reveal=reveal))
    game = tracked.game
    for observer in range(game.rules.num_players):
        concealed = game.state.copy()
        conceal(concealed[0], observer)
        held = [len(unpack_cards(hand)) for hand in concealed["hands"][0]]
        assert held == [len(game.hands[observer]) if seat == observer else 0 for seat in range(6)]
        assert concealed["generator"][0] == 0
        for canonical in (False, True):
            seen = observe(concealed, game.rules, observer, canonical)
            assert seen == observe(game.state, game.rules, observer, canonical)
    if game.phase != "over":
        view = View.of([game])
        assert view.observation.tobytes() == game.observe(int(view.seat[0])).tobytes()
        assert view.mask.tobytes() == game.legal_mask().tobytes()


# --- symmetries


def turn(states: NDArray[Any], players: int, places: int) -> NDArray[Any]:
    """The same position with everybody moved some places to the left."""
    turned = states.copy()
    for field in BY_SEAT:
        turned[field][0, :players] = np.roll(states[field][0, :players], places)
    for field in SEATS:
        seat = int(states[field][0])
        turned[field] = (seat + places) % players if seat >= 0 else seat
    return turned


@given(tracked=tracked_games(longest=60), places=st.integers(1, 5), seed=seeds)
def test_turning_the_table_turns_the_outcome(tracked: TrackedGame, places: int, seed: int) -> None:
    """Players: seats differ in nothing but their order."""
    game, rng = tracked.game, np.random.default_rng(seed)
    players = game.rules.num_players
    turned = Game.from_state(game.rules, turn(game.state, players, places))
    for _ in range(150):
        for seat in range(players):
            assert game.observe(seat).tobytes() == turned.observe((seat + places) % players).tobytes()
        if game.seat is None:
            break
        assert turned.seat == (game.seat + places) % players
        assert turned.legal_actions() == game.legal_actions()
        action = int(rng.choice(game.legal_actions()))
        game.step(action)
        turned.step(action)
    assert turned.scores == np.roll(game.scores, places).tolist()
    assert turned.phase == game.phase


def order_of(positions: tuple[int, ...]) -> NDArray[np.uint8]:
    return np.array([sum(position << 2 * suit for suit, position in enumerate(positions))], np.uint8)


@pytest.mark.parametrize("positions", list(permutations(range(4))))
def test_renaming_suits_is_a_bijection_of_actions(positions: tuple[int, ...]) -> None:
    """Deck: suits differ in name alone; bids, ranks, Wizard and Jester keep their names."""
    orders = np.repeat(order_of(positions), NUM_ACTIONS)
    actions = np.arange(NUM_ACTIONS)
    renamed = reorder_actions(actions, orders)
    np.testing.assert_array_equal(printed_actions(renamed, orders), actions)
    np.testing.assert_array_equal(reorder_actions(printed_actions(actions, orders), orders), actions)
    new_suits = dict(zip(SUITS, (SUITS[position] for position in positions), strict=True))
    for action, new in zip(actions, renamed, strict=True):
        name = action_name(int(action))
        if action >= FIRST_TRUMP and name[-2:] not in ("WI", "JE"):
            name = name[:-1] + new_suits[name[-1]]
        assert action_name(int(new)) == name


def rename(states: NDArray[Any], positions: tuple[int, ...]) -> NDArray[Any]:
    """The same position with its suits renamed."""

    def card(kind: int) -> int:
        return (
            positions[kind // NUM_RANKS] * NUM_RANKS + kind % NUM_RANKS
            if 0 <= kind < len(SUITS) * NUM_RANKS
            else kind
        )

    renamed = states.copy()
    for seat in range(6):
        for field in ("hands", "played"):
            renamed[field][0, seat] = pack(card(kind) for kind in unpack_cards(states[field][0, seat]))
        voids = int(states["voids"][0, seat])
        renamed["voids"][0, seat] = sum(1 << positions[suit] for suit in range(4) if voids >> suit & 1)
        renamed["trick"][0, seat] = card(int(states["trick"][0, seat]))
    renamed["upcard"] = card(int(states["upcard"][0]))
    renamed["plays"][0] = [card(int(kind)) for kind in states["plays"][0]]
    for field in ("trump", "led_suit"):
        suit = int(states[field][0])
        renamed[field] = positions[suit] if 0 <= suit < 4 else suit
    return renamed


@given(tracked=tracked_games(smallest_hand=6, longest=40), positions=st.permutations(range(4)))
def test_canonical_suits_forget_the_names(tracked: TrackedGame, positions: list[int]) -> None:
    """Deck: a position whose suits are renamed looks the same, but where the observer holds alike suits."""
    game = tracked.game
    renamed = rename(game.state, tuple(positions))
    for observer in range(game.rules.num_players):
        ranks = [frozenset(c[0] for c in game.hands[observer] if c[1] == suit) for suit in SUITS]
        others = [held for suit, held in zip(SUITS, ranks, strict=True) if suit != game.trump]
        alike = len(set(others)) < len(others)
        event(f"alike suits: {alike}")
        seen = [observe(states, game.rules, observer, True) for states in (game.state, renamed)]
        hands = [unpack(np.frombuffer(row, np.uint8))["hand"].tolist() for row in seen]
        assert hands[0] == hands[1]
        assert alike or seen[0] == seen[1]
        if observer == game.seat and not alike:
            first, second = (View(states).encode(canonical_suits=True) for states in (game.state, renamed))
            assert first.mask.tobytes() == second.mask.tobytes()


@given(tracked=tracked_games(smallest_hand=3))
def test_canonical_suits_are_the_printed_ones_renamed(tracked: TrackedGame) -> None:
    """The order puts trump first, then the longest suit; mask and hand are renamed alike."""
    game = tracked.game
    if game.seat is None:
        return
    view = View.of([game])
    canonical = view.encode(canonical_suits=True)
    actions = np.arange(NUM_ACTIONS)
    renamed = reorder_actions(actions, np.repeat(canonical.order, NUM_ACTIONS))
    np.testing.assert_array_equal(canonical.mask[0, renamed], view.mask[0])
    plays = slice(FIRST_PLAY, None)
    hand = unpack(canonical.observation[0])["hand"]
    np.testing.assert_array_equal(
        hand[renamed[plays] - FIRST_PLAY], unpack(view.observation[0])["hand"][actions[plays] - FIRST_PLAY]
    )
    lengths = hand[:52].reshape(4, NUM_RANKS).sum(axis=1).tolist()
    if game.trump:
        assert renamed[action_id(f"trump {game.trump}")] == FIRST_TRUMP
        lengths = lengths[1:]
    assert lengths == sorted(lengths, reverse=True)

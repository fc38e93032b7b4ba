"""Text and images show all that a seat may know, and nothing else."""

import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.positions import POSITION, at
from wizard_env import Game, Rules
from wizard_env.cards import pack, unpack_cards
from wizard_env.records.positions import parse_position
from wizard_env.render.ansi import text
from wizard_env.render.window import Window, image
from wizard_env.rules import BidReveal


def play_on(game: Game, steps: int, seed: int = 0) -> Game:
    rng = random.Random(seed)
    for _ in range(steps):
        if game.phase == "over":
            break
        game.step(rng.choice(game.legal_actions()))
    return game


# --- text


def test_the_text_of_a_position() -> None:
    assert text(at().scene()).splitlines() == [
        "Wizard, 3 players, free bids, open bids, Magic Edition",
        "Round 3 of 20: 3 cards each, seat 0 deals, upcard 4H, trump hearts",
        "",
        "    seat  score  bid  won  hand",
        "  D    0     30    2    0  TC",
        ">      1    -10    1    0  WI JE",
        "       2    100    0    1  3C",
        "",
        "Trick: seat 2 3D, seat 0 2S; diamonds led, seat 2 wins so far",
    ]


def test_the_text_that_a_seat_may_read() -> None:
    assert text(at("secret").scene(1)).splitlines() == [
        "Wizard, 3 players, free bids, secret bids, Magic Edition; seen by seat 1",
        "Round 3 of 20: 3 cards each, seat 0 deals, upcard 4H, trump hearts",
        "",
        "    seat  score  bid  won  hand",
        "  D    0     30    ?    0  1 card",
        ">      1    -10    1    0  WI JE",
        "       2    100    ?    1  1 card",
        "",
        "Trick: seat 2 3D, seat 0 2S; diamonds led, seat 2 wins so far",
    ]


def test_the_score_pad_and_the_end() -> None:
    start = "players=3 sizes=2,1 round=1 dealer=0 scores=0,0,0 hands=2S9S/KHWI/3DAH upcard=JE "
    game = parse_position(start + "bids=1,0,2 tricks=KHAH9S/3D2S seed=4")
    game.step("play WI")
    assert text(game.scene()).splitlines()[-6:] == [
        f"Seat {game.seat} bids",
        "",
        "Score pad: tricks won / bid, points",
        "round  cards   trump      seat 0      seat 1      seat 2",
        "    1      2       -    0/2  -20    1/1   30    1/0  -10",
        "              to win          0%         98%          2%",
    ]
    play_on(game, 99)
    assert text(game.scene()).splitlines()[-7].startswith("Game over: seat")
    assert str(game) == text(game.scene())


def test_the_trump_that_is_not_named_yet() -> None:
    game = Game.from_deal(Rules(num_players=3), 0, ["2S", "3S", "4S"], "WI")
    assert "upcard WI, trump not named yet" in text(game.scene())
    assert "Seat 0 turned up a Wizard and names the trump" in text(game.scene())
    game.step("trump C")
    assert "upcard WI, trump clubs" in text(game.scene())
    assert "Seat 1 bids" in text(game.scene())


def test_the_round_without_upcard_and_the_trick_without_led_suit() -> None:
    game = play_on(Game(Rules(num_players=6, hand_sizes=(10,)), seed=3), 6)
    assert "no upcard, no trump" in text(game.scene())
    assert re.search(r"Seat \d leads to the trick", text(game.scene()))
    game = parse_position("players=3 dealer=2 hands=WI/3S/4S upcard=2H bids=0,1,0 tricks=WI")
    assert "Trick: seat 0 WI; no suit to follow, seat 0 wins so far" in text(game.scene())


@given(st.integers(3, 6), st.integers(0, 300), st.integers(0, 99))
def test_colours_only_add_colours(players: int, steps: int, seed: int) -> None:
    game = play_on(Game(Rules(num_players=players), seed), steps)
    plain, colored = text(game.scene()), text(game.scene(), color=True)
    assert plain.isascii()
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [len(line) for line in re.sub("[♠♥♦♣] (?=[shdc])", "", bare).splitlines()] == [
        len(line) for line in plain.splitlines()
    ]
    for symbol, suit in zip("♠♥♦♣", "SHDC", strict=True):
        assert len(re.findall(f"[2-9TJQKA]{symbol}", bare)) == len(re.findall(f"[2-9TJQKA]{suit}", plain))


# --- what must not show


def swap_hidden(game: Game, observer: int, rng: random.Random) -> Game:
    """A game with the other hands dealt again from the cards that the observer has not seen."""
    other = game.clone()
    state, players = other.state[0], game.rules.num_players
    others = [seat for seat in range(players) if seat != observer]
    cards = [card for seat in others for card in unpack_cards(state["hands"][seat])]
    sizes = [len(game.hands[seat]) for seat in others]
    rng.shuffle(cards)
    for seat, size in zip(others, sizes, strict=True):
        state["hands"][seat] = pack(cards[:size])
        cards = cards[size:]
    state["generator"] = rng.getrandbits(64)
    return other


@given(
    st.integers(3, 6),
    st.sampled_from(["open", "simultaneous", "secret"]),
    st.integers(0, 200),
    st.randoms(use_true_random=False),
)
def test_hidden_cards_and_bids_do_not_show(
    players: int, reveal: BidReveal, steps: int, rng: random.Random
) -> None:
    rules = Rules(num_players=players, bid_reveal=reveal)
    game = play_on(Game(rules, rng.getrandbits(64)), steps)
    observer = rng.randrange(players)
    other = swap_hidden(game, observer, rng)
    for seat in range(players):
        hidden = reveal == "secret" or (reveal == "simultaneous" and game.phase == "bid")
        if hidden and seat != observer and game.bids[seat] is not None and game.phase != "over":
            other.state["bids"][0, seat] = rng.randrange(game.hand_size + 1)
    assert other.scene(observer) == game.scene(observer)
    assert text(other.scene(observer)) == text(game.scene(observer))
    small = {"width": 400, "height": 280}
    assert (image(other.scene(observer), **small) == image(game.scene(observer), **small)).all()


@pytest.mark.parametrize(
    ("reveal", "phase", "bids"),
    [
        ("open", "bid", "-10"),
        ("open", "play", "210"),
        ("simultaneous", "bid", "-1?"),
        ("simultaneous", "play", "210"),
        ("secret", "bid", "-1?"),
        ("secret", "play", "?1?"),
        ("secret", "over", "210"),
    ],
)
def test_bids_show_when_they_are_revealed(reveal: str, phase: str, bids: str) -> None:
    words = POSITION.format(reveal=f"{reveal} sizes=3").replace("round=3", "round=1").split()
    if phase == "bid":
        words = [word for word in words if not word.startswith(("bids", "tricks"))] + ["bids=1,0"]
    game = parse_position(" ".join(words))
    play_on(game, 99 if phase == "over" else 0)
    assert game.phase == phase
    assert "".join(seat.bid_text for seat in game.scene(observer=1).seats) == bids


def test_what_shows_differs_where_it_may() -> None:
    pictures = {image(at().scene(observer)).tobytes() for observer in (None, 0, 1, 2)}
    assert len(pictures) == len({text(at().scene(observer)) for observer in (None, 0, 1, 2)}) == 4


@pytest.mark.parametrize("observer", [-1, 3, "1"])
def test_an_observer_sits_at_the_table(observer: Any) -> None:
    with pytest.raises(ValueError, match="allowed are None and seats 0 to 2"):
        text(at().scene(observer))
    with pytest.raises(ValueError, match="allowed are None and seats 0 to 2"):
        image(at().scene(observer))


# --- images


@pytest.mark.parametrize(("players", "observer"), [(3, None), (4, 2), (5, None), (6, 2)])
def test_every_table_is_drawn_in_every_phase(players: int, observer: int | None) -> None:
    sizes = (60 // players, 1, 60 // players - 1)
    seeds = iter(range(1000))
    while True:  # a game whose second round begins with a Wizard turned up
        game = Game(Rules(num_players=players, hand_sizes=sizes), next(seeds))
        play_on(game, players * (sizes[0] + 1))
        if game.phase == "trump":
            break
    phases = {game.phase}
    rng = random.Random(0)
    last = image(game.scene(observer))
    while game.phase != "over":
        game.step(rng.choice(game.legal_actions()))
        if game.phase not in phases or rng.random() < 0.1:
            phases.add(game.phase)
            picture = image(game.scene(observer))
            assert picture.shape == (700, 1000, 3)
            assert picture.dtype == np.uint8
            assert (picture != last).any()
            last = picture
    assert phases == {"trump", "bid", "play", "over"}


@pytest.mark.parametrize(("width", "height"), [(400, 280), (900, 300), (420, 900)])
def test_an_image_has_the_size_that_was_asked_for(width: int, height: int) -> None:
    picture = image(at().scene(), width=width, height=height)
    assert picture.shape == (height, width, 3)
    assert picture.flags.c_contiguous
    picture[:] = 0  # it is the caller's own


# --- the window


@pytest.fixture
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.usefixtures("_no_display")
def test_a_window_shows_images_until_it_is_closed() -> None:
    import pygame

    window = Window()
    assert not window.is_open
    picture = image(at().scene(1))
    window.show(picture)
    assert window.is_open
    screen = pygame.display.get_surface()
    assert screen is not None
    assert (pygame.surfarray.array3d(screen).swapaxes(0, 1) == picture).all()
    window.show(image(at().scene(1), 500, 400))
    screen = pygame.display.get_surface()
    assert screen is not None
    assert screen.get_size() == (500, 400)
    window.close()
    window.close()
    assert not window.is_open
    window.show(picture)  # for good
    assert not window.is_open
    assert image(at().scene(1)).shape == picture.shape  # drawing works without it


@pytest.mark.usefixtures("_no_display")
def test_a_window_can_be_closed_by_hand() -> None:
    import pygame

    window = Window(images_per_second=100)
    window.show(image(at().scene()))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(image(at().scene()))
    assert not window.is_open

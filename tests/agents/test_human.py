"""HumanAgent: what a person at the keyboard reads, and what they may type."""

import io
import re
import sys
from typing import Any

import numpy as np
import pytest

from tests.positions import POSITION, at, differing_in_secret
from wizard_env import Game, Rules
from wizard_env.agents import View, load
from wizard_env.agents.human import HumanAgent
from wizard_env.records.positions import parse_position
from wizard_env.testing import agent_test

BIDDING = "players=3 restriction=no_even dealer=1 hands=2S9STC/KHWIJE/3D3CAH upcard=4H bids=1,0"
TRUMP = "players=3 dealer=1 hands=2S9STC/KHWIJE/3D3CAH upcard=WI"
UNUSED_RNG = np.random.default_rng(0)


def answer(typed: str, *games: Game) -> tuple[list[int], str]:
    """The chosen actions, and everything that was shown."""
    stdout = io.StringIO()
    actions = HumanAgent(io.StringIO(typed), stdout).act(View.of(games), UNUSED_RNG)
    assert actions.dtype == np.int64
    return actions.tolist(), stdout.getvalue()


# --- what is shown


def test_the_game_is_shown_as_the_acting_seat_sees_it() -> None:
    _, shown = answer("WI\n", at("secret"))
    assert shown.splitlines() == [
        "",
        "Wizard, 3 players, bids free and secret, Magic Edition; seen by seat 1",
        "Round 3 of 20: 3 cards each, seat 0 deals, upcard 4H, trump hearts",
        "",
        "    seat  score  bid  won  hand",
        "  D    0     30    ?    0  1 card",
        ">      1    -10    1    0  WI JE",
        "       2    100    ?    1  1 card",
        "",
        "Trick: seat 2 3D, seat 0 2S; diamonds led, seat 2 wins so far",
        "Seat 0 has played 2S 9S; it is void in hearts, diamonds",
        "Seat 1 has played KH",
        "Seat 2 has played AH 3D",
        "Your actions: play WI (77), play JE (78)",
        "Seat 1> ",
    ]


def test_the_score_pad_is_shown() -> None:
    """With the finished rounds of the game."""
    game = Game(Rules(num_players=3, hand_sizes=(1, 2)), seed=4)
    while not game.rounds:
        game.step(game.legal_actions()[0])
    _, shown = answer(f"{game.legal_actions()[0]}\n", game)
    assert "Score pad: tricks won / bid, points" in shown


@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_hidden_information_is_not_shown(reveal: str) -> None:
    """Other hands, hidden bids and future deals."""
    game, other = differing_in_secret(reveal)
    assert answer("je\n", other) == answer("je\n", game)


def test_every_decision_of_a_view_is_asked_for() -> None:
    actions, shown = answer("77\n 1 \n H\n", at(), parse_position(BIDDING), parse_position(TRUMP))
    assert actions == [77, 1, 22]
    assert re.findall("seen by seat (.)", shown) == ["1", "1", "1"]
    assert len(HumanAgent().act(View.of([at()]).select([]), UNUSED_RNG)) == 0


def test_the_default_streams_are_those_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("play je\n"))
    assert load("human").act(View.of([at()]), UNUSED_RNG).tolist() == [78]
    assert capsys.readouterr().out.endswith("Your actions: play WI (77), play JE (78)\nSeat 1> ")


# --- what is typed


@pytest.mark.parametrize(
    ("position", "typed", "action"),
    [
        (POSITION.format(reveal="open"), "77", 77),
        (POSITION.format(reveal="open"), "play WI", 77),
        (POSITION.format(reveal="open"), "  Play   wi ", 77),
        (POSITION.format(reveal="open"), "WI", 77),
        (POSITION.format(reveal="open"), "je", 78),
        (BIDDING, "1", 1),
        (BIDDING, "bid 0", 0),
        (BIDDING, "BID 3", 3),
        (TRUMP, "H", 22),
        (TRUMP, "h", 22),
        (TRUMP, "trump c", 24),
        (TRUMP, "21", 21),
    ],
)
def test_actions_by_id_by_name_and_in_short(position: str, typed: str, action: int) -> None:
    actions, shown = answer(f"{typed}\n", parse_position(position))
    assert actions == [action]
    assert shown.count("Seat 1> ") == 1


@pytest.mark.parametrize(
    ("position", "typed", "reason"),
    [
        (POSITION.format(reveal="open"), "2S", "seat 1 may not play 2S: it holds WI, JE; legal: play WI"),
        (POSITION.format(reveal="open"), "3", "seat 1 may not bid 3: it plays a card"),
        (POSITION.format(reveal="open"), "99", "seat 1 may not take action 99: ids run from 0 to 78"),
        (
            POSITION.format(reveal="open"),
            "queen",
            "unknown action 'queen': type an id, a name, or one of WI, JE",
        ),
        (POSITION.format(reveal="open"), "", "unknown action ''"),
        (POSITION.format(reveal="open"), "-1", "unknown action '-1'"),
        (BIDDING, "2", "seat 1 may not bid 2: the bids would add up to 3"),
        (BIDDING, "4", "seat 1 may not bid 4: it bids 0 to 3"),
        (TRUMP, "X", "unknown action 'X': type an id, a name, or one of S, H, D, C"),
        (BIDDING, "ts", "seat 1 may not play TS: it bids 0 to 3"),
        (TRUMP, "2H", "seat 1 may not play 2H: it turned up a Wizard"),
    ],
)
def test_a_wrong_answer_is_explained_and_the_question_repeated(
    position: str, typed: str, reason: str
) -> None:
    game = parse_position(position)
    legal = game.legal_actions()[-1]
    actions, shown = answer(f"{typed}\n{typed}\n{legal}\n", game)
    assert actions == [legal]
    assert shown.count(f"Seat 1> {reason}") == 2
    assert shown.count("seen by seat") == 1


@pytest.mark.parametrize("typed", ["", "2S\n"])
def test_the_end_of_the_input(typed: str) -> None:
    with pytest.raises(EOFError, match="the input ended before seat 1 chose an action"):
        answer(typed, at())


@pytest.mark.parametrize("option", ["stdin=x", "stdout=x", "stdin=3"])
def test_streams_cannot_be_given_as_text_options(option: str) -> None:
    with pytest.raises(TypeError, match=f"{option[:-1]}'?{option[-1]}'?: a text stream is needed"):
        load(f"human:{option}")
    with pytest.raises(TypeError, match="'human' has no option 'colour'"):
        load("human:colour=red")


# --- whole games


class Typist:
    """Both streams: reads what is shown, and types the last legal action."""

    def __init__(self) -> None:
        self.shown = ""

    def write(self, words: str) -> None:
        self.shown += words

    def flush(self) -> None:
        pass

    def readline(self) -> str:
        legal = re.findall(r"([a-z]+ \w+)\s\(\d+\)", self.shown.rpartition("Your actions:")[2])
        return f"{legal[-1]}\n"


def test_a_human_passes_agent_test() -> None:
    typist: Any = Typist()
    agent_test(HumanAgent(typist, typist), num_games=1)


def test_a_whole_game_is_played() -> None:
    typist: Any = Typist()
    agent, game = HumanAgent(typist, typist), Game(Rules(num_players=3, hand_sizes=(2, 1)), seed=1)
    while game.phase != "over":
        game.step(int(agent.act(View.of([game]), UNUSED_RNG)[0]))
    assert len(game.rounds) == 2

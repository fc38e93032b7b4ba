"""Terminal: a game in lines of text, through pipes."""

import io
from functools import partial

import pytest
from wizard_table.terminal.lines import Terminal, commands, typed_action
from wizard_table.translation import LANGUAGES, t, use_language

from tests.sessions import session_of
from wizard_env import ACTIONS, Game, Rules
from wizard_env.agents import load
from wizard_env.evaluation.advice import advise
from wizard_env.session import Session
from wizard_env.words import card_text

HANDS = [["9C", "TS", "WI"], ["2C", "3S", "4D"], ["5D", "6D", "7D"]]


def play_plainly(session: Session, answers: str) -> str:
    shown = io.StringIO()
    Terminal(session, 0, partial(advise, load("champion")), io.StringIO(answers), shown).run()
    return shown.getvalue()


def test_a_game_is_played_through_a_pipe() -> None:
    """The answers include every action there is: illegal ones are refused, and the question is repeated."""
    session = session_of()
    everything = "\n".join(action.split()[1] for action in ACTIONS)
    shown = play_plainly(session, f"{everything}\n" * 12)
    assert session.game.phase == "over"
    assert "Game over" in shown
    assert "is not possible here" in shown
    assert shown.count("is over: you") == 2
    assert shown.count("Score pad") == 1


def test_commands_at_the_prompt() -> None:
    shown = play_plainly(session_of(), "hint\nlast\npad\nhelp\nback\nnonsense\nquit\n")
    for line in (
        "bid 0",
        "no trick has been played yet",
        "Type a card",
        "Score pad",
        "no choice of yours to take back",
        "nonsense is not possible here.",
    ):
        assert line in shown


def test_other_hands_and_hidden_bids_are_not_shown() -> None:
    session = session_of(Rules(3, hand_sizes=(5,), bid_reveal="secret"))
    shown = play_plainly(session, "0\n")
    held = [card for hand in session.game.hands[1:] for card in hand if card not in session.game.hands[0]]
    played = [card for trick in session.rounds[0].tricks for card in trick.cards]
    parts = shown.replace(",", " ").split()
    unseen = {card for card in held if card not in ("WI", "JE")} - set(played)
    assert not {card_text(card) for card in unseen} & set(parts)
    assert "seat 2 (heuristic): bid hidden\n" in shown


@pytest.mark.parametrize(
    ("typed", "card"),
    [
        ("9c", "9C"),
        ("9♣", "9C"),
        ("10s", "TS"),
        ("10♠", "TS"),
        ("10♠\ufe0f", "TS"),
        ("ts", "TS"),
        ("wi", "WI"),
    ],
)
def test_cards_are_typed_with_letters_or_symbols(typed: str, card: str) -> None:
    game = Game.from_deal(Rules(3, hand_sizes=(3,)), dealer=2, hands=HANDS, upcard="2H")
    for _ in range(3):
        game.step("bid 1")
    assert ACTIONS[typed_action(typed, game)] == f"play {card}"


def test_a_refusal_names_the_rule() -> None:
    game = Game.from_deal(Rules(3, "no_even", hand_sizes=(3,)), dealer=2, hands=HANDS, upcard="2H")
    for bid in ("bid 1", "bid 1"):
        game.step(bid)
    with pytest.raises(
        ValueError, match=r"1 is not possible here\. The bids must not add up to the tricks\."
    ):
        typed_action("1", game)
    for action in ("bid 0", "play 9C"):
        game.step(action)
    with pytest.raises(ValueError, match="The led suit must be followed: clubs"):
        typed_action("3♠", game)
    for typed in ("9C", "34"):
        with pytest.raises(ValueError, match=rf"{typed} is not possible here\.$"):
            typed_action(typed, game)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_game_in_every_language(language: str) -> None:
    """Commands are typed in the language, or in English."""
    use_language(language)
    session = session_of()
    everything = "\n".join(action.split()[1] for action in ACTIONS)
    words = "\n".join(word for name, (word, _) in commands().items() if name != "quit")
    shown = play_plainly(session, f"hint\n{words}\n" + f"{everything}\n" * 12)
    assert session.game.phase == "over"
    assert shown.count(t("Score pad: tricks won / bid, points")) == 2
    assert "{" not in shown


def test_the_end_of_the_input_ends_the_session() -> None:
    session = session_of()
    play_plainly(session, "")
    assert session.game.phase == "bid"

"""Answers of language models: the action that they name, or a reason why there is none."""

from contextlib import suppress
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.test_text import play_randomly
from wizard_env import ACTIONS, Game, Rules
from wizard_env.llm.answers import LONGEST_ANSWER, AnswerError, read_answer
from wizard_env.llm.text import answer_text, legal_text

HANDS = [["TS", "WI", "7H"], ["4S", "KH", "JE"], ["2S", "3S", "QC"]]


def leading(bid_restriction: Literal["free", "no_even"] = "free") -> Game:
    rules = Rules(num_players=3, hand_sizes=(3,), bid_restriction=bid_restriction)
    return Game.from_deal(rules, dealer=2, hands=HANDS, upcard="WI")


def playing() -> Game:
    game = leading()
    for action in ("trump H", "bid 1", "bid 1", "bid 1"):
        game.step(action)
    return game


PLAYING = playing()
FOLDED = "\u0130\u0131\u017f\u212a\ufe0f"
"""Letters that are equal to i, s or k in some comparisons without case, and a character that is dropped."""


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("play TS", "play TS"),
        ("play 10♠", "play TS"),
        ("10♠", "play TS"),
        ("**10s**.", "play TS"),
        ("PLAY T♠", "play TS"),
        ("Play Wizard!", "play WI"),
        ("I could play 7♥, but seat 2 may be void.\n\nplay\nWI", "play WI"),
        ('{"action": "play 7H"}', "play 7H"),
        ("play 7H" + " " * LONGEST_ANSWER + "play TS", "play TS"),
        ("play 10♠\ufe0f", "play TS"),
        ("10♠\ufe0e.", "play TS"),
    ],
)
def test_the_last_action_counts(answer: str, action: str) -> None:
    assert ACTIONS[read_answer(answer, playing())] == action


@pytest.mark.parametrize("answer", ["H", "hearts", "Trump hearts", "trump H. Because bid 2 fits"])
def test_a_choice_alone_belongs_to_the_phase(answer: str) -> None:
    game = leading()
    if "bid" in answer:
        with pytest.raises(AnswerError, match="the trump must be named"):
            read_answer(answer, game)
        return
    assert ACTIONS[read_answer(answer, game)] == "trump H"
    game.step("trump H")
    assert ACTIONS[read_answer("2", game)] == "bid 2"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "10",
        "no idea",
        "play",
        "bidding 1",
        "replay WI",
        "play 10♠x",
        "bid -1",
        "B\u0130D 1",
        "b\u0131d 1",
    ],
)
def test_an_answer_without_an_action_is_unreadable(answer: str) -> None:
    with pytest.raises(AnswerError, match=r"names no action\. Legal actions of seat 1: play 10♠, ") as raised:
        read_answer(answer, playing())
    assert raised.value.kind == "unreadable"
    with pytest.raises(AnswerError) as raised:
        read_answer("x" * 10_000_000, playing())
    assert len(str(raised.value)) < 1000


@pytest.mark.parametrize(
    "answer", [".5", "bid .5", "1.5", "bid 0.5", "bid 1,5", "bid 1/2", "bid 1-2", "bid 1\u20132"]
)
def test_a_fraction_is_not_cut(answer: str) -> None:
    game = leading()
    game.step("trump H")
    with pytest.raises(AnswerError) as raised:
        read_answer(answer, game)
    assert raised.value.kind == "unreadable"
    with pytest.raises(AnswerError):
        read_answer("I thought of bid 2, now: bid 1.5", game)


@given(
    st.lists(st.sampled_from([*"bidplayhearts 01.,-\n", *FOLDED, "bid 1", "play 10s"]) | st.text()).map(
        "".join
    )
)
def test_any_text_is_read_or_refused(answer: str) -> None:
    with suppress(AnswerError):
        assert read_answer(answer, PLAYING) in PLAYING.legal_actions()


def test_an_illegal_answer_is_told_why() -> None:
    def reason(answer: str, game: Game) -> str:
        with pytest.raises(AnswerError) as raised:
            read_answer(answer, game)
        assert raised.value.kind == "illegal"
        why, legal = str(raised.value).split(". ", 1)
        assert legal == legal_text(game)
        return why

    game = leading("no_even")
    assert reason("bid 1", game) == "seat 3 may not answer “bid 1”: the trump must be named"
    for action in ("trump H", "bid 1", "bid 1"):
        game.step(action)
    assert reason("bid 4", game) == "seat 3 may not answer “bid 4”: a bid from 0 to 3 is needed"
    assert reason("bid 1", game).endswith("may not bid that: with it, the bids add up to 3")
    game.step("bid 0")
    assert reason("bid 1", game).endswith("a card must be played")
    assert reason("play AD", game) == "seat 1 may not answer “play A♦”: its hand is 10♠ 7♥ WI"
    game.step("play TS")
    assert reason("play KH", game).endswith("it must follow suit with 4♠, or play a Wizard or a Jester")


def test_each_legal_action_reads_back() -> None:
    game = playing()
    while game.seat is not None:
        for action in game.legal_actions():
            assert read_answer(answer_text(ACTIONS[action]), game) == action
            assert read_answer(ACTIONS[action], game) == action
        game.step(game.legal_actions()[0])


def test_nobody_answers_after_the_end() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        read_answer("bid 1", play_randomly(Rules(num_players=3, hand_sizes=(1,)), 3, 99))

"""The text of a game shows a seat all that it has seen, and nothing else."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard_env import Game, Rules, View
from wizard_env.llm.text import decision_text, game_of, legal_text, rules_page, score_text, view_text
from wizard_env.records.game_records import record, replay
from wizard_env.words import card_text

SECRET = Rules(num_players=3, bid_reveal="secret", hand_sizes=(1, 3, 2))
ALL_RULES = [
    SECRET,
    Rules(num_players=6, bid_reveal="simultaneous", magic_edition=True),
    *(Rules(num_players=5, bid_restriction=restriction) for restriction in ("no_even", "leader", "canadian")),
]


def play_randomly(rules: Rules, seed: int, decisions: int) -> Game:
    """Return a game after a number of random decisions, or at its end."""
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    while game.seat is not None and len(game.history) < decisions:
        game.step(int(rng.choice(game.legal_actions())))
    return game


def test_the_text_of_a_decision() -> None:
    game = Game.from_deal(
        Rules(num_players=3, hand_sizes=(2, 3)),
        dealer=0,
        hands=[["AS", "7H"], ["4S", "WI"], ["JE", "TD"]],
        upcard="3C",
    )
    for action in ("bid 1", "bid 0", "bid 1", "play WI", "play JE"):
        game.step(action)
    assert decision_text(View.of([game])) == (
        "Round 1: 2 cards each, dealer: seat 1, upcard 3♣, trump clubs\n"
        "You are seat 1. Your hand: A♠ 7♥\n"
        "seat 1: 0 points, bid 1, tricks won: 0\n"
        "seat 2: 0 points, bid 1, tricks won: 0\n"
        "seat 3: 0 points, bid 0, tricks won: 0\n"
        "trick 1: seat 2 WI, seat 3 JE\n"
        "Legal actions of seat 1: play A♠, play 7♥"
    )
    for action in ("play 7H", "play 4S", "play TD", "play AS"):
        game.step(action)
    assert view_text(game, 0).startswith(
        "Round 1: 2 cards each, dealer: seat 1, upcard 3♣, trump clubs\n"
        "trick 1: seat 2 WI, seat 3 JE, seat 1 7♥; won by seat 2\n"
        "trick 2: seat 2 4♠, seat 3 10♦, seat 1 A♠; won by seat 1\n"
        "won / bid, points: seat 1 1/1 +30, seat 2 1/1 +30, seat 3 0/0 +20\n"
        "\n"
        "Round 2: 3 cards each, dealer: seat 2, "
    )


def test_the_score_tells_the_results_alone() -> None:
    game = play_randomly(Rules(num_players=3, hand_sizes=(1, 2, 1)), 3, 99)
    headings, results = (
        re.findall(beginning, view_text(game, 0), re.MULTILINE) for beginning in ("^Round.*", "^won / bid.*")
    )
    lines = score_text(game).splitlines()
    assert lines[:-1:2] == headings
    assert lines[1::2] == results
    assert lines[-1] == view_text(game, 0).splitlines()[-2]
    assert score_text(Game(Rules(num_players=3))) == "Scores: seat 1 0, seat 2 0, seat 3 0"


@given(st.sampled_from(ALL_RULES), st.integers(0, 9), st.integers(0, 400))
def test_the_text_is_a_function_of_what_the_seat_has_seen(rules: Rules, seed: int, decisions: int) -> None:
    """The view conceals the cards and bids that the acting seat has not seen."""
    game = play_randomly(rules, seed, decisions)
    if game.seat is None:
        return
    text = decision_text(View.of([game]))
    assert text == f"{view_text(game, game.seat)}\n{legal_text(game)}"
    assert text == decision_text(View.of([game_of(View.of([game]), 0)]))


def test_no_seat_reads_a_bid_or_a_hand_of_another() -> None:
    """Two games that differ in nothing that a seat has seen have the same text for it."""
    games = [
        Game.from_deal(SECRET, dealer=2, hands=hands, upcard="3C")
        for hands in ([["AS"], ["7H"], ["JE"]], [["AS"], ["WI"], ["2D"]])
    ]
    for game, bid in zip(games, ("bid 0", "bid 1"), strict=True):
        game.step("bid 1")
        game.step(bid)
    assert view_text(games[0], 0) == view_text(games[1], 0)
    assert view_text(games[0], 1) != view_text(games[1], 1)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_the_text_holds_every_card_of_the_finished_rounds(rules: Rules) -> None:
    """A seat that reads it remembers the whole game, which the record of the game confirms."""
    game = replay(record(play_randomly(rules, 5, 10_000)))
    rounds = view_text(game, 1).split("\n\n")[:-1]
    assert len(rounds) == len(game.rounds)
    for text, played in zip(rounds, game.rounds, strict=True):
        heading, *tricks, result = text.splitlines()
        cards = [card for trick in tricks for card in re.findall(r"seat (\d) (\S+?)[,;]", trick)]
        assert cards == [(str(seat + 1), card_text(card)) for seat, card in played.plays]
        winners = [int(trick[-1]) - 1 for trick in tricks]
        assert [winners.count(seat) for seat in range(rules.num_players)] == played.tricks_won
        assert f"{played.hand_size} card" in heading
        results = zip(played.tricks_won, played.bids, played.points, strict=True)
        assert all(
            f"seat {seat} {won}/{bid} {points:+}" in result
            for seat, (won, bid, points) in enumerate(results, 1)
        )


FACTS = {
    ("bid_restriction", "free"): "The bids may add up to any number.",
    ("bid_restriction", "no_even"): "\nThe dealer may not make the bids add up to the number of tricks.",
    (
        "bid_restriction",
        "leader",
    ): "\nIf the dealer alone has the most points so far, ",
    (
        "bid_restriction",
        "canadian",
    ): "\nIn the last round of the game, if the dealer alone has the most points",
    ("bid_reveal", "open"): "Everybody sees each bid as it is made.",
    ("bid_reveal", "simultaneous"): "Nobody sees another's bid until all have bid",
    ("bid_reveal", "secret"): "Nobody sees another's bid until the round has been played",
    ("magic_edition", True): "wins the trick, even over Wizards",
}


@pytest.mark.parametrize("rules", [Rules(num_players=3, hand_sizes=(2, 4)), *ALL_RULES], ids=str)
def test_the_rules_tell_only_the_options_in_use(rules: Rules) -> None:
    page = rules_page(rules)
    for (option, value), fact in FACTS.items():
        assert (fact in page) == (getattr(rules, option) == value), fact
    assert f"round by round: {', '.join(map(str, rules.rounds))}." in page
    assert len(page) < 2600
    assert not set(page) & set("|*`#")

"""Tables of people and agents: turns, what is taken back, advice, and what is told."""

from typing import Any

import numpy as np
import pytest

from wizard_env import ACTIONS, IllegalAction, Rules, action_id
from wizard_env.agents import load
from wizard_env.play.narration import narrate_advice, narrate_event, narrate_last_trick, seat_names
from wizard_env.play.session import Event, NotYourTurnError, Session

RULES = Rules(3, hand_sizes=(2, 4))


def play_on(table: Session, actions: int = 10**6) -> Session:
    """People take their lowest legal action."""
    while table.seat is not None and len(table.events) < actions:
        if table.waits_for_an_agent:
            table.advance()
        else:
            table.act(table.game.acting_seat, table.game.legal_actions()[0])
    return table


def fresh(rules: Rules = RULES, seats: Any = (None, "heuristic", "random"), seed: int = 4) -> Session:
    return Session(rules, seats, seed)


def test_a_game_to_its_end() -> None:
    table = play_on(fresh())
    assert table.game.phase == "over"
    assert not table.waits_for_a_person
    assert not table.waits_for_an_agent
    assert [told.points for told in table.rounds] == [scored.points for scored in table.game.rounds]
    assert [list(event.points) for event in table.events if event.points] == [
        scored.points for scored in table.game.rounds
    ]
    winners = [event.winner for event in table.events if event.winner is not None]
    assert winners == [trick.winner for told in table.rounds for trick in told.tricks]


@pytest.mark.parametrize("actions", range(0, 24, 3))
def test_a_game_goes_on_from_its_actions_as_it_would_have(actions: int) -> None:
    """After a restart of the program: agents that draw their actions draw the same."""
    table = play_on(fresh(), actions)
    twin = Session(RULES, table.seats, 4, table.game.history)
    assert (twin.game, twin.events) == (table.game, table.events)
    assert play_on(twin).game == play_on(table).game


def test_only_whoever_acts_may_act() -> None:
    table = fresh(seats=(None, None, "random"))
    while table.waits_for_an_agent:
        table.advance()
    acts = table.game.acting_seat
    with pytest.raises(NotYourTurnError, match=f"seat {1 - acts} may not act now: seat {acts} acts"):
        table.act(1 - acts, table.game.legal_actions()[0])
    with pytest.raises(NotYourTurnError, match="no agent acts now"):
        table.advance()
    before = table.game.clone()
    with pytest.raises(IllegalAction, match=f"seat {acts} may not play TS"):
        table.act(acts, "play TS")
    assert table.game == before
    assert [trick for told in table.rounds for trick in told.tricks] == []


def test_nobody_acts_in_a_game_that_is_over() -> None:
    table = play_on(fresh())
    with pytest.raises(NotYourTurnError, match="seat 0 may not act now: the game is over"):
        table.act(0, 0)


def test_take_back() -> None:
    """To the last decision of the seat, whoever acted since; the others then do the same again."""
    table = play_on(fresh(), 17)
    while not table.waits_for_a_person:
        table.advance()
    before, events = table.game.clone(), list(table.events)
    table.act(0, table.game.legal_actions()[-1])
    while table.waits_for_an_agent:
        table.advance()
    table.take_back(0)
    assert (table.game, table.events) == (before, events)


def test_nothing_to_take_back() -> None:
    with pytest.raises(ValueError, match="seat 0 has decided nothing"):
        fresh().take_back(0)
    table = play_on(fresh(seats=(None, None, "random")), 8)
    with pytest.raises(ValueError, match="another person sits at the table"):
        table.take_back(0)


def test_advice_is_of_legal_actions_the_likeliest_first() -> None:
    table = play_on(fresh(), 4)
    advice = table.advise(load("champion+search:worlds=2"))
    shares = [one.share for one in advice.choices]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    assert advice.value == pytest.approx(sum(one.share * (one.points or 0) for one in advice.choices))
    assert [one.action for one in sorted(advice.choices, key=lambda one: action_id(one.action))] == [
        ACTIONS[action] for action in table.game.legal_actions()
    ]
    lines = list(narrate_advice(advice))
    assert len(lines) == len(advice.choices) + 1
    assert lines[0].startswith(advice.choices[0].action)
    assert list(narrate_advice(advice, 2)) == [*lines[:2], lines[-1]]


def test_advice_of_agents_that_expect_less() -> None:
    """A network expects points of the round; the others of nothing."""
    table = play_on(fresh(), 4)
    network, heuristic = table.advise(load("champion")), table.advise(load("heuristic"))
    assert {one.points for one in (*network.choices, *heuristic.choices)} == {None}
    assert network.value is not None
    assert heuristic.value is None
    assert [one.share for one in heuristic.choices][:2] == [1, 0]
    assert len(list(narrate_advice(heuristic))) == len(heuristic.choices)


def test_a_game_that_was_played_is_shown_at_any_moment() -> None:
    table = play_on(fresh(), 20)
    for decisions in (0, 7, 20):
        past = Session.of_record(table.game, decisions)
        assert past.game.history == table.game.history[:decisions]
        assert past.events == table.events[:decisions]
        assert past.look(None).seats[0].hand is not None
    for wrong in (-1, 21):
        with pytest.raises(ValueError, match=f"decisions={wrong}: the game has 20"):
            Session.of_record(table.game, wrong)


def test_advice_does_not_depend_on_hidden_cards() -> None:
    """The adviser is given what the seat sees: with the others' cards exchanged it says the same."""
    table = fresh(Rules(3, hand_sizes=(5,)))
    adviser = load("champion+search:worlds=2")
    said = table.advise(adviser)
    others = [seat for seat in range(3) if seat != table.game.acting_seat]
    hands = table.game.state["hands"][0]
    hands[others] = hands[others[::-1]]
    assert table.advise(adviser) == said


@pytest.mark.parametrize("reveal", ["simultaneous", "secret"])
def test_hidden_bids_are_not_told(reveal: str) -> None:
    table = play_on(fresh(Rules(3, hand_sizes=(3,), bid_reveal=reveal)), 4)  # type: ignore[arg-type]
    bid = next(event for event in table.events if event.action.startswith("bid") and event.seat == 1)
    assert bid.action_for(0, table.game.rules) == "bid"
    assert bid.action_for(1, table.game.rules) == bid.action_for(None, table.game.rules) == bid.action


def test_words() -> None:
    table = fresh()
    assert seat_names(table, 0) == ["you", "seat 1 (heuristic)", "seat 2 (random)"]
    assert seat_names(table, None)[0] == "seat 0"
    assert narrate_last_trick(table, 0) == "no trick was played yet"
    ended = Event(3, 1, "play TS", winner=0, points=(20, -10, 30))
    assert list(narrate_event(table, ended, 0)) == [
        "seat 1 (heuristic): play TS",
        "  the trick goes to you",
        "  round 3 is over: you +20, seat 1 (heuristic) -10, seat 2 (random) +30",
    ]
    play_on(table)
    trick = table.rounds[-1].tricks[-1]
    told = narrate_last_trick(table, None)
    assert [card in told for card in trick.cards] == [True] * 3
    assert told.endswith(f"it went to {seat_names(table, None)[trick.winner or 0]}")


def test_seats_must_be_as_many_as_players() -> None:
    with pytest.raises(ValueError, match="2 seats are taken: 3 players are needed"):
        Session(RULES, [None, "random"], 0)
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        Session(RULES, [None, "random", "nobody"], 0)


def test_agents_draw_from_the_seed() -> None:
    games = [play_on(Session(RULES, ["random"] * 3, seed)).game.history for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]
    assert np.unique(games[0]).size > 3

"""Sessions of people and agents: turns, taking back, advice, and hidden bids."""

from copy import deepcopy
from dataclasses import replace

import pytest

from tests.sessions import RULES, fresh, play_on
from wizard_env import ACTIONS, IllegalAction, Rules, action_id
from wizard_env.agents import load
from wizard_env.evaluation.advice import advise
from wizard_env.evaluation.analysis import analyse
from wizard_env.session import NotYourTurnError, Session, seat_agents


def test_a_game_is_played_to_its_end() -> None:
    session = play_on(fresh())
    assert session.game.phase == "over"
    assert not session.waits_for_a_person
    assert not session.waits_for_an_agent
    assert [played.points for played in session.rounds] == [scored.points for scored in session.game.rounds]
    assert [list(event.points) for event in session.events if event.points] == [
        scored.points for scored in session.game.rounds
    ]
    winners = [event.winner for event in session.events if event.winner is not None]
    assert winners == [trick.winner for played in session.rounds for trick in played.tricks]


@pytest.mark.parametrize("actions", range(0, 24, 3))
def test_a_restored_game_continues_in_the_same_way(actions: int) -> None:
    """Restored from its actions, agents with random choices make the same choices."""
    session = play_on(fresh(), actions)
    twin = Session(RULES, session.seats, 4, session.game.history)
    assert (twin.game, twin.events) == (session.game, session.events)
    assert play_on(twin).game == play_on(session).game


def test_only_the_acting_person_may_act() -> None:
    session = fresh(seats=(None, None, "random"))
    while session.waits_for_an_agent:
        session.advance()
    acts = session.game.acting_seat
    with pytest.raises(NotYourTurnError, match=f"it is the turn of seat {acts + 1}"):
        session.act(1 - acts, session.game.legal_actions()[0])
    with pytest.raises(NotYourTurnError, match="it is not an agent's turn"):
        session.advance()
    before = session.game.clone()
    with pytest.raises(IllegalAction, match=f"seat {acts} may not play TS"):
        session.act(acts, "play TS")
    assert session.game == before
    assert [trick for played in session.rounds for trick in played.tricks] == []


def test_nobody_acts_in_a_game_that_is_over() -> None:
    session = play_on(fresh())
    with pytest.raises(NotYourTurnError, match="the game is over"):
        session.act(0, 0)


def test_take_back_goes_back_to_the_last_decision_of_the_seat() -> None:
    """Then the other seats take the same actions again."""
    session = play_on(fresh(), 17)
    while not session.waits_for_a_person:
        session.advance()
    before, events = session.game.clone(), list(session.events)
    session.act(0, session.game.legal_actions()[-1])
    while session.waits_for_an_agent:
        session.advance()
    session.take_back(0)
    assert (session.game, session.events) == (before, events)


def test_what_cannot_be_taken_back() -> None:
    with pytest.raises(ValueError, match="there is no choice of yours to take back"):
        fresh().take_back(0)
    session = play_on(fresh(seats=(None, None, "random")), 8)
    with pytest.raises(ValueError, match="another person sits at the table"):
        session.take_back(0)


def test_advice_lists_the_legal_actions_the_best_first() -> None:
    session = play_on(fresh(), 4)
    advice = advise(load("champion+search:worlds=2"), session.game)
    points = [one.points for one in advice.choices]
    assert points == sorted(points, reverse=True)
    assert advice.value == points[0]
    assert advice.choices[0].error == 0
    assert sum(one.share for one in advice.choices) == pytest.approx(1, abs=1e-5)
    assert [one.action for one in sorted(advice.choices, key=lambda one: action_id(one.action))] == [
        ACTIONS[action] for action in session.game.legal_actions()
    ]


def test_playouts_estimate_for_agents_without_estimates() -> None:
    """Those of the judge; the share is still the agent's own."""
    session = play_on(fresh(), 4)
    heuristic = advise(load("heuristic"), session.game)
    judge = advise(load("champion+search:worlds=32"), session.game)
    assert [replace(one, share=0) for one in heuristic.choices] == [
        replace(one, share=0) for one in judge.choices
    ]
    assert sorted(one.share for one in heuristic.choices)[-2:] == [0, 1]


@pytest.mark.parametrize("agent", ["search:worlds=4", "champion+search:worlds=4"])
def test_a_hint_agrees_with_the_judgement_of_the_same_decision(agent: str) -> None:
    """Asked alone or with the whole game, an agent gives the same figures."""
    session, adviser = play_on(fresh(Rules(3, hand_sizes=(2, 5)))), load(agent)
    for decision in analyse(session.game, adviser, agent).decisions:
        advice = advise(adviser, Session.of_record(session.game, decision.number).game)
        assert {one.action: one.points for one in advice.choices} == decision.points
        assert advice.choices[0].action == decision.best


def test_a_played_game_can_be_shown_after_any_decision() -> None:
    session = play_on(fresh(), 20)
    for decisions in (0, 7, 20):
        past = Session.of_record(session.game, decisions)
        assert past.game.history == session.game.history[:decisions]
        assert past.events == session.events[:decisions]
        assert past.game.scene(None).seats[0].hand is not None
    for wrong in (-1, 21):
        with pytest.raises(ValueError, match=f"decisions={wrong}: the game has 20"):
            Session.of_record(session.game, wrong)


@pytest.mark.parametrize("agent", ["champion+search:worlds=2", "adaptive"])
def test_advice_does_not_depend_on_hidden_cards(agent: str) -> None:
    """The adviser sees what the seat sees, so swapping the others' cards does not change its advice."""
    session, adviser = fresh(Rules(3, hand_sizes=(12, 12, 5))), load(agent)
    while session.game.round_number < 3 or not session.waits_for_a_person:
        play_on(session, len(session.events) + 1)
    before = advise(adviser, session.game)
    others = [seat for seat in range(3) if seat != session.game.acting_seat]
    hands = session.game.state["hands"][0]
    hands[others] = hands[others[::-1]]
    assert advise(adviser, session.game) == before


@pytest.mark.parametrize("reveal", ["simultaneous", "secret"])
def test_hidden_bids_are_not_shown(reveal: str) -> None:
    """Simultaneous bids are hidden until everybody has bid, secret ones until the round is scored."""
    session = fresh(Rules(3, hand_sizes=(3, 2), bid_reveal=reveal))  # type: ignore[arg-type]
    seen = set()
    while session.game.seat is not None:
        play_on(session, len(session.events) + 1)
        game = session.game
        for event in session.events:
            is_over = event.round_number <= len(game.rounds)
            hidden = not is_over and (game.phase == "bid" if reveal == "simultaneous" else True)
            if event.action.startswith("bid") and event.seat == 1:
                seen.add(hidden)
                assert event.action_for(session.game.scene(0)) == ("bid" if hidden else event.action)
            assert (
                event.action_for(session.game.scene(event.seat))
                == event.action_for(session.game.scene(None))
                == event.action
            )
    assert seen == {True, False}


def test_a_clone_plays_on_alone() -> None:
    """And in the same way."""
    session = play_on(fresh(), 9)
    before = (session.game.clone(), list(session.events), deepcopy(session.rounds))
    twin = play_on(session.clone())
    assert (session.game, session.events, session.rounds) == before
    assert play_on(session).events == twin.events


def test_seats_must_match_the_number_of_players() -> None:
    with pytest.raises(ValueError, match="2 seats are taken: 3 players are needed"):
        Session(RULES, [None, "random"], 0)
    with pytest.raises(ValueError, match="unknown agent 'nobody'"):
        Session(RULES, [None, "random", "nobody"], 0)


def test_agents_sit_clockwise_from_the_person() -> None:
    assert seat_agents(["random"], 0, 3) == [None, "random", "random"]
    assert seat_agents(["search", "random"], 2, 5) == ["search", "random", None, "search", "random"]
    with pytest.raises(ValueError, match="3 agents: a table of 3 has seats for 2"):
        seat_agents(["random"] * 3, 0, 3)

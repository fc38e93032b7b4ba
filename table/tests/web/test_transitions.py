"""Transitions: computed from a state that they leave as it is, and refused with a reason."""

from dataclasses import replace

import pytest
from wizard_table.web.messages import Act, SetPace
from wizard_table.web.setup import Setup
from wizard_table.web.store import EMPTY, OVER, RUNNING
from wizard_table.web.transitions import (
    TableState,
    Transition,
    advance,
    leave,
    obey,
)

from wizard_env import ACTIONS, IllegalAction, Rules
from wizard_env.loading import load
from wizard_env.session import NotYourTurnError

PACE = SetPace(kind="pace", seconds=2)


def begin(*seats: str | None, **options: object) -> TableState:
    setup = Setup(
        Rules(3, hand_sizes=(1,)), seats or (None, "random", "random"), 7, "heuristic", {0: "digest"}
    )
    return TableState.of(replace(setup, **options), load)  # type: ignore[arg-type]


def play(state: TableState) -> Transition:
    """The next action: an agent's choice, or the first legal one of a person."""
    session = state.session
    if session.waits_for_an_agent:
        transition = advance(state, session, session.choose())
    else:
        action = session.game.legal_actions()[0]
        act = Act(kind="act", action=ACTIONS[action], decisions=len(session.events))
        transition = obey(state, session.game.acting_seat, act)
    assert transition is not None
    return transition


def test_a_game_moves_from_state_to_state() -> None:
    """Each transition takes one action; the state before stays as it is."""
    states, events = [begin()], []
    while states[-1].session.game.seat is not None:
        transition = play(states[-1])
        assert transition.before is states[-1]
        events.append(transition.event)
        states.append(transition.after)
    assert states[-1].session.events == events
    assert [len(state.session.events) for state in states] == list(range(len(states)))
    assert [state.stage for state in states] == [EMPTY, *[RUNNING] * (len(states) - 2), OVER]
    assert transition.ends_the_game


def test_a_click_is_checked() -> None:
    state = begin()
    while state.session.waits_for_an_agent:
        state = play(state).after
    decisions = len(state.session.events)
    click = Act(kind="act", action="bid 1", decisions=decisions)
    assert obey(state, 0, click) is not None
    assert obey(play(state).after, 0, click) is None  # the second click
    with pytest.raises(ValueError, match="the table has changed in the meantime"):
        obey(state, 0, click.model_copy(update={"decisions": decisions + 1}))
    with pytest.raises(NotYourTurnError, match="it is the turn of seat 1"):
        obey(state, 1, click)
    with pytest.raises(IllegalAction, match="may not bid 9"):
        obey(state, 0, click.model_copy(update={"action": "bid 9"}))
    with pytest.raises(ValueError, match="the game has not begun"):
        obey(begin(begun=False), 0, click)
    assert len(state.session.events) == decisions


def test_nobody_plays_in_the_name_of_a_person_alone_with_agents() -> None:
    """Their result may be compared with others' in a match; beside other people an agent takes over."""
    left = leave(begin(), 0)
    assert left is not None
    state = left.after
    while state.session.waits_for_an_agent:
        state = play(state).after
    assert (state.setup.left, state.session.game.seat) == ((0,), 0)
    left = leave(begin(None, None, "random", taken={0: "digest", 1: "another"}), 0)
    assert left is not None
    assert left.after.setup.acting == ["heuristic", None, "random"]


def test_an_agent_that_chose_too_late_is_not_heard() -> None:
    state = begin("random", "random", "random")
    moved = play(state).after
    assert advance(moved, state.session, state.session.choose()) is None
    paced = obey(state, 0, PACE)
    assert paced is not None
    assert advance(paced.after, state.session, state.session.choose()) is not None

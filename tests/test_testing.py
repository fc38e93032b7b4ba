"""agent_test: every registered agent passes it, and each of its checks can fail."""

import re
from typing import Any

import numpy as np
import pytest

import wizard_env.testing
from wizard_env import NUM_ACTIONS, Rules
from wizard_env.agents import View, agent_names, load
from wizard_env.agents.random import RandomAgent
from wizard_env.records.positions import parse_position
from wizard_env.state import PHASES
from wizard_env.testing import RULES, UNKNOWN_OPTION, agent_test

NOT_ALONE = {
    "checkpoint": "the path of a network",
    "exact": "rounds of one card",
    "external": "a command",
    "hf": "a repository on the hub",
    "llm": "a model behind an address",
    "mcp": "a model that connects to it",
    "partner": "the name of a network",
    "switch": "two agents",
}
"""Needs of some agents besides their name; other tests check these agents."""


@pytest.mark.parametrize("name", [*agent_names(), "champion:sample=True"])
def test_every_agent_keeps_its_promises(name: str) -> None:
    if name in NOT_ALONE:
        pytest.skip(f"{name} needs {NOT_ALONE[name]}")
    agent_test(name, num_games=1)


class Asked:
    """The random agent, and what it was asked."""

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, view: View, rng: np.random.Generator) -> Any:
        self.views.append(view)
        return RandomAgent().act(view, rng)


def test_what_an_agent_is_asked() -> None:
    """Every table size, restriction and reveal, both editions, all phases, full hands and small ones."""
    asked = Asked()
    agent_test(asked, num_games=2)
    assert sum(map(len, asked.views)) == 5 * 2 * 3 * len(RULES)
    assert [len(view) for view in asked.views].count(1) == len(asked.views[0])
    known = asked.views[0].known
    assert {rules.num_players for rules in RULES} == {3, 4, 5, 6} == set(known["num_players"].tolist())
    assert {0, 1, 2, 3} == set(known["bid_restriction"].tolist())
    assert {0, 1, 2} == set(known["bid_reveal"].tolist())
    assert {False, True} == set(known["magic_edition"].astype(bool).tolist())
    assert {1, 20} <= set(known["hand_size"].tolist())
    assert [PHASES[phase] for phase in known["phase"][:6]] == ["trump"] * 2 + ["bid"] * 2 + ["play"] * 2


def test_a_seed_gives_the_same_decisions_and_another_gives_others() -> None:
    asked = Asked()
    for seed in (3, 3, 4):
        agent_test(asked, seed=seed, num_games=1)
    runs = len(asked.views) // 3
    first, again, other = (asked.views[run * runs].known.tobytes() for run in range(3))
    assert first == again != other


# --- agents that break a promise


def lowest(view: View) -> Any:
    return view.mask.argmax(axis=1)


def highest(view: View) -> Any:
    return NUM_ACTIONS - 1 - view.mask[:, ::-1].argmax(axis=1)


class Raises:
    """Has not thought of the dealer who names the trump."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        if (view.known["phase"] == 0).any():
            raise KeyError("trump")
        return lowest(view)


class AnswersAList:
    def act(self, view: View, rng: np.random.Generator) -> Any:
        return lowest(view).tolist()


class AnswersAColumn:
    def act(self, view: View, rng: np.random.Generator) -> Any:
        return lowest(view)[:, np.newaxis]


class DoesNotFollowSuit:
    """Plays its first card, whatever was led."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        hand = view.observation[:, 378:432].argmax(axis=1)
        return np.where(view.known["phase"] == 2, 25 + hand, lowest(view))


class AnswersNoAction:
    def act(self, view: View, rng: np.random.Generator) -> Any:
        return np.full(len(view), -1)


class Dices:
    """Draws from a private generator."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return RandomAgent().act(View(view.known), self.rng)


class IgnoresTheNoise:
    """Draws from the generator, although the games have their own noise."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return RandomAgent().act(View(view.known), rng)


class CountsThePlaces:
    """Acts by the place of a decision in its batch."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return np.where(np.arange(len(view)) % 2, highest(view), lowest(view))


class CountsTheBatch:
    """Acts by how many decisions there are."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return highest(view) if len(view) == 1 else lowest(view)


class NeedsADecision:
    """Does not expect a view without one."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        assert view.mask[0].any()
        return lowest(view)


class LosesTheType:
    """Of an empty answer."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return np.array(lowest(view).tolist())


def writes_into(part: str) -> Any:
    class Writes:
        def act(self, view: View, rng: np.random.Generator) -> Any:
            actions = lowest(view)
            contents = view.noise(rng) if part == "noise" else getattr(view, part)
            contents[-1:] = contents[-1:].copy() * 0 + 1 if part != "known" else np.zeros(1, contents.dtype)
            return actions

    return Writes


BROKEN = [
    (Raises, "an agent answers every view: one of 24 decisions raised KeyError"),
    (AnswersAList, "an answer is an int64 array .* a view of 24 decisions got a list: "),
    (AnswersAColumn, r"an answer is an int64 array .* got an array of type int64 and shape \(24, 1\)"),
    (DoesNotFollowSuit, r"every action is legal: seat \d may not play \w\w: [SHDC] was led and it holds"),
    (AnswersNoAction, r"every action is legal: seat \d may not take action -1: ids run from 0 to 78"),
    (Dices, "the same view and a generator of the same seed .*: '.*' once but '.*' again"),
    (IgnoresTheNoise, "where the games have their own noise.*: '.*' in a batch but '.*' in a permuted"),
    (CountsThePlaces, "where the games have their own noise.*: '.*' in a batch but '.*' in a permuted"),
    (CountsTheBatch, "where the games have their own noise.*: '.*' in a batch but '.*' alone"),
    (NeedsADecision, "an agent answers every view: one of 0 decisions raised IndexError"),
    (LosesTheType, r"a view of 0 decisions got an array of type float64 and shape \(0,\)"),
    (writes_into("known"), "an agent leaves the view unchanged: view.known was written to"),
    (writes_into("observation"), "an agent leaves the view unchanged: view.observation was written to"),
    (writes_into("mask"), "an agent leaves the view unchanged: view.mask was written to"),
    (writes_into("noise"), "an agent leaves the view unchanged: view.noise was written to"),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN, ids=[broken.__name__ for broken, _ in BROKEN])
def test_a_broken_promise_is_named(broken: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        agent_test(broken(), num_games=1)


@pytest.mark.parametrize("broken", [DoesNotFollowSuit, Dices, CountsTheBatch, writes_into("mask")])
def test_the_decision_that_shows_it_is_given(broken: Any) -> None:
    """The rules, and a position that can be read again."""
    with pytest.raises(AssertionError) as raised:
        agent_test(broken(), num_games=1)
    rules, words = re.findall(r"; by (Rules\(.*\)); in the position (.*)$", str(raised.value))[0]
    game = parse_position(words)
    assert eval(rules, {"Rules": Rules}) == game.rules
    assert game.rules in RULES
    if broken is DoesNotFollowSuit:
        assert game.why_not(load(broken()).act(View.of([game]), np.random.default_rng(0))[0]) in str(
            raised.value
        )


# --- options


class TakesAnything:
    def __init__(self, no_such_option: int = 0) -> None:
        pass

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return lowest(view)


MINE = TakesAnything


@pytest.mark.usefixtures("added")
def test_an_option_that_should_be_unknown_is_accepted() -> None:
    with pytest.raises(AssertionError, match=f"unknown option .*: mine:{UNKNOWN_OPTION}=1 was accepted"):
        agent_test("mine", num_games=1)
    agent_test(TakesAnything(), num_games=1)  # one that is not looked up by name has no options to refuse


def test_a_refusal_that_does_not_name_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(agent: str) -> Any:
        if ":" in agent:
            raise TypeError("wrong options")
        return load(agent)

    monkeypatch.setattr(wizard_env.testing, "load", refuse)
    with pytest.raises(AssertionError, match=r"names it: random:no_such_option=1 gave TypeError\('wrong opt"):
        agent_test("random", num_games=1)

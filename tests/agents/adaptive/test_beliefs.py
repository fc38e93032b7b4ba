"""Beliefs: who sits where is found out from finished rounds, by every rule."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaln, gammaln

from wizard_env import Agent, Games, Rules
from wizard_env.agents import load
from wizard_env.agents.adaptive.agent import AdaptiveAgent
from wizard_env.agents.adaptive.beliefs import (
    HIGH,
    INEXACT,
    LOW,
    NUM_FEATURES,
    NUM_INPUTS,
    Posterior,
    Prior,
    add_round,
    log_evidence,
    network_inputs,
)
from wizard_env.agents.adaptive.evidence import AGREED, DIFFERED, NUM_COUNTS, SHIFTS, SURPRISE
from wizard_env.agents.assessment import PlayerKind
from wizard_env.agents.switching import SwitchingAgent
from wizard_env.rules import MAX_PLAYERS
from wizard_env.testing import RULES
from wizard_env.view import View, actions_by_owner

DEALS = 12


def after_rounds(agents: list[Agent], rules: Rules, rounds: int, seed: int = 3) -> View:
    """Games in which seat s is played by agent s, once some rounds are finished."""
    games, rng = Games(rules, DEALS, seed, pause="game"), np.random.default_rng(seed)
    while len(rows := (games.states["round_index"] < rounds).nonzero()[0]):
        games.step(actions_by_owner(agents, games.seat[rows], games.view(rows), rng), rows)
    return games.view()


def believed(view: View) -> NDArray[np.float32]:
    agent = load("adaptive")
    assert isinstance(agent, AdaptiveAgent)
    return agent.beliefs(view)


KINDS = [
    ("rule_based", PlayerKind.RULE_BASED),
    ("heuristic", PlayerKind.HEURISTIC),
    ("champion", PlayerKind.CHAMPION),
    ("adaptive", PlayerKind.COPY),
    ("partner:name=points_12", PlayerKind.LEARNED),
]


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
@pytest.mark.parametrize(("name", "kind"), KINDS, ids=[name for name, _ in KINDS])
def test_every_kind_is_recognised(name: str, kind: PlayerKind, num_players: int) -> None:
    """Beside two others, after eight rounds; by every seat alike."""
    others = ["rule_based", "heuristic", "champion", "rule_based", "heuristic"]
    agents = [load(each) for each in [name, *others[: num_players - 1]]]
    beliefs = believed(after_rounds(agents, Rules(num_players), rounds=8))
    assert beliefs.shape == (DEALS, MAX_PLAYERS, NUM_FEATURES)
    assert float(beliefs[:, 0, kind.column].mean()) > 0.8
    assert float(beliefs[:, 0, INEXACT].mean()) < 0.02
    assert float(beliefs[:, 1, PlayerKind.RULE_BASED.column].mean()) > 0.95
    assert not beliefs[:, num_players:].any()


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_rule(rules: Rules) -> None:
    """Closed bids too: they are public once the round is scored."""
    agents = [load(["rule_based", "heuristic"][seat % 2]) for seat in range(rules.num_players)]
    beliefs = believed(after_rounds(agents, rules, rounds=1))
    for seat in range(rules.num_players):
        column = PlayerKind.HEURISTIC.column if seat % 2 else PlayerKind.RULE_BASED.column
        assert beliefs[:, seat, column].mean() > 1 / INEXACT - 0.01  # a copy, which does not err, gains first
        total = beliefs[:, seat, :INEXACT].sum(axis=1)
        np.testing.assert_allclose(total, total > 0, atol=1e-5)  # 0 for a seat that had no choice


@pytest.mark.parametrize(("bias", "column"), [(0.7, HIGH), (-0.7, LOW)])
def test_a_bias_of_bids_is_estimated(bias: float, column: int) -> None:
    agents = [load(f"variant:of=rule_based,bias={bias}")] + [load("heuristic")] * 3
    beliefs = believed(after_rounds(agents, Rules(), rounds=9))
    assert beliefs[:, 0, PlayerKind.RULE_BASED.column].mean() > 0.9
    assert 0.35 < beliefs[:, 0, column].mean() < 1
    assert beliefs[:, 1, [HIGH, LOW]].max() < 0.05


def test_a_stranger_is_inexact() -> None:
    """Nobody in the library plays like a random player."""
    beliefs = believed(after_rounds([load("random")] + [load("heuristic")] * 3, Rules(), rounds=6))
    assert beliefs[:, 0, INEXACT].mean() > 0.2


def test_nothing_is_believed_before_a_round_is_finished() -> None:
    assert not believed(after_rounds([load("heuristic")] * 4, Rules(), rounds=0)).any()


def test_inputs_are_those_of_the_other_seats_clockwise() -> None:
    beliefs = np.zeros((1, MAX_PLAYERS, NUM_FEATURES), np.float32)
    beliefs[0, :4, 0] = [0.2, 0.4, 0.6, 0.8]
    inputs = network_inputs(beliefs, np.array([2]), np.array([4]))
    assert inputs.shape == (1, NUM_INPUTS)
    expected = [204, 51, 102, 0, 0]  # seats 3, 0 and 1, of 255; nobody sits further on
    assert inputs.reshape(-1, NUM_FEATURES)[:, 0].tolist() == expected
    beliefs[0, 3, HIGH] = 2
    assert network_inputs(beliefs, np.array([2]), np.array([4]))[0, HIGH] == 255


CHANGES = [
    ("rule_based", "champion", PlayerKind.CHAMPION),
    ("champion", "rule_based", PlayerKind.RULE_BASED),
    ("heuristic", "rule_based", PlayerKind.RULE_BASED),
    ("champion", "heuristic", PlayerKind.HEURISTIC),
]


def test_a_change_is_recognised_within_two_rounds() -> None:
    """Of every seat of a table at once."""
    agents = [SwitchingAgent(first, then, after=6) for first, then, _ in CHANGES]
    beliefs = believed(after_rounds(list(agents), Rules(), rounds=8))
    for seat, (_, _, kind) in enumerate(CHANGES):
        assert (beliefs[:, seat, kind.column] > 0.9).mean() > 0.9


def test_a_steady_seat_stays_recognised() -> None:
    """Forgetting makes no belief unsure enough for the answer to change."""
    names = ["rule_based", "heuristic", "champion", "adaptive"]
    kinds = [PlayerKind.RULE_BASED, PlayerKind.HEURISTIC, PlayerKind.CHAMPION, PlayerKind.COPY]
    beliefs = believed(after_rounds([load(name) for name in names], Rules(), rounds=14))
    for seat, kind in enumerate(kinds):
        assert (beliefs[:, seat, kind.column] > 0.99).mean() > 0.9


def test_trust_ends_when_it_is_abused() -> None:
    """One round is enough, and trust never comes back, even if the seat plays like a copy again."""
    copy, abuser = load("adaptive"), SwitchingAgent("adaptive", "rule_based", after=6)
    before, after = (
        believed(after_rounds([copy, *[abuser] * 3], Rules(), rounds))[:, 1:4, PlayerKind.COPY.column]
        for rounds in (6, 7)
    )
    assert (before > 0.3).mean() > 0.9
    assert after.max() < 0.01
    friend = SwitchingAgent(abuser, "adaptive", after=7)
    later = believed(after_rounds([copy, *[friend] * 3], Rules(), rounds=10))
    assert later[:, 1:4, PlayerKind.COPY.column].max() < 0.01


def counts_of(agreed: int, differed: int, surprise: float, shifts: list[int]) -> NDArray[np.float32]:
    """Counts of one seat of one game, compared with one kind."""
    counts = np.zeros((1, 1, 1, NUM_COUNTS), np.float32)
    counts[..., [AGREED, DIFFERED, SURPRISE]] = agreed, differed, surprise
    counts[..., SHIFTS:] = shifts
    return counts


def test_evidence_is_that_of_unknown_rates() -> None:
    """The integral over the rates; and rounds one by one are as probable as all at once."""
    prior = Prior.of([PlayerKind.CHAMPION])
    first, second = counts_of(7, 2, 1.5, [0, 1, 2, 0, 0]), counts_of(4, 1, 0.5, [0, 0, 1, 0, 1])
    nothing = np.zeros_like(first)
    plays = betaln(19 + 7, 0.6 + 2) - betaln(19, 0.6)
    weights, shifts = np.array([0.1, 0.3, 12, 0.3, 0.1]), first[0, 0, 0, SHIFTS:]
    bids = (gammaln(weights + shifts) - gammaln(weights)).sum() + gammaln(12.8) - gammaln(12.8 + 3)
    assert log_evidence(nothing, first, prior).item() == pytest.approx(plays + bids - 1.5)
    one_by_one = log_evidence(nothing, first, prior) + log_evidence(first, second, prior)
    np.testing.assert_allclose(one_by_one, log_evidence(nothing, first + second, prior))


def test_a_change_is_drawn_anew() -> None:
    """Choices that the kind of a seat never makes leave the kinds that make them; nobody becomes a copy."""
    prior = Prior.of([PlayerKind.HEURISTIC, PlayerKind.COPY, PlayerKind.CHAMPION])
    before = Posterior(np.array([[[1.0, 0, 0]]]), np.zeros((1, 1, 3, NUM_COUNTS), np.float32))
    agreed, differed = counts_of(6, 0, 0, [0, 0, 0, 0, 0]), counts_of(0, 6, 6.0, [0, 0, 0, 0, 0])
    seen = np.concatenate([differed, agreed, agreed], axis=2)
    after = add_round(before, seen, prior)
    np.testing.assert_allclose(after.shares, [[[0, 0, 1]]])
    np.testing.assert_array_equal(after.counts[0, 0, 2], agreed[0, 0, 0])
    settled = add_round(before, np.repeat(agreed, 3, axis=2), prior)
    np.testing.assert_allclose(settled.shares, [[[1, 0, 0]]], atol=0.01)
    np.testing.assert_allclose(settled.counts[0, 0, 0], agreed[0, 0, 0])

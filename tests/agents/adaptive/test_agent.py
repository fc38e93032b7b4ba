"""AdaptiveAgent: the champion without evidence, and always a pure function of the view."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.agents.adaptive.test_beliefs import after_rounds
from wizard_env import Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.adaptive.agent import AdaptiveAgent, response_file
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.assessment import Believer, PlayerKind
from wizard_env.agents.network import FILE_NAME, NetworkAgent, read_agent, save_agent
from wizard_env.agents.pretrained import ADAPTIVE, CHAMPION, RIVAL
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.sampling import best_legal
from wizard_env.testing import agent_test
from wizard_env.view import printed_actions

RNG = np.random.default_rng(0)
TABLE = ["adaptive", "rule_based", "heuristic", "adaptive"]
WITHOUT_TORCH = """
import sys

sys.modules["torch"] = None
import numpy as np
from wizard_env import Game, Rules, View
from wizard_env.agents import load

agent, game = load("adaptive"), Game(Rules(3, hand_sizes=(1, 2, 3)), seed=1)
while game.phase != "over":
    game.step(int(agent.act(View.of([game]), np.random.default_rng(0))[0]))
"""


def later_view() -> View:
    return after_rounds([load(name) for name in TABLE], Rules(), rounds=4)


def test_it_keeps_the_promises_of_agents() -> None:
    agent_test("adaptive")


def test_without_evidence_it_is_the_champion() -> None:
    """In single rounds of every size, too."""
    champion, adaptive = load("champion"), load("adaptive")
    for size in (1, 8, 15):
        view = View.of([Game(Rules(hand_sizes=(size,)), seed) for seed in range(40)])
        assert adaptive.act(view, RNG).tolist() == champion.act(view, RNG).tolist()
    later = later_view()
    assert adaptive.act(View(later.known), RNG).tolist() == champion.act(later, RNG).tolist()


def test_evidence_changes_its_answers() -> None:
    champion, adaptive, view = load("champion"), load("adaptive"), later_view()
    assert adaptive.act(view, RNG).tolist() != champion.act(view, RNG).tolist()


def test_what_it_keeps_changes_nothing() -> None:
    """A fresh agent, one that has seen other games, and one that sees a game alone answer alike."""
    view = later_view()
    used = load("adaptive")
    used.act(after_rounds([load("rule_based")] * 4, Rules(), rounds=3, seed=9), RNG)
    used.act(view, RNG)
    expected = load("adaptive").act(view, RNG).tolist()
    assert used.act(view, RNG).tolist() == expected
    alone = [int(load("adaptive").act(view.select([row]), RNG)[0]) for row in range(3)]
    assert alone == expected[:3]
    assert pickle.loads(pickle.dumps(used)).act(view, RNG).tolist() == expected


def test_a_path_with_beliefs_is_an_adaptive_agent() -> None:
    assert isinstance(load(ADAPTIVE), AdaptiveAgent)
    assert isinstance(load(CHAMPION), NetworkAgent)
    with pytest.raises(ValueError, match="reads 0 inputs for beliefs, allowed is 40 here"):
        AdaptiveAgent(str(CHAMPION))
    with pytest.raises(ValueError, match="reads 40 inputs for beliefs, allowed is 0 here"):
        NetworkAgent(str(ADAPTIVE))


def test_it_assesses_decisions() -> None:
    """A policy over legal actions whose best is its action, and the points that it expects."""
    agent, view = load("adaptive"), later_view()
    assessment = agent.assess(view, RNG)  # type: ignore[attr-defined]
    np.testing.assert_allclose(assessment.policy.sum(axis=1), 1, atol=1e-5)
    assert assessment.policy.argmax(axis=1).tolist() == agent.act(view, RNG).tolist()
    assert np.isfinite(assessment.value).all()


@pytest.mark.parametrize(
    ("seated", "kinds"),
    [
        (("rule_based", "heuristic", "champion"), ("rule_based", "heuristic", "champion")),
        (("adaptive", "partner:name=points_12", "random"), ("copy", "learned", "unknown")),
    ],
)
def test_it_names_the_players_that_it_recognises(seated: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    """After eight rounds in most games, and whenever it is sure; never the acting seat."""
    agent, view = load("adaptive"), after_rounds([load(name) for name in seated], Rules(3), rounds=8)
    assert isinstance(agent, Believer)
    right = []
    for acting, beliefs in zip(view.seat.tolist(), agent.recognise_players(view), strict=True):
        assert len(beliefs) == 3
        assert beliefs[acting] is None
        for belief, kind in zip(beliefs, kinds, strict=True):
            if belief is not None:
                assert not belief.is_sure or belief.kind == kind
                right.append(belief.is_sure)
    assert len(right) == 2 * len(view)
    assert np.mean(right) > 0.85


def test_before_evidence_it_recognises_nobody() -> None:
    view = after_rounds([load("heuristic")] * 4, Rules(), rounds=0)
    assert load("adaptive").recognise_players(view) == [[None] * 4] * len(view)  # type: ignore[attr-defined]


def test_it_says_that_a_seat_bids_high() -> None:
    agents = [load("variant:of=rule_based,bias=0.7"), *[load("heuristic")] * 3]
    view = after_rounds(agents, Rules(), rounds=8)
    told = load("adaptive").recognise_players(view)  # type: ignore[attr-defined]
    first = [beliefs[0] for beliefs in told if beliefs[0] is not None]
    assert {belief.kind for belief in first} == {PlayerKind.RULE_BASED}
    assert {belief.bids for belief in first} == {"high"}


def test_hidden_cards_of_the_round_change_no_belief() -> None:
    """The same rounds before, and another deal of the others' cards now."""
    rules, agents = Rules(3, hand_sizes=(5, 6, 5)), [load("rule_based"), load("heuristic"), load("champion")]
    game = Game(rules, seed=2)
    while game.round_number < 3:
        game.step(int(agents[game.acting_seat].act(View.of([game]), RNG)[0]))
    other, seat = game.clone(), game.acting_seat
    left, right = (other.state["hands"][0, (seat + step) % 3].copy() for step in (1, 2))
    other.state["hands"][0, (seat + 1) % 3], other.state["hands"][0, (seat + 2) % 3] = right, left
    assert other.hands != game.hands
    told = load("adaptive").recognise_players(View.of([game]))  # type: ignore[attr-defined]
    assert any(belief is not None for belief in told[0])
    assert load("adaptive").recognise_players(View.of([other])) == told  # type: ignore[attr-defined]


def test_it_plays_without_torch(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_TORCH], check=True, cwd=tmp_path)


def test_a_network_without_a_value_can_be_assessed(tmp_path: Path) -> None:
    """Runs with shared rewards save none."""
    weights = read_agent(ADAPTIVE / FILE_NAME, beliefs=NUM_INPUTS)
    policy = {name: values for name, values in weights.items() if "value" not in name}
    save_agent(policy, tmp_path / FILE_NAME, beliefs=NUM_INPUTS)
    agent, view = AdaptiveAgent(str(tmp_path)), later_view()
    assessment = agent.assess(view, RNG)
    assert np.isnan(assessment.value).all()
    assert assessment.policy.argmax(axis=1).tolist() == agent.act(view, RNG).tolist()


@pytest.mark.parametrize("network", ["_champion", "_responses"])
def test_all_its_networks_count_in_its_fingerprint(network: str) -> None:
    """A league plays again when one of the networks that it answers with has changed."""
    one, other = AdaptiveAgent(), AdaptiveAgent()
    assert fingerprint("adaptive", one) == fingerprint("adaptive", other)
    held = getattr(other, network)
    changed = held[PlayerKind.COPY] if network == "_responses" else held
    changed.layers[-1].biases[0] += 1
    assert fingerprint("adaptive", one) != fingerprint("adaptive", other)


def test_a_response_answers_at_tables_of_its_kind(tmp_path: Path) -> None:
    """Not before there is evidence, and not where one seat is of another kind."""
    (tmp_path / FILE_NAME).write_bytes((ADAPTIVE / FILE_NAME).read_bytes())
    plain = AdaptiveAgent(str(tmp_path))
    response = response_file(tmp_path / FILE_NAME, PlayerKind.RULE_BASED)
    response.write_bytes((RIVAL / FILE_NAME).read_bytes())
    agent, network = AdaptiveAgent(str(tmp_path)), load("rival")
    for rounds, others, answers in (
        (0, ["rule_based"] * 3, "champion"),
        (6, ["rule_based"] * 3, "rival"),
        (6, ["rule_based", "rule_based", "heuristic"], "adaptive"),
    ):
        seated = [plain, *map(load, others)]
        view = after_rounds(seated, Rules(), rounds=rounds)
        view = view.select((view.seat == 0).nonzero()[0])
        expected = {"champion": load("champion"), "rival": network, "adaptive": plain}[answers]
        assert len(view) > 0
        agreed = agent.act(view, RNG) == expected.act(view, RNG)
        assert agreed.all(), (rounds, others)


def test_champions_are_answered_by_the_champion(tmp_path: Path) -> None:
    """An own network answers them itself: it may have learned to."""
    (tmp_path / FILE_NAME).write_bytes((ADAPTIVE / FILE_NAME).read_bytes())
    champion, own = load("champion"), AdaptiveAgent(str(tmp_path))
    view = after_rounds([load("adaptive"), *[champion] * 3], Rules(), rounds=9)
    view = view.select((view.seat == 0).nonzero()[0])
    expected = champion.act(view, RNG)
    assert (load("adaptive").act(view, RNG) == expected).all()
    assert (own.act(view, RNG) != expected).any()


def test_copies_trust_each_other_before_they_are_certain() -> None:
    """A choice that a copy and a champion would both have made counts for a copy."""
    view = after_rounds([load("adaptive")] * 4, Rules(), rounds=4)
    agent = load("adaptive")
    together = agent._responses[PlayerKind.COPY]  # type: ignore[attr-defined]
    encoding = view.encode(canonical_suits=True)
    best = printed_actions(best_legal(together.logits(encoding.observation), encoding.mask), encoding.order)
    assert np.mean(agent.act(view, RNG) == best) > 0.8
    beliefs = agent.beliefs(view)[:, :4, PlayerKind.COPY.column]  # type: ignore[attr-defined]
    assert np.mean(beliefs > 0.99) < 0.8

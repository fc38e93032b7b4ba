"""AdaptiveAgent: the champion without evidence, and always a pure function of the view."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.agents.adaptive.test_beliefs import after_rounds
from wizard_env import Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.adaptive.agent import AdaptiveAgent, response_file
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.memory import Memory
from wizard_env.agents.adaptive.recent import Recent
from wizard_env.agents.assessment import Believer, PlayerKind
from wizard_env.agents.network import FILE_NAME, NetworkAgent, read_agent, save_agent
from wizard_env.agents.pretrained import ADAPTIVE, CHAMPION, RIVAL

RNG = np.random.default_rng(0)
TABLE = ["adaptive", "rule_based", "heuristic", "adaptive"]


def later_view() -> View:
    return after_rounds([load(name) for name in TABLE], Rules(), rounds=4)


def test_without_evidence_it_is_the_champion() -> None:
    """In single rounds of every size, too."""
    champion, adaptive = load("champion"), load("adaptive")
    for size in (1, 8, 15):
        view = View.of([Game(Rules(hand_sizes=(size,)), seed) for seed in range(40)])
        assert adaptive.act(view, RNG).tolist() == champion.act(view, RNG).tolist()
    later = later_view()
    assert adaptive.act(View(later.known), RNG).tolist() == champion.act(later, RNG).tolist()


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


def test_threads_share_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory drops what another thread needs, and finds it again."""
    agent, view = AdaptiveAgent(), later_view()
    views = [view.select(np.arange(row, row + 4)) for row in range(4)]
    expected = [agent.beliefs(view).tolist() for view in views]
    monkeypatch.setattr("wizard_env.agents.adaptive.memory._HISTORIES", 0)
    memory = Memory(Kinds(agent))

    def believe(number: int) -> list[float]:
        return memory.beliefs(views[number % 4]).tolist()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(believe, range(20))) == expected * 5


def test_answers_that_it_keeps_change_no_belief() -> None:
    """An agent that has played the game believes the same as one that has not."""
    playing, fresh = load("adaptive"), load("adaptive")
    agents = [playing, load("rule_based"), load("champion"), playing]
    view = after_rounds(agents, Rules(), rounds=5)
    assert isinstance(playing, AdaptiveAgent)
    assert isinstance(fresh, AdaptiveAgent)
    assert (playing.beliefs(view) == fresh.beliefs(view)).all()


def test_what_it_keeps_is_bounded() -> None:
    recent = Recent[int](size=10)
    for number in range(100):
        recent.make_room()
        recent.add([(bytes([number]), number)])
        assert len(recent) <= 22
    assert [recent.find(bytes([number])) for number in (0, 95, 99)] == [None, 95, 99]


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
        (("adaptive", "rule_based", "random"), ("copy", "rule_based", "unknown")),
        (("heuristic", "partner:name=points_12", "champion"), ("heuristic", "learned", "champion")),
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
                is_sure = belief.probability is None or belief.probability >= 0.9
                assert not is_sure or belief.kind == kind
                right.append(is_sure)
    assert len(right) == 2 * len(view)
    assert np.mean(right) > 0.85


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


def test_a_network_without_a_value_can_be_assessed(tmp_path: Path) -> None:
    """Runs for other rewards than points save none; the champion's value stands in for it."""
    weights = read_agent(ADAPTIVE / FILE_NAME, beliefs=NUM_INPUTS)
    policy = {name: values for name, values in weights.items() if "value" not in name}
    save_agent(policy, tmp_path / FILE_NAME, beliefs=NUM_INPUTS)
    agent, view = AdaptiveAgent(str(tmp_path)), later_view()
    assessment = agent.assess(view, RNG)
    expected = load("champion").assess(view, RNG).value  # type: ignore[attr-defined]
    assert assessment.value.tolist() == expected.tolist()
    assert assessment.policy.argmax(axis=1).tolist() == agent.act(view, RNG).tolist()


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


@pytest.mark.parametrize("others", [["champion"] * 3, ["champion", "champion:goal=points", "heuristic"]])
def test_the_champion_answers_where_nobody_plays_by_simple_rules(others: list[str], tmp_path: Path) -> None:
    """An own network answers itself: it may have learned to."""
    (tmp_path / FILE_NAME).write_bytes((ADAPTIVE / FILE_NAME).read_bytes())
    own, adaptive = AdaptiveAgent(str(tmp_path)), load("adaptive")
    champion = load("champion")
    view = after_rounds([adaptive, *map(load, others)], Rules(), rounds=9)
    view = view.select((view.seat == 0).nonzero()[0])
    agrees = [(adaptive.act(view, RNG) == one.act(view, RNG)).all() for one in (champion, own)]
    assert agrees[0 if "heuristic" not in others else 1]

"""The score card: a scale with two fixed ends, and the same result each time."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation.scorecard.small import DEALS, tables, use_small_protocol
from wizard_env import View
from wizard_env.agents import load
from wizard_env.evaluation.duplicate_deals import Deals, load_players, play
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.evaluation.scorecard import scorecard
from wizard_env.evaluation.scorecard.protocol import PARTS, SEED
from wizard_env.evaluation.scorecard.scorecard import measure, read_references
from wizard_env.evaluation.workers import workers
from wizard_env.games import game_seeds
from wizard_env.view import Actions


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_small_protocol(monkeypatch, tmp_path)


class LateBloomer:
    """Plays at random for six rounds, and then as `heuristic`."""

    def __init__(self) -> None:
        self.agents = [load("random"), load("heuristic")]

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        answers = np.stack([agent.act(view, rng) for agent in self.agents])
        return answers[(view.known["round_index"] >= 6).astype(int), np.arange(len(view))]


@pytest.mark.usefixtures("small")
def test_the_ends_of_the_scale() -> None:
    """`random` is 0 and `champion` is 100 at every table."""
    for name, expected in (("random", 0.0), ("champion", 100.0)):
        found = measure(name)
        scores = [found.score, found.self_play_score]
        scores += [*(part.score for part in found.parts), *(line.score for line in found.lines)]
        np.testing.assert_allclose(scores, expected, atol=1e-9)
        assert [part.name for part in found.parts] == list(PARTS)


@pytest.mark.usefixtures("small")
def test_leads_are_those_of_an_evaluation_of_the_same_deals() -> None:
    found = measure("heuristic", effort="short")
    assert len(found.lines) == len(tables())
    for number, (line, table) in enumerate(zip(found.lines, tables(), strict=True)):
        result = evaluate(["heuristic", *table.opponents], table.rules, DEALS["short"], SEED + number)
        assert line.lead == pytest.approx(result.differences[0].points)
        assert line.lead_low <= line.lead <= line.lead_high
        assert line.deals == DEALS["short"]
        ends = read_references(scorecard.REFERENCES).leads[table.key]
        assert line.score == pytest.approx(100 * (line.lead - ends[0]) / (ends[1] - ends[0]))
    assert found.score == pytest.approx(np.mean([line.score for line in found.lines]))
    assert found.score_low < found.score < found.score_high


@pytest.mark.usefixtures("small")
def test_a_card_comes_out_the_same_each_time() -> None:
    """Any number of workers gives the same card; only the time differs."""
    once = measure("search:worlds=2", effort="short", note="a note")
    with workers(2) as spread:
        again = measure("search:worlds=2", effort="short", note="a note", spread=spread)
    assert once == again
    assert once.microseconds is not None
    assert json.loads(json.dumps(once.to_dict()))["note"] == "a note"
    assert (once.name, once.agent) == ("search:worlds=2", "search:worlds=2")


@pytest.mark.usefixtures("small")
def test_an_agent_that_is_an_object() -> None:
    found = measure(LateBloomer(), "late bloomer", "short")
    assert (found.name, found.agent) == ("late bloomer", None)
    with pytest.raises(ValueError, match="has no name: pass name="):
        measure(LateBloomer())


@pytest.mark.usefixtures("small")
def test_adaptation_is_the_gain_of_the_second_half() -> None:
    gains = [measure(agent, "one").adaptation for agent in (LateBloomer(), "heuristic")]
    assert gains[0].gain_low > 10
    assert gains[0].gain == pytest.approx(gains[0].second_half - gains[0].first_half)
    assert gains[1].gain_low < gains[1].gain < 10


@pytest.mark.usefixtures("small")
def test_self_play_is_four_copies() -> None:
    """The card has the share of bids met, over all bids and for each hand size."""
    from wizard_env import Rules

    found = measure("rule_based", effort="short")
    seed = SEED + len(tables()) + 1
    played = play(Deals(load_players(["rule_based"]), Rules(4), game_seeds(seed, 4 * DEALS["short"])))
    met = (played.bids == played.tricks_won)[0]
    assert [size.hand_size for size in found.self_play] == list(range(16))
    assert found.self_play[0].bid_accuracy == pytest.approx(met.mean())
    assert found.self_play[3].bid_accuracy == pytest.approx(met[..., 2].mean())


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="effort='ful': did you mean 'full'"):
        measure("random", effort="ful")
    with pytest.raises(ValueError, match="unknown agent 'randm'"):
        measure("randm")


@pytest.mark.parametrize(
    "change",
    [{"protocol": 0}, {"panel": {"rival": "0", "champion": "0"}}, {"leads": {}}],
    ids=lambda change: next(iter(change)),
)
def test_references_of_other_opponents_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    found = json.loads(scorecard.REFERENCES.read_text())
    path = tmp_path / "references.json"
    path.write_text(json.dumps({**found, **change}))
    with pytest.raises(ValueError, match="was measured with other networks or tables"):
        read_references(path)


def test_the_references_are_of_this_protocol_and_these_networks() -> None:
    """`make leaderboard` has run since either changed."""
    found = read_references(scorecard.REFERENCES)
    assert all(low < high for low, high in [*found.leads.values(), found.bid_accuracy])

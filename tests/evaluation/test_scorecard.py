"""The score card: a scale with two fixed ends, and the same result each time."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation.small_protocol import EFFORTS, TABLES, use_small_protocol
from tests.llm.stand_in import agent_speaker, serving
from wizard_env import Rules, View, configs
from wizard_env.agents import load
from wizard_env.evaluation import protocol, scorecard
from wizard_env.evaluation.duplicate_deals import Deals, Entrant, load_players, play
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.evaluation.protocol import PANEL, PARTS, STRANGERS, STRONGEST
from wizard_env.evaluation.report.verdict import scorecard_verdict
from wizard_env.evaluation.scorecard import Scorecard, measure, read_references
from wizard_env.evaluation.workers import workers
from wizard_env.games import game_seeds
from wizard_env.llm.chat import ChatAgent
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS
from wizard_env.train.config.reading import read_config
from wizard_env.view import Actions

ALL = protocol.EFFORTS["full"].tables
SEED = protocol.EFFORTS["full"].seed
NETWORKS = protocol.EFFORTS["few"].networks


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


# --- the protocol


def test_the_tables() -> None:
    """Every number of players meets the whole panel, and every rule is played, by an agent alone."""
    assert len({table.key for table in ALL}) == len(ALL)
    assert list(dict.fromkeys(table.part for table in ALL)) == list(PARTS)
    assert all(len(table.opponents) == table.rules.num_players - 1 for table in ALL)
    for players in (3, 4, 5, 6):
        found = [table.opponents[0] for table in ALL if table.part == f"{players} players"]
        assert found == list(PANEL)
    rules = [table.rules for table in ALL]
    assert {one.bid_restriction for one in rules} == set(BID_RESTRICTIONS)
    assert {one.bid_reveal for one in rules} == set(BID_REVEALS)
    assert {one.magic_edition for one in rules} == {True, False}


def test_no_agent_of_the_project_has_trained_with_the_strangers() -> None:
    strangers = {name for table in STRANGERS for name in table} - {"rival"}
    for name in ("champion", "rival", "quick"):
        config = read_config(configs.find(name))
        assert not strangers & set(getattr(config.learning, "partners", ()))


# --- full and short cards


@pytest.mark.usefixtures("small")
def test_the_ends_of_the_scale() -> None:
    """`random` is 0 and the strongest opponent is 100 at every table."""
    for name, expected in (("random", 0.0), (STRONGEST, 100.0)):
        found = measure(name)
        scores = [found.score, found.self_play_score]
        scores += [*(part.score for part in found.parts), *(line.score for line in found.lines)]
        np.testing.assert_allclose(np.array(scores, float), expected, atol=1e-9)
        assert [part.name for part in found.parts] == list(PARTS)


@pytest.mark.usefixtures("small")
def test_leads_are_those_of_an_evaluation_of_the_same_deals() -> None:
    deals = EFFORTS["short"].deals
    found = measure("heuristic", effort="short")
    assert len(found.lines) == len(TABLES)
    for number, (line, table) in enumerate(zip(found.lines, TABLES, strict=True)):
        result = evaluate(["heuristic", *table.opponents], table.rules, deals, SEED + number)
        assert line.lead == pytest.approx(result.differences[0].points)
        assert line.lead_low <= line.lead <= line.lead_high
        assert line.deals == deals
        ends = read_references(scorecard.REFERENCES, NETWORKS).leads[table.key]
        assert line.score == pytest.approx(100 * (line.lead - ends[0]) / (ends[1] - ends[0]))
    assert found.score == pytest.approx(np.mean([line.score for line in found.lines]))
    assert found.score_low < found.score < found.score_high


@pytest.mark.usefixtures("small")
def test_a_card_comes_out_the_same_each_time() -> None:
    """Any number of workers gives the same card; only the time differs."""
    name = "variant:of=heuristic,bias=0.2,noise=0.2"  # it draws random numbers
    once = measure(name, effort="short", note="a note")
    with workers(2) as spread:
        again = measure(name, effort="short", note="a note", spread=spread)
    assert once == again
    assert once.microseconds is not None
    assert json.loads(json.dumps(once.to_dict()))["note"] == "a note"
    assert (once.name, once.agent) == (name, name)


@pytest.mark.usefixtures("small")
def test_adaptation_is_the_gain_of_the_second_half() -> None:
    found = measure(LateBloomer(), "late bloomer")
    assert (found.name, found.agent) == ("late bloomer", None)
    late, steady = found.adaptation, measure("heuristic").adaptation
    assert late is not None
    assert steady is not None
    assert late.gain_low > 10
    assert late.gain == pytest.approx(late.second_half - late.first_half)
    assert steady.gain_low < steady.gain < 10


@pytest.mark.usefixtures("small")
def test_self_play_is_four_copies() -> None:
    """The card has the share of bids met, over all bids and for each hand size."""
    found, deals = measure("rule_based", effort="short"), EFFORTS["short"].deals
    seed = SEED + len(TABLES) + 1
    played = play(Deals(load_players(["rule_based"]), Rules(4), game_seeds(seed, 4 * deals)))
    met = (played.bids == played.tricks_won)[0]
    assert [size.hand_size for size in found.self_play] == list(range(16))
    assert found.self_play[0].bid_accuracy == pytest.approx(met.mean())
    assert found.self_play[3].bid_accuracy == pytest.approx(met[..., 2].mean())


# --- the card of few deals


@pytest.mark.usefixtures("small")
def test_few_deals_are_corrected_by_the_baseline() -> None:
    """A deal on which the baseline did well counts for less."""
    effort = EFFORTS["few"]
    (table,) = effort.tables

    def lead(name: str, deals: int) -> float:
        entrants: list[Entrant | str] = [Entrant("own", name), *table.opponents]
        own, *others = evaluate(entrants, table.rules, deals, effort.seed).standings
        return own.points - float(np.mean([one.points for one in others]))

    found = measure("heuristic", effort="few")
    (line,) = found.lines
    here, everywhere = (np.mean([lead(name, deals) for name in effort.baseline]) for deals in (4, 40))
    assert line.lead == pytest.approx(lead("heuristic", 4) - here + everywhere)
    assert line.lead_low < line.lead < line.lead_high
    assert line.score == found.score == found.parts[0].score
    low, high = lead("random", 40), lead(STRONGEST, 40)
    assert found.score == pytest.approx(100 * (line.lead - low) / (high - low))
    assert found.decisions == 4 * 4 * (2 + 3)
    assert (found.self_play, found.self_play_score, found.adaptation) == ([], None, None)


def test_few_deals_score_as_they_did() -> None:
    """A score can be compared with every later one, as long as the networks behind it are the same."""
    found = measure("rule_based", effort="few")
    assert (found.protocol, found.decisions) == (1, 576)
    assert (found.score, found.score_low, found.score_high) == pytest.approx(
        (76.54307161, 61.37012360, 91.71601963), abs=1e-6
    )


@pytest.mark.usefixtures("small")
def test_a_model_that_plays_rule_based_scores_what_it_scores() -> None:
    with serving(agent_speaker(load("rule_based"))) as url:
        by_text = measure(ChatAgent("stand-in", url, price_in=1.0), "a model", "few")
    direct = measure("rule_based", effort="few")
    assert (by_text.lines, by_text.bid_accuracy) == (direct.lines, direct.bid_accuracy)
    assert not by_text.forfeits
    assert by_text.usage["questions"] > 40
    assert by_text.usage["cost"] > 0
    assert f"questions {by_text.usage['questions']:,.0f}, tokens in " in scorecard_verdict(by_text)


@pytest.mark.usefixtures("small")
def test_forfeits_are_counted() -> None:
    with serving(lambda messages: "I pass.") as url:
        found: Scorecard = measure(ChatAgent("stand-in", url, tries=1), "a model", "few")
    count = found.forfeits["unreadable"]
    assert count == found.usage["questions"]
    assert f"Random actions replaced {count:,} decisions: unreadable" in scorecard_verdict(found)


# --- what is refused


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="effort='ful': did you mean 'full'"):
        measure("random", effort="ful")
    with pytest.raises(ValueError, match="unknown agent 'randm'"):
        measure("randm")
    with pytest.raises(ValueError, match="has no name: pass name="):
        measure(LateBloomer())


@pytest.mark.parametrize(
    "change",
    [{"protocol": 0}, {"panel": {"rival": "0", STRONGEST: "0"}}, {"leads": {}}],
    ids=lambda change: next(iter(change)),
)
def test_references_of_other_opponents_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    found = json.loads(scorecard.REFERENCES.read_text())
    path = tmp_path / "references.json"
    path.write_text(json.dumps({**found, **change}))
    with pytest.raises(ValueError, match="was measured with other networks or tables"):
        read_references(path, NETWORKS)


def test_the_references_are_of_this_protocol_and_these_networks() -> None:
    """`make leaderboard` has run since either changed."""
    found = read_references(scorecard.REFERENCES, NETWORKS)
    assert all(low < high for low, high in [*found.leads.values(), found.bid_accuracy])

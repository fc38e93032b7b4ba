"""A score from a few deals: the agent's lead on them, corrected by that of others with the same cards."""

import numpy as np
import pytest

from tests.llm.stand_in import agent_speaker, random_speaker, serving
from wizard_env import Rules
from wizard_env.agents import load
from wizard_env.evaluation.duplicate_deals import Entrant
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.evaluation.report.verdict import few_deals_verdict
from wizard_env.evaluation.scorecard import few_deals
from wizard_env.evaluation.scorecard.few_deals import OPPONENTS, FewDeals, measure_few
from wizard_env.evaluation.statistics import estimate_small_mean
from wizard_env.llm.chat import ChatAgent


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_deals, "RULES", Rules(4, hand_sizes=(1, 2)))
    monkeypatch.setattr(few_deals, "DEALS", 4)
    monkeypatch.setattr(few_deals, "REFERENCE_DEALS", 40)
    monkeypatch.setattr(few_deals, "BASELINE", ("rule_based", "champion"))


def same_play(first: FewDeals, second: FewDeals) -> bool:
    names = ("lead", "lead_low", "lead_high", "score", "lead_on_these_deals", "bid_accuracy", "decisions")
    return all(getattr(first, name) == getattr(second, name) for name in names)


def test_the_ends_of_the_scale_on_all_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the few deals are all the deals, the baseline corrects nothing."""
    monkeypatch.setattr(few_deals, "DEALS", 40)
    for name, score in (("random", 0.0), ("champion", 100.0)):
        found = measure_few(name)
        assert found.score == pytest.approx(score)
        assert found.lead == pytest.approx(found.lead_on_these_deals)
    assert found.champion_lead == pytest.approx(found.lead)
    assert found.champion_bid_accuracy == found.bid_accuracy


def test_the_lead_is_corrected_by_the_baseline() -> None:
    """A deal on which the baseline did well counts for less."""

    def lead(name: str, deals: int) -> float:
        entrants: list[Entrant | str] = [Entrant("own", name), *OPPONENTS]
        own, *others = evaluate(entrants, few_deals.RULES, deals, few_deals.SEED).standings
        return own.points - float(np.mean([one.points for one in others]))

    found = measure_few("heuristic", "mine", note="a note")
    assert (found.name, found.agent, found.note) == ("mine", "heuristic", "a note")
    here, everywhere = (np.mean([lead(name, deals) for name in few_deals.BASELINE]) for deals in (4, 40))
    assert found.lead_on_these_deals == pytest.approx(lead("heuristic", 4))
    assert found.lead == pytest.approx(found.lead_on_these_deals - here + everywhere)
    assert found.lead_low < found.lead < found.lead_high
    assert found.decisions == 4 * 4 * (2 + 3)


def test_a_model_that_plays_rule_based_scores_what_it_scores() -> None:
    with serving(agent_speaker(load("rule_based"))) as url:
        agent = ChatAgent("stand-in", url, price_in=1.0)
        by_text = measure_few(agent, "a model")
    assert same_play(by_text, measure_few("rule_based"))
    assert by_text.usage["questions"] > 40
    assert by_text.usage["cost"] > 0
    assert f"questions {by_text.usage['questions']:,.0f}, tokens in " in few_deals_verdict(by_text)


def test_a_model_that_answers_at_random_scores_what_random_scores() -> None:
    with serving(random_speaker(0)) as url:
        found = measure_few(ChatAgent("stand-in", url, at_once=1), "a model")
    direct = measure_few("random")
    assert found.lead_low < direct.lead_high
    assert direct.lead_low < found.lead_high
    assert found.lead < measure_few("rule_based").lead
    assert not found.forfeits


def test_forfeits_are_told() -> None:
    with serving(lambda messages: "I pass.") as url:
        found = measure_few(ChatAgent("stand-in", url, tries=1), "a model")
    assert found.forfeits["unreadable"] == found.usage["questions"]
    assert (
        f"Random actions replaced {found.forfeits['unreadable']:,} of them: unreadable"
        in few_deals_verdict(found)
    )


def test_an_object_needs_a_name() -> None:
    with pytest.raises(ValueError, match="has no name: pass name="):
        measure_few(load("random"))


def test_students_interval() -> None:
    """The quantile for two degrees of freedom is 4.3027."""
    found = estimate_small_mean(np.array([1.0, 2.0, 3.0]))
    half = 4.302653 / np.sqrt(3)
    assert found == pytest.approx((2.0, 2.0 - half, 2.0 + half))

"""Statistics over seeds: intervals that cover what they estimate, groups of runs, and averaged curves."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from wizard_env import Rules
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.evaluation.seeds import (
    Group,
    average_curves,
    compare_groups,
    estimate_improvement,
    estimate_mean_and_iqm,
    group_of,
    group_runs,
)
from wizard_env.evaluation.statistics import estimate_small_mean

SEEDS, DEALS, SAMPLES = 5, 40, 200


def test_intervals_cover_what_they_estimate() -> None:
    """In synthetic samples of five seeds, which vary by seed, by deal and by both, 93% do at least."""
    rng = np.random.default_rng(0)
    spread, noise, lead = 10.0, 60.0, 12.0
    covered = np.zeros(3)
    for sample in range(SAMPLES):
        deals = rng.normal(0, 30, (1, 1, DEALS))  # the same for both groups
        one, other = (
            mean + rng.normal(0, spread, (SEEDS, 1, 1)) + deals + rng.normal(0, noise, (SEEDS, 1, DEALS))
            for mean in (lead, 0.0)
        )
        chance = norm.cdf(lead / np.sqrt(2 * (spread**2 + noise**2 / DEALS)))
        found = [*estimate_mean_and_iqm(one, sample), estimate_improvement(one, other, sample)]
        covered += [
            line.low <= truth <= line.high for line, truth in zip(found, (lead, lead, chance), strict=True)
        ]
    assert (covered / SAMPLES >= 0.93).all(), covered / SAMPLES


def test_the_chance_of_improvement_has_an_interval_at_its_ends() -> None:
    """Five of five runs better is no proof that all are; one group is as far above 1/2 as the other below."""
    one, other = np.full((5, 1, 4), 9.0), np.full((5, 1, 4), 1.0)
    above, below = estimate_improvement(one, other, 0), estimate_improvement(other, one, 0)
    assert (above.mean, above.high) == (1, 1)
    assert 0.5 < above.low < 0.9
    np.testing.assert_allclose([below.mean, below.low, below.high], [0, 0, 1 - above.low], atol=1e-6)
    assert estimate_improvement(one, one, 0).mean == 0.5


def test_an_agent_without_seeds_has_an_interval_over_deals() -> None:
    """It is Student's, but for the chance of the bootstrap."""
    leads = np.random.default_rng(0).normal(5, 20, (1, 1, DEALS))
    mean, iqm = estimate_mean_and_iqm(leads, 0)
    assert mean == iqm
    assert mean == pytest.approx(estimate_small_mean(leads.ravel()), rel=0.1)


def test_scores_are_those_of_evaluations() -> None:
    """A run's lead is that of `evaluate` on the same deals; the IQM leaves out the best and the worst."""
    rules, runs = (
        Rules(3, hand_sizes=(1, 2)),
        tuple(f"variant:of=heuristic,bias={bias}" for bias in (0, 1, 2, 3)),
    )
    found = compare_groups([Group("biased", runs)], ["random", "rule_based"], rules, 4, seed=3)
    leads = {
        (run, other): evaluate([run, other, other], rules, 4, seed=3).differences[0].points
        for run in runs
        for other in ("random", "rule_based")
    }
    assert {(one.run, one.opponent): one.lead for one in found.runs} == pytest.approx(leads)
    first, _, together = found.scores
    against_random = sorted(lead for (_, other), lead in leads.items() if other == "random")
    assert (first.opponent, together.opponent, together.seeds) == ("random", "", 4)
    assert (first.mean, first.iqm) == pytest.approx((np.mean(against_random), np.mean(against_random[1:3])))
    assert together.mean == pytest.approx(np.mean(list(leads.values())))


def test_runs_are_grouped_by_name_or_folder(tmp_path: Path) -> None:
    runs = [tmp_path / name for name in ("quick-seed1", "quick-seed12", "slow/seed1", "slow/seed2")]
    for run in runs:
        run.mkdir(parents=True)
    names = [str(run) for run in runs]
    assert [group_of(name) for name in [*names, "champion"]] == ["quick", "quick", "slow", "slow", "champion"]
    assert group_runs(names, {"slow": "PPO"}) == [
        Group("quick", tuple(names[:2])),
        Group("PPO", tuple(names[2:])),
    ]
    assert group_runs(names, {"slow": "all", "quick": "all"}) == [Group("all", tuple(names))]
    for few in (names[:1], [names[0]] * 2):
        with pytest.raises(ValueError, match=r"group 'quick' has the runs .* at least 2 different ones"):
            group_runs(few, {})


def test_curves_are_averaged_where_all_have_them() -> None:
    """Two runs whose points lie elsewhere are compared between 20 and 40 decisions."""
    one = np.array([10.0, 40.0]), np.array([1.0, 4.0])
    other = np.array([20.0, 30.0, 60.0]), np.array([4.0, 5.0, 8.0])
    found = average_curves("a", "metric", [one, other])
    assert (found.decisions, found.mean) == ([20, 30, 40], [3, 4, 5])
    assert all(low < mean < high for low, mean, high in zip(found.low, found.mean, found.high, strict=True))
    with pytest.raises(ValueError, match="the runs of 'a' have no decisions in common: 50 to 40"):
        average_curves("a", "metric", [one, (np.array([50.0]), np.array([1.0]))])

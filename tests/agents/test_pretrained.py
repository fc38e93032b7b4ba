"""ChampionAgent: it comes with the package and plays without torch."""

import pickle
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wizard_env.agents
from tests.positions import decisions_by_all_rules, under_way
from wizard_env import Rules, configs
from wizard_env.agents import load
from wizard_env.agents.network import Network, find_network
from wizard_env.agents.pretrained import (
    ADAPTIVE,
    CHAMPION,
    DISTILLED,
    PARTNERS,
    RIVAL,
    ChampionAgent,
    PartnerAgent,
    partner_names,
)
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.sampling import best_legal
from wizard_env.testing import agent_test
from wizard_env.train.config.reading import read_config

PYPROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"
WITHOUT_TORCH = """
import sys

sys.modules["torch"] = None
import gymnasium
import numpy as np
import wizard_env
from wizard_env.agents import load

champion, rng = load("champion"), np.random.default_rng(0)
assert champion.backend == "numpy"
for num_players, opponents in ((3, "adaptive"), (6, "champion")):
    env = gymnasium.make(
        "wizard_env/Wizard-v0", num_players=num_players, hand_sizes=(1, 5), opponents=opponents
    )
    env.reset(seed=num_players)
    over = False
    while not over:
        action = champion.act(wizard_env.View.of([env.unwrapped.game]), rng)[0]
        _, _, over, _, _ = env.step(action)
    assert env.unwrapped.game.phase == "over"
"""


def test_the_wheel_contains_it() -> None:
    """The patterns of package data match its files, and they are small enough."""
    settings: dict[str, Any] = tomllib.loads(PYPROJECT.read_text())["tool"]["setuptools"]
    folder = Path(wizard_env.agents.__file__).parent
    shipped = [
        path for pattern in settings["package-data"]["wizard_env.agents"] for path in folder.glob(pattern)
    ]
    assert {path.parent for path in shipped} == {CHAMPION, ADAPTIVE, RIVAL, DISTILLED, PARTNERS}
    assert sum(path.stat().st_size for path in shipped) < 16_000_000


@pytest.mark.parametrize("name", ["champion", "adaptive", "champion+search:worlds=2"])
def test_a_pickle_acts_alike(name: str) -> None:
    """Environments in other processes get their opponents by it."""
    view, agent = under_way(Rules(), 20).view(), load(name)
    again = pickle.loads(pickle.dumps(agent))
    words = view.with_noise(np.arange(20, dtype=np.uint64))
    actions = [one.act(words, np.random.default_rng(0)).tolist() for one in (agent, again)]
    assert actions[0] == actions[1]


def test_the_champion_trains_beside_every_partner() -> None:
    """Its config names them all, and no two of them play alike."""
    named = [name for name in read_config(configs.find("champion")).partners() if name.startswith("partner:")]
    assert named == [f"partner:name={name}" for name in partner_names()]
    decisions = decisions_by_all_rules(500)
    choices = [
        best_legal(PartnerAgent(name).logits(decisions.observation), decisions.mask)
        for name in partner_names()
    ]
    assert all((one != other).mean() > 0.1 for one, other in combinations(choices, 2))


def test_the_champion_has_a_network_for_each_goal() -> None:
    """Both can be started from, by their names."""
    decisions = decisions_by_all_rules(500)
    to_win, for_points = (
        Network(find_network(name)) for name in ("champion:goal=win", "champion:goal=points")
    )
    choices = [best_legal(one.logits(decisions.observation), decisions.mask) for one in (to_win, for_points)]
    assert (choices[0] != choices[1]).mean() > 0.05
    chosen = best_legal(ChampionAgent().logits(decisions.observation), decisions.mask)
    assert (chosen == choices[0]).all()
    with pytest.raises(ValueError, match=r"goal='point': did you mean 'points'\?"):
        load("champion:goal=point")


def test_a_partner_keeps_its_promises() -> None:
    partner = load("partner:name=relative_13,backend=numpy")
    assert isinstance(partner, PartnerAgent)
    assert partner.backend == "numpy"
    agent_test(partner, num_games=1)
    with pytest.raises(ValueError, match=r"name='relative-13': did you mean 'relative_13'\?"):
        load("partner:name=relative-13")


def test_torch_and_numpy_compute_the_same() -> None:
    observations = decisions_by_all_rules(500).observation
    by_torch, by_numpy = ChampionAgent(backend="torch"), ChampionAgent(backend="numpy")
    _compare(by_torch.logits(observations), by_numpy.logits(observations))
    if by_torch.value is not None:
        _compare(by_torch.values(observations), by_numpy.values(observations))


def _compare(one: Any, other: Any) -> None:
    """Compare to 1e-5 of the largest value: terms that cancel depend on the order of the sums."""
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * max(1, np.abs(one).max()))


def test_it_plays_without_torch() -> None:
    """At a table with copies of itself, and with adaptive agents."""
    played = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_TORCH], capture_output=True, text=True, timeout=300
    )
    assert (played.returncode, played.stderr) == (0, "")


def test_it_meets_its_bids_in_every_kind_of_game() -> None:
    """In single rounds and with hand sizes in any order as in whole games: to .01 and the standard errors."""
    shuffled = tuple(np.random.default_rng(5).permutation(np.arange(1, 16)).tolist())
    whole, mixed = (_accuracies(Rules(4, hand_sizes=sizes), 150) for sizes in (None, shuffled))
    single = np.array([_accuracies(Rules(4, hand_sizes=(size,)), 150)[0] for size in range(1, 16)])
    for other in (mixed, single):
        errors = np.sqrt(whole * (1 - whole) / 4 * (2 / 150))
        assert (abs(other - whole) < 0.01 + 3 * errors).all()
        assert abs(other.mean() - whole.mean()) < 0.01


def _accuracies(rules: Rules, games: int) -> Any:
    """The share of bids met at a table of four champions, by hand size, least first."""
    sizes = evaluate(["champion"], rules, games, 1).by_hand_size
    return np.array([bidding.bid_accuracy for bidding in sizes])

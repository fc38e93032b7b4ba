"""The examples run, and their agents learn."""

from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import torch

from examples import cleanrl_wizard, paper_dqn, recurrent_wizard
from wizard_env import NUM_ACTIONS, Games, Rules, View
from wizard_env.agents.network import FILE_NAME
from wizard_env.evaluation.evaluate import Entrant, evaluate
from wizard_env.state import BID, SCORED
from wizard_env.testing import agent_test

pytestmark = pytest.mark.usefixtures("one_thread")


def test_cleanrl_learns(capsys: pytest.CaptureFixture[str]) -> None:
    """The points of a round rise; a line is printed for each iteration."""
    options = ["--hand-sizes", "1,2", "--total-timesteps", "24576", "--learning-rate", "0.002"]
    curve = cleanrl_wizard.train(cleanrl_wizard.parse(options))
    assert len(curve) == len(capsys.readouterr().out.splitlines()) == 6
    assert curve[-1] > curve[0] + 3


def test_cleanrl_plays_whole_games_against_agents() -> None:
    arguments = "--opponents rule_based --num-players 5 --total-timesteps 1 --num-envs 4 --num-steps 64"
    assert len(cleanrl_wizard.train(cleanrl_wizard.parse(arguments.split()))) == 1


def test_the_published_dqn_learns_and_resumes(tmp_path: Path) -> None:
    """Rounds of one card; equal runs write equal agents, which `load` opens."""
    options = ["--hand-sizes", "1", "--num-games", "64", "--steps-per-line", "32", "--replay-start", "500"]
    options += ["--bid-layers", "32", "--play-layers", "32", "--batch-size", "256", "--decisions"]

    def run(name: str, decisions: str) -> list[float]:
        return paper_dqn.train(paper_dqn.parse([*options, decisions, "--folder", str(tmp_path / name)]))

    curve = run("whole", "40960")
    assert len(curve) == 20
    assert max(curve[-5:]) > curve[0] + 0.15
    (lead,) = evaluate(
        [str(tmp_path / "whole"), "random", "random"], Rules(3, hand_sizes=(1,)), 200
    ).differences
    assert lead.points_low > 0
    assert len(run("parts", "4096")) == 2
    assert run("again", "4096")
    agents = [(tmp_path / name / FILE_NAME).read_bytes() for name in ("parts", "again")]
    assert agents[0] == agents[1]
    assert len(run("parts", "8192")) == 2


def test_every_round_of_a_trajectory_is_paid() -> None:
    """No matter who plays the last card."""
    args = recurrent_wizard.parse(["--hand-sizes", "1,2,3"])
    tables = recurrent_wizard.Tables(args, recurrent_wizard.draw_population(2, seed=0), 64, seed=0)
    steps, scores = tables.play(recurrent_wizard.Network(args.width, "game"), sample=True)
    paid = steps.points.sum(dim=0) * recurrent_wizard.POINTS_UNIT
    assert paid.tolist() == scores.tolist()


def test_recurrent_ppo_learns(tmp_path: Path) -> None:
    """Points rise. Its agent bids from a view as the network does that has kept a memory for every seat."""
    options = "--hand-sizes 1,2,1,2 --bids 2500 --num-games 64 --compared-games 64 --width 32 --memories"
    args = recurrent_wizard.parse([*options.split(), "game", "--folder", str(tmp_path)])
    curve = recurrent_wizard.train(args, "game")
    assert curve[-1] > curve[0] + 3
    (gain,) = recurrent_wizard.main(replace(args, memories="round,none", bids=1))
    assert gain.low <= gain.mean <= gain.high

    agent = recurrent_wizard.Recurrent(str(tmp_path / "game"))
    agent_test(agent)
    games = Games(Rules(3, hand_sizes=(1, 3, 2)), 16, canonical_suits=True, skip_forced=True, pause="round")
    memories, rng = torch.zeros(16 * 3, args.width), np.random.default_rng(0)
    while len(rows := (games.states["phase"] < SCORED).nonzero()[0]):
        actions = agent.act(games.view(rows), rng)
        bids = games.states["phase"][rows] == BID
        owners = (rows * 3 + games.seat[rows])[bids]
        seen = games.observation[rows[bids]], games.mask[rows[bids]]
        kept = recurrent_wizard.see(agent.network, memories, owners, *seen).actions
        assert kept.tolist() == actions[bids].tolist()
        games.step(actions, rows, printed=True)
        scored = rows[games.states["phase"][rows] >= SCORED]
        for seat in range(3):
            seen = games.observe(seat, scored), np.ones((len(scored), NUM_ACTIONS), np.uint8)
            recurrent_wizard.see(agent.network, memories, scored * 3 + seat, *seen)
        games.deal(scored[~games.done[scored]])


@pytest.mark.parametrize("more", [[], ["--self-play"]])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tianshou_learns(more: list[str]) -> None:
    """Against random seats, and at every seat."""
    pytest.importorskip("tianshou")
    from examples import tianshou_wizard

    options = ["--hand-size", "1", "--epochs", "1", "--steps-per-epoch", "3000", "--num-envs", "8", *more]
    before, after = tianshou_wizard.train(tianshou_wizard.parse(options))
    assert after > before


def test_jax_learns(capsys: pytest.CaptureFixture[str]) -> None:
    """Every seat is the learner; a line is printed for each iteration."""
    pytest.importorskip("jax")
    pytest.importorskip("optax")
    from examples import jax_wizard

    options = ["--hand-sizes", "1,2", "--iterations", "6", "--num-games", "128", "--num-steps", "24"]
    curve = jax_wizard.train(jax_wizard.parse(options))
    assert len(curve) == len(capsys.readouterr().out.splitlines()) == 6
    assert curve[-1] > curve[0] + 3


@pytest.mark.filterwarnings("ignore")  # TorchRL's own
def test_torchrl_learns(tmp_path: Path) -> None:
    """Points rise, and its agent plays better than random ones."""
    pytest.importorskip("torchrl")
    from examples import torchrl_wizard

    options = ["--hand-sizes", "1,2", "--iterations", "6", "--num-envs", "64", "--num-steps", "24"]
    curve = torchrl_wizard.train(torchrl_wizard.parse([*options, "--folder", str(tmp_path)]))
    assert curve[-1] > curve[0] + 2
    agent = torchrl_wizard.Learned(str(tmp_path))
    env = gymnasium.make("wizard_env/Wizard-v0", num_players=3, hand_sizes=(15,) * 6, dtype="float32")
    observation, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        with torch.inference_mode():
            logits = agent.network(torch.from_numpy(observation)).numpy()
        game = env.unwrapped.game  # type: ignore[attr-defined]
        (chosen,) = agent.act(View.of([game]), np.random.default_rng(0))
        assert chosen == np.where(info["action_mask"], logits, -np.inf).argmax()
        observation, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
    learned = Entrant("learned", agent)
    (lead,) = evaluate([learned, "random", "random"], Rules(3, hand_sizes=(1, 2)), 200).differences
    assert lead.points_low > 0


@pytest.mark.filterwarnings("ignore")  # TorchRL's own
def test_benchmarl_learns(tmp_path: Path) -> None:
    """BenchMARL needs a separate environment: its TorchRL is older than that of the other example."""
    pytest.importorskip("benchmarl")
    from examples import benchmarl_wizard

    options = ["--hand-sizes", "1,2", "--decisions", "500", "--folder", str(tmp_path), "--iterations"]
    first, last = (
        benchmarl_wizard.train(benchmarl_wizard.parse([*options, iterations])).mean_return
        for iterations in ("1", "6")
    )
    assert last > first


@pytest.mark.parametrize(("teacher", "more"), [("heuristic", []), ("random", ["--temperature", "5"])])
def test_agents_learn_from_data_sets(teacher: str, more: list[str], tmp_path: Path) -> None:
    """By imitation of a good agent; and from one that plays at random, by what its actions brought."""
    pytest.importorskip("pyarrow")
    from examples import imitation
    from wizard_env.evaluation.datasets.writer import write_dataset

    rules, data = Rules(3, hand_sizes=(1, 2)), tmp_path / "data"
    sum(write_dataset(data, [teacher], [rules], 40_000, canonical_suits=True, skip_forced=True))
    options = [str(data), str(tmp_path / "agent"), "--width", "64", "--batch-size", "256", *more]
    curve = imitation.train(imitation.parse(options))
    assert curve[-1] > curve[0]
    (lead,) = evaluate([str(tmp_path / "agent"), "random", "random"], rules, 200).differences
    assert lead.points_low > 5


@pytest.mark.parametrize(
    ("iterations", "near"), [(150, 3.0), pytest.param(2000, 0.2, marks=pytest.mark.slow)]
)
def test_openspiel_comes_near_an_equilibrium(iterations: int, near: float) -> None:
    """NashConv falls to 0, on a deck of five cards."""
    from examples import openspiel_wizard

    arguments = f"mccfr --deck 2S;AS;5H;WI;JE --upcard 5H --iterations {iterations} --lines 2"
    first, last = openspiel_wizard.mccfr(openspiel_wizard.parse(arguments.split()))
    assert last < first
    assert last < near


def test_openspiel_learns_by_deep_cfr(capsys: pytest.CaptureFixture[str]) -> None:
    """It runs; what it reaches in minutes stands in docs/libraries.md."""
    pytest.importorskip("tree")
    from examples import openspiel_wizard

    arguments = "deep_cfr --iterations 1 --traversals 4 --train-steps 4 --batch-size 16 --games 4"
    openspiel_wizard.deep_cfr(openspiel_wizard.parse(arguments.split()))
    assert "lead over rule_based in points a round" in capsys.readouterr().out

"""Deep Q-networks: their targets, what they learn from, that they learn, going on, and their configs."""

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from wizard_env import NUM_ACTIONS, Games, Rules, configs, sample_legal
from wizard_env.actions import FIRST_PLAY, FIRST_TRUMP
from wizard_env.agents import load
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.config.reading import ConfigError, read_config
from wizard_env.train.config.run import Config
from wizard_env.train.dqn.learner import Learner, Network, targets
from wizard_env.train.dqn.replay import Recorder, Replay
from wizard_env.train.evaluate import Entrant, evaluate
from wizard_env.train.run import train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.games import SelfPlayGames
from wizard_env.train.selfplay.progress import CURVES, DECISIONS, Progress

TINY: dict[str, Any] = {
    "learner": "dqn",
    "num_games": 16,
    "decisions_per_game": 32,
    "decisions_per_update": 64,
    "batch_size": 64,
    "replay_size": 2000,
    "replay_start": 100,
    "bid_layers": [8, 12],
    "play_layers": [16, 20],
}
ITERATION = 16 * 32


pytestmark = pytest.mark.usefixtures("one_thread")


def config(decisions: int = 4 * ITERATION, **learning: Any) -> Config:
    return Config.model_validate(
        {
            "name": "tiny",
            "game": {"num_players": 4, "hand_sizes": [1, 2]},
            "learning": {**TINY, "decisions": decisions, **learning},
        }
    )


# --- targets


def test_targets() -> None:
    """The reward and the best legal value that follows; nothing follows the last decision."""
    rewards = torch.tensor([0.0, 0.0, 1.5, -2.0])
    next_values = torch.tensor([[1.0, 5.0, 3.0], [-1.0, -2.0, 9.0], [7.0, 8.0, 9.0], [7.0, 8.0, 9.0]])
    next_masks = torch.tensor([[1, 0, 1], [1, 1, 0], [0, 0, 0], [0, 0, 1]]).bool()
    assert targets(rewards, next_values, next_masks).tolist() == [3.0, -1.0, 1.5, 7.0]


# --- what is learned from


def rows(replay: Replay) -> Counter[tuple[Any, ...]]:
    """The transitions of a replay; what follows a last decision means nothing."""
    found: Counter[tuple[Any, ...]] = Counter()
    for row in range(replay.filled):
        mask = replay.next_masks[row]
        follows = (replay.next_observations[row].tobytes(), mask.tobytes()) if mask.any() else None
        kept = replay.observations[row].tobytes(), int(replay.actions[row]), float(replay.rewards[row])
        found[*kept, follows] += 1
    return found


Decision = tuple[bytes, bytes, int]


def led_to(decisions: list[Decision], points: float | None) -> tuple[list[Any], list[Any]]:
    """The transitions of bids and of plays that a seat's decisions of a round make; None: it goes on."""
    bids = [(sight, action, points, None) for sight, _, action in decisions if action < FIRST_PLAY]
    played = [decision for decision in decisions if decision[2] >= FIRST_PLAY]
    plays: list[Any] = [
        (before[0], before[2], 0.0, (sight, mask)) for before, (sight, mask, _) in pairwise(played)
    ]
    if points is None:
        return [], plays
    return bids, plays + [(sight, action, points, None) for sight, _, action in played[-1:]]


@pytest.mark.parametrize("sparring", [0.0, 0.7])
def test_decisions_lead_to_the_seats_own_next_one(sparring: float) -> None:
    """Against each seat's decisions written down one after the other: a play leads to its next play,
    the last to the points of the round; bids and choices of trump lead to those at once."""
    kinds = [Rules(4, hand_sizes=(1, 3, 15))] * 16 + [Rules(3, hand_sizes=(2,))] * 8
    tables, rng = SelfPlayGames(kinds, 24, 1, sparring, ["random"]), np.random.default_rng(0)
    bids, plays = Replay(10_000), Replay(10_000)
    recorder = Recorder(24, bids, plays)
    under_way: dict[tuple[int, int], list[Decision]] = {}
    of_bids: Counter[tuple[Any, ...]] = Counter()
    of_plays: Counter[tuple[Any, ...]] = Counter()
    for _ in range(300):
        games = tables.games
        observations, masks = games.observation.copy(), games.mask.copy()
        seats = games.seat.astype(np.int64)
        actions = sample_legal(masks, rng)
        for game in range(24):
            decision = observations[game].tobytes(), masks[game].tobytes(), int(actions[game])
            under_way.setdefault((game, int(seats[game])), []).append(decision)
        recorder.decide(seats, observations, masks, actions)
        tables.step(actions)
        recorder.pay(tables.points.astype(np.float32), tables.ended)
        for game, seat in np.argwhere(tables.points).tolist():
            found = led_to(under_way.pop((game, seat), []), float(tables.points[game, seat]))
            of_bids.update(found[0])
            of_plays.update(found[1])
    for decisions in under_way.values():
        of_plays.update(led_to(decisions, None)[1])
    assert rows(bids) == of_bids
    assert rows(plays) == of_plays
    assert {action >= FIRST_TRUMP for _, action, _, _ in of_bids} == {False, True}
    assert min(bids.filled, plays.filled) > 500


def test_a_replay_overwrites_the_oldest() -> None:
    replay = Replay(5)
    sight, mask = np.ones((1, OBS_SIZE), np.uint8), np.ones((1, NUM_ACTIONS), np.uint8)
    for number in range(4):
        replay.add(sight * number, np.array([number]), sight * (number + 1), mask)
    assert replay.filled == 4
    replay.add_last(np.repeat(sight, 3, axis=0), np.array([7, 8, 9]), np.array([1, 2, 3], np.float32))
    assert replay.filled == 5
    assert sorted(replay.actions.tolist()) == [2, 3, 7, 8, 9]
    ends = replay.actions > 3
    assert (replay.next_masks.any(axis=1) == ~ends).all()
    assert sorted(replay.rewards[ends]) == [1, 2, 3]
    assert set(replay.draw(200, np.random.default_rng(0)).tolist()) == set(range(5))


# --- the networks


def test_the_agent_is_the_two_networks(tmp_path: Path) -> None:
    """The file holds them side by side: the agent's logits are their values."""
    learner = Learner(config(), "cpu", None)
    learner.save(tmp_path)
    observations = Games(Rules(), 50, canonical_suits=True).observation
    with torch.inference_mode():
        values = learner.network(torch.from_numpy(observations)).numpy()
    assert values.shape == (50, NUM_ACTIONS)
    agent: Any = load(str(tmp_path))
    np.testing.assert_allclose(agent.logits(observations), values, atol=1e-6)


def test_the_same_seed_draws_the_same_weights() -> None:
    """And leaves torch's own generator alone."""
    before = torch.get_rng_state()
    one, two, other = (Network([8], [8], seed).policy()["layer.0.weight"] for seed in (0, 0, 1))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert torch.equal(torch.get_rng_state(), before)


def test_exploration_declines() -> None:
    """Geometrically, to the last value at the given part of the run."""
    options = {"exploration": 0.5, "final_exploration": 0.02, "exploration_share": 0.8}
    learner = Learner(config(1000, **options), "cpu", None)
    found = []
    for learner.decisions in (0, 400, 800, 1000):
        found.append(learner.exploration())
    assert found == pytest.approx([0.5, 0.1, 0.02, 0.02])


# --- learning


def test_it_learns_rounds_of_one_card(tmp_path: Path) -> None:
    """Alone at tables of a fresh network, on the same deals; the intervals are apart."""
    options = {"num_games": 64, "replay_size": 20_000, "batch_size": 256, "learning_rate": 2e-3}
    learned = Config.model_validate(
        config(25_000, **options).model_dump() | {"game": {"num_players": 4, "hand_sizes": [1]}}
    )
    reports: list[Progress] = []
    train(learned, tmp_path / "learned", report=reports.append)
    assert reports[0].bid_accuracy < 0.55
    train(config(1), tmp_path / "fresh")
    fresh = Entrant("fresh", load(str(tmp_path / "fresh")))
    field = [Entrant("learned", load(str(tmp_path / "learned"))), *[fresh] * 3]
    mine, theirs = evaluate(field, learned.game.rules(), 300, seed=3).standings
    assert (mine.name, theirs.name) == ("learned", "fresh")
    assert mine.points_low > theirs.points_high
    assert mine.bid_accuracy > 0.75


def test_it_learns_to_play_for_its_bid(tmp_path: Path) -> None:
    """In rounds of two cards, where plays matter too, self-play meets more bids."""
    options = {"num_games": 64, "replay_size": 20_000, "batch_size": 256, "learning_rate": 2e-3}
    reports: list[Progress] = []
    train(config(40_000, **options), tmp_path, report=reports.append)
    assert reports[0].bid_accuracy < 0.5
    assert np.mean([progress.bid_accuracy for progress in reports[-3:]]) > 0.65
    last = curves(tmp_path)[-1]
    assert 0 < float(last["train/bid_loss"]) < 1
    assert 0 < float(last["train/play_loss"]) < 1


def test_it_learns_at_several_kinds_of_tables_beside_partners(tmp_path: Path) -> None:
    """In half precision, too."""
    kinds = [{"num_players": 3, "hand_sizes": [4]}, {"num_players": 6, "hand_sizes": [2], "share": 3}]
    several = config(sparring=0.5, partners=["random"], precision="bfloat16").model_dump() | {"tables": kinds}
    reports: list[Progress] = []
    train(Config.model_validate(several), tmp_path, report=reports.append)
    assert [progress.decisions for progress in reports] == [n * ITERATION for n in range(1, 5)]


# --- going on


def curves(folder: Path) -> list[dict[str, str]]:
    with (folder / CURVES).open() as file:
        return list(csv.DictReader(file))


def test_resuming_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    """The decisions, both networks, the target, the optimiser, the curves; the replays fill anew."""
    train(config(), tmp_path)
    before = load_file(tmp_path / CHECKPOINT)
    resumed = Learner(config(), "cpu", tmp_path / CHECKPOINT)
    resumed.save(tmp_path / "again")
    after = load_file(tmp_path / "again" / CHECKPOINT)
    assert before.keys() == after.keys()
    assert {name.partition(".")[0] for name in before} == {"network", "target", "optimizer"}
    for name, values in before.items():
        assert torch.equal(values, after[name]), name
    assert not torch.equal(before["network.plays.0.weight"], before["target.0.weight"])
    reports: list[Progress] = []
    train(config(6 * ITERATION), tmp_path, resume=True, report=reports.append)
    assert [progress.decisions for progress in reports] == [5 * ITERATION, 6 * ITERATION]
    assert [int(row[DECISIONS]) for row in curves(tmp_path)] == [n * ITERATION for n in range(1, 7)]
    learned = load_file(tmp_path / CHECKPOINT)
    for name in ("network.bids.0.weight", "network.plays.0.weight", "target.0.weight"):
        assert not torch.equal(before[name], learned[name])


def test_the_same_seed_learns_the_same(tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        train(Config.model_validate(config().model_dump() | {"seed": seed}), tmp_path / name)
    one, two, other = ((tmp_path / name / CHECKPOINT).read_bytes() for name in ("one", "two", "other"))
    assert one == two != other


# --- configs


def refusal(folder: Path, learning: str) -> str:
    """The message for the `[learning]` of a config."""
    path = folder / "mine.toml"
    path.write_text(f'name = "mine"\n[learning]\n{learning}', encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('learner = "dqn"', "learning.decisions is required"),
        ("replay_siz = 1", "unknown key learning.replay_siz: did you mean 'replay_size'? allowed are"),
        ("epochs = 2", "unknown key learning.epochs: "),
        ("exploration = 0.0", "learning.exploration = 0.0: "),
        ("target_rate = 1.5", "learning.target_rate = 1.5: "),
        ("play_layers = [8, 0]", "learning.play_layers.1 = 0: "),
        ("replay_start = 5\nreplay_size = 4", "replay_start=5 is more than replay_size=4"),
        ("num_games = 1\n[[tables]]\n[[tables]]", "num_games=1 leaves none for some of the tables"),
        ("bid_layers = [8]", "bid_layers=[8] and play_layers=[200, 200, 100]: the agent is one network"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, lines: str, message: str) -> None:
    whole = lines if "learner" in lines else f'learner = "dqn"\ndecisions = 1\n{lines}'
    assert message in refusal(tmp_path, whole)


@pytest.mark.parametrize("given", ["'dqnn'", "'PPO'", "3"])
def test_a_learner_that_is_none(tmp_path: Path, given: str) -> None:
    message = refusal(tmp_path, f"learner = {given}\ndecisions = 1")
    assert message.startswith(f"learning.learner = '{given.strip(chr(39))}': ")
    assert message.endswith("allowed are 'ppo', 'maskable_ppo', 'dqn'")


def test_a_config_is_read_back() -> None:
    paper = read_config(configs.find("paper_dqn"))
    assert paper.learning.learner == "dqn"
    assert Config.model_validate_json(paper.model_dump_json()) == paper

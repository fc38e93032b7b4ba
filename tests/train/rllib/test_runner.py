"""SelfPlayRunner: it hands over what RLlib's own runner and connectors would make of the same rounds."""

import gc
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.rllib", exc_type=ImportError)
    from ray.rllib.algorithms.algorithm import Algorithm
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.learner.training_data import TrainingData
    from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
    from ray.rllib.evaluation.postprocessing import Postprocessing

    from wizard_env.train.rllib.decisions import Decisions
    from wizard_env.train.rllib.env import POINTS
    from wizard_env.train.rllib.learner import algorithm_config
    from wizard_env.train.rllib.module import MODULE
    from wizard_env.train.rllib.runner import SelfPlayRunner

from wizard_env.train.config.rllib import RLlibConfig
from wizard_env.train.selfplay.games import SelfPlayGames

pytestmark = [
    pytest.mark.usefixtures("one_thread", "cluster"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib-multi-agent-env:UserWarning"),
]

GAMES, STEPS = 6, 40


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()
    gc.collect()


def config(**cluster: int) -> RLlibConfig:
    return RLlibConfig.model_validate(
        {
            "name": "tiny",
            "game": {"num_players": 3, "hand_sizes": [1, 2, 4]},
            "learning": {
                "decisions": 10_000,
                "decisions_per_iteration": GAMES * STEPS,
                "batch_size": 60,
                "layers": [16],
                "discount": 0.9,
                "gae_lambda": 0.8,
                "sparring": 0.5,
                "partners": ["random"],
            },
            "cluster": {"games_per_worker": GAMES, **cluster},
        }
    )


def built(configured: Any) -> Algorithm:
    algorithm = configured.build_algo()
    Path(algorithm.logdir).rmdir()
    return algorithm


@pytest.fixture(scope="module")
def algorithm(cluster: None) -> Iterator[Algorithm]:
    made = built(algorithm_config(config(), seed=1))
    yield made
    made.stop()


class Watched(SelfPlayGames):
    """Notes what every step did."""

    def __init__(self, *options: Any) -> None:
        self.steps: list[dict[str, Any]] = []
        super().__init__(*options)

    def step(self, actions: np.ndarray, part: slice = slice(None)) -> None:
        seats = self.games.seat.copy()
        super().step(actions, part)
        self.steps.append({"seats": seats, "rewards": self.rewards.copy(), "ended": self.ended.copy()})


# --- parity


def test_rllibs_own_connectors_make_the_same_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Observations, masks, actions, probabilities, value targets and advantages of every whole round."""
    monkeypatch.setattr("wizard_env.train.rllib.runner.SelfPlayGames", Watched)
    ours = built(algorithm_config(config(), seed=5))
    theirs = built(algorithm_config(config(), seed=5, episodes=True))
    theirs.learner_group.set_state(ours.learner_group.get_state())
    (decisions,) = ours.env_runner.sample()
    played = ours.env_runner._self_play
    assert isinstance(played, Watched)
    rounds, rows = whole_rounds(decisions, played.steps)
    assert len(rounds) > 30
    assert len(rows) > len(decisions) / 2
    expected = columns(learned_from(theirs, rounds))
    batch = columns(learned_from(ours, [decisions[row : row + 1] for row in rows]))
    unlike = {Postprocessing.ADVANTAGES, Postprocessing.VALUE_TARGETS}
    for name in batch.keys() - unlike:
        np.testing.assert_array_equal(batch[name], expected[name], err_msg=name)
    targets, advantages = Postprocessing.VALUE_TARGETS, Postprocessing.ADVANTAGES
    np.testing.assert_allclose(batch[targets], expected[targets], atol=1e-5)
    # Both standardise over all of their rows, of which theirs have one more for each seat and round.
    slope, offset = np.polyfit(batch[advantages], expected[advantages], 1)
    np.testing.assert_allclose(slope * batch[advantages] + offset, expected[advantages], atol=1e-4)
    assert slope > 0.5
    ours.stop()
    theirs.stop()


def whole_rounds(
    decisions: Decisions, steps: list[dict[str, Any]]
) -> tuple[list[MultiAgentEpisode], list[int]]:
    """The rounds that began and ended in the sample, as RLlib's episodes, and their rows."""
    rounds, rows = [], []
    for game in range(GAMES):
        current: list[int] | None = None  # a round that began before the sample
        for step, done in enumerate(steps):
            if current is not None:
                current.append(step * GAMES + game)
            if done["ended"][game]:
                if current:
                    seats = [int(steps[row // GAMES]["seats"][game]) for row in current]
                    rounds.append(as_episode(decisions, current, seats, done["rewards"][game]))
                    rows += current
                current = []
    return rounds, rows


def as_episode(
    decisions: Decisions, rows: list[int], seats: list[int], rewards: np.ndarray
) -> MultiAgentEpisode:
    """A round as RLlib's runner would hand it over: an observation, an action, and rewards at the end."""
    movers = [f"player_{seat}" for seat in seats]
    episode = MultiAgentEpisode(agent_to_module_mapping_fn=lambda *_, **__: MODULE)

    def seen(place: int) -> dict[str, Any]:
        row = rows[place]
        observation = {"observation": decisions.observations[row], "action_mask": decisions.masks[row]}
        return {movers[place]: observation}

    episode.add_env_reset(observations=seen(0))
    for place, (row, mover) in enumerate(zip(rows, movers, strict=True)):
        over = place == len(rows) - 1
        paid = {f"player_{seat}": float(rewards[seat]) for seat in seats} if over else {mover: 0.0}
        episode.add_env_step(
            observations={} if over else seen(place + 1),
            actions={mover: decisions.actions[row]},
            rewards=paid,
            terminateds={"__all__": over},
            truncateds={"__all__": False},
            extra_model_outputs={
                mover: {
                    Columns.ACTION_LOGP: decisions.log_probabilities[row],
                    Columns.ACTION_DIST_INPUTS: decisions.logits[row],
                }
            },
        )
    episode.to_numpy()
    return episode


def learned_from(algorithm: Algorithm, episodes: list[Any]) -> dict[str, Any]:
    """The batch that a learner makes of what was sampled."""
    learner = algorithm.learner_group._learner
    batch = learner._make_batch_if_necessary(TrainingData(episodes=episodes))
    return dict(batch.policy_batches[MODULE])


def columns(batch: dict[str, Any]) -> dict[str, np.ndarray]:
    """What the loss reads, as arrays, with the rows ordered by what was seen."""
    rows = batch.get(Columns.LOSS_MASK, torch.ones(len(batch[Columns.ACTIONS]), dtype=torch.bool))
    names = (
        Columns.ACTIONS,
        Columns.ACTION_LOGP,
        Columns.ACTION_DIST_INPUTS,
        Postprocessing.ADVANTAGES,
        Postprocessing.VALUE_TARGETS,
    )
    found = {name: batch[name][rows].numpy() for name in names}
    found |= {name: values[rows].numpy() for name, values in batch[Columns.OBS].items()}
    order = sorted(range(len(found[Columns.ACTIONS])), key=lambda row: found["observation"][row].tobytes())
    return {name: values[order] for name, values in found.items()}


# --- sampling


def test_rounds_go_on_from_sample_to_sample(algorithm: Algorithm) -> None:
    """Unless new games are asked for; and they are others each time."""
    runner = algorithm.env_runner
    (first,) = runner.sample()
    assert len(first) == first.env_steps() == first.agent_steps() == GAMES * STEPS
    waiting = runner._self_play.games.observation.copy()
    (second,) = runner.sample(num_timesteps=GAMES + 1)
    assert len(second) == 2 * GAMES
    np.testing.assert_array_equal(second.observations[:GAMES], waiting)
    deals = set()
    for _ in range(2):
        (fresh,) = runner.sample(num_timesteps=GAMES, force_reset=True)
        deals.add(fresh.observations.tobytes())
    assert len(deals) == 2


def test_a_runner_in_the_place_of_a_lost_one_deals_other_games(algorithm: Algorithm) -> None:
    """RLlib gives it the latest weights before it plays; without those it deals what the first one dealt."""
    runners = [SelfPlayRunner(config=algorithm.config, worker_index=1) for _ in range(3)]
    state = algorithm.env_runner.get_state()
    runners[2].set_state(state | {"weights_seq_no": 7})
    first, again, other = (runner.sample(num_timesteps=GAMES)[0].observations for runner in runners)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert runners[2].get_state()["weights_seq_no"] == 7


def test_a_number_of_rounds_is_played(algorithm: Algorithm) -> None:
    runner = algorithm.env_runner
    runner.get_metrics()
    samples = runner.sample(num_episodes=50)
    metrics = runner.get_metrics()
    assert metrics["num_episodes"].peek() >= 50
    assert metrics["num_env_steps_sampled"].peek() == sum(map(len, samples))


def test_actions_are_drawn_or_the_likeliest_or_random(algorithm: Algorithm) -> None:
    runner = algorithm.env_runner
    (drawn,) = runner.sample(num_timesteps=3000)
    (greedy,) = runner.sample(num_timesteps=3000, explore=False)
    (random,) = runner.sample(num_timesteps=3000, random_actions=True)
    for sample in (drawn, greedy, random):
        assert sample.masks[np.arange(len(sample)), sample.actions].all()
        assert (sample.masks.sum(axis=1) > 1).all()
    likeliest = greedy.logits.argmax(axis=1)
    np.testing.assert_array_equal(greedy.actions, likeliest)
    assert (drawn.actions != drawn.logits.argmax(axis=1)).mean() > 0.2
    np.testing.assert_allclose(np.exp(-random.log_probabilities), random.masks.sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize(
    "asked", [{"num_timesteps": 5, "num_episodes": 5}, {"num_timesteps": 0}, {"num_episodes": -1}]
)
def test_what_cannot_be_sampled_is_refused(algorithm: Algorithm, asked: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="one may be given, and is at least 1"):
        algorithm.env_runner.sample(**asked)


# --- in RLlib


def test_what_an_iteration_reports() -> None:
    """RLlib's own names, as Tune and its schedulers read them, and the points of the rounds."""
    seen: list[int] = []

    def note(*, samples: list[Decisions], **_: Any) -> None:
        seen.append(sum(map(len, samples)))

    algorithm = built(algorithm_config(config(), seed=2).callbacks(on_sample_end=note))
    result = algorithm.train()
    played, learned = result["env_runners"], result["learners"][MODULE]
    assert seen == [GAMES * STEPS]
    assert result["num_env_steps_sampled_lifetime"] == played["num_env_steps_sampled"] == GAMES * STEPS
    assert learned["num_module_steps_trained"] == 2 * GAMES * STEPS
    points = np.concatenate(played[POINTS])
    assert points.dtype == np.int16
    assert played["num_episodes"] == len(points) > 0
    assert played["episode_return_mean"] == pytest.approx(points.mean() / 20)
    assert played["episode_return_min"] == points.min() / 20
    assert played["episode_return_max"] == points.max() / 20
    assert played["episode_len_mean"] == GAMES * STEPS / len(points)
    assert learned["entropy"] > 0
    algorithm.stop()


def test_workers_play_their_own_games_with_the_learners_network() -> None:
    """Each its share of a batch, to the decision; and a worker that is lost is replaced."""
    algorithm = built(algorithm_config(config(workers=2), seed=2))
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] == GAMES * STEPS
    group = algorithm.env_runner_group
    kept = group.foreach_env_runner(
        lambda runner: (runner._self_play.games.seeds.tolist(), runner.get_state()["rl_module"][MODULE]),
        local_env_runner=False,
    )
    assert len({tuple(seeds) for seeds, _ in kept}) == 2
    learned = algorithm.learner_group.get_state()["learner"]["rl_module"][MODULE]
    for _, weights in kept:
        for name, values in learned.items():
            np.testing.assert_array_equal(weights[name], values, err_msg=name)
    ray.kill(group._worker_manager.actors()[1], no_restart=False)
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] == GAMES * STEPS
    deadline = time.monotonic() + 60
    while group.num_healthy_remote_workers() < 2:
        assert time.monotonic() < deadline
        algorithm.train()
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] == GAMES * STEPS
    algorithm.stop()


def test_learners_share_a_batch() -> None:
    """Two of them, in processes of their own, end up with the same weights."""
    algorithm = built(algorithm_config(config(learners=2), seed=2))
    result = algorithm.train()
    assert result["env_runners"]["num_env_steps_sampled"] == 2 * GAMES * STEPS
    first, second = algorithm.learner_group.foreach_learner(
        lambda learner: learner.get_state()["rl_module"][MODULE]
    )
    for name, values in first.get().items():
        np.testing.assert_array_equal(values, second.get()[name], err_msg=name)
    algorithm.stop()


def test_evaluation_plays_greedily_beside_learning() -> None:
    made = algorithm_config(config(), seed=2).evaluation(
        evaluation_interval=1, evaluation_duration=40, evaluation_config={"explore": False}
    )
    algorithm = built(made)
    result = algorithm.train()
    evaluated = result["evaluation"]["env_runners"]
    assert evaluated["num_episodes"] >= 40
    assert -20 < evaluated["episode_return_mean"] < 10
    assert result["env_runners"]["num_env_steps_sampled"] == GAMES * STEPS
    assert algorithm.evaluate()["env_runners"]["num_episodes"] >= 40
    algorithm.stop()


def test_lists_of_episodes_are_learned_from_too() -> None:
    """The environment for RLlib's own runner and connectors reports under the same names."""
    algorithm = built(algorithm_config(config(), seed=2, episodes=True))
    result = algorithm.train()
    played = result["env_runners"]
    assert played["num_env_steps_sampled"] >= GAMES * STEPS
    assert len(np.concatenate(played[POINTS])) > 0
    assert result["learners"][MODULE]["entropy"] > 0
    algorithm.stop()

"""Self-play with the PPO of Ray RLlib, in one file: one policy learns from every seat's decisions.

Needs a separate environment, see docs/libraries.md.

python examples/rllib_wizard.py                               # writes runs/rllib, which `load` opens
python examples/rllib_wizard.py --address auto --workers 16   # on the Ray cluster of this machine
"""

import argparse
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_args

import gymnasium
import numpy as np
import ray
import torch
from numpy.typing import ArrayLike, NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.torch_utils import FLOAT_MIN

from wizard_env import NUM_ACTIONS, Games, Rules, sample_legal
from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.files import write_atomically
from wizard_env.observation.fields import HIGHS
from wizard_env.sampling import draw_noise
from wizard_env.state import SCORED
from wizard_env.train.networks.policy_value import PolicyValueNetwork
from wizard_env.train.selfplay.games import REWARD_SCALES, VALUE_UNIT, draw_learners
from wizard_env.view import actions_by_owner

MODULE = "player"
"""The id of the one module, which plays every seat that learns."""
POINTS = "points"
"""The metric with the points of the seats that learn, in the rounds of an iteration: arrays, int16 [k]."""
CHECKPOINT = "checkpoint"
"""The folder of RLlib's own checkpoint in a run's folder. It holds pickles: open none from a stranger."""


@dataclass
class Args:
    """The options of the command line, such as `--decisions 100000`."""

    folder: Annotated[str, "where to write; a run that was stopped continues, with new deals"] = "runs/rllib"
    address: Annotated[str, "of the Ray cluster; auto is this machine's, local starts one here"] = "local"
    seed: Annotated[int, "of the deals and of everything drawn at random"] = 0
    num_players: Annotated[int, "players of a game, 3 to 6"] = 4
    hand_sizes: Annotated[str, "cards in the rounds of a game; without, all"] = ""
    decisions: Annotated[int, "to learn from"] = 1_000_000
    decisions_per_iteration: Annotated[int, "between two updates of the network"] = 32_768
    batch_size: Annotated[int, "decisions of a gradient step"] = 1024
    epochs: Annotated[int, "passes over the decisions of an iteration"] = 2
    learning_rate: Annotated[float, "at the start"] = 2e-3
    final_learning_rate: Annotated[float, "at the end"] = 3e-5
    gamma: Annotated[float, "discount"] = 1.0
    gae_lambda: Annotated[float, "lambda of GAE"] = 0.95
    clip_range: Annotated[float, "clip range of the probability ratio"] = 0.2
    entropy_bonus: Annotated[float, "weight of the entropy bonus"] = 0.002
    layers: Annotated[str, "widths of the hidden layers"] = "256,256"
    sparring: Annotated[float, "share of games in which partners take some of the seats"] = 0.6
    partners: Annotated[str, "agents that take them; one is drawn for each game"] = "rule_based,heuristic"
    workers: Annotated[int, "processes that play, one core each; 0 plays in the process that learns"] = 0
    games_per_worker: Annotated[int, "games that a process plays side by side"] = 256
    learners: Annotated[int, "processes that learn; 0 learns in this process"] = 0
    gpus_per_learner: Annotated[float, "GPUs of each of them"] = 0.0


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Parse the fields of `Args` as options."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, help=get_args(field.type)[1]
        )
    return Args(**vars(parser.parse_args(arguments)))


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")] if text else []


OBSERVATION_SPACE = gymnasium.spaces.Dict(
    {
        "observation": gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8),
        "action_mask": gymnasium.spaces.Box(0, 1, (NUM_ACTIONS,), np.uint8),
    }
)
ACTION_SPACE = gymnasium.spaces.Discrete(NUM_ACTIONS)


class SelfPlayModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """The network of `wizard_env.train.ppo` as an RLModule; illegal actions get no probability.

    model_config: `layers` and `seed`, as for `PolicyValueNetwork`.
    """

    def setup(self) -> None:
        self.network = PolicyValueNetwork(self.model_config["layers"], self.model_config["seed"])

    def _forward(self, batch: dict[str, Any], **options: Any) -> dict[str, torch.Tensor]:
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, self._outputs(batch))}

    def _forward_train(self, batch: dict[str, Any], **options: Any) -> dict[str, torch.Tensor]:
        outputs = self._outputs(batch)
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, outputs), Columns.EMBEDDINGS: outputs}

    def compute_values(self, batch: dict[str, Any], embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """Return values, float32 [n]. embeddings: the network's outputs, if already computed."""
        outputs = self._outputs(batch) if embeddings is None else embeddings
        return outputs[:, NUM_ACTIONS]

    def _outputs(self, batch: dict[str, Any]) -> torch.Tensor:
        outputs: torch.Tensor = self.network(batch[Columns.OBS]["observation"])
        return outputs

    def _logits(self, batch: dict[str, Any], outputs: torch.Tensor) -> torch.Tensor:
        return outputs[:, :NUM_ACTIONS].masked_fill(batch[Columns.OBS]["action_mask"] == 0, FLOAT_MIN)


class SelfPlayRounds(MultiAgentEnv):  # type: ignore[misc]
    """Several games side by side; an episode is one round of each, all of the same hand size.

    Agents are the seats that learn, "game_0/player_0" and so on, drawn again for every round. A step
    takes one decision in each game whose round is not over, by the agent whose observation was
    returned: {"observation": uint8 [OBS_SIZE], "action_mask": uint8 [NUM_ACTIONS]}. As in `SelfPlayGames`
    observations and actions are in canonical suits, and decisions with one legal action are skipped. The
    last step of an episode pays every agent its own points of the round, scaled as in `SelfPlayGames`.

    The games are one environment because RLlib cannot handle several. Either it cuts their episodes, and
    loses the decisions of all seats that do not act at the cut (ray-project/ray#44677), or it drops every
    episode but the first to end, and so the rounds of large hands.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """config: `rules`, `num_games`, `seed`, `sparring`, `partners`, as for `SelfPlayGames`."""
        super().__init__()
        rules, num_games = config["rules"], config["num_games"]
        self._sparring = config["sparring"]
        self._partners = [load(partner) for partner in config["partners"]]
        self._rng = np.random.default_rng((config["seed"], getattr(config, "worker_index", 0)))
        self.games = Games(rules, num_games, canonical_suits=True, skip_forced=True, pause="round")
        self._rows = np.arange(num_games)
        self._learns = np.ones((num_games, rules.num_players), np.bool_)
        self._partner = np.zeros(num_games, np.int64)
        self._points = np.zeros_like(self._learns, np.int64)
        self.possible_agents = [
            f"game_{game}/player_{seat}" for game in range(num_games) for seat in range(rules.num_players)
        ]
        self.agents = self.possible_agents
        self.observation_spaces = dict.fromkeys(self.agents, OBSERVATION_SPACE)
        self.action_spaces = dict.fromkeys(self.agents, ACTION_SPACE)
        for _ in range(self._rng.integers(len(rules.rounds))):  # else all workers would be at the same round
            self._deal()
            while len(rows := self._unfinished()):
                self.games.step(sample_legal(self.games.mask[rows], self._rng), rows)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal the next round. The seed is ignored: RLlib passes the same one for every episode."""
        self._acted: set[str] = set()
        self._deal()
        while not len(self._unfinished()):  # no seat that learns had a choice
            self._deal()
        return self._observations(), {}

    def step(
        self, action_dict: Mapping[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Take the agents' decisions and play on to the next ones; changes nothing if it raises."""
        rows = self._unfinished()
        agents = self._acting_agents(rows)
        self._act([action_dict[agent] for agent in agents], rows)
        self._acted.update(agents)
        self._play_partners()
        over = not len(self._unfinished())
        rewards = self._rewards() if over else dict.fromkeys(agents, 0.0)
        return self._observations(), rewards, {"__all__": over}, {"__all__": False}, {}

    def _unfinished(self) -> NDArray[np.int64]:
        """Return the games whose round is not over."""
        return (self.games.states["phase"] < SCORED).nonzero()[0]

    def _acting_agents(self, rows: NDArray[np.int64]) -> list[str]:
        numbers = rows * self._learns.shape[1] + self.games.seat[rows]
        return [self.agents[number] for number in numbers]

    def _deal(self) -> None:
        """Deal in every game, draw the seats that learn, and play on to their first decisions."""
        games, rng = self.games, self._rng
        if (games.states["phase"] == SCORED).all():
            games.deal(self._rows)
        else:
            games.begin(self._rows, draw_noise(rng, games.num_games))
        self._learns = draw_learners(np.ones_like(self._learns), self._sparring, alone=False, rng=rng)
        self._partner = rng.integers(0, len(self._partners), games.num_games)
        self._play_partners()

    def _play_partners(self) -> None:
        """Play for the partners until a learner acts next in every game whose round is not over."""
        games = self.games
        while True:
            rows = self._unfinished()
            rows = rows[~self._learns[rows, games.seat[rows]]]
            if not len(rows):
                return
            actions = actions_by_owner(self._partners, self._partner[rows], games.view(rows), self._rng)
            self._act(actions, rows, printed=True)

    def _act(self, actions: ArrayLike, rows: NDArray[np.int64], *, printed: bool = False) -> None:
        self.games.step(actions, rows, printed=printed)
        self._points[rows] = self.games.points[rows]

    def _observations(self) -> dict[str, dict[str, NDArray[np.uint8]]]:
        games, rows = self.games, self._unfinished()
        return {
            agent: {"observation": games.observation[row].copy(), "action_mask": games.mask[row].copy()}
            for agent, row in zip(self._acting_agents(rows), rows, strict=True)
        }

    def _rewards(self) -> dict[str, float]:
        """Return the rewards of the round for the agents that had a choice in it."""
        rewards = (self._points * REWARD_SCALES["points"]).ravel().tolist()
        return {agent: rewards[number] for number, agent in enumerate(self.agents) if agent in self._acted}


class CountingRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Counts decisions as RLlib's steps, and logs the points of every round.

    RLlib's own count of agents' steps fails if an agent does not act in every sample, as happens with
    partners in the game; and it keeps a dozen averages for each agent.
    """

    def _increase_sampled_metrics(
        self, num_steps: int, next_obs: dict[str, Any], episode: MultiAgentEpisode
    ) -> int:
        decisions: int = episode.agent_steps() if episode.is_done else 0
        super()._increase_sampled_metrics(decisions, {}, episode)
        return num_steps

    def _log_episode_metrics(
        self, length: int, ret: float, sec: float, agents: dict[str, float], *by_agent: Any
    ) -> None:
        super()._log_episode_metrics(length, ret, sec)
        points = np.rint(np.array(list(agents.values())) / REWARD_SCALES["points"]).astype(np.int16)
        for half in np.array_split(points, 2):  # RLlib reports a series of one as its item
            self.metrics.log_value(POINTS, half, reduce="item_series")


def algorithm_config(args: Args, seed: int) -> PPOConfig:
    """Return the configuration of RLlib's PPO. seed: of the deals and of everything drawn at random."""
    games = {
        "rules": Rules(args.num_players, hand_sizes=tuple(numbers(args.hand_sizes)) or None),
        "num_games": args.games_per_worker,
        "seed": seed,
        "sparring": args.sparring,
        "partners": [load(partner) for partner in args.partners.split(",")],
    }
    network = {"layers": numbers(args.layers), "seed": args.seed}
    return (
        PPOConfig()
        .environment(SelfPlayRounds, env_config=games, disable_env_checking=True)  # it plays illegally
        .env_runners(
            env_runner_cls=CountingRunner, num_env_runners=args.workers, batch_mode="complete_episodes"
        )
        .learners(num_learners=args.learners, num_gpus_per_learner=args.gpus_per_learner)
        .multi_agent(policies={MODULE}, policy_mapping_fn=choose_module)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=SelfPlayModule, model_config=network))
        .training(
            train_batch_size_per_learner=args.decisions_per_iteration,
            minibatch_size=args.batch_size,
            num_epochs=args.epochs,
            lr=[[0, args.learning_rate], [args.decisions, args.final_learning_rate]],
            gamma=args.gamma,
            lambda_=args.gae_lambda,
            clip_param=args.clip_range,
            entropy_coeff=args.entropy_bonus,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=0.5,
        )
        .debugging(seed=seed, log_level="ERROR")
    )


def choose_module(agent: str, episode: Any, **options: Any) -> str:
    return MODULE


def train(args: Args) -> list[float]:
    """Learn and print the progress; return the share of bids met of every iteration."""
    if not ray.is_initialized():
        ray.init(address=args.address, log_to_driver=False)
    folder, decisions, curve = Path(args.folder), 0, []
    kept = sorted(folder.glob(f"{CHECKPOINT}-*"), key=decisions_of)
    if kept:
        decisions = decisions_of(kept[-1])
    algorithm = algorithm_config(args, args.seed + decisions).build_algo()
    Path(algorithm.logdir).rmdir()  # in the user's home, for logs that are never written
    if kept:
        algorithm.restore_from_path(str(kept[-1].resolve()))
    while decisions < args.decisions:
        played = algorithm.train()["env_runners"]
        decisions = int(played["num_env_steps_sampled_lifetime"])
        points = np.concatenate(played[POINTS])
        curve.append(float((points > 0).mean()))
        scored = f"points per round {points.mean():+6.1f}  bids met {curve[-1]:.3f}"
        print(f"decisions {decisions:>10,}  {scored}", flush=True)
        save(algorithm, folder, decisions)
    algorithm.stop()
    return curve


def decisions_of(checkpoint: Path) -> int:
    """Return the decisions that a checkpoint has learned from, which its name ends with."""
    return int(checkpoint.name.rpartition("-")[2])


def save(algorithm: Any, folder: Path, decisions: int) -> None:
    """Write the agent and RLlib's checkpoint, and remove older ones."""
    policy = algorithm.get_module(MODULE).network.agent(VALUE_UNIT)
    write_atomically(folder / FILE_NAME, lambda path: save_agent(policy, path))
    unfinished = folder / f".{CHECKPOINT}"
    shutil.rmtree(unfinished, ignore_errors=True)
    algorithm.save_to_path(str(unfinished.resolve()))
    unfinished.rename(folder / f"{CHECKPOINT}-{decisions}")
    for older in sorted(folder.glob(f"{CHECKPOINT}-*"), key=decisions_of)[:-1]:
        shutil.rmtree(older)


if __name__ == "__main__":
    train(parse())

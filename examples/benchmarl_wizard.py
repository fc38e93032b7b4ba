"""MAPPO with BenchMARL: self-play in the PettingZoo environment, one policy for all seats.

python examples/benchmarl_wizard.py --hand-sizes 1,2 --iterations 10
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_args

from benchmarl.algorithms import MappoConfig
from benchmarl.environments import Task, TaskClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType

from wizard_env import wizard_v0

MOST_STEPS = 1000
"""More decisions than the longest game has."""


@dataclass
class Args:
    """The options of the command line, such as `--iterations 100`."""

    seed: Annotated[int, "of the deals and of everything drawn at random"] = 1
    num_players: Annotated[int, "players of a game, 3 to 6"] = 3
    hand_sizes: Annotated[str, "cards in the rounds of a game"] = "1,2"
    iterations: Annotated[int, "of playing and learning"] = 10
    decisions: Annotated[int, "of an iteration"] = 2000
    folder: Annotated[str, "where BenchMARL writes its results"] = "runs"


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Parse the fields of `Args` as options."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, help=get_args(field.type)[1]
        )
    return Args(**vars(parser.parse_args(arguments)))


class WizardClass(TaskClass):  # type: ignore[misc]
    """The game as a task; its config holds the arguments of `wizard_v0.env`."""

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int, device: Any
    ) -> Callable[[], Any]:
        def make() -> Any:
            return PettingZooWrapper(
                wizard_v0.env(**self.config),
                use_mask=True,
                categorical_actions=True,
                group_map=MarlGroupMapType.ALL_IN_ONE_GROUP,
                seed=seed,
                device=device,
            )

        return make

    def supports_continuous_actions(self) -> bool:
        return False

    def supports_discrete_actions(self) -> bool:
        return True

    def has_render(self, env: Any) -> bool:
        return False

    def max_steps(self, env: Any) -> int:
        return MOST_STEPS

    def group_map(self, env: Any) -> Any:
        return env.group_map

    def action_spec(self, env: Any) -> Any:
        return env.full_action_spec

    def observation_spec(self, env: Any) -> Any:
        return self._only("observation", env)

    def action_mask_spec(self, env: Any) -> Any:
        return self._only("action_mask", env)

    def state_spec(self, env: Any) -> None:
        return None

    def info_spec(self, env: Any) -> None:
        return None

    def _only(self, key: str, env: Any) -> Any:
        """Return the spec of one key in the observations of each group."""
        spec = env.observation_spec.clone()
        for group in self.group_map(env):
            for other in set(spec[group].keys()) - {key}:
                del spec[group][other]
        return spec

    @staticmethod
    def env_name() -> str:
        return "wizard"


class WizardTask(Task):  # type: ignore[misc]
    """BenchMARL's list of tasks: whole games of the hand sizes given."""

    GAME: Any = None

    @staticmethod
    def associated_class() -> type[WizardClass]:
        return WizardClass


def train(args: Args) -> Experiment:
    """Learn, and return the experiment, whose `mean_return` is that of the last iteration."""
    sizes = tuple(map(int, args.hand_sizes.split(",")))
    task = WizardTask.GAME.get_task(
        {"num_players": args.num_players, "hand_sizes": sizes, "dtype": "float32"}
    )
    config = ExperimentConfig.get_from_yaml()
    config.max_n_frames = args.iterations * args.decisions
    config.on_policy_collected_frames_per_batch = args.decisions
    config.on_policy_n_envs_per_worker = 1
    config.evaluation = False
    config.loggers = ["csv"]
    config.save_folder = args.folder
    Path(args.folder).mkdir(parents=True, exist_ok=True)
    model = MlpConfig.get_from_yaml()
    experiment = Experiment(
        task=task,
        algorithm_config=MappoConfig.get_from_yaml(),
        model_config=model,
        critic_model_config=model,
        seed=args.seed,
        config=config,
    )
    experiment.run()
    return experiment


if __name__ == "__main__":
    train(parse())

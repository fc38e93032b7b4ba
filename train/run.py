"""A training run: its learner, its folder, and resuming."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from wizard_env.agents.network import FILE_NAME, find_encoding, find_network
from wizard_env.checks import quoted
from wizard_env.compiled.processes import limit_torch_after_fork
from wizard_env.envs.rewards import find_reward
from wizard_env.files import locked, write_atomically
from wizard_env.loading import load
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.reading import read_kept
from wizard_env.train.config.run import Config, Run
from wizard_env.train.parallel.allocator import keep_freed_memory
from wizard_env.train.parallel.devices import check_device, with_precision
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.progress import Report

CONFIG = "config.json"
"""The file in a run's folder that keeps its config."""
RUN_LOCK = "lock"
"""The file in a run's folder that is locked while a process writes there."""
_CHANGEABLE = ("learning.decisions", "learning.checkpoint_seconds")
"""The keys that may change when a run continues."""


class Learner(Protocol):
    """A learner with its games."""

    @property
    def decisions(self) -> int:
        """The number of decisions that it has learned from."""

    def learn(self, folder: Path, curves: Curves, report: Report) -> None:
        """Learn to the end of the run, and write checkpoints and the agent into its folder."""


_LearnerType: TypeAlias = Callable[[Config, str, Path | None], Learner]
"""A class of learners: of the config, the device, and the checkpoint to resume from or None."""


def _learner_type(config: Config) -> _LearnerType:
    """Return the class of a config's learner; only the libraries that it uses are imported."""
    match config.learning.learner:
        case "ppo":
            from wizard_env.train.ppo.learner import PpoLearner

            return PpoLearner
        case "maskable_ppo":
            from wizard_env.train.sb3.learner import MaskablePpoLearner

            return MaskablePpoLearner
        case "dqn":
            from wizard_env.train.dqn.learner import DqnLearner

            return DqnLearner
        case "distillation":
            from wizard_env.train.distillation.learner import DistillationLearner

            return DistillationLearner


def checkpoint_of(config: Run, folder: Path) -> Path:
    """Return the file that a run resumes from."""
    return folder / config.learning.checkpoint_file


def train(
    config: Config,
    folder: Path,
    *,
    resume: bool = False,
    device: str = "cpu",
    report: Report = None,
) -> Path:
    """Learn by self-play as a config says, and write everything into a folder.

    Writes a checkpoint (to resume from), `agent.safetensors` (to play with), the curves in `progress.csv`
    and for TensorBoard, and `config.json`, which also keeps the precision that "auto" stood for.

    Args:
        config: the run.
        folder: where to write; created if it is missing.
        resume: continue from the folder's checkpoint.
        device: "cpu" or "cuda".
        report: called after every iteration; if it raises StopLearning, a checkpoint is written first.

    Returns:
        The folder.

    Raises:
        BlockingIOError: another process writes into the folder.
        FileExistsError: the folder already holds a checkpoint, and `resume` is off.
        FileNotFoundError: `resume` is on, and the folder holds no checkpoint.
        StopLearning: `report` has raised it.
        ValueError: the folder holds a run of another config; or its checkpoint is damaged; or training
            diverged, which the last checkpoint does not contain; or there is no such device.
    """
    config = decide_precision(config, folder, device)
    make_learner = _learner_type(config)
    run_learner(lambda checkpoint: make_learner(config, device, checkpoint), config, folder, resume, report)
    return folder


def check_names(config: Config) -> None:
    """Load the agents and import the code that a config names; raises the errors of a run that does so."""
    for name in config.agents_to_load():
        load(name)
    import_code(config)
    if isinstance(config.learning, PpoConfig) and config.learning.start:
        load(find_network(config.learning.start))


def import_code(config: Config) -> None:
    """Import the reward and the encoding that a config names; raises the errors of a run that does so."""
    find_reward(config.learning.reward)
    if isinstance(config.learning, PpoConfig) and config.learning.encoding:
        find_encoding(config.learning.encoding)


def decide_precision(config: Config, folder: Path, device: str, *, here: bool = True) -> Config:
    """Return the config with the precision that a run in this folder computes in; an old run keeps its own.

    Raises ValueError if there is no such device and `here`, or the config of the old run cannot be read.
    """
    check_device(device, here=here)
    kept = folder / CONFIG
    continues = checkpoint_of(config, folder).exists() and kept.exists()
    return with_precision(config, device, read_kept(kept, Config) if continues else None)


def run_learner(
    make_learner: Callable[[Path | None], Learner], config: Run, folder: Path, resume: bool, report: Report
) -> None:
    """Run a learner in a folder, as `train` does.

    Nothing is written before the learner is made, which loads and checks all that the config names.

    make_learner: makes the learner, given the checkpoint to resume from or None.
    """
    keep_freed_memory()
    limit_torch_after_fork()
    learner = None
    if not resume:
        if folder.exists():
            with claimed(config, folder, resume):
                pass  # refuses at once what it would refuse below
        learner = make_learner(None)
    with claimed(config, folder, resume):
        learner = learner or make_learner(checkpoint_of(config, folder))
        if learner.decisions >= config.learning.decisions:
            return
        keep_config(config, folder)
        with closing(Curves(folder, learner.decisions)) as curves:
            learner.learn(folder, curves, report)


@contextmanager
def claimed(config: Run, folder: Path, resume: bool) -> Iterator[None]:
    """Lock the folder of a run, created if missing, for as long as the block runs; raises as `train`."""
    checkpoint, kept = checkpoint_of(config, folder), folder / CONFIG
    if resume and not checkpoint.exists():
        raise FileNotFoundError(f"nothing to resume: there is no {checkpoint}")
    with locked(folder, RUN_LOCK):
        if not resume and checkpoint.exists():
            raise FileExistsError(
                f"{folder} holds a run already: resume it, remove it, or choose another name"
            )
        holds_agent = kept.exists() and (checkpoint.exists() or (folder / FILE_NAME).exists())
        if holds_agent and (other := _first_difference(read_kept(kept, type(config)), config)):
            raise ValueError(
                f"{folder} holds a run of another config ({other}), see {kept}: choose another name, or "
                f"change only {' and '.join(_CHANGEABLE)} of a run that continues there"
            )
        yield


def _first_difference(before: Run, config: Run) -> str:
    """Return the first key whose change keeps a run from continuing, with both values, or nothing."""
    old, new = (_flatten(each.model_dump()) for each in (before, config))
    for key in new | old:
        if old.get(key) != new.get(key) and key not in _CHANGEABLE:
            return f"{key} = {quoted(old.get(key))} there, {quoted(new.get(key))} here"
    return ""


def _flatten(config: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a config, those of its sections as in "learning.layers"."""
    return {
        f"{section}.{key}" if isinstance(value, dict) else section: inner
        for section, value in config.items()
        for key, inner in (value.items() if isinstance(value, dict) else [("", value)])
    }


def keep_config(config: Run, folder: Path) -> None:
    text = config.model_dump_json(indent=2)
    write_atomically(folder / CONFIG, lambda path: path.write_text(text, encoding="utf-8"))

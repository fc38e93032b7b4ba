"""A training run: its learner, its folder, and resuming."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from wizard_env.agents.network import FILE_NAME
from wizard_env.files.locks import locked
from wizard_env.files.writing import write_atomically
from wizard_env.train.config.reading import read_kept
from wizard_env.train.config.run import Config, Run
from wizard_env.train.parallel.allocator import keep_freed_memory
from wizard_env.train.parallel.devices import check_device, with_precision
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.progress import Progress

CHANGEABLE = ("learning.decisions", "learning.checkpoint_seconds")
"""The keys that a run may change when it goes on."""
CONFIG = "config.json"
"""The file in a run's folder that keeps its config."""
LOCK = "lock"
"""The file in a run's folder that whoever writes there has locked; the lock ends with its process."""
LEARNERS = {
    "ppo": "wizard_env.train.ppo.learner",
    "maskable_ppo": "wizard_env.train.sb3.learner",
    "dqn": "wizard_env.train.dqn.learner",
    "distillation": "wizard_env.train.distillation.learner",
}
"""The module of each learner, which has a class `Learner` and the file name CHECKPOINT. It is imported when a
run needs it, so that a run loads no library that it does not use."""


def checkpoint_of(config: Config, folder: Path) -> Path:
    """The file that a run resumes from."""
    name: str = _module(config).CHECKPOINT
    return folder / name


def _module(config: Config) -> Any:
    return importlib.import_module(LEARNERS[config.learning.learner])


def train(
    config: Config,
    folder: Path,
    *,
    resume: bool = False,
    device: str = "cpu",
    report: Callable[[Progress], None] | None = None,
) -> Path:
    """Learn by self-play as a config says, and write everything into a folder.

    Writes a checkpoint (to resume from), `agent.safetensors` (to play with), the curves in `progress.csv`
    and for TensorBoard, and `config.json`, which also keeps the precision that "auto" came to.

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
    learner = _module(config).Learner
    run_learner(
        lambda kept: learner(config, device, kept),
        checkpoint_of(config, folder),
        config,
        folder,
        resume,
        report,
    )
    return folder


def decide_precision(config: Config, folder: Path, device: str, *, here: bool = True) -> Config:
    """Return the config with the precision that a run in this folder computes in on this device.

    A run that is there keeps its own.

    Args:
        config: the run.
        folder: the run's.
        device: "cpu" or "cuda".
        here: whether the device is one of this machine.

    Raises:
        ConfigError: the config of the run that is there cannot be read.
        ValueError: there is no such device.
    """
    check_device(device, here=here)
    kept = folder / CONFIG
    goes_on = checkpoint_of(config, folder).exists() and kept.exists()
    return with_precision(config, device, read_kept(kept, Config) if goes_on else None)


def run_learner(
    begin: Callable[[Path | None], Any],
    checkpoint: Path,
    config: Run,
    folder: Path,
    resume: bool,
    report: Callable[[Progress], None] | None,
) -> None:
    """Let a learner learn in a folder; what `train` and learning on RLlib have in common.

    Nothing is written before the learner has begun, which loads and checks all that the config names.

    Args:
        begin: makes the learner, given the checkpoint to resume from or None.
        checkpoint: where the learner writes its checkpoints.
        config: the run.
        folder, resume, report: as for `train`, which raises the same errors.
    """
    keep_freed_memory()
    learner = None
    if not resume:
        if folder.exists():
            with claimed(checkpoint, config, folder, resume):
                pass  # refuses at once what it would refuse below
        learner = begin(None)
    with claimed(checkpoint, config, folder, resume):
        learner = learner or begin(checkpoint)
        if learner.decisions >= config.learning.decisions:
            return
        keep_config(config, folder)
        with closing(Curves(folder, learner.decisions)) as curves:
            learner.learn(folder, curves, report)


@contextmanager
def claimed(checkpoint: Path, config: Run, folder: Path, resume: bool) -> Iterator[None]:
    """Lock the folder, which is created if it is missing, for as long as the block runs.

    The arguments are those of `run_learner`; raises what `train` raises.
    """
    if resume and not checkpoint.exists():
        raise FileNotFoundError(f"nothing to resume: there is no {checkpoint}")
    with locked(folder, LOCK):
        _check_claim(checkpoint, config, folder, resume)
        yield


def _check_claim(checkpoint: Path, config: Run, folder: Path, resume: bool) -> None:
    """Check that the run may write into the folder: an agent that is there must be of the same config."""
    if not resume and checkpoint.exists():
        raise FileExistsError(f"{folder} holds a run already: resume it, remove it, or choose another name")
    kept = folder / CONFIG
    if kept.exists() and (checkpoint.exists() or (folder / FILE_NAME).exists()):
        before = read_kept(kept, type(config))
        if other := _first_difference(before, config):
            raise ValueError(
                f"{folder} holds a run of another config ({other}), see {kept}: choose another name, or "
                f"change only {' and '.join(CHANGEABLE)} of a run that goes on there"
            )


def _first_difference(before: Run, config: Run) -> str:
    """The first key by which a run could not go on, with both values; nothing if it can."""
    was, given = (_flat(each.model_dump()) for each in (before, config))
    for key in given | was:
        if was.get(key) != given.get(key) and key not in CHANGEABLE:
            return f"{key} = {was.get(key)!r} there, {given.get(key)!r} here"
    return ""


def _flat(config: dict[str, Any]) -> dict[str, Any]:
    """The keys of a config, those of its sections as in "learning.layers"."""
    return {
        f"{section}.{key}" if isinstance(value, dict) else section: inner
        for section, value in config.items()
        for key, inner in (value.items() if isinstance(value, dict) else [("", value)])
    }


def keep_config(config: Run, folder: Path) -> None:
    """Write the config of a run into its folder."""
    text = config.model_dump_json(indent=2)
    write_atomically(folder / CONFIG, lambda path: path.write_text(text, encoding="utf-8"))

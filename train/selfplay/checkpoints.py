"""Checkpoints: one file of tensors with dotted names, and plain values in its header."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from wizard_env.checks import shortened
from wizard_env.files import check_kept, write_atomically, write_tensors
from wizard_env.train.config.learning import Learning

CHECKPOINT = Learning.checkpoint_file
"""The file that the learners written here resume from."""
_STEP = "step"
_MOMENTS = {_STEP, "exp_avg", "exp_avg_sq"}
"""Names of the tensors that Adam keeps for a parameter."""
Tensors: TypeAlias = dict[str, torch.Tensor]


class CheckpointError(ValueError):
    """A checkpoint cannot be resumed; the message names the file and the reason."""


@contextmanager
def restoring(path: Path) -> Iterator[None]:
    """Raise CheckpointError for any error that the content of the file causes in the block."""
    try:
        yield
    except CheckpointError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise CheckpointError(
            f"{path} cannot be resumed, it is damaged or of another kind: {shortened(reason)}"
        ) from error


def write_checkpoint(path: Path, parts: Mapping[str, Mapping[str, torch.Tensor]], plain: object) -> None:
    """Write a file atomically.

    parts: tensors, by the name of their part, which has no dot, and their own name.
    plain: values that JSON can hold.
    """
    tensors = {
        f"{part}.{name}": value.detach().cpu().contiguous()
        for part, named in parts.items()
        for name, value in named.items()
    }
    content = save(tensors, {"state": json.dumps(plain)})
    write_atomically(path, lambda temporary: write_tensors(temporary, content))


def read_checkpoint(path: Path) -> tuple[dict[str, Tensors], Any]:
    """Return the parts and the plain values that `write_checkpoint` wrote, less parts without tensors.

    Raises CheckpointError if the file is damaged or of another kind.
    """
    parts: dict[str, Tensors] = {}
    check_kept(path)
    try:
        with restoring(path), safe_open(path, framework="pt") as file:
            for full_name in file.keys():  # noqa: SIM118
                part, _, name = full_name.partition(".")
                parts.setdefault(part, {})[name] = file.get_tensor(full_name)
            return parts, json.loads(file.metadata()["state"])
    except SafetensorError as error:
        raise CheckpointError(f"{path} is not a checkpoint: {shortened(error)}") from None


def moments(optimizer: torch.optim.Optimizer) -> Tensors:
    """Return the tensors that an optimiser keeps for each parameter, by "number.name"."""
    return {
        f"{number}.{name}": value
        for number, kept in optimizer.state_dict()["state"].items()
        for name, value in kept.items()
    }


def set_moments(optimizer: torch.optim.Optimizer, kept: Tensors) -> None:
    """Load the result of `moments` of an Adam optimiser.

    Raises ValueError for tensors that are missing, of other names or shapes, or not finite.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state: dict[int, Tensors] = {}
    for full_name, value in kept.items():
        number, _, name = full_name.partition(".")
        needed = () if name == _STEP else parameters[int(number)].shape
        if value.shape != needed or not torch.isfinite(value).all():
            raise ValueError(f"the optimiser's {full_name} does not fit the network, or is not finite")
        state.setdefault(int(number), {})[name] = value
    for parameter in range(len(parameters)):
        if state.get(parameter, {}).keys() != _MOMENTS:
            raise ValueError(f"the optimiser lacks moments of parameter {parameter}, or has others")
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})

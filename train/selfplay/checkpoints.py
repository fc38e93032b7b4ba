"""Checkpoints: one file of tensors with dotted names, and plain values in its header."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import torch
from safetensors import safe_open
from safetensors.torch import save

from wizard_env.records.files import write_atomically
from wizard_env.records.tensor_files import write_tensors

CHECKPOINT = "checkpoint.safetensors"
Tensors: TypeAlias = dict[str, torch.Tensor]


def write_checkpoint(path: Path, parts: Mapping[str, Mapping[str, torch.Tensor]], plain: object) -> None:
    """Replace a file atomically.

    Args:
        path: the file.
        parts: tensors, by the name of their part and their own name; a part's name has no dot.
        plain: values that JSON can hold.
    """
    tensors = {
        f"{part}.{name}": value.detach().cpu().contiguous()
        for part, named in parts.items()
        for name, value in named.items()
    }
    about = {"state": json.dumps(plain)}
    content = save(tensors, about)
    write_atomically(path, lambda temporary: write_tensors(temporary, content))


def read_checkpoint(path: Path) -> tuple[dict[str, Tensors], Any]:
    """The parts and the plain values that `write_checkpoint` wrote, without parts that had no tensors."""
    parts: dict[str, Tensors] = {}
    with safe_open(path, framework="pt") as file:
        for full_name in file.keys():  # noqa: SIM118
            part, _, name = full_name.partition(".")
            parts.setdefault(part, {})[name] = file.get_tensor(full_name)
        return parts, json.loads(file.metadata()["state"])


def read_plain(path: Path) -> Any:
    """The plain values that `write_checkpoint` wrote; the tensors are not read."""
    with safe_open(path, framework="pt") as file:
        return json.loads(file.metadata()["state"])


def moments(optimizer: torch.optim.Optimizer) -> Tensors:
    """What an optimiser keeps for each parameter, by "number.name"."""
    return {
        f"{number}.{name}": value
        for number, kept in optimizer.state_dict()["state"].items()
        for name, value in kept.items()
    }


def set_moments(optimizer: torch.optim.Optimizer, kept: Tensors) -> None:
    """Load what `moments` returned."""
    state: dict[int, Tensors] = {}
    for full_name, value in kept.items():
        number, _, name = full_name.partition(".")
        state.setdefault(int(number), {})[name] = value
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})

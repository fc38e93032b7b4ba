"""Devices that networks learn on: the processor, or a GPU by CUDA."""

import re

from wizard_env.checks import shortened


def check_device(device: str, *, here: bool = True) -> None:
    """Raise ValueError for a device that networks cannot learn on.

    Args:
        device: "cpu", "cuda", or "cuda:1" for the second GPU.
        here: whether it is one of this machine, which is asked whether it has it.
    """
    if device == "cpu":
        return
    if not (found := re.fullmatch(r"cuda(?::(\d{1,3}))?", device)):
        raise ValueError(f"device={shortened(repr(device))}: allowed are 'cpu' and 'cuda'")
    if not here:
        return
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(found[1] or 0) >= count:
        allowed = f"allowed are 'cpu' and 'cuda:0' to 'cuda:{count - 1}'" if count else "allowed is 'cpu'"
        raise ValueError(f"device={device!r}: torch {torch.__version__} finds {count} GPUs: {allowed}")

"""Devices that networks learn on, and the precision that is faster there: bfloat16 or float32."""

import logging
import re
from typing import Any

import torch

from wizard_env.checks import quoted
from wizard_env.train.config.learning import AUTO, Precision
from wizard_env.train.config.run import Config

_log = logging.getLogger(__name__)


def check_device(device: str, *, here: bool = True) -> None:
    """Raise ValueError unless a device is "cpu", "cuda" or like "cuda:1", and, if `here`, on this machine."""
    if device == "cpu":
        return
    if not (found := re.fullmatch(r"cuda(?::(\d{1,3}))?", device)):
        raise ValueError(f"device={quoted(device)}: allowed are 'cpu' and 'cuda'")
    if not here:
        return
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(found[1] or 0) >= count:
        allowed = f"allowed are 'cpu' and 'cuda:0' to 'cuda:{count - 1}'" if count else "allowed is 'cpu'"
        raise ValueError(f"device={quoted(device)}: torch {torch.__version__} finds {count} GPUs: {allowed}")


def faster_precision(device: torch.device) -> Precision:
    """Return the precision in which learning is faster on a device of this machine.

    In float32 the products on an x86 processor skip zeros (`wizard_env.train.networks.sparse`). Units for
    matrices (AMX) are faster still in bfloat16; vector instructions for it (AVX512-BF16) are not, and without
    either it is emulated, several times slower.
    """
    if device.type == "cpu":
        features: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # torch 2.8 has none
        fast = bool(features.get("amx_bf16"))
    else:
        fast = torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False)
    return "bfloat16" if fast else "float32"


def with_precision(config: Config, device: str, before: Config | None = None) -> Config:
    """Return a config whose precision is decided.

    before: the config of the run that continues, whose precision is kept.
    """
    learning = config.learning
    if learning.precision != AUTO:
        return config
    precision = faster_precision(torch.device(device))
    kept = before.learning.precision if before else AUTO
    if kept not in (AUTO, precision):
        _log.warning("the run continues in %s, as it began; here %s would be faster", kept, precision)
    decided = precision if kept == AUTO else kept
    return config.model_copy(update={"learning": learning.model_copy(update={"precision": decided})})

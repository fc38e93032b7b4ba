"""Devices that networks learn on, the precision that is faster there, and the memory of this process."""

import ctypes
import platform
import re
from typing import Any

import torch

from wizard_env.checks import quoted
from wizard_env.train.config.learning import Precision

_TRIM_THRESHOLD = -1
_TOP_PAD = -2
_MMAP_THRESHOLD = -3
_NEVER = 2**31 - 1
_GROW = 2**28


def check_device(device: str) -> None:
    """Raise ValueError unless a device is "cpu", "cuda" or like "cuda:1", and on this machine."""
    if device == "cpu":
        return
    if not (found := re.fullmatch(r"cuda(?::(\d{1,3}))?", device)):
        raise ValueError(f"device={quoted(device)}: allowed are 'cpu' and 'cuda'")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(found[1] or 0) >= count:
        allowed = f"allowed are 'cpu' and 'cuda:0' to 'cuda:{count - 1}'" if count else "allowed is 'cpu'"
        raise ValueError(f"device={quoted(device)}: torch {torch.__version__} finds {count} GPUs: {allowed}")


def faster_precision(device: torch.device) -> Precision:
    """Return the precision in which learning is faster on a device of this machine.

    In float32 the products on a processor skip zeros (`wizard_env.train.networks.sparse`). Units for
    matrices (AMX) are faster still in bfloat16; vector instructions for it (AVX512-BF16) are not, and without
    either it is emulated, several times slower.
    """
    if device.type == "cpu":
        features: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # torch 2.8 has none
        fast = bool(features.get("amx_bf16"))
    else:
        fast = torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False)
    return "bfloat16" if fast else "float32"


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Compute in bfloat16 where `precision` asks for it; leave float32 alone."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


def keep_freed_memory() -> None:
    """Make glibc serve large blocks from the heap and never return them; do nothing without glibc.

    By default each large tensor is a new mapping, and the kernel zeroes its pages when they are first
    touched: a gradient step then takes more than twice as long.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(_MMAP_THRESHOLD, _NEVER)
    mallopt(_TRIM_THRESHOLD, _NEVER)
    mallopt(_TOP_PAD, _GROW)

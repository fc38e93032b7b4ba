"""Devices that networks learn on, and the precision that is faster there: bfloat16 or float32."""

import logging
import re
from collections.abc import Callable
from time import thread_time

import torch

from wizard_env.checks import shortened
from wizard_env.train.arena.workers import torch_on_one_thread
from wizard_env.train.config.learning import AUTO, Precision
from wizard_env.train.config.run import Config

_WORTH = 3.0
"""How many times as fast dense products in bfloat16 must be.

In float32 the products skip zeros, see `wizard_env.train.sparse`, which saves two thirds of a run. Units for
matrices, such as AMX, are six to eight times as fast in bfloat16; vector instructions are twice as fast with
AVX512-BF16, and several times slower without.
"""
_SIZE = 512
_REPETITIONS = 5
_log = logging.getLogger(__name__)


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
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(found[1] or 0) >= count:
        allowed = f"allowed are 'cpu' and 'cuda:0' to 'cuda:{count - 1}'" if count else "allowed is 'cpu'"
        raise ValueError(f"device={device!r}: torch {torch.__version__} finds {count} GPUs: {allowed}")


def faster_precision(
    device: torch.device, seconds: Callable[[torch.dtype], float] | None = None
) -> Precision:
    """Return the precision in which learning is faster.

    Args:
        device: a GPU is asked whether it has bfloat16; a processor is measured.
        seconds: measures a product of matrices on the processor.
    """
    if device.type != "cpu":
        fast = torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        seconds = seconds or _seconds
        fast = seconds(torch.float32) > _WORTH * seconds(torch.bfloat16)
    return "bfloat16" if fast else "float32"


def with_precision(config: Config, device: str, before: Config | None = None) -> Config:
    """Return a config whose precision is decided.

    Args:
        config: decided already, or "auto".
        device: "cpu" or "cuda".
        before: the config of the run that goes on, whose precision is kept.
    """
    learning = config.learning
    if learning.precision != AUTO:
        return config
    if learning.learner == "maskable_ppo":
        precision: Precision = "float32"  # which stable-baselines3 computes in
    else:
        precision = faster_precision(torch.device(device))
    kept = getattr(before.learning, "precision", AUTO) if before else AUTO
    if kept not in (AUTO, precision):
        _log.warning("the run goes on in %s, as it began; here %s would be faster", kept, precision)
    decided = precision if kept == AUTO else kept
    return config.model_copy(update={"learning": learning.model_copy(update={"precision": decided})})


def _seconds(dtype: torch.dtype) -> float:
    """The processor time of a product of matrices on one thread, the shortest of several."""
    matrix = torch.ones(_SIZE, _SIZE, dtype=dtype)
    taken = []
    with torch_on_one_thread(), torch.inference_mode():
        for _ in range(_REPETITIONS):
            start = thread_time()
            torch.mm(matrix, matrix)
            taken.append(thread_time() - start)
    return min(taken)

"""Wizard, Ken Fisher's trick-taking game of exact bids, as reinforcement-learning environments."""

from importlib.metadata import version
from typing import Any

import gymnasium
import lazy_loader
import pettingzoo

import wizard_env.compiled.processes  # noqa: F401 - it notes forks from now on

# `__init__.pyi` lists what is public. A name is loaded when it is first used: the command line answers
# without numba and the game.
_load, _names, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __getattr__(name: str) -> Any:
    return version("wizard-env") if name == "__version__" else _load(name)


def __dir__() -> list[str]:
    return sorted([*_names(), "__version__"])


gymnasium.register(
    "wizard_env/Wizard-v0",
    entry_point="wizard_env.envs.gymnasium_env:WizardEnv",
    vector_entry_point="wizard_env.envs.gymnasium_vector:WizardVectorEnv",
)
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "wizard_env/wizard_v0", entry_point="wizard_env.wizard_v0:env")

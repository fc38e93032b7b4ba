"""Wizard, Ken Fisher's trick-taking game of exact bids, as reinforcement-learning environments."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from wizard_env.actions import ACTIONS, NUM_ACTIONS, IllegalAction, action_id, action_name
    from wizard_env.compiled.threads import get_num_threads, set_num_threads
    from wizard_env.game import Game
    from wizard_env.games import Games
    from wizard_env.loading import agent_names, load
    from wizard_env.observation import (
        FULL_SIZE,
        FULL_STATE,
        HIGHS,
        OBS_SIZE,
        OBSERVATION,
        SLICES,
        unpack,
    )
    from wizard_env.readable import Round
    from wizard_env.records import (
        RecordError,
        Transcript,
        parse_position,
        position,
        read_records,
        record,
        replay,
        transcribe,
        write_records,
    )
    from wizard_env.render import Scene
    from wizard_env.rules import Rules
    from wizard_env.sampling import sample_legal, sample_softmax
    from wizard_env.view import Agent, View, printed_actions, reorder_actions

    __version__: str

__all__ = [
    "ACTIONS",
    "FULL_SIZE",
    "FULL_STATE",
    "HIGHS",
    "NUM_ACTIONS",
    "OBSERVATION",
    "OBS_SIZE",
    "SLICES",
    "Agent",
    "Game",
    "Games",
    "IllegalAction",
    "RecordError",
    "Round",
    "Rules",
    "Scene",
    "Transcript",
    "View",
    "__version__",
    "action_id",
    "action_name",
    "agent_names",
    "get_num_threads",
    "load",
    "parse_position",
    "position",
    "printed_actions",
    "read_records",
    "record",
    "reorder_actions",
    "replay",
    "sample_legal",
    "sample_softmax",
    "set_num_threads",
    "transcribe",
    "unpack",
    "write_records",
]

# What is public is loaded when it is first named: the command line answers without numba and the game.
_HOMES = {
    name: module
    for module, names in {
        "wizard_env.actions": ("ACTIONS", "NUM_ACTIONS", "IllegalAction", "action_id", "action_name"),
        "wizard_env.compiled.threads": ("get_num_threads", "set_num_threads"),
        "wizard_env.game": ("Game",),
        "wizard_env.games": ("Games",),
        "wizard_env.loading": ("agent_names", "load"),
        "wizard_env.observation": (
            "FULL_SIZE",
            "FULL_STATE",
            "HIGHS",
            "OBS_SIZE",
            "OBSERVATION",
            "SLICES",
            "unpack",
        ),
        "wizard_env.readable": ("Round",),
        "wizard_env.records": (
            "RecordError",
            "Transcript",
            "parse_position",
            "position",
            "read_records",
            "record",
            "replay",
            "transcribe",
            "write_records",
        ),
        "wizard_env.render": ("Scene",),
        "wizard_env.rules": ("Rules",),
        "wizard_env.sampling": ("sample_legal", "sample_softmax"),
        "wizard_env.view": ("Agent", "View", "printed_actions", "reorder_actions"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = import_module("importlib.metadata").version("wizard-env")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


gymnasium.register(
    "wizard_env/Wizard-v0",
    entry_point="wizard_env.envs.gymnasium_env:WizardEnv",
    vector_entry_point="wizard_env.envs.gymnasium_vector:WizardVectorEnv",
)
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "wizard_env/wizard_v0", entry_point="wizard_env.wizard_v0:env")

"""Wizard, Ken Fisher's trick-taking game of exact bids, as reinforcement-learning environments."""

import gymnasium
import pettingzoo

from wizard_env.actions import ACTIONS, NUM_ACTIONS, IllegalAction, action_id, action_name
from wizard_env.game import Game
from wizard_env.games import Games
from wizard_env.observation.fields import OBS_SIZE, OBSERVATION, SLICES, unpack
from wizard_env.rules import Rules
from wizard_env.sampling import sample_legal, sample_softmax
from wizard_env.view import Agent, View

__all__ = [
    "ACTIONS",
    "NUM_ACTIONS",
    "OBSERVATION",
    "OBS_SIZE",
    "SLICES",
    "Agent",
    "Game",
    "Games",
    "IllegalAction",
    "Rules",
    "View",
    "action_id",
    "action_name",
    "sample_legal",
    "sample_softmax",
    "unpack",
]

gymnasium.register(
    "wizard_env/Wizard-v0",
    entry_point="wizard_env.envs.gymnasium_env:WizardEnv",
    vector_entry_point="wizard_env.envs.gymnasium_vector:WizardVectorEnv",
)
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "wizard_env/wizard_v0", entry_point="wizard_env.wizard_v0:env")

"""Proximal policy optimisation, written for self-play: the learner "ppo"."""

from wizard_env.extras import extra

with extra("train"):
    import torch  # noqa: F401 - for all modules of this wing

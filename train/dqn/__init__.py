"""Deep Q-networks, as published for Wizard: the learner "dqn"."""

from wizard_env.extras import extra

with extra("train"):
    import torch  # noqa: F401 - for all modules of this wing

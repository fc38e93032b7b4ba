"""Learning with stable-baselines3: sb3-contrib's MaskablePPO over self-play."""

from wizard_env.extras import extra

with extra("train"):
    import sb3_contrib  # noqa: F401 - for all modules of this wing

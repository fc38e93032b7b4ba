"""Networks that learn: their layers, their growth, products that skip zeros, and devices."""

from wizard_env.extras import extra

with extra("train"):
    import torch  # noqa: F401 - for all modules of this folder

"""The configuration of a run: one TOML file is one experiment."""

from wizard_env.extras import extra

with extra("train"):
    import pydantic  # noqa: F401 - for all modules of this folder

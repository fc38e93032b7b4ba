"""The game under a name that `verifiers` can find: it imports tasksets from the top level alone."""

from wizard_env.llm.verifiers import (
    WizardGameEnv,
    WizardHarness,
    WizardTaskset,
    load_environment,
)

__all__ = ["WizardGameEnv", "WizardHarness", "WizardTaskset", "load_environment"]

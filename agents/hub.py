"""Agents on the Hugging Face Hub: `load("hf:owner/name")`."""

import re
from typing import Any

from wizard_env.agents.adaptive.checkpoint import load_network
from wizard_env.agents.network import FILE_NAME, Backend, PolicyAgent
from wizard_env.checks.arguments import check_type, quoted
from wizard_env.checks.extras import extra


def load_from_hub(
    repo: str, revision: str = "main", sample: bool = False, backend: Backend = "auto"
) -> PolicyAgent:
    """Download a network, or find it in the hub's cache: its safetensors file alone, and no code runs.

    Args:
        repo: the repository, owner/name.
        revision: a branch, a tag or a commit of it.
        sample, backend: as for `NetworkAgent`.
    """
    check_repo(repo)
    check_type("revision", revision, str)
    path = hub().hf_hub_download(repo, FILE_NAME, revision=revision)
    return load_network(path, sample, backend)


def check_repo(repo: object) -> None:
    """Raise ValueError for a name that no repository of the hub can have."""
    if not isinstance(repo, str) or not re.fullmatch(r"[\w.-]{1,96}/[\w.-]{1,96}", repo, re.ASCII):
        raise ValueError(f"repository {quoted(repo)}: allowed are names as in 'owner/name'")


def hub() -> Any:
    """Import the library of the hub."""
    with extra("hub"):
        import huggingface_hub
    return huggingface_hub

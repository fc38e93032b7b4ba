"""Agents on the Hugging Face Hub: `load("hf:owner/name")`."""

import re
from pathlib import Path
from typing import Any

from wizard_env.agents.network import FILE_NAME
from wizard_env.checks import check_type, quoted
from wizard_env.extras import extra


def download(repo: str, revision: str) -> Path:
    """Download the safetensors file of a network, and nothing else, or find it in the hub's cache.

    repo: owner/name; revision: a branch, a tag or a commit of it.
    """
    check_repo(repo)
    check_type("revision", revision, str)
    return Path(hub().hf_hub_download(repo, FILE_NAME, revision=revision))


def check_repo(repo: object) -> None:
    """Raise ValueError for a name that no repository of the hub can have."""
    if not isinstance(repo, str) or not re.fullmatch(r"[\w.-]{1,96}/[\w.-]{1,96}", repo, re.ASCII):
        raise ValueError(f"repository {quoted(repo)}: allowed are names as in 'owner/name'")


def hub() -> Any:
    """Import the library of the hub."""
    with extra("hub"):
        import huggingface_hub
    return huggingface_hub

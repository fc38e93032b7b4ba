"""Agents on the Hugging Face Hub: `load("hf:owner/name")`."""

import re
from typing import Any

from wizard_env.agents.network import FILE_NAME, Backend, NetworkAgent
from wizard_env.checks.arguments import check_type, quoted
from wizard_env.checks.extras import extra


class HubAgent(NetworkAgent):
    """A network from the hub; only its safetensors file is downloaded, and no code runs."""

    def __init__(
        self, repo: str, revision: str = "main", sample: bool = False, backend: Backend = "auto"
    ) -> None:
        """Download the network, or find it in the hub's cache.

        Args:
            repo: the repository, owner/name.
            revision: a branch, a tag or a commit of it.
            sample, backend: as for `NetworkAgent`.
        """
        check_repo(repo)
        check_type("revision", revision, str)
        path = hub().hf_hub_download(repo, FILE_NAME, revision=revision)
        super().__init__(path, sample, backend)


def check_repo(repo: object) -> None:
    """Raise ValueError for a name that no repository of the hub can have."""
    if not isinstance(repo, str) or not re.fullmatch(r"[\w.-]{1,96}/[\w.-]{1,96}", repo, re.ASCII):
        raise ValueError(f"repository {quoted(repo)}: allowed are names as in 'owner/name'")


def hub() -> Any:
    """Import the library of the hub."""
    with extra("hub"):
        import huggingface_hub
    return huggingface_hub

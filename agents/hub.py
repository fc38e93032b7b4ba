"""Agents on the Hugging Face Hub: `load("hf:owner/name")`."""

from typing import Any

from wizard_env.agents.network import FILE_NAME, Backend, NetworkAgent
from wizard_env.extras import extra


class HubAgent(NetworkAgent):
    """A network that somebody has pushed; only its safetensors file is downloaded, and no code runs."""

    def __init__(
        self, repo: str, revision: str = "main", sample: bool = False, backend: Backend = "auto"
    ) -> None:
        """Download the network, or find it in the hub's cache.

        Args:
            repo: the repository, owner/name.
            revision: a branch, a tag or a commit of it.
            sample, backend: the options of `NetworkAgent`.

        Raises what `NetworkAgent` and `huggingface_hub.hf_hub_download` raise.
        """
        path = hub().hf_hub_download(repo, FILE_NAME, revision=revision)
        super().__init__(path, sample, backend)


def hub() -> Any:
    """The library of the hub. Raises ModuleNotFoundError with the extra to install."""
    with extra("hub"):
        import huggingface_hub
    return huggingface_hub

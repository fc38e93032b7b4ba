"""Networks by their path, `load("runs/quick")`, or on the hub, `load("hf:owner/name")`."""

from os import PathLike

from wizard_env.agents.adaptive.agent import AdaptiveAgent
from wizard_env.agents.hub import download
from wizard_env.agents.network import Backend, NetworkAgent, PolicyAgent, reads_beliefs
from wizard_env.checks import check_type


def load_network(
    path: str, sample: bool = False, backend: Backend = "auto", encoding: str = ""
) -> PolicyAgent:
    """Read a network; one that reads beliefs about the other seats becomes an AdaptiveAgent.

    The options are those of `NetworkAgent`.
    """
    check_type("path", path, str, PathLike)
    if not encoding and reads_beliefs(path):
        return AdaptiveAgent(path, sample, backend)
    return NetworkAgent(path, sample, backend, encoding)


def load_from_hub(
    repo: str, revision: str = "main", sample: bool = False, backend: Backend = "auto"
) -> PolicyAgent:
    """Read a network of the Hugging Face Hub; only its safetensors file is downloaded, and no code runs.

    Args:
        repo: the repository, owner/name.
        revision: a branch, a tag or a commit of it.
        sample, backend: as for `NetworkAgent`.
    """
    return load_network(str(download(repo, revision)), sample, backend)

"""Networks by their path: `load("runs/quick")`."""

from os import PathLike

from wizard_env.agents.adaptive.agent import AdaptiveAgent
from wizard_env.agents.network import Backend, NetworkAgent, PolicyAgent, reads_beliefs
from wizard_env.checks.arguments import check_type


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

"""Fingerprints of agents: an agent that has changed has another one, even under the same name."""

import hashlib
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from wizard_env import Agent
from wizard_env.agents.network import Network
from wizard_env.loading import place_of, split_path


def fingerprint(name: str, agent: Agent) -> str:
    """Return 16 hexadecimal digits for an agent's options, its networks' weights, and its file.

    Where these are read from a path, the path does not count: a copy elsewhere has the same fingerprint. The
    names of other agents count. No other code does: an agent that is named by its class alone and whose code
    has changed needs another name.
    """
    place, found = place_of(name), list(_weights_of(agent))
    code = place.read_bytes() if place is not None and place.suffix == ".py" and place.is_file() else b""
    is_read = place is not None and (code or found)
    digest = hashlib.sha256((split_path(name)[1] if is_read else name).encode(errors="surrogatepass"))
    digest.update(code)
    for weights in found:
        digest.update(f"{weights.dtype.str}{weights.shape}".encode())
        digest.update(weights.tobytes())
    return digest.hexdigest()[:16]


def _weights_of(agent: object) -> Iterator[NDArray[Any]]:
    """Yield the weights of a network, or of those that an agent holds, in the order of their names.

    Inputs whose weights are all 0 are left out: those that the network has never seen.
    """
    if isinstance(agent, Network):
        for weights, biases in (*agent.layers, *([agent.value] if agent.value else [])):
            yield weights[weights.any(axis=1)]
            yield biases
    if callable(getattr(agent, "act", None)):
        for _, held in sorted(getattr(agent, "__dict__", {}).items()):
            networks = held.values() if isinstance(held, dict) else [held]
            for network in networks:
                yield from _weights_of(network)

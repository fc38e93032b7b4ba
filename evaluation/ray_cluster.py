"""Connecting to a Ray cluster, or starting one on this machine."""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from wizard_env.extras import extra

_SECONDS = 10.0
"""Time for a machine to answer; Ray itself would try for minutes."""
LOCAL = "local"
"""The address that starts a cluster on this machine, for as long as it is needed."""


class Connection(NamedTuple):
    """A connection to a cluster."""

    ray: Any
    """The module."""
    own: bool
    """True if it ends with the block, False if it was there before."""


@contextmanager
def connect(address: str, option: str, processors: int | None = None) -> Iterator[Connection]:
    """Connect to a cluster for as long as the block runs, unless this process is connected already.

    Args:
        address: of the cluster; "auto" is the one that this machine belongs to, "local" starts one here.
        option: the option that gave the address, for the error.
        processors: the number that a cluster which is started here offers; by default those of this machine.

    Raises ConnectionError if there is no cluster at that address, ValueError if it is not an address.
    """
    with extra("cluster"):
        import ray
    own = not ray.is_initialized()
    if own:
        _check_reachable(address)
        offered = {"num_cpus": processors} if address == LOCAL else {}
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **offered)
        except ValueError as error:
            raise ValueError(f"{option}: {error}; allowed are 'local', 'auto' and host:port") from None
    try:
        yield Connection(ray, own)
    finally:
        if own:
            ray.shutdown()


def _check_reachable(address: str) -> None:
    """Raise ConnectionError if nobody answers at an address of the form host:port."""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in host or not port.isdecimal():
        return  # Ray looks up words and other kinds of addresses
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except OSError as error:
        raise ConnectionError(f"no Ray cluster at {address}: {error}") from None

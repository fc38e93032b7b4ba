"""Limits on the requests and connections of a client."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple

from wizard_table.translation import t

_MOST_CLIENTS = 1000
"""Clients that are counted: those that asked most recently."""
_PAUSE = 0.05
"""Seconds after which a client that waits is counted again."""
_IPV6_NETWORK = 64
"""Leading bits of an IPv6 address that stand for one client."""


class TooFastError(ValueError):
    """Messages come faster, or are longer, than allowed."""


class Limit(NamedTuple):
    """A limit on the rate of something."""

    rate: float
    """The number allowed on average, per second or per hour."""
    burst: int
    """The number allowed at once."""
    kind: str = "messages"
    """A key of `_refusal`."""
    per_hour: bool = False


class Bucket:
    """A token bucket: counts what a client does against a limit."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._left = float(limit.burst)
        self._seen = time.monotonic()

    def take(self) -> None:
        """Count one. Raises TooFastError if there are too many."""
        rate = self._limit.rate / 3600 if self._limit.per_hour else self._limit.rate
        now = time.monotonic()
        self._left = min(self._limit.burst, self._left + (now - self._seen) * rate)
        self._seen = now
        if self._left < 1:
            raise TooFastError(_refusal(self._limit))
        self._left -= 1


def _refusal(limit: Limit) -> str:
    kinds = {"messages": t("messages"), "requests": t("requests"), "new tables": t("new tables")}
    kind, rate = kinds[limit.kind], f"{limit.rate:g}"
    if limit.per_hour:
        return t("too many {kind}: {rate} per hour are allowed", kind=kind, rate=rate)
    return t("too many {kind}: {rate} per second are allowed", kind=kind, rate=rate)


class Buckets:
    """A bucket for each client, all with the same limit."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, client: str) -> None:
        """Count one of a client. Raises TooFastError if there are too many."""
        bucket = self._buckets.setdefault(client, Bucket(self._limit))
        self._buckets.move_to_end(client)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        bucket.take()

    async def wait(self, client: str) -> None:
        """Count one of a client, once there are not too many."""
        while True:
            with suppress(TooFastError):
                return self.take(client)
            await asyncio.sleep(_PAUSE)


class Slots:
    """Counts the things that each client has at the same time."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    @contextmanager
    def one_more(self, client: str, most: int) -> Iterator[None]:
        """Count one of a client for as long as the block runs. Raises TooFastError if it has `most`."""
        if self._taken[client] >= most:
            raise TooFastError(t("too many connections: {most} are allowed", most=most))
        self._taken[client] += 1
        try:
            yield
        finally:
            self._taken[client] -= 1
            if not self._taken[client]:
                del self._taken[client]


def client_of(host: str) -> str:
    """Return the client behind an address; a client has many IPv6 addresses, which begin alike."""
    try:
        address = ip_address(host)
    except ValueError:
        return host  # a server on a Unix socket knows none
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> (128 - _IPV6_NETWORK) << (128 - _IPV6_NETWORK)))

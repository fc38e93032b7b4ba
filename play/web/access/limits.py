"""Limits on the requests and connections of a client."""

import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address

from wizard_env.play.language.translation import t

_MOST_CLIENTS = 1000
"""Clients that are counted: those that asked most recently."""
_IPV6_NETWORK = 64
"""Leading bits of an IPv6 address that stand for one client."""


class TooFastError(ValueError):
    """Messages come faster, or are longer, than allowed."""


class Bucket:
    """A token bucket: limits the rate of something."""

    def __init__(self, rate: float, burst: int, what: str = "messages", per_hour: bool = False) -> None:
        """Allow `rate` per second (or hour) on average, `burst` at once; `what` names them in refusals."""
        self._rate = rate / 3600 if per_hour else rate
        self._allowed = (what, f"{rate:g}", per_hour)
        self._burst = burst
        self._left = float(burst)
        self._seen = time.monotonic()

    def take(self) -> None:
        """Count one. Raises TooFastError if there are too many."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._seen) * self._rate)
        self._seen = now
        if self._left < 1:
            raise TooFastError(_refusal(*self._allowed))
        self._left -= 1


def _refusal(what: str, rate: str, per_hour: bool) -> str:
    kinds = {"messages": t("messages"), "requests": t("requests"), "new tables": t("new tables")}
    if per_hour:
        return t("too many {kind}: {rate} per hour are allowed", kind=kinds[what], rate=rate)
    return t("too many {kind}: {rate} per second are allowed", kind=kinds[what], rate=rate)


class Buckets:
    """A bucket for each client, all alike."""

    def __init__(self, rate: float, burst: int, what: str, per_hour: bool = False) -> None:
        """See `Bucket`."""
        self._terms = (rate, burst, what, per_hour)
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, client: str) -> None:
        """Count one of a client. Raises TooFastError if there are too many."""
        bucket = self._buckets.setdefault(client, Bucket(*self._terms))
        self._buckets.move_to_end(client)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        bucket.take()


class Slots:
    """Counts the things that each client has at the same time."""

    def __init__(self) -> None:
        """Start with none."""
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

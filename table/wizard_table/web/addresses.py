"""Addresses that a server answers to, and the one in invitations."""

import io
import socket
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from wizard_env.checks import quoted

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SOMEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation: nothing is sent to them, but a route to them shows our own address."""


class Invitation(NamedTuple):
    """The address at which others find a table."""

    address: str
    reachable: bool
    """False if only the computer of the server can open it."""
    qr: str
    """The address as a QR code: the text of an SVG."""


class Addresses:
    """The addresses of a server. A browser that comes here under another name is refused.

    Otherwise any page could read from and act on a server in its visitor's network, through a name that it
    lets resolve to the server (DNS rebinding), or by requests across sites.
    """

    def __init__(
        self, host: str = "127.0.0.1", port: int | None = None, public_url: str | None = None
    ) -> None:
        """Gather the addresses.

        Args:
            host: the address that the server listens on; 0.0.0.0 and :: mean all.
            port: the port that it listens on; None if it is not known.
            public_url: the address at which others reach it, as through a proxy.

        Raises ValueError if `public_url` is not the address of a server.
        """
        self._port = port
        self.everywhere = not host or (_is_ip(host) and ip_address(host).is_unspecified)
        self._lan = _lan_address() if self.everywhere else None if host in _LOOPBACK else host
        names = {*_LOOPBACK} if host in _LOOPBACK or self.everywhere else {host.lower()}
        if self.everywhere:
            name = socket.gethostname().lower()
            names |= {name, f"{name}.local"}
        self._public, self._public_origin = None, None
        if public_url is not None:
            parts = urlsplit(public_url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
                example = "an address such as https://wizard.example is needed"
                raise ValueError(f"--public-url {quoted(public_url)}: {example}")
            self._public = public_url.rstrip("/")
            self._public_origin = f"{parts.scheme}://{parts.netloc}".lower()
            names.add(parts.hostname)
        self._names = frozenset(names)

    def allow(self, host: str, origin: str | None) -> bool:
        """Check the headers `Host` and `Origin` of a request, or None if it has no origin."""
        name = _name(host)
        if name is None or not (name in self._names or (self.everywhere and _is_ip(name))):
            return False
        if origin is None:
            return True
        return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}", self._public_origin)

    def invite(self, path: str, host: str, scheme: str = "http") -> Invitation:
        """Return the invitation to a path of the server, for a client that came by this `Host`."""
        import segno

        address = self.root_for(host, scheme) + path
        drawn = io.BytesIO()
        segno.make(address, micro=False).save(drawn, kind="svg", xmldecl=False, scale=4, light="#fff")
        return Invitation(address, self._is_reachable(host), drawn.getvalue().decode())

    def root_for(self, host: str, scheme: str = "http") -> str:
        """Return the address at which others reach the server, for a client that came by this `Host`."""
        if self._public is not None:
            return f"{self._public}/"
        if _name(host) in _LOOPBACK and self._is_reachable(host):
            return f"http://{_bracket(self._lan or '')}:{self._port}/"
        return f"{scheme}://{host}/"

    def _is_reachable(self, host: str) -> bool:
        in_network = self._lan is not None and self._port is not None
        return self._public is not None or _name(host) not in _LOOPBACK or in_network

    def public_address(self, host: str) -> str:
        """Return the address to print when the server starts; it listens on `host`."""
        if self._public is not None:
            return self._public
        return f"http://{_bracket(self._lan or (_LOOPBACK[1] if self.everywhere else host))}:{self._port}"


def _name(host: str) -> str | None:
    """Return the name or number in a `Host` header, without the port; None if there is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises ValueError if it is no port
        return parts.hostname if parts.netloc == host and parts.username is None else None
    except ValueError:
        return None


def _is_ip(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _lan_address() -> str | None:
    """Return this computer's address in its network; None if it has none. Nothing is sent."""
    for family, somewhere in _SOMEWHERE.items():
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as out:
                out.connect((somewhere, 9))
                found: str = out.getsockname()[0]
        except OSError:
            continue
        if not ip_address(found).is_loopback:
            return found
    return None


LOCAL = Addresses()
"""A server that only its own computer reaches, at any port."""

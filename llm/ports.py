"""Opening the port of a server, with errors in the words of its user."""

import errno
import socket
from socket import AF_INET, AF_INET6


def open_port(host: str, port: int, option: str = "{}={}") -> socket.socket:
    """Listen on a port; 0 picks a free one. Raises ValueError if that is not possible.

    option: an option and its value, as the user writes them; for the errors.
    """
    try:
        return socket.create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        given = option.format("port", port)
        if error.errno == errno.EADDRINUSE:
            another = option.format("port", port % 65535 + 1)
            raise ValueError(
                f"{given}: another program uses it, perhaps a server that still runs; stop that, or choose "
                f"another port, as in {another}, or 0 for any that is free"
            ) from None
        if error.errno == errno.EACCES:
            raise ValueError(f"{given}: you may not open it; allowed are ports from 1024") from None
        raise ValueError(
            f"{option.format('host', host)}: no address of this computer; 127.0.0.1 is for this computer "
            "alone, and 0.0.0.0 for others too"
        ) from None

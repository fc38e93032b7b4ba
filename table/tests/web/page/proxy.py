"""A TCP proxy between a browser and a server, which a test can make silent or deaf."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_CHUNK = 65536


class Proxy:
    """Passes bytes on in both directions."""

    def __init__(self, server: str) -> None:
        """Listen on a free port, for connections to the server at that address."""
        self._server = urlsplit(server).hostname, urlsplit(server).port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        self._flowing = threading.Event()
        self._flowing.set()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Hold all bytes back from now on, as a network that drops every packet does."""
        self._flowing.clear()

    def flow(self) -> None:
        """Pass everything on again, also what was held back."""
        self._flowing.set()

    def cut(self) -> None:
        """Close every connection."""
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listening.close()
        self.flow()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=self._listening.accept()[:1], daemon=True).start()

    def _serve(self, browser: socket.socket) -> None:
        with suppress(OSError), browser, socket.create_connection(self._server) as server:
            self._open |= {browser, server}
            back = threading.Thread(target=self._pass_on, args=(server, browser), daemon=True)
            back.start()
            self._pass_on(browser, server)
            back.join()
            self._open -= {browser, server}

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                self._flowing.wait()
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@contextmanager
def proxied(server: str) -> Iterator[Proxy]:
    """A proxy to a server, closed at the end."""
    proxy = Proxy(server)
    yield proxy
    proxy.close()

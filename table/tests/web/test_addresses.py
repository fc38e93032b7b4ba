"""Addresses that a server answers to, and the one in invitations."""

import re

import pytest
from wizard_table.web import addresses
from wizard_table.web.addresses import LOCAL, Addresses


@pytest.fixture(autouse=True)
def lan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_lan_address", lambda: "192.168.1.5")
    monkeypatch.setattr("socket.gethostname", lambda: "Desk")


EVERYWHERE, PUBLIC = ("0.0.0.0", 8000, None), ("127.0.0.1", 8000, "https://wizard.example/table/")


@pytest.mark.parametrize(
    ("given", "host", "origin", "allowed"),
    [
        ((), "127.0.0.1:8000", None, True),
        ((), "localhost", "http://localhost", True),
        ((), "[::1]:8000", "http://[::1]:8000", True),
        ((), "LOCALHOST:80", "http://localhost:80", True),
        ((), "evil.example", None, False),  # a name that its owner lets resolve to 127.0.0.1
        ((), "192.168.1.5:8000", None, False),
        ((), "127.0.0.1:8000", "http://evil.example", False),
        ((), "127.0.0.1:8000", "http://127.0.0.1:9000", False),  # another program of this computer
        ((), "127.0.0.1:8000", "null", False),
        ((), "", None, False),
        ((), "localhost@evil.example", None, False),
        ((), "localhost/evil.example", None, False),
        ((), "[", None, False),
        (("192.168.1.5", 8000), "192.168.1.5:8000", None, True),
        (("192.168.1.5", 8000), "localhost:8000", None, False),
        (EVERYWHERE, "192.168.1.5:8000", "http://192.168.1.5:8000", True),
        (EVERYWHERE, "desk.local:8000", None, True),
        (EVERYWHERE, "evil.example:8000", "http://evil.example:8000", False),
        (PUBLIC, "wizard.example", "https://wizard.example", True),
        (PUBLIC, "127.0.0.1:8000", "https://wizard.example", True),
        (PUBLIC, "127.0.0.1:8000", "https://evil.example", False),
    ],
)
def test_only_its_own_addresses_are_answered(
    given: tuple[str, int, str | None], host: str, origin: str | None, allowed: bool
) -> None:
    assert Addresses(*given).allow(host, origin) is allowed


@pytest.mark.parametrize(
    ("given", "host", "address", "reachable"),
    [
        ((), "127.0.0.1:8000", "http://127.0.0.1:8000/#NAME", False),
        (EVERYWHERE, "localhost:8000", "http://192.168.1.5:8000/#NAME", True),
        (EVERYWHERE, "desk.local:8000", "http://desk.local:8000/#NAME", True),
        (("::", 8000), "[::1]:8000", "http://192.168.1.5:8000/#NAME", True),
        (PUBLIC, "127.0.0.1:8000", "https://wizard.example/table/#NAME", True),
    ],
)
def test_invitations_name_an_address_for_others(
    given: tuple[str, int, str | None], host: str, address: str, reachable: bool
) -> None:
    invitation = Addresses(*given).invite("#NAME", host)
    assert (invitation.address, invitation.reachable) == (address, reachable)
    assert re.match(r'<svg [^>]*width="\d+"', invitation.qr)
    assert "style" not in invitation.qr


@pytest.mark.parametrize("wrong", ["wizard.example", "ftp://wizard.example", "https://", "https://a.b/?q=1"])
def test_a_public_address_is_checked(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"--public-url .*: an address such as"):
        Addresses(public_url=wrong)


def test_the_address_that_is_printed() -> None:
    assert Addresses("127.0.0.1", 8000).public_address("127.0.0.1") == "http://127.0.0.1:8000"
    assert Addresses("::1", 8000).public_address("::1") == "http://[::1]:8000"
    assert Addresses(*EVERYWHERE).public_address("0.0.0.0") == "http://192.168.1.5:8000"
    assert Addresses(*PUBLIC).public_address("127.0.0.1") == "https://wizard.example/table"
    assert not LOCAL.everywhere

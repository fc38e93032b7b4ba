"""Extras: what to install when a module that is not in the base is missing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import requires

_OWN = "wizard-env"
_DISTRIBUTIONS = {"pygame": "pygame-ce"}
"""Those that are not called like their module."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import modules of an extra within this block. ModuleNotFoundError for a missing one names the extra."""
    try:
        yield
    except ModuleNotFoundError as missing:
        told = f"no module named {missing.name!r}: pip install 'wizard-env[{name}]'"
        raise ModuleNotFoundError(told, name=missing.name) from missing


def extra_of(module: str) -> str | None:
    """The first extra of this package that installs a module; None if none does."""
    top = module.partition(".")[0]
    wanted = _DISTRIBUTIONS.get(top, top.replace("_", "-"))
    if wanted == _OWN:
        return None  # extras that contain other extras name it
    for needed in requires(_OWN) or ():
        distribution, _, condition = needed.partition(";")
        found = re.match(r"[\w.-]+", distribution)
        extras = re.search(r"extra == ['\"]([\w-]+)['\"]", condition)
        if extras and found and found[0].lower().replace("_", "-") == wanted:
            return extras[1]
    return None

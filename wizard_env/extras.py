"""Extras: hints at what to install where a module outside the base is missing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import requires

_OWN = "wizard-env"
_INSTALL = "pip install"
_DISTRIBUTIONS = {"pygame": "pygame-ce"}  # not called like their module


@contextmanager
def extra(name: str | None = None) -> Iterator[None]:
    """Import modules of an extra within this block; ModuleNotFoundError then names the extra to install.

    name: of the extra; by default the first one that has the missing module.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if _INSTALL in str(missing):
            raise  # it names an extra already
        packages = [f"{_OWN}[{name}]"] if name else []
        raise missing_module(missing.name or "", *packages) from missing


def missing_module(module: str, *packages: str) -> ModuleNotFoundError:
    """Return the error for a module that is not installed, which says what to install.

    packages: for pip; by default this package with the first extra that has the module. If none has it,
        the error only names the module.
    """
    if not packages and (name := extra_of(module)):
        packages = (f"{_OWN}[{name}]",)
    command = f": {_INSTALL} {' '.join(map(repr, packages))}" if packages else ""
    return ModuleNotFoundError(f"no module named {module!r}{command}", name=module)


def extra_of(module: str) -> str | None:
    """Return the first extra that installs a module; `all` for this package's own; None for others."""
    top = module.partition(".")[0]
    wanted = _DISTRIBUTIONS.get(top, top.replace("_", "-"))
    if wanted == _OWN:
        return "all"
    for needed in requires(_OWN) or ():
        distribution, _, condition = needed.partition(";")
        found = re.match(r"[\w.-]+", distribution)
        extras = re.search(r"extra == ['\"]([\w-]+)['\"]", condition)
        if extras and found and found[0].lower().replace("_", "-") == wanted:
            return extras[1]
    return None

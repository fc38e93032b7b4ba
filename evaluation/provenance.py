"""The provenance of results: the version and commit of the package, its libraries, and the processor."""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_LIBRARIES = ("numpy", "numba", "scipy", "torch")
"""Those that results depend on."""


def describe_software(checkout: Path | None = None) -> dict[str, Any]:
    """Return `version`, `commit`, `python`, `libraries` and `processor`.

    The commit is that of the checkout which the package runs from, with "-dirty" where files differ from it;
    None if there is no such checkout.

    checkout: the folder that holds the package, by default.
    """
    return {
        "version": version("wizard-env"),
        "commit": _commit(checkout or Path(__file__).resolve().parent.parent),
        "python": platform.python_version(),
        "libraries": {name: found for name in _LIBRARIES if (found := _installed(name))},
        "processor": processor(),
    }


def processor() -> str:
    """Return the model of the processor, as far as it is known."""
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _installed(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _commit(checkout: Path) -> str | None:
    if not (checkout / ".git").exists():  # an installed package may lie in the checkout of another project
        return None
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None

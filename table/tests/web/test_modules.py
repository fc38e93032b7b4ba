"""The page's pure modules, tested in Node: static/*.test.mjs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
OLDEST = (20, 19)
"""The first Node that takes the page's scripts for modules without being told."""
SUITES = sorted((Path(__file__).parent / "static").glob("*.test.mjs"))


def version() -> tuple[int, ...]:
    """The version of Node; (0,) if there is none."""
    if NODE is None:
        return (0,)
    printed = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.findall(r"\d+", printed)))


@pytest.mark.skipif(version() < OLDEST, reason=f"needs Node {'.'.join(map(str, OLDEST))} or later")
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name.partition(".")[0])
def test_pure_modules(suite: Path) -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", str(suite)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 0" not in done.stdout

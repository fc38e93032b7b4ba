"""Machine code is kept in a folder of the user's own, made again after an edit, and never fatal."""

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_architecture import modules
from wizard_env.compiled.cache import kernel_sources

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX owners, modes and homes")
AS_ROOT = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="root gives files away")
PROGRAM = """
from wizard_env import Game, Rules
from wizard_env.sampling import _expand
import numpy as np
words = np.zeros(2, np.uint64)
_expand(np.uint64(7), words)
assert words.all()
print(sum(_expand.stats.cache_hits.values()))
"""


class Ran(NamedTuple):
    """The end of a process that called a kernel."""

    hits: int
    """1 if the machine code was on disk."""
    log: str


def run(home: Path, sources: Path = ROOT, **environment: str) -> Ran:
    """Call a kernel in a process with this home and no other variables than these."""
    paths = [str(sources), *(path for path in sys.path if "site-packages" in path)]
    settings = {"HOME": str(home), "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=settings | environment, cwd="/", capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Ran(int(done.stdout), done.stderr)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which some machine code is kept."""
    home = tmp_path_factory.mktemp("home")
    assert run(home).hits == 0
    return home


@pytest.fixture
def base(home: Path, tmp_path: Path) -> Path:
    """The folder of a home in which machine code is kept, with some in it."""
    shutil.copytree(home / ".cache", tmp_path / ".cache")
    return tmp_path / ".cache" / "wizard_env"


@POSIX
def test_it_is_kept_where_only_the_user_may_write(base: Path) -> None:
    assert run(base.parents[1]) == (1, "")
    assert stat.S_IMODE(base.stat().st_mode) == 0o700
    (kept,) = base.iterdir()
    assert len(list(kept.iterdir())) == 1


@POSIX
@AS_ROOT
def test_a_folder_of_another_user_is_not_used(base: Path) -> None:
    """With one line that says so; nor one that others may write to."""
    base.chmod(0o777)
    ran = run(base.parents[1])
    assert (ran.hits, ran.log.count("others may write")) == (0, 1)
    base.chmod(0o700)
    os.chown(base, 12_345, 12_345)
    ran = run(base.parents[1])
    assert (ran.hits, ran.log.count("others may write")) == (0, 1)


@POSIX
def test_without_a_folder_it_stays_in_memory(tmp_path: Path) -> None:
    """As for a user without a home: one line, and the game is played."""
    (tmp_path / ".cache").touch()
    ran = run(tmp_path)
    assert (ran.hits, ran.log.count("every process compiles anew")) == (0, 1)


def test_a_named_folder_is_trusted(tmp_path: Path) -> None:
    """It may be another user's, and read-only, as in an image."""
    named = tmp_path / "named"
    assert run(tmp_path, WIZARD_CACHE=str(named)).hits == 0
    folders = (named, *named.iterdir())
    if hasattr(os, "getuid") and os.getuid() == 0:
        for path in (*folders, *named.rglob("*.nbc")):
            os.chown(path, 12_345, 12_345)
    for folder in folders:
        folder.chmod(0o555)
    assert run(tmp_path, WIZARD_CACHE=str(named)) == (1, "")
    for folder in folders:
        folder.chmod(0o755)
    assert not (tmp_path / ".cache").exists()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "flipped": lambda content: content[:-500] + b"\0" * 500,
    "foreign": lambda content: b"\x80\x04K\x05.",
}


@POSIX
def test_damaged_code_is_compiled_anew(base: Path) -> None:
    """With a line in the log, and kept."""
    (path,) = base.glob("*/*.nbc")
    whole = path.read_bytes()
    for damage in DAMAGES.values():
        path.write_bytes(damage(whole))
        ran = run(base.parents[1])
        assert (ran.hits, ran.log.count(str(path))) == (0, 1)
    assert run(base.parents[1]) == (1, "")


@POSIX
def test_a_full_disk_ends_nothing(tmp_path: Path) -> None:
    full = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n{PROGRAM}"
    settings = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": ""}
    settings.pop("WIZARD_CACHE", None)
    done = subprocess.run(
        [sys.executable, "-c", full], env=settings, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr.count("cannot be kept")) == ("0\n", 1)


@POSIX
def test_an_edit_is_compiled_and_stale_code_removed(base: Path, tmp_path: Path) -> None:
    """Of any source of the game, the agents or the learners; the folders used last are kept."""
    copy = tmp_path / "copy"
    for part in ("wizard_env", "agents", "train"):
        ignored = shutil.ignore_patterns("__pycache__", "*.safetensors")
        shutil.copytree(ROOT / part, copy / part, symlinks=True, ignore=ignored)
    assert run(tmp_path, copy).hits == 1
    for number in range(30):
        (base / f"kernels-{number}").mkdir()
        os.utime(base / f"kernels-{number}", (number, number))
    with (copy / "train" / "__init__.py").open("a") as file:
        file.write("# an edit\n")
    assert run(tmp_path, copy).hits == 0
    assert len(list(base.iterdir())) == 20
    assert run(tmp_path, copy).hits == 1
    assert run(tmp_path).hits == 1


def test_every_source_of_compiled_code_counts() -> None:
    """Folders whose sources do not count hold no kernel and no helper."""
    counted, names = (
        dict(kernel_sources()),
        re.compile(r"^@(kernel|compiled|outlined|wrapping)\b", re.MULTILINE),
    )
    assert {"wizard_env", "wizard_env.engine", "wizard_env.agents.layers"} < counted.keys() < modules().keys()
    for module, path in modules().items():
        if module not in counted:
            assert not names.search(path.read_text(encoding="utf-8")), module

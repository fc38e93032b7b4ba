"""Machine code is kept where nobody else can write, used from wherever it can be read, and never fatal."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.reliability.damage import damaged
from tests.reliability.effort import SOAK, generator, mostly_slow, times

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX owners and modes")

ROOT = Path(__file__).parents[2]
IS_ROOT = os.name == "posix" and os.geteuid() == 0 and shutil.which("setpriv") is not None
NEEDS_USERS = pytest.mark.skipif(not IS_ROOT, reason="becomes other users with `setpriv`")
USER, STRANGER = 12_345, 12_346
"""Users without a home and without an entry in the list of users."""
MANY = 60
PACKAGE = {
    "__init__.py": "",
    "kernels.py": """
from wizard_env.compiled.jit import kernel


@kernel(int)
def run(number: int) -> int:
    return number * 41 + 1
""",
}
PROGRAM = """
import sys
{before}
sys.path[:0] = [{folder!r}, {root!r}]
sys.dont_write_bytecode = True
from mine.kernels import run
print(run(1), sum(run.stats.cache_hits.values()))
"""
GAME = """
from wizard_env import Game, Rules
from wizard_env.agents import load
game = Game(Rules(num_players=3, hand_sizes=(1,)), seed=1)
while game.seat is not None:
    game.step(game.legal_actions()[0])
load("rule_based")
print(len(game.rounds))
"""
FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
GONE = """
sys.modules["coverage"] = None  # numba imports it where it is installed, and it needs a working directory
import os, tempfile
folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
"""


class Ran(NamedTuple):
    """The end of a process that called the kernel."""

    hits: int
    """1 if the machine code was on disk."""
    log: str


class Place:
    """A package with one kernel, and a temporary folder that everybody may write to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "mine"
        self.shared = folder / "shared"
        self.package.mkdir()
        for name, content in PACKAGE.items():
            (self.package / name).write_text(content)
        self.shared.mkdir()
        self.shared.chmod(0o1777)

    def run(self, user: int | None = None, before: str = "", **environment: str) -> Ran:
        """Call the kernel with only these variables; as this user, with a home, or as another without."""
        home = {"HOME": str(self.folder / "home")} if user is None else {}
        program = PROGRAM.format(before=before, folder=str(self.folder), root=str(ROOT))
        done = run_as(user, program, {"TMPDIR": str(self.shared), **home, **environment})
        result, hits = map(int, done.stdout.split())
        assert result == 42
        return Ran(hits, done.stderr)

    def close_package(self) -> None:
        """Allow nobody but its owner to write into the package, which holds no machine code."""
        shutil.rmtree(self.package / "__pycache__", ignore_errors=True)
        self.package.chmod(0o755 if IS_ROOT else 0o555)

    def code(self) -> list[Path]:
        """The files of machine code."""
        return sorted(path for path in self.folder.rglob("*.nb?") if not path.is_symlink())


def run_as(user: int | None, program: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a program as a user, if this one may become others."""
    change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if IS_ROOT and user else []
    done = subprocess.run(
        [*change, sys.executable, "-c", program],
        env=environment, cwd="/", capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


@contextmanager
def open_place() -> Iterator[Place]:
    """A place in a folder that others may look into: pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        place = Place(Path(name).resolve())
        yield place
        place.package.chmod(0o755)


@pytest.fixture
def place() -> Iterator[Place]:
    """Without machine code."""
    with open_place() as place:
        yield place


@pytest.fixture(scope="module")
def kept() -> Iterator[Path]:
    """The folder of machine code in a package."""
    with open_place() as place:
        place.run()
        assert place.run().hits == 1, "machine code is not kept"
        yield place.package / "__pycache__"


@pytest.fixture
def compiled(place: Place, kept: Path) -> Place:
    """With machine code in the package."""
    shutil.copytree(kept, place.package / "__pycache__")
    return place


def give_away(kept: Path) -> None:
    for path in (kept, *kept.rglob("*")):
        os.chown(path, STRANGER, STRANGER)


def open_folders(kept: Path) -> None:
    for path in (kept, *kept.rglob("*")):
        if path.is_dir():
            path.chmod(0o777)


def open_files(kept: Path) -> None:
    for path in kept.rglob("*.nb?"):
        path.chmod(0o666)


def plant_link(kept: Path) -> None:
    elsewhere = kept.parent.parent / "elsewhere"
    kept.rename(elsewhere)
    kept.symlink_to(elsewhere)
    os.chown(kept, STRANGER, STRANGER, follow_symlinks=False)


CHANGES = {change.__name__: change for change in (give_away, open_folders, open_files, plant_link)}


@NEEDS_USERS
@pytest.mark.parametrize("change", mostly_slow(CHANGES, "give_away", "plant_link"))
def test_code_that_others_could_have_written_is_not_run(change: Callable[[Path], None], place: Place) -> None:
    """It lies where this user's would lie in the system's temporary folder; a private folder is used then."""
    place.close_package()
    assert place.run(USER).hits == 0
    assert place.run(USER).hits == 1, "machine code is not kept in the temporary folder"
    (kept,) = place.shared.iterdir()
    assert (kept.stat().st_uid, kept.stat().st_mode & 0o777) == (USER, 0o700)
    change(kept)
    assert place.run(USER).hits == 0, "another user's code was run"
    assert place.run(USER).hits == 1


@NEEDS_USERS
def test_a_named_folder_of_another_user_is_not_used(place: Place) -> None:
    """Nor one in the package that is open to more people than the package."""
    place.close_package()
    named = {"NUMBA_CACHE_DIR": str(place.shared / "named")}
    place.run(STRANGER, **named)
    assert place.run(STRANGER, **named).hits == 1
    ran = place.run(USER, **named)
    assert ran.hits == 0
    assert "others" in ran.log
    shutil.rmtree(place.shared / "named")
    place.run()
    assert place.run(STRANGER).hits == 1
    (kept,) = (place.package / "__pycache__").glob("kernels-*")
    kept.chmod(0o777)
    assert "others" in place.run(USER).log


HOMES: dict[str, dict[str, str]] = {
    "none": {},
    "root": {"HOME": "/"},
    "missing": {"HOME": "/nonexistent/home", "XDG_CACHE_HOME": "/nonexistent/cache"},
    "relative": {"HOME": ".", "XDG_CACHE_HOME": "cache"},
    "a file": {"HOME": __file__, "XDG_CACHE_HOME": __file__, "NUMBA_CACHE_DIR": __file__},
    "a device": {"HOME": "/dev/null", "NUMBA_CACHE_DIR": "/dev/null/cache"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize("environment", mostly_slow(HOMES, "none", "a file"))
def test_code_is_used_from_wherever_it_can_be_read(environment: dict[str, str], compiled: Place) -> None:
    """By a user without home, name or a folder to write to, after another has compiled it."""
    compiled.package.chmod(0o755 if IS_ROOT else 0o555)
    assert compiled.run(USER, TMPDIR="/nonexistent", **environment) == (1, "")


def test_no_working_directory_is_needed(compiled: Place) -> None:
    assert compiled.run(USER, GONE, NUMBA_CACHE_DIR="cache") == (1, "")


@pytest.mark.parametrize("home", ["none", "missing", pytest.param("relative", marks=pytest.mark.slow)])
def test_code_is_kept_without_a_home(home: str, place: Place) -> None:
    """In the system's temporary folder, for the next process."""
    place.close_package()
    assert place.run(USER, **HOMES[home]).hits == 0
    assert place.run(USER, **HOMES[home]).hits == 1


@NEEDS_USERS
def test_the_game_is_played_where_nothing_can_be_written() -> None:
    run_as(None, GAME, {"PYTHONPATH": str(ROOT)})
    done = run_as(USER, GAME, {"PYTHONPATH": str(ROOT), "TMPDIR": "/nonexistent"})
    assert done.stdout == "1\n"


@NEEDS_USERS
def test_without_a_folder_to_write_to_code_stays_in_memory(place: Place) -> None:
    """With one line that says so."""
    place.close_package()
    place.shared.chmod(0o755)
    hide = "import tempfile; tempfile.tempdir = '/nonexistent'"
    for _ in range(2):
        ran = place.run(USER, hide)
        assert ran.hits == 0
        assert ran.log.count("is not kept") == 1
    assert not place.code()


def test_a_full_disk_ends_nothing(place: Place) -> None:
    """The call goes on from memory, with one line for each folder; later there is room."""
    ran = place.run(before=FULL, XDG_CACHE_HOME=str(place.folder / "cache"))
    assert ran.hits == 0
    for folder in (place.package / "__pycache__", place.folder / "cache", place.shared):
        assert sum(str(folder) in line and "too large" in line for line in ran.log.splitlines()) == 1
    assert ran.log.count("is not kept") == 1
    assert not place.code()
    place.run()
    assert place.run().hits == 1


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "flipped": lambda path: path.write_bytes(path.read_bytes()[:-500] + b"\0" * 500),
    "foreign": lambda path: path.write_bytes(b"\x80\x04K\x05."),
    "folder": make_folder,
    "fifo": make_fifo,
    "circle": make_circle,
}


@pytest.mark.parametrize("damage", mostly_slow(DAMAGES, "flipped", "fifo"))
def test_damaged_code_is_compiled_anew(damage: Callable[[Path], object], compiled: Place) -> None:
    """With a line in the log, and kept."""
    (path,) = compiled.code()
    damage(path)
    ran = compiled.run()
    assert ran.hits == 0
    assert str(path.parent) in ran.log
    assert compiled.run().hits == 1


def test_code_with_random_damage_is_compiled_anew(compiled: Place) -> None:
    place = compiled
    files = {path: path.read_bytes() for path in place.code()}
    rng = generator("machine code")
    for _ in range(times(1, 100)):
        for path, content in files.items():
            path.write_bytes(damaged(content, rng))
        ran = place.run()
        assert ran.hits == 0 or {path: path.read_bytes() for path in files} == files
        assert place.run().hits == 1


@NEEDS_USERS
def test_code_that_may_not_be_read_is_compiled_anew(compiled: Place) -> None:
    place = compiled
    (kept,) = (place.package / "__pycache__").glob("kernels-*")
    for closed in (*place.code(), kept):
        closed.chmod(0)
        assert place.run(USER).hits == 0
        shutil.rmtree(next(place.shared.iterdir()))


def test_a_file_in_the_place_of_the_folder(compiled: Place) -> None:
    """Another folder is used."""
    place = compiled
    (kept,) = (place.package / "__pycache__").glob("kernels-*")
    shutil.rmtree(kept)
    kept.write_text("no folder")
    assert place.run().hits == 0
    assert place.run().hits == 1
    assert kept.read_text() == "no folder"


def test_sources_that_cannot_be_read_are_left_out(place: Place) -> None:
    """An editor's lock is a link to nothing."""
    (place.package / ".#kernels.py").symlink_to("me@here.1:2")
    (place.package / "closed.py").touch(0)
    assert place.run(USER).hits == 0
    assert place.run(USER).hits == 1


def test_damaged_code_is_missing(tmp_path: Path) -> None:
    """So `wizard compile` and `wizard serve` repair it."""
    program = """
import sys
from wizard_env.compiled.all_kernels import KERNELS, compile_kernels
import wizard_env.view
if __name__ == "__main__":
    name = "wizard_env.view._conceal_rows"
    print(KERNELS[name].is_kept())
    list(compile_kernels([name], processes=1))
"""
    script = tmp_path / "repair.py"
    script.write_text(program)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    for expected in ("False", "True", "False", "True"):
        done = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected
        if expected == "True":
            for path in (tmp_path / "cache").rglob("*.nb?"):
                path.write_bytes(path.read_bytes()[:-500] + b"\0" * 500)


@pytest.mark.skipif(not SOAK, reason="takes minutes: `make soak`")
def test_many_processes_keep_the_same_code(place: Place) -> None:
    """All read whole files while others write them."""
    program = PROGRAM.format(before="", folder=str(place.folder), root=str(ROOT))
    for _ in range(MANY // 4):
        shutil.rmtree(place.package / "__pycache__", ignore_errors=True)
        running = [
            subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
            for _ in range(4)
        ]
        for process in running:
            assert process.communicate(timeout=300)[0].startswith("42 ")
        assert place.run().hits == 1

"""Machine code is kept, and made again when a source that it was built from has changed, in any folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wizard_env.compiled.sources import sources_of

ROOT = Path(__file__).parents[2]
KERNEL = """\
from mine.wing.deep.helper import grow
from wizard_env.compiled.jit import kernel


@kernel(int)
def run(number: int) -> int:
    return grow(number)
"""
HELPER = """\
from wizard_env.compiled.jit import compiled


@compiled
def grow(number: int) -> int:
    return number + {step}
"""
PROGRAM = """\
from mine.kernels import run
print(run(1), sum(run.stats.cache_hits.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package whose kernel calls a helper two folders down."""
    deep = tmp_path / "mine" / "wing" / "deep"
    deep.mkdir(parents=True)
    for folder in (deep, deep.parent, deep.parent.parent):
        (folder / "__init__.py").touch()
    (tmp_path / "mine" / "kernels.py").write_text(KERNEL)
    (deep / "helper.py").write_text(HELPER.format(step=1))
    return tmp_path


def run(folder: Path) -> tuple[int, int]:
    """Run the kernel in a fresh process; return its result, and whether its machine code was on disk."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result, hits = map(int, done.stdout.split())
    return result, hits


def test_an_edit_of_a_nested_file_is_compiled(package: Path) -> None:
    assert run(package) == (2, 0)
    assert run(package) == (2, 1), "the machine code is not kept"
    (package / "mine" / "wing" / "deep" / "helper.py").write_text(HELPER.format(step=41))
    assert run(package) == (42, 0), "stale machine code ran"


def test_the_kernels_of_the_game_depend_on_every_wing() -> None:
    """And not on agents or commands, so that an edit of those leaves the engine as it is."""
    found = {source.resolve().relative_to(ROOT) for source in sources_of("wizard_env")}
    expected = {
        path.relative_to(ROOT)
        for path in (ROOT / "wizard_env").rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents)
    }
    assert found - {Path("configs/__init__.py")} == expected
    assert Path("wizard_env/observation/encoder.py") in found


@pytest.mark.parametrize(
    ("package", "own"),
    [("wizard_env.agents", {"agents"}), ("wizard_env.train", {"agents", "evaluation", "train"})],
)
def test_the_kernels_of_a_part_depend_on_what_it_builds_on(package: str, own: set[str]) -> None:
    folders = {source.resolve().relative_to(ROOT).parts[0] for source in sources_of(package)}
    assert folders == {"wizard_env", *own}
    assert set(sources_of("wizard_env")) <= set(sources_of(package))

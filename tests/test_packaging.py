"""Installed: two top-level names, with every package and file."""

import subprocess
import tomllib
import venv
from pathlib import Path

import pytest
from setuptools import find_packages

ROOT = Path(__file__).parent.parent
PARTS = [path.name for path in (ROOT / "wizard_env").iterdir() if path.is_symlink() and path.is_dir()]
USER = """\
from typing import assert_type
from wizard_env import Agent, Game, Round, Rules
from wizard_env.agents.heuristic import HeuristicAgent
from wizard_env.evaluation.evaluate import Evaluation, evaluate

agent: Agent = HeuristicAgent()
assert_type(evaluate(["random"], Rules(), 2), Evaluation)
assert_type(Game(Rules()).step("bid 0"), Round | None)
"""


SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
PACKAGES = find_packages(ROOT, include=SETTINGS["packages"]["find"]["include"])


def test_no_common_name_is_installed() -> None:
    """`agents` belongs to others: openai-agents. `verifiers` finds tasksets at the top level alone."""
    assert {package.partition(".")[0] for package in PACKAGES} == {"wizard_env", "wizard_verifiers"}


def test_every_file_is_installed() -> None:
    """Every module is in a package, and a pattern takes every file beside the code."""
    installed = set()
    for package in PACKAGES:
        folder = ROOT / package.replace(".", "/")
        for pattern in ("*.py", *SETTINGS["package-data"].get(package, ())):
            installed |= {path.resolve() for path in folder.glob(pattern)}
    written = {
        path.resolve()
        for package in ("wizard_env", "wizard_verifiers", *(f"wizard_env/{part}" for part in PARTS))
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert written == installed


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The Python of an environment in which `agents` is a package of others."""
    other = tmp_path / "other" / "agents"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("OWNER = 'others'\n")
    (other.parent / "pyproject.toml").write_text('[project]\nname = "others"\nversion = "1"\n')
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    install(python, other.parent, "mypy", "build")
    return python


def install(python: Path, *packages: str | Path) -> None:
    run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", *packages)


@pytest.mark.slow
@pytest.mark.parametrize("editable", [False, True], ids=["wheel", "editable"])
def test_both_distributions_are_whole(editable: bool, python: Path, tmp_path: Path) -> None:
    """Installed from the wheels that their sdists build, or editable."""
    if editable:
        install(python, "-e", f"{ROOT}[train]", "-e", ROOT / "table")
    else:
        for folder in (ROOT, ROOT / "table"):
            run(python, "-m", "build", "--outdir", tmp_path / "dist", folder)
        library, table = sorted((tmp_path / "dist").glob("*.whl"))
        install(python, f"{library}[train]", table)
    program = "import agents, wizard_env.agents, wizard_env.evaluation.evaluate; print(agents.OWNER)"
    assert run(python, "-c", program, cwd=tmp_path).strip() == "others"
    (tmp_path / "user.py").write_text(USER)
    run(python, "-m", "mypy", "--strict", "user.py", cwd=tmp_path)
    commands = run(python.parent / "wizard", "--help", cwd=tmp_path)
    assert "train" in commands
    assert "serve" in commands
    program = "from wizard_table.web.server import make_app; make_app(':memory:', ['random'])"
    run(python, "-c", program, cwd=tmp_path)

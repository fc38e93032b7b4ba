"""Installed: two top-level names, with every package and file."""

import subprocess
import tomllib
import venv
from pathlib import Path

import pytest
from setuptools import find_packages

ROOT = Path(__file__).parent.parent
PARTS = [path.name for path in (ROOT / "wizard_env").iterdir() if path.is_symlink()]
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


@pytest.mark.slow
@pytest.mark.parametrize("editable", [False, True], ids=["wheel", "editable"])
def test_beside_another_package_called_agents(editable: bool, tmp_path: Path) -> None:
    """Installed from an sdist, or editable, into an environment whose `agents` is another package."""
    other = tmp_path / "other" / "agents"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("OWNER = 'others'\n")
    (other.parent / "pyproject.toml").write_text('[project]\nname = "others"\nversion = "1"\n')
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt"]
    run(*pip, other.parent)
    run(*pip, "mypy", "build")
    if editable:
        run(*pip, "-e", f"{ROOT}[train]")
    else:
        run(python, "-m", "build", "--outdir", tmp_path / "dist", ROOT)
        (wheel,) = (tmp_path / "dist").glob("*.whl")
        run(*pip, f"{wheel}[train]")
    program = "import agents, wizard_env.agents, wizard_env.evaluation.evaluate; print(agents.OWNER)"
    assert run(python, "-c", program, cwd=tmp_path).strip() == "others"
    (tmp_path / "user.py").write_text(USER)
    run(python, "-m", "mypy", "--strict", "user.py", cwd=tmp_path)

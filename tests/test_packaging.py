"""Installed: two top-level names, with every package and file; and the page for a package index."""

import importlib.util
import subprocess
import tomllib
import venv
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ("agents", "evaluation", "train", "play", "cli", "configs")
PLUGIN = "wizard_verifiers"
"""A module of its own, because the library `verifiers` finds tasksets at the top level alone."""
USER = """\
from typing import assert_type
from wizard_env import Agent, Game, Round, Rules
from wizard_env.agents.heuristic import HeuristicAgent
from wizard_env.evaluation.evaluate import Evaluation, evaluate

agent: Agent = HeuristicAgent()
assert_type(evaluate(["random"], Rules(), 2), Evaluation)
assert_type(Game(Rules()).step("bid 0"), Round | None)
"""


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return project


@pytest.fixture(scope="module")
def backend() -> ModuleType:
    """The build backend; to load it writes the page for an index, as every build does."""
    spec = importlib.util.spec_from_file_location("build_backend", ROOT / "tools" / "build_backend.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_package_is_installed(settings: dict[str, Any]) -> None:
    """A folder that is missing in pyproject.toml would be missing in wheels, and nowhere else."""
    found = set()
    for folder in ("wizard_env", *PARTS):
        for init in (ROOT / folder).rglob("__init__.py"):
            name = ".".join(init.parent.relative_to(ROOT).parts)
            if not any(parent.is_symlink() for parent in init.parents):
                found.add(name if folder == "wizard_env" else f"wizard_env.{name}")
    assert set(settings["tool"]["setuptools"]["packages"]) == found | {PLUGIN}


def test_no_module_lies_outside_a_package() -> None:
    for folder in ("wizard_env", *PARTS):
        for path in (ROOT / folder).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), path


def test_no_common_name_is_installed(settings: dict[str, Any], backend: ModuleType) -> None:
    """`agents` belongs to others: openai-agents installs a package of that name."""
    places = settings["tool"]["setuptools"]["package-dir"]
    parts = {f"wizard_env.{part}": part for part in PARTS}
    assert places == {"wizard_env": "wizard_env", **parts, PLUGIN: PLUGIN}
    names = {name.partition(".")[0] for name in settings["tool"]["setuptools"]["packages"]}
    assert names == set(backend.TOP_LEVEL) == {"wizard_env", PLUGIN}


def test_data_is_installed(settings: dict[str, Any]) -> None:
    """Every file beside the code is taken by a pattern."""
    setuptools = settings["tool"]["setuptools"]
    taken = set()
    for package, patterns in setuptools["package-data"].items():
        part = package.removeprefix("wizard_env.").replace(".", "/")
        folder = ROOT / (part if part.partition("/")[0] in PARTS else package.replace(".", "/"))
        taken |= {path for pattern in patterns for path in folder.glob(pattern)}
    beside = {
        path
        for folder in ("wizard_env", *PARTS)
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
        and not any(parent.is_symlink() for parent in path.parents)
    }  # fmt: skip
    assert beside == taken


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (None, "A page, [peer](https://example.org), [below](#use).\n"),
        (
            "https://example.org/code",
            "![seen](https://example.org/code/raw/main/docs/table.png)A "
            "[page](https://example.org/code/blob/main/docs/index.md#install), "
            "[peer](https://example.org), [below](#use).\n",
        ),
    ],
)
def test_links_of_the_readme_on_an_index(backend: ModuleType, source: str | None, shown: str) -> None:
    links = "[page](docs/index.md#install), [peer](https://example.org), [below](#use)"
    readme = f"![seen](docs/table.png)A {links}.\n"
    assert backend.for_an_index(readme, source) == shown


def test_links_are_made_once(backend: ModuleType, tmp_path: Path) -> None:
    """Also where one is left that leads to where the checkout was before."""
    folder, place = tmp_path / "agents", tmp_path / "in" / "agents"
    folder.mkdir()
    for _ in range(2):
        backend.link(place, folder)
        assert place.resolve() == folder
    folder.rename(tmp_path / "moved")
    backend.link(place, tmp_path / "moved")
    assert place.resolve() == tmp_path / "moved"


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

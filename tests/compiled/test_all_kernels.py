"""`wizard compile` knows all kernels from the code, and leaves nothing for other commands to compile."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")  # the kernels of `train` are in modules that need it

from tests.cli.test_training import shortened
from tests.commands import COMMAND
from wizard_env.compiled.all_kernels import all_kernels
from wizard_env.compiled.cache import folder, kernel_sources


def test_it_finds_every_kernel() -> None:
    """Those that a parser finds: functions with the decorator `kernel`, in any module that is installed."""
    decorated = set()
    for module, source in kernel_sources():
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(mark, ast.Call) and ast.unparse(mark.func) == "kernel"
                for mark in node.decorator_list
            ):
                decorated.add(f"{module}.{node.name}")
    assert sorted(all_kernels()) == sorted(decorated)
    assert len(decorated) >= 40


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose kernels have all been compiled into a folder that nothing else writes to."""
    own, copy = folder(), tmp_path_factory.mktemp("cache")
    if own is not None:  # `make test` has compiled most of them, or all
        shutil.copytree(own, copy / own.name)
    environment = {**os.environ, "WIZARD_CACHE": str(copy)}
    run(environment, copy, "compile")
    return environment


def run(environment: dict[str, str], folder: Path, *arguments: str | Path) -> str:
    """Return the output of the installed command; at a table it asks for a hint and leaves."""
    done = subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        env=environment, cwd=folder, input="hint\nquit\n", capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept(environment: dict[str, str]) -> set[Path]:
    """The files of machine code."""
    return set(Path(environment["WIZARD_CACHE"]).rglob("*.nbc"))


@pytest.mark.slow
def test_all_are_compiled_into_an_empty_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "WIZARD_CACHE": str(tmp_path)}
    last, count = run(environment, tmp_path, "compile").splitlines()[-1], len(all_kernels())
    assert last.startswith(f"kernels      {count} of {count} compiled in ")
    assert len(kept(environment)) == count


def test_a_second_run_finds_all(environment: dict[str, str], tmp_path: Path) -> None:
    count = len(all_kernels())
    assert run(environment, tmp_path, "compile") == f"kernels      all {count} are already compiled\n"


RANDOM_SEARCH = "search:worlds=2,playouts=random,evidence=nothing"
AGENTS = ("rule_based", "variant:noise=0.1", "search:worlds=2", "champion+search:worlds=2")


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", *AGENTS, "--games", "2", "--hand-sizes", "1,2"),
        ("evaluate", RANDOM_SEARCH, "champion", "--games", "2", "--players", "3,6", "--bid-reveal", "secret"),
        ("play", "random", "--hint", "search:worlds=2", "--hand-sizes", "1"),
        ("play", "champion", "--hint", "champion+search:worlds=2", "--hand-sizes", "1", "--plain"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_commands_compile_nothing_more(
    environment: dict[str, str], arguments: tuple[str, ...], tmp_path: Path
) -> None:
    before = kept(environment)
    run(environment, tmp_path, *arguments)
    assert kept(environment) == before


def test_training_compiles_nothing_more(environment: dict[str, str], tmp_path: Path) -> None:
    """Self-play, PPO, and an evaluation of what was learned."""
    before = kept(environment)
    run(environment, tmp_path, "train", shortened("short", tmp_path))
    run(environment, tmp_path, "evaluate", "runs/short", "random", "--games", "2")
    assert kept(environment) == before


def test_the_base_install_compiles_ahead(environment: dict[str, str]) -> None:
    """Without the modules of any extra: `wizard` would need some."""
    hidden = ("typer", "rich", "torch", "pydantic", "scipy", "filelock")
    program = f"""
import runpy, sys
sys.modules.update(dict.fromkeys({hidden}))
runpy.run_module("wizard_env.compiled", run_name="__main__")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "all kernels are already compiled\n", done.stderr

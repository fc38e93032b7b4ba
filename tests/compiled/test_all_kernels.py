"""`wizard compile` knows all kernels from the code, and leaves nothing for other commands to compile."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch")  # the kernels of `train` are in modules that need it

from tests.cli.test_training import shortened
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
    run(environment, copy, ["compile"])
    return environment


PROGRAM = """
import json, sys
from io import StringIO
from wizard_env.cli.main import main
for words in map(json.loads, sys.argv[1:]):
    sys.argv, sys.stdin = ["wizard", *words], StringIO("hint\\nquit\\n")
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
"""


def run(environment: dict[str, str], folder: Path, *commands: Sequence[str]) -> str:
    """Return the output of commands in one new process; at a table they ask for a hint and leave."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(json.dumps, commands)],
        env=environment, cwd=folder, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept(environment: dict[str, str]) -> set[Path]:
    """The files of machine code."""
    return set(Path(environment["WIZARD_CACHE"]).rglob("*.nbc"))


@pytest.mark.slow
def test_all_are_compiled_into_an_empty_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "WIZARD_CACHE": str(tmp_path)}
    last, count = run(environment, tmp_path, ["compile"]).splitlines()[-1], len(all_kernels())
    assert last.startswith(f"kernels      {count} of {count} compiled in ")
    assert len(kept(environment)) == count


RANDOM_SEARCH = "search:worlds=2,playouts=random,evidence=nothing"
AGENTS = ("rule_based", "variant:noise=0.1", "search:worlds=2", "champion+search:worlds=2")
FEW = ("--games", "2")


def test_commands_compile_nothing_more(environment: dict[str, str], tmp_path: Path) -> None:
    """Evaluations, tables, and self-play with PPO; nor does `wizard compile` find anything left."""
    before = kept(environment)
    printed = run(
        environment,
        tmp_path,
        ("evaluate", *AGENTS, *FEW, "--hand-sizes", "1,2"),
        ("evaluate", RANDOM_SEARCH, "champion", *FEW, "--players", "3,6", "--bid-reveal", "secret"),
        ("play", "random", "--hint", "search:worlds=2", "--hand-sizes", "1"),
        ("play", "champion", "--hint", "champion+search:worlds=2", "--hand-sizes", "1"),
        ("train", str(shortened("short", tmp_path))),
        ("evaluate", "runs/short", "random", *FEW),
        ("compile",),
    )
    assert kept(environment) == before
    assert printed.endswith(f"kernels      all {len(all_kernels())} are already compiled\n")


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

"""Run the tests that need no torch on other versions of Python, where those are installed.

python -m tools.test_pythons 3.12 3.13 (part of `make slow`). Interpreters are looked for on the path and in
pyenv; each version gets a separate environment, `.venv-3.13` and so on.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import PIPE, STDOUT

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("pyproject.toml", "constraints.txt")
"""Files that an environment depends on."""
TESTS = (
    "tests/test_engine.py",
    "tests/test_game.py",
    "tests/test_games.py",
    "tests/test_rules.py",
    "tests/compiled",
    "tests/envs",
    "tests/observation",
    "tests/records",
    "tests/render",
)
CHOICE = ("-m", "not slow and not long")
"""The long tests are left to the Python of `make test`."""
PROCESSES = ("-n", "2", "--dist", "worksteal")


def interpreters(version: str) -> Iterator[str]:
    """Yield paths of interpreters of a version, which may not exist."""
    found = shutil.which(f"python{version}")
    if found:
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"), reverse=True))


def find(version: str) -> str | None:
    """Return an interpreter of a version that starts, or None: a shim may lead to nothing."""
    for interpreter in interpreters(version):
        if subprocess.run([interpreter, "-c", ""], capture_output=True, check=False).returncode == 0:
            return interpreter
    return None


def environment(interpreter: str, version: str) -> str:
    """Set up an environment with the project and its tests; returns its interpreter."""
    folder = ROOT / f".venv-{version}"
    python, made = str(folder / "bin" / "python"), folder / ".for-tests"
    if not made.exists() or any((ROOT / name).stat().st_mtime > made.stat().st_mtime for name in NEEDED):
        subprocess.run([interpreter, "-m", "venv", str(folder)], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "-c", "constraints.txt"]
        subprocess.run([*pip, "-e", ".[test]"], check=True, cwd=ROOT)
        made.touch()
    return python


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all tests; returns the exit status, 0 if they pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="+", help="such as 3.12")
    return max(map(run_tests, parser.parse_args(arguments).versions))


def run_tests(version: str) -> int:
    """Run the tests on a version, if it is installed, and print the output; returns the exit status."""
    interpreter = find(version)
    if interpreter is None:
        print(f"Python {version} is not installed: the tests are not run on it", flush=True)
        return 0
    python = environment(interpreter, version)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CHOICE, *PROCESSES, *TESTS]
    done = subprocess.run(command, check=False, cwd=ROOT, text=True, stdout=PIPE, stderr=STDOUT)
    print(f"Python {version}\n{done.stdout}", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

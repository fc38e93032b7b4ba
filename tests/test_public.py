"""What `wizard_env` makes public: all of it is there, loaded when it is first named."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import wizard_env
from wizard_env.compiled.jit import KERNELS


def test_every_public_name_is_there() -> None:
    for name in wizard_env.__all__:
        assert getattr(wizard_env, name) is not None
        assert name in dir(wizard_env)
    assert KERNELS


def test_type_checkers_and_python_see_the_same_names() -> None:
    """The imports for type checkers, the modules that names are loaded from, and `__all__`."""
    tree = ast.parse(Path(wizard_env.__file__).read_text(encoding="utf-8"))
    declared = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("wizard_env.")
        for alias in node.names
    }
    assert declared == wizard_env._HOMES
    assert {*declared, "__version__"} == set(wizard_env.__all__)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="module 'wizard_env' has no attribute 'Gmae'"):
        wizard_env.Gmae  # noqa: B018


def test_to_import_it_registers_the_environments_and_loads_no_numba() -> None:
    program = (
        "import gymnasium, sys, wizard_env\n"
        "assert 'wizard_env/Wizard-v0' in gymnasium.registry\n"
        "assert 'numba' not in sys.modules\n"
        "from wizard_env import *\n"
        "assert Game().phase in ('bid', 'trump')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

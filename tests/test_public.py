"""The public names of `wizard_env` are there, each loaded when it is first used."""

import subprocess
import sys

import pytest

import wizard_env
from wizard_env.compiled.jit import KERNELS


def test_every_public_name_is_there() -> None:
    for name in wizard_env.__all__:
        assert getattr(wizard_env, name) is not None
        assert name in dir(wizard_env)
    assert KERNELS


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="No wizard_env attribute Gmae"):
        wizard_env.Gmae  # type: ignore[attr-defined]  # noqa: B018


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

"""A module of an extra that is not installed: the error names the extra."""

import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

import wizard_env.extras
from tests.commands import hide
from wizard_env.extras import extra, extra_of, missing_module

MODULES = [
    ("train", "scipy", "wizard_env.evaluation.statistics"),
    ("train", "pydantic", "wizard_env.train.config"),
    ("train", "torch", "wizard_env.train.networks"),
    ("train", "sb3_contrib", "wizard_env.train.maskable_ppo"),
    ("train", "torch", "wizard_env.train.selfplay.curves"),
    ("data", "pyarrow", "wizard_env.evaluation.datasets.parquet"),
    ("export", "onnx", "wizard_env.agents.export"),
]


class Hider(MetaPathFinder):
    """Finds that a module is not installed."""

    def __init__(self, hidden: str) -> None:
        self.hidden = hidden

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == self.hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize(("name", "hidden", "module"), MODULES)
def test_the_extra_is_named(name: str, hidden: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in [loaded for loaded in sys.modules if f"{loaded}.".startswith(f"{hidden}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setattr(sys, "meta_path", [Hider(hidden), *sys.meta_path])
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"'{hidden}': pip install 'wizard-env\[{name}\]'"):
        import_module(module)


def test_a_report_needs_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from wizard_env.cli.outputs import Outputs

    hide(monkeypatch, "matplotlib", "wizard_env.evaluation.report.html", "wizard_env.evaluation.report.plots")
    with pytest.raises(ModuleNotFoundError, match=r"'matplotlib[.\w]*': pip install 'wizard-env\[report\]'"):
        Outputs(report=tmp_path / "page.html")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("scipy", "train"),
        ("sb3_contrib.common", "train"),
        ("rich", "cli"),
        ("pygame", "render"),
        ("pyarrow.parquet", "data"),
        ("huggingface_hub", "hub"),
        ("mcp.server", "mcp"),
        ("numpy", None),
        ("no_such_module", None),
    ],
)
def test_the_extra_of_a_module(module: str, name: str | None) -> None:
    """As the package's metadata has it; numpy is in the base."""
    assert extra_of(module) == name


def test_every_hint_has_one_wording() -> None:
    """Only `wizard_env.extras` writes it."""
    root = Path(wizard_env.extras.__file__).parents[1]
    code = [
        path
        for name in ("wizard_env", "agents", "evaluation", "train", "llm", "cli")
        for path in (root / name).rglob("*.py")
    ]
    assert [path.name for path in code if "pip install" in path.read_text(encoding="utf-8")] == ["extras.py"]


def test_a_module_of_no_extra_is_only_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^no module named 'no_such_module'$"), extra():
        raise ModuleNotFoundError("No module named 'no_such_module'", name="no_such_module")
    with pytest.raises(ModuleNotFoundError, match=r"'x': pip install 'a\[b\]' 'c'$"), extra("train"):
        raise missing_module("x", "a[b]", "c")

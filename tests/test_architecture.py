"""Imports run one way, and the game and the agents load without torch."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("wizard_env", "agents", "train", "play")
LAYERS = (
    {"files", "jit", "bits", "flags"},
    {"cards"},
    {"actions"},
    {"rules"},
    {"state", "lanes"},
    {"engine"},
    {"chance", "suits"},
    {"observation"},
    {"sampling", "view", "game", "games", "notation"},
)
"""From the bottom up; modules that are not named stand on top of these."""
LAZY = {("game", "render")}
"""Imports inside a function, made when it is called: `str(game)` draws the table."""
TOP = len(LAYERS)


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, lazy: bool = True) -> Iterator[str]:
    """The modules that a file imports when it is loaded, less those for type checkers alone.

    lazy: with those that its functions import when they are called.
    """
    tree = ast.parse(path.read_text())
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        or (isinstance(node, ast.FunctionDef) and not lazy)
        for body in node.body
        for inner in ast.walk(body)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                is_module = (ROOT / submodule.replace(".", "/")).with_suffix(".py").exists()
                yield submodule if is_module else f"{node.module}"


def layer(module: str) -> int:
    return next((height for height, modules in enumerate(LAYERS) if module in modules), TOP)


GAME = [path for path in sources("wizard_env") if path.stem != "__init__"]


@pytest.mark.parametrize("path", GAME, ids=lambda path: path.stem)
def test_imports_in_the_game_run_one_way(path: Path) -> None:
    """cards -> actions -> rules -> state -> engine -> {observation, game, notation} -> shells."""
    for imported in imports(path):
        package, _, module = imported.partition(".")
        if package == "wizard_env" and (path.stem, module) not in LAZY:
            assert module, f"{path.name} imports the whole package"
            assert layer(module) <= layer(path.stem), f"{path.name} imports {module}"


def test_no_module_of_the_game_reaches_itself() -> None:
    """The imports of the game make no ring, neither within a layer nor among the shells."""
    above = {
        path.stem: {
            name.partition(".")[2]
            for name in imports(path)
            if name.startswith("wizard_env.") and (path.stem, name.partition(".")[2]) not in LAZY
        }
        for path in GAME
    }
    while free := [module for module, needed in above.items() if not needed & above.keys()]:
        for module in free:
            del above[module]
    assert not above, f"these import each other: {sorted(above)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_downwards(package: str) -> None:
    """wizard_env -> agents -> train -> play."""
    upper = set(PACKAGES[PACKAGES.index(package) + 1 :])
    for path in sources(package):
        for imported in imports(path):
            assert imported.partition(".")[0] not in upper, f"{module_name(path)} imports {imported}"


def test_the_game_and_the_agents_load_without_torch() -> None:
    """network.py imports it when it computes with it; onnx is only imported by export.py."""
    for path in (*sources("wizard_env"), *sources("agents")):
        needed = {module.partition(".")[0] for module in imports(path)}
        loaded = {module.partition(".")[0] for module in imports(path, lazy=False)}
        name = module_name(path)
        assert "torch" not in needed or name == "agents.network", f"{name} imports torch"
        assert "torch" not in loaded, f"{name} imports torch when it is loaded"
        assert "onnx" not in needed or name == "agents.export", f"{name} imports onnx"
        assert "agents.export" not in imports(path), f"{name} imports what needs onnx"

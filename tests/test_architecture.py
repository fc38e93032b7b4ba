"""Imports run one way and in no circle, and the game and the agents load without torch."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINKS = (path for path in (ROOT / "wizard_env").iterdir() if path.is_symlink())
PARTS = tuple(sorted(path.name for path in LINKS if path.is_dir()))
"""Folders at the top of the repository, linked inside `wizard_env`."""
PACKAGES = ("game", "configs", "agents", "evaluation", "train", "llm", "cli")
"""From the bottom up."""
LAYERS = (
    {"checks", "extras", "failures"},
    {"files"},
    {"compiled"},
    {"cards"},
    {"actions"},
    {"rules"},
    {"state"},
    {"engine"},
    {"chance", "state_checks", "observation", "sampling", "win_probability"},
    {"history"},
    {"words"},
    {"render"},
    {"view", "game"},
    {"games", "loading"},
    {"records"},
    {"session"},
    {"narration"},
    {"envs", "testing"},
    {"wizard_v0"},
)
"""The modules and folders of the game, from the bottom up."""


def sources() -> Iterator[Path]:
    for folder in ("wizard_env", *PARTS):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not any(parent.is_symlink() for parent in path.parents):
                yield path


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] in PARTS:
        parts = ("wizard_env", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Every module that is installed, and its file."""
    return {module_name(path): path for path in sources()}


def imports(path: Path, lazy: bool = True) -> Iterator[str]:
    """The modules that a file imports when it is loaded, less those for type checkers alone.

    lazy: with those that its functions import when they are called.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        or (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not lazy)
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
                yield submodule if submodule in modules() else f"{node.module}"


def package(module: str) -> str:
    part = module.split(".")[1] if "." in module else "game"
    return part if part in PARTS else "game"


def layer(module: str) -> int:
    """The layer of a module of the game."""
    top = module.split(".")[1]
    return next(height for height, names in enumerate(LAYERS) if top in names)


GAME = [name for name in modules() if package(name) == "game" and name != "wizard_env"]


@pytest.mark.parametrize("module", GAME)
def test_imports_in_the_game_run_one_way(module: str) -> None:
    """cards -> actions -> rules -> state -> engine -> {observation, game, records} -> shells."""
    for imported in imports(modules()[module]):
        if imported.partition(".")[0] == "wizard_env":
            assert imported != "wizard_env", f"{module} imports the whole package"
            assert layer(imported) <= layer(module), f"{module} imports {imported}"


def loaded_by(module: str) -> set[str]:
    """The modules of the project that a module needs; to load one is to load the packages around it."""
    needed: set[str] = set()
    for imported in imports(modules()[module]):
        while imported in modules() and imported != "wizard_env":
            if not f"{module}.".startswith(f"{imported}."):
                needed.add(imported)
            imported = imported.rpartition(".")[0]
    return needed


def test_no_module_reaches_itself() -> None:
    """No circle in the whole house, by imports inside functions neither."""
    above = {module: loaded_by(module) for module in modules() if module != "wizard_env"}
    while free := [module for module, needed in above.items() if not needed & above.keys()]:
        for module in free:
            del above[module]
    assert not above, f"these import each other: {sorted(above)}"


def folder_of(module: str) -> str:
    """The folder of a module; each module of the game's chain counts as one of its own."""
    folder = module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]
    return module if folder == "wizard_env" else folder


def test_no_folder_reaches_itself() -> None:
    """No circle between folders either, even where no two files import each other."""
    above: dict[str, set[str]] = {}
    for module, path in modules().items():
        needed = {imported for imported in imports(path) if imported in modules()} - {"wizard_env"}
        folder = folder_of(module)
        above.setdefault(folder, set()).update({folder_of(one) for one in needed} - {folder})
    while free := [folder for folder, needed in above.items() if not needed & above.keys()]:
        for folder in free:
            del above[folder]
    circles = {folder: sorted(needed & above.keys()) for folder, needed in above.items()}
    assert not above, f"these folders import each other: {circles}"


@pytest.mark.parametrize("module", modules())
def test_packages_import_downwards(module: str) -> None:
    """wizard_env -> agents -> evaluation -> train -> llm -> cli."""
    upper = set(PACKAGES[PACKAGES.index(package(module)) + 1 :])
    for imported in imports(modules()[module]):
        if imported.partition(".")[0] == "wizard_env":
            assert package(imported) not in upper, f"{module} imports {imported}"
        assert imported.partition(".")[0] not in (*PARTS, "tests", "tools"), imported


def test_the_game_and_the_agents_load_without_torch() -> None:
    """network.py imports it when it computes with it; onnx is only imported by export.py."""
    for module, path in modules().items():
        if package(module) not in ("game", "agents"):
            continue
        needed = {imported.partition(".")[0] for imported in imports(path)}
        loaded = {imported.partition(".")[0] for imported in imports(path, lazy=False)}
        assert "torch" not in needed or module == "wizard_env.agents.network", f"{module} imports torch"
        assert "torch" not in loaded, f"{module} imports torch when it is loaded"
        assert "onnx" not in needed or module == "wizard_env.agents.export", f"{module} imports onnx"
        assert "wizard_env.agents.export" not in imports(path), f"{module} imports what needs onnx"

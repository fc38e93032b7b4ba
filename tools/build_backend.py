"""The build backend: setuptools, links for editable installs, and the page for a package index.

The folders `agents`, `evaluation`, `train`, `play`, `cli` and `configs` are beside `wizard_env` and install
inside it. Wheels and sdists map them by `package-dir` in pyproject.toml. Type checkers and editors cannot
follow such a mapping in a checkout, so an editable install makes a link inside `wizard_env/` for each of
these folders, and `build/editable`, which holds only links to TOP_LEVEL and goes on the path. git ignores the
links, which not every Windows checkout could make; on Windows they are junctions.

A package index shows README.md, where paths within the repository lead nowhere. So the metadata hold a copy:
its links begin with the `Source` of [project.urls], or are plain text while the project has no such address.
"""

import os
import re
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the other hooks are those of setuptools
from wheel.wheelfile import WheelFile

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("agents", "evaluation", "train", "play", "cli", "configs")
TOP_LEVEL = ("wizard_env", "wizard_verifiers")
EDITABLE = ROOT / "build" / "editable"
INDEX_PAGE = ROOT / "build" / "README.md"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")
"""A link, or a picture, to a path."""
WHEEL = "Wheel-Version: 1.0\nGenerator: wizard-env\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def for_an_index(readme: str, source: str | None) -> str:
    """Return a readme whose links work outside the repository, which can be browsed at `source`."""
    if source is None:
        return LINK.sub(lambda found: "" if found[1] else found[2], readme)
    view, raw = f"{source}/blob/main", f"{source}/raw/main"
    return LINK.sub(lambda found: f"{found[1]}[{found[2]}]({raw if found[1] else view}/{found[3]})", readme)


def write_index_page() -> None:
    """Write the page that pyproject.toml names as the readme."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = project.get("urls", {}).get("Source")
    INDEX_PAGE.parent.mkdir(exist_ok=True)
    INDEX_PAGE.write_text(
        for_an_index((ROOT / "README.md").read_text(encoding="utf-8"), source), encoding="utf-8"
    )


def link(path: Path, folder: Path) -> None:
    """Make a link to a folder at `path`."""
    if path.exists():
        return
    path.unlink(missing_ok=True)  # a link to where the checkout was before
    path.parent.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        import _winapi

        _winapi.CreateJunction(str(folder), str(path))
    else:
        path.symlink_to(os.path.relpath(folder, path.parent), target_is_directory=True)


def link_parts() -> None:
    """Make all links of an editable install."""
    for part in PARTS:
        link(ROOT / "wizard_env" / part, ROOT / part)
    for name in TOP_LEVEL:
        link(EDITABLE / name, ROOT / name)


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Write a wheel that puts `build/editable` on the path; returns its name (PEP 660)."""
    link_parts()
    with TemporaryDirectory() as work:
        info = Path(work) / build_meta.prepare_metadata_for_build_editable(work, config_settings)
        name = f"{info.name.removesuffix('.dist-info')}-py3-none-any.whl"
        with WheelFile(Path(wheel_directory) / name, "w") as wheel:
            wheel.writestr("wizard_env.pth", f"{EDITABLE}\n")
            wheel.writestr(f"{info.name}/WHEEL", WHEEL)
            for file in filter(Path.is_file, sorted(info.rglob("*"))):
                wheel.write(file, file.relative_to(work).as_posix())
    return name


write_index_page()  # every hook reads pyproject.toml, and so the page

"""The provenance of results."""

import subprocess
from importlib.metadata import version
from pathlib import Path

from wizard_env.evaluation.provenance import describe_software


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    ran = subprocess.run(
        ["git", "-C", folder, *author, *arguments], capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def test_the_commit_is_that_of_the_checkout(tmp_path: Path) -> None:
    """Changed files show; a folder inside another project's checkout has no commit."""
    git(tmp_path, "init")
    file, inner = tmp_path / "rules.py", tmp_path / "site-packages"
    file.write_text("1")
    inner.mkdir()
    git(tmp_path, "add", "rules.py")
    git(tmp_path, "commit", "-m", "Begin")
    git(tmp_path, "tag", "v1")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert describe_software(tmp_path)["commit"] == commit
    file.write_text("2")
    assert describe_software(tmp_path)["commit"] == f"{commit}-dirty"
    assert describe_software(inner)["commit"] is None


def test_versions_of_libraries() -> None:
    found = describe_software()
    assert found["version"] == version("wizard-env")
    assert found["libraries"]["numpy"] == version("numpy")
    assert found["processor"]

"""The documentation is true: tables, code, commands, names, links."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import pytest
import typer.main

import wizard_env
from tests.docs.pages import PAGES, ROOT, blocks, examples, run, run_page
from tools import doc_tables, leaderboard, results
from tools.marked_tables import split
from wizard_env import NUM_ACTIONS, OBS_SIZE
from wizard_env.cli.main import app
from wizard_env.evaluation.protocol import STRONGEST
from wizard_env.evaluation.scorecard import REFERENCES
from wizard_env.observation.fields import FULL_SIZE

README = ROOT / "README.md"
TUTORIALS = [page for page in PAGES if page.parent.name == "tutorials"]
SEPARATE = ("verifiers", "openenv", "rllib")
"""Libraries with an environment of their own: `make test-NAME` runs their blocks."""
TOML = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


# --- tables


def test_the_tables_are_generated() -> None:
    """`make docs` would change nothing; a table that has drifted is replaced."""
    page = text_of(doc_tables.PAGE)
    drifted = page.replace("`bid 0`", "`bid one`").replace("| 0-323 |", "| 0-1 |")
    assert drifted != page
    assert doc_tables.filled(page) == doc_tables.filled(drifted) == page
    with pytest.raises(ValueError, match="no markers for 'actions'"):
        doc_tables.filled(page.replace("<!-- end of actions -->", ""))


def test_the_leaderboard_is_written_from_its_entries(tmp_path: Path) -> None:
    """All entries played the same opponents, those of this version; random is 0 and the strongest 100."""
    page, cards = text_of(leaderboard.PAGE), leaderboard.read_entries()
    assert leaderboard.filled(page, cards) == page
    scale = json.loads(REFERENCES.read_text())
    assert cards[0]["protocol"] == scale["protocol"]
    assert cards[0]["panel"].items() <= scale["panel"].items()
    ends = {card["name"]: card["score"] for card in cards if card["name"] in ("random", STRONGEST)}
    assert ends == pytest.approx({"random": 0, STRONGEST: 100})
    for name, panel in (("a", {STRONGEST: "1"}), ("b", {STRONGEST: "2"})):
        (tmp_path / f"{name}.json").write_text(json.dumps({"protocol": 1, "panel": panel, "score": 1}))
    with pytest.raises(ValueError, match=r"b\.json has protocol and opponents"):
        leaderboard.read_entries(tmp_path)


def test_the_results_have_a_table_for_every_section() -> None:
    page = text_of(results.PAGE)
    for name in results.SECTIONS:
        _, table, _ = split(page, name)
        assert len({line.count("|") for line in table.splitlines()}) == 1, name


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("README.md", [f"`uint8 ({OBS_SIZE},)`", f"`Discrete({NUM_ACTIONS})`"]),
        ("docs/environment.md", [f"`Discrete({NUM_ACTIONS})`", f"`({OBS_SIZE},)`", f"`({FULL_SIZE},)`"]),
        ("docs/vector.md", [f"uint8 [n, {OBS_SIZE}]", f"uint8 [n, {NUM_ACTIONS}]"]),
        ("docs/learning.md", [f"uint8 [n, {OBS_SIZE}]", f"float32 [n, {NUM_ACTIONS}]"]),
    ],
)
def test_the_sizes_are_those_of_the_code(page: str, shown: list[str]) -> None:
    text = text_of(ROOT / page)
    assert [size for size in shown if size not in text] == []


# --- code


CODE = [(page, number) for page in PAGES if page not in TUTORIALS for number in range(len(examples(page)))]


@pytest.mark.parametrize(("page", "number"), CODE, ids=lambda given: getattr(given, "stem", given))
def test_code_blocks_run(page: Path, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each runs by itself, in an empty folder, and prints the output on the page. Warnings are errors."""
    code, printed = examples(page)[number]
    if any(library in code for library in SEPARATE):
        pytest.skip("needs a separate environment")
    monkeypatch.chdir(tmp_path)
    run(code, printed, {"__name__": "__main__"})


@pytest.mark.slow
@pytest.mark.parametrize("name", [page.stem for page in TUTORIALS if page.stem not in SEPARATE])
def test_tutorials_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    """The blocks of a tutorial build on each other."""
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / "docs" / "tutorials" / f"{name}.md")


def test_every_output_is_compared() -> None:
    """Outputs follow the code that prints them, and one that has drifted is found."""
    for page in PAGES:
        assert [code for code, _ in examples(page)] == blocks(page, "python"), page
        assert sum(printed is not None for _, printed in examples(page)) == len(blocks(page, "text")), page
    assert len(blocks(README, "python")) >= 4
    with pytest.raises(AssertionError):
        run("print(6 * 7)\n", "41\n", {})


# --- commands


def make_targets() -> set[str]:
    return set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def commands(page: Path) -> Iterator[str]:
    """Yield the lines of a page's shell blocks, without their comments."""
    for block in blocks(page, "sh"):
        for line in block.splitlines():
            yield line.partition("#")[0].strip()


def test_the_commands_of_the_readme_are_targets_of_make() -> None:
    """One for the main job, and one for the tests, which continuous integration runs."""
    assert [command for command in commands(README) if command.startswith("make")] == [
        "make train",
        "make test",
    ]
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-1] == "exec make test"


@every_page
def test_every_target_that_is_named_exists(page: Path) -> None:
    named = re.findall(r"(?:`|^)make ([\w-]+)", text_of(page), re.MULTILINE)
    assert set(named) <= make_targets()


@every_page
def test_commands_of_wizard_are_understood(page: Path) -> None:
    """The command exists and takes these arguments."""
    group = typer.main.get_command(app)
    for command in commands(page):
        if command.startswith("wizard "):
            _, name, *arguments = shlex.split(command)
            group.commands[name].make_context(name, arguments)  # type: ignore[attr-defined]


# --- names and links


@every_page
def test_files_names_and_links_of_a_page_exist(page: Path) -> None:
    """Sphinx checks the links within a page of the site, and those to headings."""
    text = text_of(page)
    parts = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"runs"}  # where training writes
    folders = "|".join(parts)
    paths = re.findall(rf"`((?:{folders})/[\w./*-]*(?:\.\w+|/))`", text)
    assert [name for name in paths if not list(ROOT.glob(name.rstrip("/")))] == []
    assert [link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not (page.parent / link).exists()] == []
    for name in re.findall(r"`(wizard_env(?:\.[A-Za-z_]\w*)+)[`(]", text):
        if not any(library in name for library in SEPARATE):
            resolve_name(name)


def test_the_first_page_names_every_extra() -> None:
    cells = re.findall(r"^\| (`[^|]+`) \|", text_of(ROOT / "docs" / "index.md"), re.MULTILINE)
    named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(TOML["optional-dependencies"])


def test_the_api_page_has_every_public_name() -> None:
    """Classes and functions; tables and sizes are on the page of the environment."""
    public = {name for name in wizard_env.__all__ if callable(getattr(wizard_env, name))}
    page = text_of(ROOT / "docs" / "api.md")
    shown = re.findall(r"^\.\. auto\w+:: wizard_env\.(\w+)$", page, re.MULTILINE)
    assert sorted(public - set(shown)) == []


def test_the_citation_is_of_this_version() -> None:
    cited = dict(re.findall(r'^([\w-]+): "?(.+?)"?$', text_of(ROOT / "CITATION.cff"), re.MULTILINE))
    assert (cited["version"], cited["license"]) == (TOML["version"], TOML["license"])
    latest = re.search(r"^## \[(.+)\] - (.+)$", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert latest is not None
    assert latest.groups() == (cited["version"], cited["date-released"])
    (bibtex,) = blocks(README, "bibtex")
    for given in (cited["version"], cited["date-released"][:4], cited["license"]):
        assert f"{{{given}}}" in bibtex

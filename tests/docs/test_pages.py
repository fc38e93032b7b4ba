"""The documentation is true: tables, code, commands, numbers, links."""

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import typer.main

import wizard_env
from table.tools import agent_strength
from tests.docs.pages import PAGES, ROOT, blocks, examples, run, run_page
from tools import cluster_scaling, doc_tables, leaderboard, library_table
from tools import results as make_results
from tools.marked_tables import fill, split
from wizard_env import NUM_ACTIONS, OBS_SIZE, Rules
from wizard_env.cli.main import app
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.evaluation.workers import workers

README = ROOT / "README.md"
ENVIRONMENT = ROOT / "docs" / "environment.md"
TUTORIALS = [page for page in PAGES if page.parent.name == "tutorials"]


def commands(page: Path) -> list[str]:
    """Return the lines of a page's shell blocks, without their comments."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [line.partition("#")[0].strip() for line in lines if line.strip()]


def make_targets() -> set[str]:
    return set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


# --- tables


def test_the_tables_are_generated() -> None:
    """`make docs` would change nothing."""
    script = doc_tables
    assert ENVIRONMENT in script.PAGES
    assert sorted(name for names in script.PAGES.values() for name in names) == sorted(script.tables())
    for path, names in script.PAGES.items():
        page = path.read_text(encoding="utf-8")
        assert script.filled(page, names) == page


def test_the_table_of_many_machines_is_generated() -> None:
    script = cluster_scaling
    rows = json.loads(script.FIGURES.read_text())
    page = script.PAGE.read_text(encoding="utf-8")
    assert fill(page, script.TABLE, script.table(rows)) == page


def test_the_leaderboard_is_written_from_its_entries() -> None:
    """All entries played the same opponents, those of this version; random is 0 and champion 100."""
    script = leaderboard
    page, cards = script.PAGE.read_text(encoding="utf-8"), script.read_entries()
    assert script.filled(page, cards) == page
    scale = json.loads(script.REFERENCES.read_text())
    assert (cards[0]["protocol"], cards[0]["panel"]) == (scale["protocol"], scale["panel"])
    ends = {card["name"]: card["score"] for card in cards if card["name"] in ("random", "champion")}
    assert ends == pytest.approx({"random": 0, "champion": 100})
    with pytest.raises(ValueError, match="no markers for 'leaderboard'"):
        script.filled("", cards)


def test_entries_that_do_not_compare_are_refused(tmp_path: Path) -> None:
    script = leaderboard
    for name, panel in (("a", {"champion": "1"}), ("b", {"champion": "2"})):
        (tmp_path / f"{name}.json").write_text(json.dumps({"protocol": 1, "panel": panel, "score": 1}))
    with pytest.raises(ValueError, match=r"b\.json has protocol and opponents"):
        script.read_entries(tmp_path)


def test_a_table_that_has_drifted_is_replaced() -> None:
    script, page = doc_tables, ENVIRONMENT.read_text(encoding="utf-8")
    drifted = page.replace("`bid 0`", "`bid one`").replace("| 0-323 |", "| 0-1 |")
    assert drifted != page
    assert script.filled(drifted, ["actions", "observation"]) == page
    with pytest.raises(ValueError, match="no markers for 'actions'"):
        script.filled(page.replace("<!-- end of actions -->", ""), ["actions"])


def test_the_numbers_are_those_of_the_code() -> None:
    page = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
    assert f"| input | `observation` | uint8 [n, {OBS_SIZE}], in canonical suits |" in page
    assert f"| input | `mask` | uint8 [n, {NUM_ACTIONS}], 1 for a legal action |" in page
    assert f"| output | `logits` | float32 [n, {NUM_ACTIONS}], -1e9 for an illegal action |" in page


# --- code


CODE = [
    (page, number) for page in PAGES if page not in TUTORIALS for number in range(len(blocks(page, "python")))
]


@pytest.mark.parametrize(("page", "number"), CODE, ids=lambda given: getattr(given, "stem", given))
def test_code_blocks_run(page: Path, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each runs by itself, in an empty folder, and prints the output on the page. Warnings are errors."""
    for library in ("verifiers", "openenv"):
        if library in examples(page)[number][0]:
            pytest.skip(f"{library} has a separate environment: `make test-{library}` runs this block")
    monkeypatch.chdir(tmp_path)
    run(*examples(page)[number], {"__name__": "__main__"})


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorials_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    """The blocks of a tutorial build on each other."""
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_outputs_follow_the_code_that_prints_them(page: Path) -> None:
    """So every output on a page is compared."""
    assert [code for code, _ in examples(page)] == blocks(page, "python")
    assert sum(printed is not None for _, printed in examples(page)) == len(blocks(page, "text"))


def test_an_output_that_has_drifted_is_found() -> None:
    run("print(6 * 7)\n", "42\n", {})
    with pytest.raises(AssertionError):
        run("print(6 * 7)\n", "41\n", {})


def test_there_is_code() -> None:
    """The README shows every interface."""
    assert len(blocks(README, "python")) >= 4
    assert len(blocks(ENVIRONMENT, "python")) >= 2
    assert len(TUTORIALS) == 3
    assert all(blocks(page, "python") for page in TUTORIALS)


# --- commands


def test_the_commands_of_the_readme_are_targets_of_make() -> None:
    """One for the main job, and one for the tests."""
    by_make = [block.split("#")[0].strip() for block in blocks(README, "sh") if block.startswith("make")]
    assert by_make == ["make train", "make test"]
    assert {"train", "test"} <= make_targets()


def test_every_target_that_is_named_exists() -> None:
    for page in (*PAGES, ROOT / "CHANGELOG.md", ROOT / "pyproject.toml", ROOT / ".ci" / "run"):
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"(?:`|^|exec )make ([\w-]+)", text, re.MULTILINE)
        assert set(named) <= make_targets(), page


def test_continuous_integration_runs_the_tests_of_the_readme() -> None:
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-1] == "exec make test"


WIZARD = [command for page in PAGES for command in commands(page) if command.startswith("wizard ")]


@pytest.mark.parametrize("command", WIZARD)
def test_commands_of_wizard_are_understood(command: str) -> None:
    """The command exists and takes these arguments."""
    _, name, *arguments = shlex.split(command)
    group = typer.main.get_command(app)
    found = group.commands[name]  # type: ignore[attr-defined]
    found.make_context(name, arguments)


def test_the_readme_shows_commands_of_wizard() -> None:
    assert WIZARD


# --- how to cite


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = dict(re.findall(r'^([\w-]+): "?(.+?)"?$', citation, re.MULTILINE))
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    latest = re.search(
        r"^## \[(.+)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert latest is not None
    assert latest.groups() == (cited["version"], cited["date-released"])
    (bibtex,) = blocks(README, "bibtex")
    for given in (cited["version"], cited["date-released"][:4], cited["license"]):
        assert f"{{{given}}}" in bibtex
    assert cited["title"].replace("wizard-env: ", "") in bibtex


# --- links and paths


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_tests_of_libraries_exist() -> None:
    """`python -m tools.library_table` runs them."""
    for tests, _ in library_table.TESTS.values():
        file, _, name = tests.split()[0].partition("::")
        assert f"def {name}" in (ROOT / file).read_text(encoding="utf-8"), tests


def test_no_file_names_a_path_of_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("no git repository")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    private = [f"/{folder}/".encode() for folder in ("work", "home", "root")] + [b"/tmp/" + b"probe"]
    found = [
        f"{path.relative_to(ROOT)}: {name.decode()}"
        for path in paths
        if path.is_file()
        for name in private
        if re.search(rb"(?<![\w.])" + re.escape(name), path.read_bytes())
    ]
    assert not found


def test_the_results_are_written_as_tables() -> None:
    """Every line has as many cells as the head of its table; figures are those of the evaluation."""
    results = make_results
    page = results.PAGE.read_text(encoding="utf-8")
    for name in results.SECTIONS:
        _, table, _ = split(page, name)
        assert len({line.count("|") for line in table.splitlines()}) == 1, name
    with workers() as spread:
        lines = list(results.by_hand_size(2, spread))
        alone = results.alone("heuristic", "random", Rules(3, hand_sizes=(1, 2)), 20, spread)
    assert len(lines) == 2 + 15 + 1
    assert {line.count("|") for line in lines} == {6}
    line = results.line(alone, "3", "`random`")
    assert line.startswith(f"| 3 | `random` | {alone.differences[0].points:+.0f} (")
    assert line.endswith("| 20 |")


def test_the_first_page_names_every_extra() -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]+`) \|", page, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(project["optional-dependencies"])


def test_the_api_page_has_every_public_name() -> None:
    """Classes and functions; tables and sizes are on the page of the environment."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    public = [name for name in wizard_env.__all__ if callable(getattr(wizard_env, name))]
    shown = re.findall(r"^\.\. auto\w+:: wizard_env\.(\w+)$", page, re.MULTILINE)
    assert sorted(set(public) - set(shown)) == []


def test_the_strength_of_agents_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lead over three others in points per game; agents that search play fewer deals."""
    strength, out = agent_strength, tmp_path / "strength.json"
    monkeypatch.setattr(strength, "OFFERED", ["random", "rule_based", "search:worlds=1"])
    monkeypatch.setattr(strength, "RULES", Rules(4, hand_sizes=(1, 5)))
    strength.main(["--games", "40", "--workers", "1", "--out", str(out)])
    found = evaluate(["random", *["rule_based"] * 3], strength.RULES, 40, strength.SEED)
    leads = json.loads(out.read_text())
    assert leads["random"] == round(found.differences[0].points) < 0
    assert leads["rule_based"] == 0
    assert leads["search:worlds=1"] > leads["random"]

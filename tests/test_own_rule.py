"""Adding a rule: a test that follows the steps printed in CONTRIBUTING.md, in a copy of the package."""

import re
import shutil
import subprocess
import sys
from os import environ
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PLAYED = """
import numpy as np
from wizard_env import OBS_SIZE, Game, Games, IllegalAction, Rules, action_id, load, unpack
from wizard_env.records import parse_position, position
from wizard_env.words import rules_text

rules = Rules(3, "no_zero", hand_sizes=(1, 2, 3))
assert OBS_SIZE == 704
games, champion = Games(rules, 2, seed=0, pause="game"), load("champion")
rng, dealers_bids = np.random.default_rng(0), 0
while games.mask.any():
    rows = games.mask.any(axis=1).nonzero()[0]
    shown = unpack(games.observation[rows])
    assert shown["later_restriction"].all() and not shown["bid_restriction"].any()
    assert shown["bid_reveal"].sum() == len(rows) and not shown["spare"].any()
    bidding = games.mask[rows, 1] != 0
    is_dealer = games.seat[rows] == games.states["dealer"][rows]
    assert (games.mask[rows, 0] == (bidding & ~is_dealer)).all()
    dealers_bids += int((bidding & is_dealer).sum())
    games.step(champion.act(games.view(rows), rng), rows)
assert dealers_bids == 6
assert not unpack(Game(Rules(4)).observe(0))["later_restriction"].any()

game = Game(rules, seed=1)
while game.seat != game.dealer or game.phase != "bid":
    game.step(game.legal_actions()[-1])
assert position(parse_position(position(game))) == position(game)
assert "no_zero" in rules_text(rules)
try:
    game.step("bid 0")
except IllegalAction as error:
    assert "'no_zero' forbids the dealer this bid" in str(error)
else:
    raise AssertionError("bid 0 was taken")
print("played")
"""

SOLVED = """
from wizard_env import Rules
from wizard_env.evaluation.one_card import measure_exactly

found = measure_exactly("exact", Rules(3, "no_zero", hand_sizes=(1,)))
assert found.nash_conv < 1e-9 and found.equilibrium[2] < 2 < found.equilibrium[1]
print("solved")
"""


def copy_package(folder: Path) -> None:
    """Copy `wizard_env`; its links into the other folders lead to these."""
    shutil.copytree(ROOT / "wizard_env", folder / "wizard_env", symlinks=True)
    for link in (ROOT / "wizard_env").iterdir():
        if link.is_symlink() and link.is_dir():
            (folder / link.name).symlink_to(ROOT / link.name)
    (folder / "docs").symlink_to(ROOT / "docs")


def follow(diff: str, folder: Path) -> None:
    """Change files as a diff says: each hunk stands once in its file."""
    for part in re.split(r"^--- ", diff, flags=re.MULTILINE)[1:]:
        name, hunks = part.split("\n", 1)
        path = folder / name
        code = path.read_text(encoding="utf-8")
        for hunk in hunks.split("@@\n"):
            lines = hunk.splitlines()
            before, after = (
                "".join(f"{line[1:]}\n" for line in lines if line[:1] != left_out) for left_out in "+-"
            )
            assert code.count(before) == 1, before
            code = code.replace(before, after)
        path.write_text(code, encoding="utf-8")


def diff_of_the_section() -> str:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Try a rule of your own")[1]
    return section.split("```diff\n")[1].split("```")[0]


def run_changed(program: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a program with a copy of the package that was changed as the section says."""
    copy_package(folder)
    follow(diff_of_the_section(), folder)
    own = environ | {"PYTHONPATH": str(folder)} | variables
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=own, capture_output=True, text=True, check=False
    )


def test_the_section_as_it_is_printed(tmp_path: Path) -> None:
    """Two files and few lines; the champion loads and keeps to the rule, and the observation its size."""
    diff = diff_of_the_section()
    assert len(re.findall(r"^--- ", diff, re.MULTILINE)) == 2
    assert len(diff.splitlines()) <= 30
    ran = run_changed(PLAYED, tmp_path, NUMBA_DISABLE_JIT="1")
    assert ran.stdout == "played\n", ran.stderr
    assert "was trained before these fields of the observation: later_restriction" in ran.stderr


@pytest.mark.slow
def test_one_card_is_solved_by_an_own_rule(tmp_path: Path) -> None:
    """The dealer has to bid 1; the agent `exact` does, and answers best."""
    ran = run_changed(SOLVED, tmp_path, XDG_CACHE_HOME=str(tmp_path / "kernels"))
    assert ran.stdout == "solved\n", ran.stderr

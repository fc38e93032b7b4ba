"""Adding a rule: a test that follows the steps printed in CONTRIBUTING.md, in a copy of the package."""

import re
import shutil
import subprocess
import sys
from os import environ
from pathlib import Path

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


def test_the_section_as_it_is_printed(tmp_path: Path) -> None:
    """Two files and few lines; the champion loads and keeps to the rule, and the observation its size."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Try a rule of your own")[1]
    diff = section.split("```diff\n")[1].split("```")[0]
    assert len(re.findall(r"^--- ", diff, re.MULTILINE)) == 2
    assert len(diff.splitlines()) <= 30
    copy_package(tmp_path)
    follow(diff, tmp_path)
    own = environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", PLAYED], cwd=tmp_path, env=own, capture_output=True, text=True, check=False
    )
    assert ran.stdout == "played\n", ran.stderr
    assert "was trained before these fields of the observation: later_restriction" in ran.stderr

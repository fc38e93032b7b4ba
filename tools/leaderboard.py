"""Remake the leaderboard: python -m tools.leaderboard (`make leaderboard`).

Trains the missing runs of the project's own entries, measures the ends of the scale and every entry of
docs/leaderboard, and writes the tables of docs/leaderboard.md.
"""

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.marked_tables import estimated, fill, head, row
from wizard_env.evaluation.protocol import PARTS
from wizard_env.evaluation.scorecard import REFERENCES, measure, reference_document
from wizard_env.evaluation.statistics import Estimate
from wizard_env.evaluation.workers import Map, workers
from wizard_env.files import write_atomically

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "leaderboard.md"
ENTRIES = ROOT / "docs" / "leaderboard"
WIZARD = Path(sys.executable).with_name("wizard")

TRAINED = {
    "runs/quick": "wizard train quick",
    "runs/paper_dqn": "python examples/paper_dqn.py",
    "runs/maskable_ppo": (
        "wizard train quick --name maskable_ppo --set learning.learner=maskable_ppo "
        "--set learning.decisions=2_000_000"
    ),
}
"""Commands that make the runs of the project's own entries."""
OWN: dict[str, tuple[str, str, str]] = {
    "random": ("random", "full", "any legal action; the 0 of the scale"),
    "rule_based": ("rule_based", "full", "the published baseline (Schumacher and Pleines 2022)"),
    "heuristic": ("heuristic", "full", "counts cards and estimates chances"),
    "rival": ("rival", "full", "a network trained by self-play, `configs/rival.toml`"),
    "champion": ("champion", "full", "the network of the package, which plays to win"),
    "champion_for_points": ("champion:goal=points", "full", "plays for points; the 100 of the scale"),
    "adaptive": ("adaptive", "full", "recognises its opponents by their finished rounds"),
    "search": ("search:worlds=16", "short", "plays out every choice in 16 worlds"),
    "champion_search": ("champion+search:worlds=16", "short", "the network, and a search in 16 worlds"),
    "quick": ("runs/quick", "full", f"PPO: `{TRAINED['runs/quick']}`"),
    "paper_dqn": (
        "runs/paper_dqn",
        "full",
        f"DQN as published, trained on rounds of three cards alone: `{TRAINED['runs/paper_dqn']}`",
    ),
    "maskable_ppo": (
        "runs/maskable_ppo",
        "full",
        f"sb3-contrib's MaskablePPO in self-play: `{TRAINED['runs/maskable_ppo']}`",
    ),
}
"""The project's own entries by the name of their file: the agent, the effort, and the note."""


def read_entries(folder: Path = ENTRIES) -> list[dict[str, Any]]:
    """Return the cards of all entries, the highest score first.

    Raises ValueError if they cannot be compared.
    """
    cards = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    kinds = {path: (card["protocol"], card["panel"]) for path, card in cards.items()}
    (first, kind), *others = kinds.items()
    for path, found in others:
        if found != kind:
            raise ValueError(
                f"{path} has protocol and opponents {found}, {first} has {kind}: they do not compare; "
                "`make leaderboard` measures all of them anew"
            )
    return sorted(cards.values(), key=lambda card: -card["score"])


def tables(cards: Sequence[dict[str, Any]]) -> str:
    """Return the table of the scores, and the table of their parts."""
    lines = head("agent", "score", "95% interval", "deals", "µs per decision", "what it is")
    for card in cards:
        time = card["microseconds"]
        lines.append(
            row(
                f"`{card['name']}`",
                f"{card['score']:.1f}",
                f"{card['score_low']:.1f} to {card['score_high']:.1f}",
                card["effort"],
                "" if time is None else f"{time:,.1f}",
                card["note"].replace("|", "/"),
            )
        )
    lines += ["", *head("agent", *PARTS, "self-play", "gain by adaptation")]
    for card in cards:
        parts = [str(round(part["score"])) for part in card["parts"]]
        one = card["adaptation"]
        gain = estimated(Estimate(one["gain"], one["gain_low"], one["gain_high"]), "+.1f")
        lines.append(row(f"`{card['name']}`", *parts, str(round(card["self_play_score"])), gain))
    return "\n".join(lines) + "\n"


def filled(page: str, cards: Sequence[dict[str, Any]]) -> str:
    """Return the page with its tables replaced."""
    return fill(page, "leaderboard", tables(cards))


def write_json(path: Path, found: dict[str, Any]) -> None:
    write_atomically(
        path, lambda temporary: temporary.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    )


def train_missing() -> None:
    """Train the runs of the project's own entries that are missing or unfinished."""
    for folder, command in TRAINED.items():
        program, *words = shlex.split(command)
        if program == "python":
            subprocess.run([sys.executable, *words], cwd=ROOT, check=True)  # a finished run ends at once
        elif not (ROOT / folder / "records.jsonl").exists():  # written last
            subprocess.run([WIZARD, *words], cwd=ROOT, check=True)


def verify(path: Path, spread: Map) -> bool:
    """Measure an entry again and print the result; returns whether the old score is in the new interval."""
    card = json.loads(path.read_text(encoding="utf-8"))
    found = measure(card["agent"], card["name"], card["effort"], card["note"], spread).to_dict()
    same = all(found[key] == value for key, value in card.items() if key != "microseconds")
    low, high = found["score_low"], found["score_high"]
    print(
        f"{path}: {card['score']:.2f}, measured again {found['score']:.2f} ({low:.2f} to {high:.2f}), "
        f"{'equal to the last digit' if same else 'the cards differ'}"
    )
    return bool(low <= card["score"] <= high)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    parser.add_argument("--page", action="store_true", help="only write the page, from the existing entries")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure only these entries")
    parser.add_argument(
        "--verify", nargs="+", type=Path, metavar="FILE", help="only measure these entries again"
    )
    options = parser.parse_args(arguments)
    with workers(options.workers) as spread:
        if options.verify:
            sys.exit(0 if min([verify(path, spread) for path in options.verify]) else 1)
        if not options.page:
            remake(options.only, spread)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), read_entries()), encoding="utf-8")


def remake(only: Sequence[str] | None, spread: Map) -> None:
    """Measure the scale, unless only some entries are asked for, and then the entries."""
    names = [path.stem for path in ENTRIES.glob("*.json")]
    if only is None:
        train_missing()
        write_json(REFERENCES, reference_document(spread))
    for name in only or sorted({*OWN, *names}):
        if name in OWN:
            agent, effort, note = OWN[name]
            shown = agent.removeprefix("runs/")
        else:
            card = json.loads((ENTRIES / f"{name}.json").read_text(encoding="utf-8"))
            agent, effort, note, shown = (card[key] for key in ("agent", "effort", "note", "name"))
        found = measure(agent, shown, effort, note, spread)
        write_json(ENTRIES / f"{name}.json", found.to_dict())
        print(f"{shown} {found.score:.1f} ({found.score_low:.1f} to {found.score_high:.1f})", flush=True)


if __name__ == "__main__":
    main()

"""Rewrite the generated tables of environment.md and vector.md: python -m tools.doc_tables."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from tools.marked_tables import fill, head, row
from wizard_env import Games, Rules
from wizard_env.actions import ACTIONS, NUM_ACTIONS
from wizard_env.envs.aec import raw_env
from wizard_env.observation.fields import (
    FULL_HIGHS,
    FULL_SIZE,
    FULL_SLICES,
    FULL_STATE,
    HIGHS,
    HISTORY,
    OBS_SIZE,
    OBSERVATION,
    ROUND_SIZE,
    ROUND_SLICES,
    Field,
)
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS
from wizard_env.state import FINISHED_ROUND

PAGES_FOLDER = Path(__file__).parent.parent / "docs"
PAGES = {
    PAGES_FOLDER / "environment.md": ("summary", "actions", "observation", "history", "full-state"),
    PAGES_FOLDER / "vector.md": ("arrays",),
}
"""The names of the tables of each page."""


def actions_table() -> str:
    """Return the kinds of action, with their ids."""
    lines = head("ids", "actions")
    for _, group in groupby(enumerate(ACTIONS), key=lambda item: item[1].split()[0]):
        (first, first_name), *_, (last, last_name) = group
        lines.append(row(f"{first}-{last}", f"`{first_name}` to `{last_name}`"))
    return "\n".join(lines) + "\n"


def summary_table() -> str:
    """Return the summary of the environment, as on PettingZoo's pages."""
    facts = {
        "Import": "`from wizard_env import wizard_v0`",
        "Creation": '`pettingzoo.make("aec", "wizard_env/wizard_v0")`',
        "Actions": "discrete, with a mask of the legal ones",
        "Parallel API": "yes" if raw_env.metadata["is_parallelizable"] else "no",
        "Manual control": "no",
        "Agents": f"`player_0` to `player_{MAX_PLAYERS - 1}`",
        "Number of agents": f"{MIN_PLAYERS} to {MAX_PLAYERS}",
        "Action shape": f"`Discrete({NUM_ACTIONS})`, for any number of players",
        "Action values": f"0 to {NUM_ACTIONS - 1}",
        "Action mask": f"int8 `({NUM_ACTIONS},)`",
        "Observation shape": f"uint8 `({OBS_SIZE},)`, one layout for any number of players and every rule",
        "Observation values": f"0 to {max(HIGHS)}, each entry has its own highest value",
        "State shape": f"uint8 `({FULL_SIZE},)`",
        "State values": f"0 to {max(FULL_HIGHS)}",
    }
    return "\n".join([*head("", ""), *(row(*fact) for fact in facts.items())]) + "\n"


def arrays_table() -> str:
    """Return the arrays of `Games`, with their types and shapes."""
    games = Games(Rules(), num_games=2)
    meanings = {
        "observation": "the observation of the acting seat",
        "mask": "its legal actions",
        "seat": "the seat that acts",
        "points": "points of every seat for a round that the last step ended; 0 where none ended",
        "round_done": "true where the last step ended a round",
        "done": "true where the last step ended the game; the next one is already dealt",
        "scores": "points of the game so far",
        "seeds": "`Game(rules, seed=seeds[i])` is dealt the same cards",
        "finished_rounds": "records of the finished rounds of the game, by index; zero where there is none",
    }
    lines = head("array", "shape", "meaning")
    for name, meaning in meanings.items():
        array = getattr(games, name)
        named = {"points": "players", "scores": "players", "finished_rounds": "rounds"}
        columns = named.get(name, ", ".join(map(str, array.shape[1:])))
        shape = ", ".join(filter(None, ["n", columns]))
        kind = "`FINISHED_ROUND`" if array.dtype == FINISHED_ROUND else array.dtype
        lines.append(row(f"`{name}`", f"{kind} [{shape}]", meaning))
    return "\n".join(lines) + "\n"


def fields_table(fields: Iterable[Field], places: Mapping[str, slice] = FULL_SLICES) -> str:
    """Return some fields of a row, with the entries that they take."""
    lines = ["| entries | name | shape | values | meaning |", "|---|---|---|---|---|"]
    for field in fields:
        entries = places[field.name]
        shape = " x ".join(map(str, field.shape))
        high = field.high if isinstance(field.high, int) else f"{min(field.high)} ({max(field.high)})"
        span = f"{entries.start}-{entries.stop - 1}"
        lines.append(f"| {span} | `{field.name}` | {shape} | {field.low} to {high} | {field.text} |")
    return "\n".join(lines) + "\n"


def tables() -> dict[str, str]:
    """Return every generated table, by the name of its markers."""
    hidden = FULL_STATE[len(OBSERVATION) :]
    return {
        "arrays": arrays_table(),
        "summary": summary_table(),
        "actions": actions_table(),
        "observation": fields_table(OBSERVATION) + f"\nIn all {OBS_SIZE} entries.\n",
        "history": fields_table(HISTORY, ROUND_SLICES) + f"\nIn all {ROUND_SIZE} entries.\n",
        "full-state": fields_table(hidden) + f"\nIn all {FULL_SIZE} entries.\n",
    }


def filled(page: str, names: Iterable[str]) -> str:
    """Return the page with the tables of these names replaced."""
    made = tables()
    for name in names:
        page = fill(page, name, made[name])
    return page


if __name__ == "__main__":
    for path, names in PAGES.items():
        path.write_text(filled(path.read_text(encoding="utf-8"), names), encoding="utf-8")

"""Rewrite the generated tables of docs/environment.md: python -m tools.doc_tables."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from tools.marked_tables import fill, head, row
from wizard_env.actions import ACTIONS
from wizard_env.observation.fields import (
    FULL_SIZE,
    FULL_SLICES,
    FULL_STATE,
    HISTORY,
    OBS_SIZE,
    OBSERVATION,
    ROUND_SIZE,
    ROUND_SLICES,
    Field,
)

PAGE = Path(__file__).parent.parent / "docs" / "environment.md"


def actions_table() -> str:
    """Return the kinds of action, with their ids."""
    lines = head("ids", "actions")
    for _, group in groupby(enumerate(ACTIONS), key=lambda item: item[1].split()[0]):
        (first, first_name), *_, (last, last_name) = group
        lines.append(row(f"{first}-{last}", f"`{first_name}` to `{last_name}`"))
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
        "actions": actions_table(),
        "observation": fields_table(OBSERVATION) + f"\nIn all {OBS_SIZE} entries.\n",
        "history": fields_table(HISTORY, ROUND_SLICES) + f"\nIn all {ROUND_SIZE} entries.\n",
        "full-state": fields_table(hidden) + f"\nIn all {FULL_SIZE} entries.\n",
    }


def filled(page: str) -> str:
    """Return the page with its generated tables replaced."""
    for name, table in tables().items():
        page = fill(page, name, table)
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

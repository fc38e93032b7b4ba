"""Write the generated tables of environment.md anew: python docs/tables.py."""

from itertools import groupby
from pathlib import Path

from wizard_env.actions import ACTIONS
from wizard_env.observation import FULL_SIZE, FULL_STATE, OBS_SIZE, OBSERVATION, markdown

PAGE = Path(__file__).with_name("environment.md")


def actions_table() -> str:
    """The kinds of action, with their ids."""
    lines = ["| ids | actions |", "|---|---|"]
    for _, group in groupby(enumerate(ACTIONS), key=lambda item: item[1].split()[0]):
        (first, first_name), *_, (last, last_name) = group
        lines.append(f"| {first}-{last} | `{first_name}` to `{last_name}` |")
    return "\n".join(lines) + "\n"


def tables() -> dict[str, str]:
    """Every generated table, by the name of its markers in the page."""
    hidden = FULL_STATE[len(OBSERVATION) :]
    return {
        "actions": actions_table(),
        "observation": markdown(OBSERVATION) + f"\nIn all {OBS_SIZE} entries.\n",
        "full-state": markdown(hidden, start=OBS_SIZE) + f"\nIn all {FULL_SIZE} entries.\n",
    }


def filled(page: str) -> str:
    """The page with every table between its markers replaced."""
    for name, table in tables().items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"{PAGE} has no markers for {name!r}")
        page = before + begin + table + end + after
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

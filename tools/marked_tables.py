"""Tables in Markdown. In a page, a generated table is between two markers with its name."""

from wizard_env.evaluation.report.grids import plain, signed
from wizard_env.evaluation.statistics import Estimate


def row(*cells: str) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"


def head(*cells: str) -> list[str]:
    """Return the first two lines of a table."""
    return [row(*cells), row(*["---"] * len(cells))]


def estimated(found: Estimate, style: str, with_interval: bool = True) -> str:
    """Return a mean, and its interval. style: of each number; after a "+", all but 0 have a sign."""
    write = signed if style.startswith("+") else plain
    mean, low, high = (write(number, style.removeprefix("+")) for number in found)
    return f"{mean} ({low} to {high})" if with_interval else mean


def fill(page: str, name: str, table: str) -> str:
    """Return the page with a new table between `<!-- name -->` and `<!-- end of name -->`.

    Raises ValueError if the page has no such markers.
    """
    before, _, after = split(page, name)
    return before + table + after


def split(page: str, name: str) -> tuple[str, str, str]:
    """Return the page up to a table, the table, and the rest; raises as `fill` does."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, begun, rest = page.partition(begin)
    table, ended, after = rest.partition(end)
    if not (begun and ended):
        raise ValueError(f"no markers for {name!r}")
    return before + begin, table, end + after

"""Display of a report as a table in the terminal."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.report import RATE, SECONDS, WORLD_RATE, Machine, Report, Row
from benchmarks.timing import Sample


def render(report: Report) -> RenderableType:
    """Show the machine and the comparisons."""
    sections: list[RenderableType] = [_describe(report.machine)]
    if report.quick:
        sections.append(Text("A smoke run: the numbers are rough.", style="bold"))
    sections += [
        _comparisons(report.rows),
        Text("Best runs, with medians below them; ratios and targets are judged by the best runs."),
    ]
    return Group(*sections)


def _describe(machine: Machine) -> Text:
    packages = ", ".join(f"{name} {number}" for name, number in machine.packages.items())
    return Text(
        f"{machine.cpu}, {machine.cores} cores, {machine.threads} threads\n{machine.python}, {packages}"
    )


def _comparisons(rows: list[Row]) -> Table:
    table = Table(title="Speed", show_lines=True)
    table.add_column("measured\nagainst", overflow="fold")
    for heading in ("ours", "peer's", "ratio", "target"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.name if row.peer_name is None else f"{row.name}\n[dim]{row.peer_name}",
            _both(row.ours, row.unit),
            _both(row.peer, row.unit) if row.peer else "",
            f"{_short(row.ratio)} x" if row.ratio else "",
            _target(row),
        )
    return table


def _both(sample: Sample, unit: str) -> str:
    """Write the best run, with the median below it."""
    best, median = _amount(sample.best, unit), _amount(sample.median, unit)
    return best if sample.best == sample.median else f"{best}\n[dim]{median}"


def _amount(number: float, unit: str) -> str:
    if unit not in (RATE, WORLD_RATE):
        return f"{_short(number)} {unit}"
    return f"{_short(number / 1e6)} M/s" if number >= 1e6 else f"{_short(number / 1e3)} k/s"


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


def _target(row: Row) -> str:
    if row.target is None:
        return ""
    target = f"< {row.target:g} s" if row.unit == SECONDS else f"{row.target:g} x"
    return f"{target}\n[green]reached" if row.reached else f"{target}\n[red]missed"

"""Display of a report as tables in the terminal."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.report import (
    RATE,
    SECONDS,
    STEP_RATE,
    TIMES,
    WORLD_RATE,
    CurvePoint,
    KernelCost,
    Machine,
    Report,
    Row,
)

_RATES = (RATE, STEP_RATE, WORLD_RATE)


def render(report: Report) -> RenderableType:
    """Show the machine, the comparisons, the cost by batch size, and the cost of compiling."""
    sections: list[RenderableType] = [_describe(report.machine)]
    if report.quick:
        sections.append(Text("A smoke run: the numbers are rough.", style="bold"))
    sections += [
        _comparisons(report.rows),
        Text("Best runs, with medians below them; targets are judged by the best runs."),
        _curve(report.curve),
        _kernels(report.kernels),
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
            _both(row.ours, row.ours_median, row.unit),
            _both(row.peer, row.peer_median, row.unit),
            _both(row.ratio, row.ratio_median, TIMES),
            _target(row),
        )
    return table


def _both(best: float | None, median: float | None, unit: str) -> str:
    """Write the best run, with the median below it."""
    if best is None or median is None:
        return ""
    return _amount(best, unit) if best == median else f"{_amount(best, unit)}\n[dim]{_amount(median, unit)}"


def _amount(number: float, unit: str) -> str:
    if unit not in _RATES:
        return f"{_short(number)} {unit}"
    return f"{_short(number / 1e6)} M/s" if number >= 1e6 else f"{_short(number / 1e3)} k/s"


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


def _target(row: Row) -> str:
    if row.target is None:
        return ""
    target = f"< {row.target:g} s" if row.unit == SECONDS else f"{row.target:g} x"
    return f"{target}\n[green]reached" if row.reached else f"{target}\n[red]missed"


def _curve(points: list[CurvePoint]) -> Table:
    table = Table(title="Games.step by batch size, best runs")
    for heading in ("games", "ns per decision", "bytes per game"):
        table.add_column(heading, justify="right")
    for point in points:
        table.add_row(
            f"{point.num_games:,}",
            f"{point.nanoseconds:.1f}",
            f"{point.bytes_per_game:,.0f}",
        )
    return table


def _kernels(costs: list[KernelCost]) -> Table:
    table = Table(title="Kernels, each compiled in a separate process")
    table.add_column("kernel", overflow="fold")
    table.add_column("s of processor time", justify="right")
    table.add_column("kB on disk", justify="right")
    for cost in sorted(costs, key=lambda cost: -cost.seconds):
        table.add_row(
            cost.name.removeprefix("wizard_env."), f"{cost.seconds:.2f}", f"{cost.bytes / 1000:,.0f}"
        )
    return table

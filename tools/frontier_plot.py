"""Plot harmony against lead, from a table of docs/learning.md: python tools/frontier_plot.py."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wizard_env.evaluation.report.plots import COLORS
from wizard_env.files.writing import write_atomically

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "learning.md"
PLOT = DOCS / "frontier.svg"
SIZE = (8.0, 4.6)
"""Inches."""
OPPONENTS = ("rule_based", "rival")
SHARE, SPIRIT, PARTNERS, COPIES = "sparring", "team_spirit", "partners", "copies"
"""Columns of the table; rows without a share are networks that the sweep began with or led to."""


def rows() -> Iterator[dict[str, str]]:
    """The rows of the first table of the page that has all columns, by the names of its columns."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    head = next(cells for line in lines if {SHARE, SPIRIT, PARTNERS, COPIES} <= set(cells := _cells(line)))
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield dict(zip(head, _cells(line), strict=True))


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]


def label(partners: str, share: str) -> str:
    if not share:
        return partners
    return f"{float(share):.0%} of the games beside {partners}"


def draw(axes: Axes, opponent: str) -> None:
    """One panel: each point is a network, and each line joins runs that differ in team spirit alone."""
    families = groupby(rows(), key=lambda row: (row[PARTNERS], row[SHARE]))
    colors, signs = iter(COLORS), iter("XPDs*")
    for (partners, share), family in families:
        points = [(float(row[COPIES]), float(row[opponent])) for row in family]
        marks, color, size = ("o-", next(colors), 5) if share else (next(signs), "black", 8)
        axes.plot(
            *zip(*points, strict=True), marks, color=color, label=label(partners, share), markersize=size
        )
    axes.set_title(f"alone against three {opponent}", fontsize=10)
    axes.set_xlabel("bids met by four copies")
    axes.grid(alpha=0.3)


def main() -> None:
    mpl.rcParams.update({"svg.hashsalt": "frontier", "svg.fonttype": "none", "font.size": 9})
    figure = Figure(SIZE, layout="constrained")
    panels = figure.subplots(1, len(OPPONENTS))
    for axes, opponent in zip(panels, OPPONENTS, strict=True):
        draw(axes, opponent)
    panels[0].set_ylabel("lead in points per game")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", frameon=False, ncols=2, fontsize=8)
    write_atomically(PLOT, lambda path: figure.savefig(path, format="svg", metadata={"Date": None}))
    print(PLOT)


if __name__ == "__main__":
    main()

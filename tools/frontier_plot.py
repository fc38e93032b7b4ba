"""Plot harmony against lead, from tables of the documentation: python tools/frontier_plot.py."""

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wizard_env.play.report.plots import COLORS
from wizard_env.records.files import write_atomically

DOCS = Path(__file__).parent.parent / "docs"
PLOT = DOCS / "frontier.svg"
SIZE = (7.5, 3.6)
"""Inches."""
OPPONENTS = ("rule_based", "rival")
AVERAGES = 5
"""Rows of the first table that are averages of two networks; the last is a run."""


def rows(page: str, column: str) -> Iterator[dict[str, str]]:
    """The rows of the first table of a page that has the column, by the names of its columns."""
    lines = iter((DOCS / page).read_text(encoding="utf-8").splitlines())
    head = next(cells for line in lines if column in (cells := _cells(line)))
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield dict(zip(head, _cells(line), strict=True))


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("`*") for cell in line.strip("|").split("|")]


def draw(axes: Axes, opponent: str) -> None:
    """One panel: each point is a network, and each line a family of them."""
    *averages, trained = rows("champion.md", "bids met by copies")
    spirits = list(rows("learning.md", "team_spirit"))
    families = (
        ("averages of the weights before and after the sixth leg", "bids met by copies", averages, "o-"),
        ("40 million decisions from half way", "bids met by copies", [trained], "D"),
        ("ten million decisions with team spirit 0, 0.5 and 0.85", "bids met in self-play", spirits, "s--"),
    )
    for (label, met, family, marks), color in zip(families, COLORS, strict=False):
        points = [(float(row[met]), float(row[opponent])) for row in family]
        axes.plot(*zip(*points, strict=True), marks, color=color, label=label, markersize=5)
    shipped = averages[AVERAGES // 2]
    axes.annotate(
        "champion",
        (float(shipped["bids met by copies"]), float(shipped[opponent])),
        xytext=(6, 6),
        textcoords="offset points",
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
    figure.legend(handles, labels, loc="outside lower center", frameon=False)
    write_atomically(PLOT, lambda path: figure.savefig(path, format="svg", metadata={"Date": None}))
    print(PLOT)


if __name__ == "__main__":
    main()

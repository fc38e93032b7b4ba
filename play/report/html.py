"""Reports: results as one HTML file that needs no other files and no network."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from wizard_env.play.report.grids import (
    Grid,
    breakdown_grids,
    difference_grid,
    league_grids,
    size_grid,
    summary_grids,
)
from wizard_env.train.arena.league import League
from wizard_env.train.evaluate import Evaluation

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; }
body { max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2em; border-bottom: 1px solid #ccc; }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3em; }
th, td { padding: .2em .8em; text-align: right; border-bottom: 1px solid #e3e3e3; }
th:first-child, td:first-child { text-align: left; }
details { margin: 1em 0; } summary { cursor: pointer; }
"""

EVALUATION_NOTE = (
    "Every agent played every hand of every deal from every seat, so all had the same luck of the deal. "
    "Bars, bands and interval columns are 95% intervals, by bootstrap over deals. Bias is the mean of bid "
    "minus tricks won, per round; error is the mean distance between the two. Times are from this run."
)
LEAGUE_NOTE = (
    "Every table played the same deals, with its seats rotated so that each of its agents played every hand. "
    "Ratings are from the Plackett-Luce model, by the ranks in all games. Leads are in points per game on "
    "the same deals, at the tables where both agents sit, with 95% intervals by bootstrap over deals."
)
CAPTIONS = {
    "points": "Points per game",
    "differences": "Lead over the first agent in points per game, on the same hands",
    "bid_accuracy": "Bids met, by hand size",
    "bid_bias": "Bid bias, by position in the bidding",
    "ratings": "Ratings",
    "cross_table": "Lead of the row over the column in points per game",
}
"""Captions of the plots, by name."""


def evaluation_page(evaluations: Sequence[Evaluation], plots: Mapping[str, bytes], title: str) -> str:
    """The report of evaluations.

    Args:
        evaluations: of the same agents, one per number of players.
        plots: their `plots.evaluation_plots` as PNG files.
        title: title of the page.
    """
    parts = [_paragraph(EVALUATION_NOTE), *_figures(plots)]
    if len(evaluations) > 1:
        parts += [_heading("By number of players"), _table(size_grid(evaluations))]
    for evaluation in evaluations:
        parts.append(_heading(f"{evaluation.rules.num_players} players"))
        parts += map(_table, summary_grids(evaluation, f"{evaluation.games:,} deals"))
        details = map(_table, breakdown_grids(evaluation))
        parts.append(_folded("by hand size and by position in the bidding", details))
    return _page(title, parts)


def league_page(league: League, plots: Mapping[str, bytes], title: str) -> str:
    """The report of a league. plots: its `plots.league_plots` as PNG files."""
    parts = [_paragraph(LEAGUE_NOTE), *_figures(plots), *map(_table, league_grids(league))]
    parts.append(_folded("leads with intervals", [_table(difference_grid(league))]))
    return _page(title, parts)


def _page(title: str, parts: Iterable[str]) -> str:
    """A whole page; the parts are HTML."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n'
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _figures(plots: Mapping[str, bytes]) -> Iterator[str]:
    """Plots under their captions, inside the page."""
    for name, png in plots.items():
        data = base64.b64encode(png).decode()
        yield _heading(CAPTIONS[name])
        yield f'<p><img src="data:image/png;base64,{data}" alt="{escape(CAPTIONS[name])}"></p>'


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _table(grid: Grid) -> str:
    """A grid as a table, with its title as caption."""
    head = "".join(f"<th>{escape(text)}</th>" for text in grid.headings)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in grid.rows
    )
    return (
        f"<table><caption>{escape(grid.title)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    )


def _folded(title: str, parts: Iterable[str]) -> str:
    """Parts that open with a click."""
    return f"<details><summary>{escape(title)}</summary>\n" + "\n".join(parts) + "</details>"

"""What was measured, as one HTML file that needs nothing else, neither files nor a network."""

import base64
from collections.abc import Iterable, Mapping, Sequence
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


READING = (
    "Every agent has played every hand of every deal, from every seat, so the luck of the deal is the same "
    "for all. Bars, bands and the columns of that name are 95% intervals, by bootstrap over deals. Bias is "
    "bid less tricks won, in tricks a round; error is the mean distance of the two. Times are those of this "
    "run."
)
LEAGUE_READING = (
    "Every table plays the same deals, with its seats rotated so that each of its agents plays every hand. "
    "Ratings follow the Plackett-Luce model, by the places in all games. Differences are those of points a "
    "game on the same deals, at the tables where both agents sit, with 95% intervals by bootstrap over deals."
)
CAPTIONS = {
    "points": "Points a game",
    "differences": "Points a game more than the first agent, on the same hands",
    "bid_accuracy": "Bids met, by hand size",
    "bid_bias": "Bias of bids, by position in the bidding",
    "ratings": "Ratings",
    "cross_table": "Points a game that the row scores more than the column",
}


def evaluation_page(evaluations: Sequence[Evaluation], pictures: Mapping[str, bytes], title: str) -> str:
    """One HTML page of pictures and tables.

    Args:
        evaluations: of the same agents, one for each table size.
        pictures: `plots.evaluation_plots` of them as PNG files.
        title: of the page.
    """
    parts = [paragraph(READING)]
    for name, picture in pictures.items():
        parts += [heading(CAPTIONS[name]), image(picture, CAPTIONS[name])]
    if len(evaluations) > 1:
        parts += [heading("Table sizes"), table(size_grid(evaluations))]
    for evaluation in evaluations:
        parts.append(heading(f"{evaluation.rules.num_players} players"))
        parts += map(table, summary_grids(evaluation, f"{evaluation.games:,} deals"))
        details = [table(sheet) for sheet in breakdown_grids(evaluation)]
        parts.append(folded("by hand size and by position in the bidding", details))
    return page(title, parts)


def league_page(league: League, pictures: Mapping[str, bytes], title: str) -> str:
    """One HTML page of pictures and tables; pictures: `plots.league_plots` as PNG files."""
    parts = [paragraph(LEAGUE_READING)]
    for name, picture in pictures.items():
        parts += [heading(CAPTIONS[name]), image(picture, CAPTIONS[name])]
    parts += map(table, league_grids(league))
    parts.append(folded("differences with intervals", [table(difference_grid(league))]))
    return page(title, parts)


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page, of parts that are HTML."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n'
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def image(png: bytes, description: str) -> str:
    """A PNG file, within the page."""
    data = base64.b64encode(png).decode()
    return f'<p><img src="data:image/png;base64,{data}" alt="{escape(description)}"></p>'


def table(grid: Grid) -> str:
    """A table with its title."""
    head = "".join(f"<th>{escape(text)}</th>" for text in grid.headings)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in grid.rows
    )
    return (
        f"<table><caption>{escape(grid.title)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    )


def folded(title: str, parts: Iterable[str]) -> str:
    """Parts that open with a click."""
    return f"<details><summary>{escape(title)}</summary>\n" + "\n".join(parts) + "</details>"

"""What evaluations have found, as pages to read in a browser."""

from collections.abc import Mapping, Sequence

from play import html
from play.sheets import breakdown_sheets, difference_sheet, league_sheets, size_sheet, summary_sheets
from train.evaluate import Evaluation
from train.league import League

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
    parts = [html.paragraph(READING)]
    for name, picture in pictures.items():
        parts += [html.heading(CAPTIONS[name]), html.picture(picture, CAPTIONS[name])]
    if len(evaluations) > 1:
        parts += [html.heading("Table sizes"), html.table(size_sheet(evaluations))]
    for evaluation in evaluations:
        parts.append(html.heading(f"{evaluation.rules.num_players} players"))
        parts += map(html.table, summary_sheets(evaluation, f"{evaluation.games:,} deals"))
        details = [html.table(sheet) for sheet in breakdown_sheets(evaluation)]
        parts.append(html.folded("by hand size and by position in the bidding", details))
    return html.page(title, parts)


def league_page(league: League, pictures: Mapping[str, bytes], title: str) -> str:
    """One HTML page of pictures and tables; pictures: `plots.league_plots` as PNG files."""
    parts = [html.paragraph(LEAGUE_READING)]
    for name, picture in pictures.items():
        parts += [html.heading(CAPTIONS[name]), html.picture(picture, CAPTIONS[name])]
    parts += map(html.table, league_sheets(league))
    parts.append(html.folded("differences with intervals", [html.table(difference_sheet(league))]))
    return html.page(title, parts)

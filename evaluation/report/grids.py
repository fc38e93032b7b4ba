"""Grids: results as rows of text cells, for the terminal and for HTML reports."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # importing these takes a second
    from wizard_env.evaluation.analysis import Analysis
    from wizard_env.evaluation.evaluate import Bidding, Difference, Evaluation
    from wizard_env.evaluation.exploitability import Exploit
    from wizard_env.evaluation.league import League
    from wizard_env.evaluation.scorecard.card import Card

LEAST_LOST = 0.05
"""Points: a smaller loss would be shown as 0.0, and is not listed."""


class Grid(NamedTuple):
    """A printed table: rows of text cells under headings."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    names: int = 1
    """The number of leading columns that name a row; long names take several lines."""


def summary_grids(evaluation: "Evaluation", title: str) -> list[Grid]:
    """The agents' standings, their bids, and their leads over each other."""
    games = Grid(title, ["agent", "points", "95% interval", "won", "rank", "games"], [])
    bids = Grid("bids", ["agent", "bids met", "bias", "error", "µs per decision"], [])
    for standing, timing in zip(evaluation.standings, evaluation.times, strict=True):
        games.rows.append(
            [
                standing.name,
                f"{standing.points:.1f}",
                f"{standing.points_low:.1f} to {standing.points_high:.1f}",
                f"{standing.win_share:.3f}",
                f"{standing.rank:.2f}",
                f"{standing.games:,}",
            ]
        )
        bids.rows.append(
            [
                standing.name,
                f"{standing.bid_accuracy:.3f}",
                f"{standing.bid_bias:+.3f}",
                f"{standing.bid_error:.3f}",
                f"{1e6 * timing.seconds / timing.decisions:,.1f}" if timing.decisions else "",
            ]
        )
    differences = _differences(evaluation.differences, "lead in points per game, on the same hands")
    return [games, bids, *([differences] if differences.rows else [])]


def breakdown_grids(evaluation: "Evaluation") -> list[Grid]:
    """Bids by hand size and by position in the bidding; position 1 bids first."""
    return [
        _breakdown("bids by hand size", "cards", evaluation.by_hand_size),
        _breakdown("bids by position in the bidding", "position", evaluation.by_position),
    ]


def size_grid(evaluations: Sequence["Evaluation"]) -> Grid:
    """The results of the same agents by number of players."""
    sizes = [f"{evaluation.rules.num_players} players" for evaluation in evaluations]
    lines = zip(*(evaluation.standings for evaluation in evaluations), strict=True)
    rows = [
        [line[0].name, *(f"{standing.points:.1f} ({standing.bid_accuracy:.3f})" for standing in line)]
        for line in lines
    ]
    return Grid("points per game (bids met) by number of players", ["agent", *sizes], rows)


def league_grids(league: "League") -> list[Grid]:
    """The ratings, and the cross table of all agents, best first."""
    tables = ", ".join(
        f"{count} with {rules.num_players} players"
        for count, rules in zip(league.tables, league.rules, strict=True)
    )
    title = f"tables: {tables}; {league.games:,} deals each, seed {league.seed}"
    ratings = Grid(title, ["agent", "rating", "sigma", "95% interval", "won", "rank", "games"], [])
    for rating in league.ratings:
        ratings.rows.append(
            [
                rating.name,
                f"{rating.mu:.2f}",
                f"{rating.sigma:.2f}",
                f"{rating.low:.2f} to {rating.high:.2f}",
                f"{rating.win_share:.3f}",
                f"{rating.rank:.2f}",
                f"{rating.games:,}",
            ]
        )
    names = [rating.name for rating in league.ratings]
    numbers = [f"({number})" for number in range(1, len(names) + 1)]
    title = "lead of the row over the column in points per game, on the same deals"
    cross = Grid(title, ["agent", *numbers], [])
    leads = cross_table(league)
    for number, name in zip(numbers, names, strict=True):
        cells = ["" if other == name else f"{leads[name, other]:+.1f}" for other in names]
        cross.rows.append([f"{number} {name}", *cells])
    return [ratings, cross]


def cross_table(league: "League") -> dict[tuple[str, str], float]:
    """For each ordered pair of names, the lead of the first over the second in points per game."""
    leads = {(line.name, line.other): line.points for line in league.differences}
    return leads | {(other, name): -lead for (name, other), lead in leads.items()}


def difference_grid(league: "League") -> Grid:
    """The lead in every pair of agents, with its interval."""
    return _differences(league.differences, "lead in points per game, on the same deals")


def exploit_grid(exploit: "Exploit") -> Grid:
    """The gain of a learned response, which is a lower bound only if there is one."""
    bound = ", a lower bound" if exploit.gain_low > 0 else ""
    gain = f"{exploit.gain_low:+.1f} to {exploit.gain_high:+.1f}"
    lead_gain = f"{exploit.lead_gain_low:+.1f} to {exploit.lead_gain_high:+.1f}"
    return Grid(
        f"alone against {exploit.agent}, {exploit.games:,} deals",
        ["points per game", "mean", "95% interval"],
        [
            [f"response, {exploit.decisions:,} decisions", f"{exploit.response_points:.1f}", ""],
            [f"{exploit.start} in its place", f"{exploit.start_points:.1f}", ""],
            [f"gain{bound}", f"{exploit.gain:+.1f}", gain],
            ["gain of its lead over the others", f"{exploit.lead_gain:+.1f}", lead_gain],
        ],
    )


def scorecard_grids(card: "Card") -> list[Grid]:
    """The parts of the score, its lines, the bids in self-play, and the adaptation."""
    parts = Grid("score by part, 0 for random and 100 for champion", ["part", "score", "95% interval"], [])
    for part in card.parts:
        interval = f"{part.score_low:.1f} to {part.score_high:.1f}"
        parts.rows.append([part.name, f"{part.score:.1f}", interval])
    parts.rows.append(["mean", f"{card.score:.1f}", f"{card.score_low:.1f} to {card.score_high:.1f}"])
    title = "alone at each table: lead in points per game"
    lines = Grid(title, ["part", "table", "lead", "95% interval", "score", "deals"], [], names=2)
    for line in card.lines:
        interval = f"{line.lead_low:+.1f} to {line.lead_high:+.1f}"
        cells = [f"{line.lead:+.1f}", interval, f"{line.score:.1f}", str(line.deals)]
        lines.rows.append([line.part, line.table, *cells])
    title = f"bids met among four copies, with a score of {card.self_play_score:.1f}"
    bids = Grid(title, ["cards", "bids met", "95% interval"], [])
    for size in card.self_play:
        interval = f"{size.bid_accuracy_low:.3f} to {size.bid_accuracy_high:.3f}"
        bids.rows.append([str(size.hand_size or "all"), f"{size.bid_accuracy:.3f}", interval])
    one = card.adaptation
    adaptation = Grid(
        "adaptation: lead in points per round over three that bid a trick too many",
        ["rounds of five cards", "first half", "second half", "gain", "95% interval"],
        [
            [
                "12",
                f"{one.first_half:+.1f}",
                f"{one.second_half:+.1f}",
                f"{one.gain:+.1f}",
                f"{one.gain_low:+.1f} to {one.gain_high:+.1f}",
            ]
        ],
    )
    return [parts, lines, bids, adaptation]


def _differences(lines: Sequence["Difference"], title: str) -> Grid:
    rows = [
        [line.name, line.other, f"{line.points:+.1f}", f"{line.points_low:+.1f} to {line.points_high:+.1f}"]
        for line in lines
    ]
    return Grid(title, ["agent", "over", "lead", "95% interval"], rows, names=2)


def _breakdown(title: str, heading: str, lines: Sequence["Bidding"]) -> Grid:
    headings = ["agent", heading, "points per round", "bids met", "bias", "error", "bids"]
    rows = [
        [
            line.name,
            str(line.group),
            f"{line.points:+.1f}",
            f"{line.bid_accuracy:.3f}",
            f"{line.bid_bias:+.3f}",
            f"{line.bid_error:.3f}",
            f"{line.bids:,}",
        ]
        for line in lines
    ]
    return Grid(title, headings, rows)


def analysis_grids(analysis: "Analysis", title: str, shown: int | None) -> list[Grid]:
    """How each seat played, and the decisions of a game.

    shown: how many decisions to list, those that lost most; None lists all in the order of play.
    """
    names = [f" {name}" for name in analysis.players or [""] * len(analysis.seats)]
    seats = Grid(
        f"{title}: points = par {analysis.par:.0f} + luck - lost",
        ["seat", "points", "luck", "lost", "lost by bids", "bids met", "bias"],
        [
            [
                f"{seat.seat + 1}{names[seat.seat]}".rstrip(),
                str(seat.points),
                f"{seat.luck:+.0f}",
                f"{seat.lost:.0f}",
                f"{seat.lost_by_bids:.0f}",
                f"{seat.bid_accuracy:.3f}",
                f"{seat.bid_bias:+.2f}",
            ]
            for seat in analysis.seats
        ],
    )
    decisions = analysis.decisions
    if shown is not None:
        losing = [decision for decision in decisions if decision.lost >= LEAST_LOST]
        decisions = sorted(losing, key=lambda decision: -decision.lost)[:shown]
    rows = [
        [
            str(decision.round_number),
            str(decision.seat + 1),
            decision.chosen,
            decision.best,
            f"{decision.points[decision.chosen]:.1f}",
            f"{decision.points[decision.best]:.1f}",
            f"{decision.lost:.1f}",
        ]
        for decision in decisions
    ]
    headings = ["round", "seat", "chosen", "best", "points of chosen", "points of best", "lost"]
    heading = f"decisions, judged by {analysis.analyst}" if shown is None else "decisions that lost most"
    return [*([seats] if seats.rows else []), Grid(heading, headings, rows)]

"""Grids: results as rows of text cells, for the terminal and for HTML reports."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # importing these takes a second
    from wizard_env.evaluation.analysis import Analysis
    from wizard_env.evaluation.crossplay import Crossplay
    from wizard_env.evaluation.evaluate import Bidding, Difference, Evaluation, Standing
    from wizard_env.evaluation.exploitability import Exploit
    from wizard_env.evaluation.league import League
    from wizard_env.evaluation.one_card import ExactExploit
    from wizard_env.evaluation.ratings import Rating
    from wizard_env.evaluation.scorecard import Scorecard
    from wizard_env.evaluation.seeds import SeedScores

_LEAST_LOST = 0.05
"""Points: a smaller loss would be shown as 0.0, and is not listed."""


_ESCAPED = {one: f"\\{one}" for one in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "µ": r"\textmu{}",
}
"""Characters that LaTeX reads as commands, and how it prints them."""
_LATEX = re.compile(f"[{re.escape(''.join(_ESCAPED))}]")


class Grid(NamedTuple):
    """Rows of text cells under headings."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    names: int = 1
    """The number of leading columns that name a row; long names take several lines."""


def evaluation_grids(evaluation: "Evaluation", title: str) -> list[Grid]:
    """Return the agents' standings, their bids, and their leads over each other."""
    games = Grid(title, ["agent", "points", "95% interval", "won", "rank", "games"], [])
    bids = Grid("bids", ["agent", "bids met", "bias", "error", "µs per decision"], [])
    for standing, timing in zip(evaluation.standings, evaluation.times, strict=True):
        interval = _interval(standing.points_low, standing.points_high)
        games.rows.append([standing.name, f"{standing.points:.1f}", interval, *_games_of(standing)])
        time = f"{1e6 * timing.seconds / timing.decisions:,.1f}" if timing.decisions else ""
        bids.rows.append([standing.name, *_bids_of(standing), time])
    leads = _leads_of(evaluation.differences, "lead in points per game, on the same hands")
    return [games, bids, *([leads] if leads.rows else [])]


def breakdown_grids(evaluation: "Evaluation") -> list[Grid]:
    """Return the bids by hand size and by position in the bidding; position 1 bids first."""
    return [
        _breakdown("bids by hand size", "cards", evaluation.by_hand_size),
        _breakdown("bids by position in the bidding", "position", evaluation.by_position),
    ]


def size_grid(evaluations: Sequence["Evaluation"]) -> Grid:
    """Compare the results of the same agents by number of players."""
    sizes = [f"{evaluation.rules.num_players} players" for evaluation in evaluations]
    lines = zip(*(evaluation.standings for evaluation in evaluations), strict=True)
    rows = [
        [line[0].name, *(f"{standing.points:.1f} ({standing.bid_accuracy:.1%})" for standing in line)]
        for line in lines
    ]
    return Grid("points per game (bids met) by number of players", ["agent", *sizes], rows)


def league_grids(league: "League") -> list[Grid]:
    """Return the ratings, and the lead of each agent over each other; the best agent comes first."""
    tables = ", ".join(
        f"{count} with {rules.num_players} players"
        for count, rules in zip(league.tables, league.rules, strict=True)
    )
    title = f"tables: {tables}; {league.games:,} deals each, seed {league.seed}"
    ratings = Grid(title, ["agent", "rating", "95% interval", "place", "won", "rank", "games"], [])
    for one in league.ratings:
        places = dict.fromkeys((str(one.best_place), str(one.worst_place)))
        cells = [one.name, signed(one.rating, ".0f"), _interval(one.low, one.high, ".0f", signed)]
        ratings.rows.append([*cells, " to ".join(places), *_games_of(one)])
    names, leads = [rating.name for rating in league.ratings], leads_by_pair(league)
    rows = [
        [f"{number} {name}", *("" if other == name else signed(leads[name, other][0]) for other in names)]
        for number, name in enumerate(names, start=1)
    ]
    title = "lead of the row over the column in points per game, on the same deals"
    numbers = [f"({number})" for number in range(1, len(names) + 1)]
    return [ratings, Grid(title, ["agent", *numbers], rows)]


def leads_by_pair(league: "League") -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return the lead of the first over the second in points per game, and its interval."""
    leads: dict[tuple[str, str], tuple[float, float, float]] = {}
    for line in league.differences:
        leads[line.name, line.other] = (line.points, line.points_low, line.points_high)
        leads[line.other, line.name] = (-line.points, -line.points_high, -line.points_low)
    return leads


def interval_grid(league: "League") -> Grid:
    """Return the lead in every pair of agents, with its interval."""
    return _leads_of(league.differences, "lead in points per game, on the same deals")


def crossplay_grids(result: "Crossplay") -> list[Grid]:
    """Return the matrix of points, self-play against cross-play, and the groups if there are any."""
    columns = [*result.names, *result.held_out]
    title = "points per game of the row alone among copies of the column; the diagonal is self-play"
    numbers = [f"({number})" for number in range(1, len(columns) + 1)]
    cells = {
        (cell.name, cell.among): _with_interval(cell.points, cell.points_low, cell.points_high)
        for cell in result.cells
    }
    matrix = Grid(title, ["agent", *numbers], [])
    for number, name in enumerate(columns, start=1):
        matrix.rows.append([f"{number} {name}", *(cells.get((name, other), "") for other in columns)])
    headings = ["agent", "self-play", "cross-play", "difference", *(["held out"] if result.held_out else [])]
    summary = Grid("self-play less cross-play, in points per game", headings, [])
    for line in result.compatibility:
        figures = [line.self_play, line.cross_play, line.difference, line.held_out][: len(headings) - 1]
        writers = (plain, plain, signed, plain)
        texts = [
            _with_interval(*one, write) if one else "" for one, write in zip(figures, writers, strict=False)
        ]
        summary.rows.append([line.name or "mean", *texts])
    groups = Grid(
        "points per game by group, without self-play", ["group", "among", "points", "95% interval"], [], 2
    )
    for cell in result.groups:
        interval = _interval(cell.points_low, cell.points_high)
        groups.rows.append([cell.name, cell.among, plain(cell.points), interval])
    return [matrix, summary, *([groups] if groups.rows else [])]


def seeds_grids(result: "SeedScores") -> list[Grid]:
    """Return the leads of each group, and the probabilities that one is better than another."""
    headings = ["group", "over", "seeds", "mean lead (95% interval)", "IQM (95% interval)"]
    scores = Grid(f"points per game, alone among copies; {result.games:,} deals", headings, [], names=2)
    for one in result.scores:
        mean = _with_interval(one.mean, one.mean_low, one.mean_high, signed)
        iqm = _with_interval(one.iqm, one.iqm_low, one.iqm_high, signed)
        scores.rows.append([one.name, one.opponent or "all", str(one.seeds), mean, iqm])
    title = "probability that a run of the group leads by more than one of the other"
    better = Grid(title, ["group", "other", "probability", "95% interval"], [], names=2)
    for line in result.improvements:
        interval = _interval(line.low, line.high, ".2f")
        better.rows.append([line.name, line.other, plain(line.probability, ".2f"), interval])
    return [scores, *([better] if better.rows else [])]


def latex(grid: Grid) -> str:
    """Return a grid as a LaTeX table, for the package booktabs."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(_LATEX.sub(lambda found: _ESCAPED[found[0]], cell) for cell in cells) + r" \\"

    columns = "l" * grid.names + "r" * (len(grid.headings) - grid.names)
    rows = [r"\toprule", line(grid.headings), r"\midrule", *map(line, grid.rows), r"\bottomrule"]
    title = line([grid.title]).removesuffix(r" \\")
    return "\n".join([f"% {title}", rf"\begin{{tabular}}{{{columns}}}", *rows, r"\end{tabular}", ""])


def exploit_grid(exploit: "Exploit") -> Grid:
    """Return the gain of a learned response, called a lower bound only if there is one."""
    bound = ", a lower bound" if exploit.gain_low > 0 else ""
    gain = _interval(exploit.gain_low, exploit.gain_high, ".1f", signed)
    lead_gain = _interval(exploit.lead_gain_low, exploit.lead_gain_high, ".1f", signed)
    return Grid(
        f"alone against {exploit.agent}, {exploit.games:,} deals",
        ["points per game", "mean", "95% interval"],
        [
            [f"response, {exploit.decisions:,} decisions", f"{exploit.response_points:.1f}", ""],
            [f"{exploit.start} in its seat", f"{exploit.start_points:.1f}", ""],
            [f"gain{bound}", signed(exploit.gain), gain],
            ["gain of its lead over the others", signed(exploit.lead_gain), lead_gain],
        ],
    )


def exact_grids(exploit: "ExactExploit") -> list[Grid]:
    """Return the points of each seat and the gain of its best response, and the gains by kind of upcard."""
    players = exploit.rules.num_players
    seats = ["1, first to bid", *map(str, range(2, players)), f"{players}, dealer"]
    title = f"rounds of one card with {players} players, among copies of {exploit.agent}"
    headings = ["seat", "equilibrium", "points", "gain of best response"]
    columns = zip(exploit.equilibrium, exploit.values, exploit.gains, strict=True)
    rows = [[seat, *(f"{points:.4f}" for points in line)] for seat, line in zip(seats, columns, strict=True)]
    values = Grid(title, headings, [*rows, ["NashConv, the sum", "", "", f"{exploit.nash_conv:.4f}"]])
    kinds = Grid("gain of best response by upcard", ["upcard", *seats, "NashConv"], [])
    for kind in ("suit card", "Wizard", "Jester"):
        lines = [line for line in exploit.by_upcard if line.kind == kind]
        share = sum(line.probability for line in lines)
        gains = [
            sum(line.probability * line.gains[seat] for line in lines) / share for seat in range(players)
        ]
        kinds.rows.append([kind, *(f"{gain:.4f}" for gain in gains), f"{sum(gains):.4f}"])
    return [values, kinds]


def scorecard_grids(card: "Scorecard") -> list[Grid]:
    """Return the tables, and the parts of the score, self-play and adaptation if the card has them."""
    title = "alone at each table: lead in points per game"
    tables = Grid(title, ["part", "table", "lead", "95% interval", "score", "deals"], [], names=2)
    for line in card.lines:
        interval = _interval(line.lead_low, line.lead_high, ".1f", signed)
        cells = [signed(line.lead), interval, f"{line.score:.1f}", str(line.deals)]
        tables.rows.append([line.part, line.table, *cells])
    if (one := card.adaptation) is None:
        return [tables]
    title = "score by part, 0 for random and 100 for champion:goal=points"
    parts = Grid(title, ["part", "score", "95% interval"], [])
    for part in card.parts:
        parts.rows.append([part.name, f"{part.score:.1f}", _interval(part.score_low, part.score_high)])
    parts.rows.append(["mean", f"{card.score:.1f}", _interval(card.score_low, card.score_high)])
    title = f"bids met among four copies, with a score of {card.self_play_score:.1f}"
    bids = Grid(title, ["cards", "bids met", "95% interval"], [])
    for size in card.self_play:
        interval = _interval(size.bid_accuracy_low, size.bid_accuracy_high, ".1%")
        bids.rows.append([str(size.hand_size or "all"), f"{size.bid_accuracy:.1%}", interval])
    halves = [signed(one.first_half), signed(one.second_half)]
    adaptation = Grid(
        "adaptation: lead in points per round over three that bid a trick too many",
        ["rounds of five cards", "first half", "second half", "gain", "95% interval"],
        [["12", *halves, signed(one.gain), _interval(one.gain_low, one.gain_high, ".1f", signed)]],
    )
    return [parts, tables, bids, adaptation]


def analysis_grids(analysis: "Analysis", title: str, shown: int | None) -> list[Grid]:
    """Return the play of each seat, the probability of winning after each round, and decisions of the game.

    shown: the number of decisions to list, those that lost most; None lists all in the order of play.
    """
    headings = ["seat", "points", "luck", "lost", "lost by bids", "bids met", "bias"]
    seats = Grid(f"{title}: points = par {analysis.par:.0f} + luck - lost", headings, [])
    for seat in analysis.seats:
        name = analysis.players[seat.seat] if analysis.players else ""
        cells = [str(seat.points), signed(seat.luck, ".0f"), f"{seat.lost:.0f}", f"{seat.lost_by_bids:.0f}"]
        bids = [f"{seat.bid_accuracy:.1%}", signed(seat.bid_bias, ".2f")]
        seats.rows.append([f"{seat.seat + 1} {name}".rstrip(), *cells, *bids])
    labels = [f"seat {seat.seat + 1}" for seat in analysis.seats]
    winning = Grid("points and probability of winning after each round", ["round", *labels], [])
    for after in analysis.after_rounds:
        pairs = zip(after.scores, after.win_probability, strict=True)
        cells = [f"{score}  {chance:4.0%}" for score, chance in pairs]
        winning.rows.append([str(after.round_number), *cells])
    listed = analysis.decisions
    if shown is not None:
        mistakes = [one for one in listed if one.is_mistake and one.lost >= _LEAST_LOST]
        listed = sorted(mistakes, key=lambda decision: -decision.lost)[:shown]
    title = f"decisions, judged by {analysis.analyst}" if shown is None else "decisions that lost most"
    headings = ["round", "seat", "chosen", "best", "points of chosen", "points of best", "lost", "error"]
    decisions = Grid(title, headings, [])
    for one in listed:
        points = [f"{one.points[action]:.1f}" for action in (one.chosen, one.best)]
        cells = [str(one.round_number), str(one.seat + 1), one.chosen, one.best]
        decisions.rows.append([*cells, *points, f"{one.lost:.1f}", f"{one.error:.1f}"])
    return [*([seats, winning] if seats.rows else []), decisions]


def plain(value: float, form: str = ".1f") -> str:
    """Format a number; one that rounds to 0 has no sign."""
    return format(value, f"z{form}")


def signed(value: float, form: str = ".1f") -> str:
    """Format a number with its sign; one that rounds to 0 has none."""
    text = plain(value, form)
    return text if text.startswith("-") or text == plain(0.0, form) else f"+{text}"


def _interval(low: float, high: float, form: str = ".1f", write: Callable[[float, str], str] = plain) -> str:
    return f"{write(low, form)} to {write(high, form)}"


def _with_interval(mean: float, low: float, high: float, write: Callable[[float, str], str] = plain) -> str:
    return f"{write(mean, '.1f')} ({_interval(low, high, '.1f', write)})"


def _games_of(line: "Standing | Rating") -> list[str]:
    return [f"{line.win_share:.1%}", f"{line.rank:.2f}", f"{line.games:,}"]


def _bids_of(line: "Standing | Bidding") -> list[str]:
    return [f"{line.bid_accuracy:.1%}", signed(line.bid_bias, ".3f"), f"{line.bid_error:.3f}"]


def _leads_of(lines: Sequence["Difference"], title: str) -> Grid:
    rows = [
        [
            line.name,
            line.other,
            signed(line.points),
            _interval(line.points_low, line.points_high, ".1f", signed),
        ]
        for line in lines
    ]
    return Grid(title, ["agent", "over", "lead", "95% interval"], rows, names=2)


def _breakdown(title: str, heading: str, lines: Sequence["Bidding"]) -> Grid:
    rows = [
        [line.name, str(line.group), signed(line.points), *_bids_of(line), f"{line.bids:,}"] for line in lines
    ]
    return Grid(title, ["agent", heading, "points per round", "bids met", "bias", "error", "bids"], rows)

"""Plots of evaluations, leagues, score cards, cross-play and groups of runs, as figures by name."""

import io
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from textwrap import fill
from typing import NamedTuple

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator, PercentFormatter

from wizard_env.checks import printable
from wizard_env.evaluation.crossplay import Crossplay
from wizard_env.evaluation.evaluate import Bidding, Evaluation
from wizard_env.evaluation.league import League
from wizard_env.evaluation.report.grids import leads_by_pair, plain, signed
from wizard_env.evaluation.scorecard import Scorecard
from wizard_env.evaluation.seeds import Curve, SeedScores

Plots = dict[str, Figure]
FORMATS = ("png", "svg", "pdf")

_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""A palette that colour-blind readers can tell apart (Okabe and Ito, Color Universal Design, 2008)."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
_DPI = 200
_WIDTH = 5.0
"""Inches."""
_LONGEST = 22
"""Characters in a line of a label, which has two lines, or three where words break badly."""


class _Bar(NamedTuple):
    """A number with its interval, drawn on its own line."""

    name: str
    value: float
    low: float
    high: float
    color: str = _COLORS[0]


class _Words(NamedTuple):
    """Labels of a matrix: of its rows, its columns and its colours."""

    rows: str
    columns: str
    values: str


_POINTS = "points per game"
_ALONE = _Words("alone", "among copies of", _POINTS)


def evaluation_plots(evaluations: Sequence[Evaluation]) -> Plots:
    """Plot points, leads and bids, with a panel per evaluation."""
    figures = {"points": _panels(evaluations, _draw_points, _POINTS)}
    if any(evaluation.differences for evaluation in evaluations):
        label = f"lead over {_label(evaluations[0].standings[0].name)},\n{_POINTS}"
        figures["differences"] = _panels(evaluations, _draw_differences, label)
    figures["bid_accuracy"] = _panels(evaluations, _draw_accuracy, "cards in hand", legend=True)
    figures["bid_bias"] = _panels(evaluations, _draw_bias, "position in the bidding", legend=True)
    return _settled(figures)


def league_plots(league: League) -> Plots:
    """Plot the ratings, and the lead of each agent over each other in colours."""
    bars = [_Bar(one.name, one.rating, one.low, one.high) for one in league.ratings]
    names, leads = [rating.name for rating in league.ratings], leads_by_pair(league)
    return _settled(
        {
            "ratings": _plot_bars(bars, "rating (scale of Elo, on average 0)", ".0f"),
            "leads": _plot_matrix(names, names, leads, _Words("lead of", "over", _POINTS), signed, "PuOr"),
        }
    )


def crossplay_plots(result: Crossplay) -> Plots:
    """Plot the points and the bids met of each agent among each other, in colours."""
    columns = [*result.names, *result.held_out]
    points, met = {}, {}
    for cell in result.cells:
        pair = cell.name, cell.among
        points[pair] = cell.points, cell.points_low, cell.points_high
        met[pair] = cell.bid_accuracy, cell.bid_accuracy_low, cell.bid_accuracy_high
    return _settled(
        {
            "crossplay": _plot_matrix(result.names, columns, points, _ALONE, plain, "cividis"),
            "crossplay_bids": _plot_matrix(
                result.names, columns, met, _ALONE._replace(values="bids met"), plain, "cividis", ".0%"
            ),
        }
    )


def seeds_plots(curves: Sequence[Curve], result: SeedScores) -> Plots:
    """Plot learning curves, the leads of groups, and their performance profiles."""
    plots = {"curves": _plot_curves(curves)} if curves else {}
    return _settled(plots | {"scores": _plot_scores(result), "profiles": _plot_profiles(result)})


def scorecard_plots(card: Scorecard) -> Plots:
    """Plot the score of each part, and of self-play; nothing for a card of few deals."""
    if (alone := card.self_play_score) is None:
        return {}
    bars = [_Bar(one.name, one.score, one.score_low, one.score_high) for one in card.parts]
    bars.append(_Bar("self-play", alone, alone, alone))
    return _settled({"scores": _plot_bars(bars, "score: random 0, champion:goal=points 100")})


def _settled(plots: Plots) -> Plots:
    """Fix the layout of the plots, which would otherwise shift a little each time they are drawn."""
    for figure in plots.values():
        figure.set_dpi(_DPI)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    return plots


def draw(figure: Figure, kind: str) -> bytes:
    """Return a plot as a file of one of FORMATS: the same plot, the same bytes."""
    buffer = io.BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context({"pdf.fonttype": 42, "svg.hashsalt": "wizard"}):  # journals refuse fonts of type 3
        figure.savefig(buffer, format=kind, dpi=_DPI, metadata=dates.get(kind))
    return buffer.getvalue()


def _draw_bars(
    axes: Axes, bars: Sequence[_Bar], form: str = ".1f", write: Callable[[float, str], str] = plain
) -> None:
    """Draw a point and its 95% interval for each bar, from the top down; `write` formats the numbers."""
    for row, bar in enumerate(bars):
        axes.plot([bar.low, bar.high], [row, row], color=bar.color, linewidth=2.5, solid_capstyle="butt")
        axes.plot([bar.low, bar.high], [row, row], "|", color=bar.color, markersize=9)
        axes.plot(bar.value, row, "o", color=bar.color, markersize=7)
        text = write(bar.value, form)
        axes.annotate(text, (bar.value, row), xytext=(0, 9), textcoords="offset points", ha="center")
    axes.set_yticks(range(len(bars)), [_label(bar.name) for bar in bars])
    axes.set_ylim(len(bars) - 0.5, -0.7)
    axes.margins(x=0.1)
    axes.grid(axis="x", alpha=0.3)


def _panels(
    evaluations: Sequence[Evaluation],
    draw: Callable[[Axes, Evaluation], None],
    label: str,
    *,
    legend: bool = False,
) -> Figure:
    """Draw a panel for each evaluation, one below the other: narrow enough to be read on a phone."""
    rows = len(evaluations)
    names = [standing.name for standing in evaluations[0].standings]
    height = 3.4 if legend else 1.3 + 0.42 * len(names)
    figure = Figure(figsize=(_WIDTH, height * rows + 0.4), layout=ConstrainedLayoutEngine(h_pad=0.1))
    grid = figure.subplots(rows, squeeze=False)
    for axes, evaluation in zip(grid.flat, evaluations, strict=True):
        draw(axes, evaluation)
        axes.set_title(f"{evaluation.rules.num_players} players, {evaluation.games:,} deals", fontsize=10)
        axes.set_xlabel(label)
        axes.spines[["top", "right"]].set_visible(False)
    if legend:
        handles, labels = grid.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=min(2, len(labels)), frameon=False)
    return figure


def _draw_points(axes: Axes, evaluation: Evaluation) -> None:
    lines = zip(evaluation.standings, cycle(_COLORS), strict=False)
    bars = [_Bar(line.name, line.points, line.points_low, line.points_high, color) for line, color in lines]
    _draw_bars(axes, bars)


def _draw_differences(axes: Axes, evaluation: Evaluation) -> None:
    """Draw the leads over the first agent, which are its differences with the sign changed."""
    colors = cycle(_COLORS)
    next(colors)  # the first agent's
    first = evaluation.standings[0].name
    lines = [line for line in evaluation.differences if line.name == first]
    bars = [
        _Bar(line.other, -line.points, -line.points_high, -line.points_low, color)
        for line, color in zip(lines, colors, strict=False)
    ]
    axes.axvline(0, color="#666666", linewidth=1, linestyle="--")
    axes.update_datalim([(0, 0)])
    _draw_bars(axes, bars, write=signed)


def _draw_accuracy(axes: Axes, evaluation: Evaluation) -> None:
    _draw_lines(axes, evaluation, evaluation.by_hand_size, "bid_accuracy")
    axes.set_ylabel("bids met exactly")
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def _draw_bias(axes: Axes, evaluation: Evaluation) -> None:
    _draw_lines(axes, evaluation, evaluation.by_position, "bid_bias")
    axes.axhline(0, color="#666666", linewidth=1, linestyle="--")
    axes.set_ylabel("bid minus tricks won, per round")
    last = evaluation.rules.num_players
    labels = ["1\n(first)", *map(str, range(2, last)), f"{last}\n(dealer)"]
    axes.set_xticks(range(1, last + 1), labels)


def _draw_lines(axes: Axes, evaluation: Evaluation, lines: Sequence[Bidding], figure: str) -> None:
    """Draw a line per agent over the groups, with its 95% interval as a band."""
    styles = zip(evaluation.standings, cycle(_COLORS), cycle(_MARKERS), strict=False)
    for standing, color, marker in styles:
        mine = [line for line in lines if line.name == standing.name]
        groups = [line.group for line in mine]
        low, high = ([getattr(line, f"{figure}_{end}") for line in mine] for end in ("low", "high"))
        axes.fill_between(groups, low, high, color=color, alpha=0.18, linewidth=0)
        values = [getattr(line, figure) for line in mine]
        axes.plot(groups, values, color=color, marker=marker, markersize=5, label=_label(standing.name))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)


def _plot_bars(bars: Sequence[_Bar], label: str, form: str = ".1f") -> Figure:
    figure = Figure(figsize=(_WIDTH, 1.3 + 0.42 * len(bars)), layout="constrained")
    axes = figure.subplots()
    _draw_bars(axes, bars, form)
    axes.set_xlabel(label)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _plot_matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[str, str], tuple[float, float, float]],
    words: _Words,
    write: Callable[[float, str], str],
    colors: str,
    form: str = ".0f",
) -> Figure:
    """Draw a number with its 95% interval for each row and column, on its colour.

    cells: mean, low and high by the names of row and column; pairs without any stay white.
    write: formats the numbers; where it shows signs, the colours are the same for both.
    """
    nothing = (np.nan, np.nan, np.nan)
    values = np.array([[cells.get((row, column), nothing)[0] for column in columns] for row in rows])
    lowest, highest = float(np.nanmin(values)), float(np.nanmax(values))
    if write is signed:
        highest = max(abs(lowest), abs(highest), 1.0)
        lowest = -highest
    margin = 0.085 * min(_LONGEST, max(map(len, (*rows, *columns))))
    size = (1.6 + margin + 0.95 * len(columns), 0.6 + 0.7 * margin + 0.55 * len(rows))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(values, cmap=colors, vmin=lowest, vmax=highest, aspect="auto")
    for row, column in np.argwhere(~np.isnan(values)).tolist():
        mean, low, high = (write(number, form) for number in cells[rows[row], columns[column]])
        red, green, blue, _ = image.to_rgba(values[row, column])
        color = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
        axes.text(column, row - 0.12, mean, ha="center", va="center", color=color, fontsize=10)
        axes.text(column, row + 0.25, f"{low} to {high}", ha="center", va="center", color=color, fontsize=6.5)
    axes.set_yticks(range(len(rows)), [_label(name) for name in rows])
    labels = [_label(name) for name in columns]
    axes.set_xticks(range(len(columns)), labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_ylabel(words.rows)
    axes.set_xlabel(words.columns)
    bar = figure.colorbar(image, ax=axes, label=words.values)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: write(value, form)))
    return figure


def _label(name: str) -> str:
    """Return a name as it is drawn: in lines, shortened in the middle, and never read as mathematics."""
    shown, half = printable(name), _LONGEST - 1
    if len(shown) > 2 * _LONGEST:
        shown = f"{shown[:half]}…{shown[-half:]}"
    shown = fill(shown, _LONGEST).replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown  # legends leave out what begins with _


def _plot_curves(curves: Sequence[Curve]) -> Figure:
    """Draw a panel for each metric and a line for each group, with its interval as a band."""
    metrics = list(dict.fromkeys(curve.metric for curve in curves))
    figure = Figure(figsize=(_WIDTH, 2.8 * len(metrics) + 0.4), layout="constrained")
    panels = figure.subplots(len(metrics), squeeze=False, sharex=True)[:, 0]
    for axes, metric in zip(panels, metrics, strict=True):
        mine = [curve for curve in curves if curve.metric == metric]
        for curve, color in zip(mine, cycle(_COLORS), strict=False):
            axes.fill_between(curve.decisions, curve.low, curve.high, color=color, alpha=0.18, linewidth=0)
            seeds = f"{curve.seeds} seeds" if curve.seeds > 1 else "1 seed"
            axes.plot(curve.decisions, curve.mean, color=color, label=f"{_label(curve.name)}, {seeds}")
        axes.set_ylabel(metric.rpartition("/")[2].replace("_", " "))
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel("decisions; bands: 95% intervals over seeds")
    figure.align_ylabels(panels)
    panels[-1].xaxis.set_major_formatter(EngFormatter())
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(2, len(labels)), frameon=False)
    return figure


def _plot_scores(result: SeedScores) -> Figure:
    """Draw a panel for each opponent, and one for all, with a bar for each group."""
    opponents = list(dict.fromkeys(score.opponent for score in result.scores))
    groups = list(dict.fromkeys(score.name for score in result.scores))
    figure = Figure(figsize=(_WIDTH, (1.2 + 0.42 * len(groups)) * len(opponents)), layout="constrained")
    panels = figure.subplots(len(opponents), squeeze=False)[:, 0]
    for axes, opponent in zip(panels, opponents, strict=True):
        mine = [score for score in result.scores if score.opponent == opponent]
        bars = [
            _Bar(one.name, one.mean, one.mean_low, one.mean_high, color)
            for one, color in zip(mine, cycle(_COLORS), strict=False)
        ]
        _draw_bars(axes, bars, write=signed)
        axes.set_xlabel(f"lead over {_label(opponent) or 'all, on average'}, points per game")
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _plot_profiles(result: SeedScores) -> Figure:
    """Draw the share of a group's runs, at all opponents, that lead by more than each number of points."""
    leads: dict[str, list[float]] = {}
    for run in result.runs:
        leads.setdefault(run.name, []).append(run.lead)
    ends = [end for found in leads.values() for end in (min(found), max(found))]
    grid = np.linspace(min(ends) - 1, max(ends) + 1, 400)
    figure = Figure(figsize=(_WIDTH, 3.2), layout="constrained")
    axes = figure.subplots()
    for (name, found), color in zip(leads.items(), cycle(_COLORS), strict=False):
        shares = (np.array(found)[:, np.newaxis] > grid).mean(axis=0)
        axes.plot(grid, shares, color=color, label=_label(name), drawstyle="steps-post")
    axes.set_xlabel("lead in points per game")
    axes.set_ylabel("share of runs, by opponent,\nwith a larger lead")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=min(2, len(leads)), frameon=False)
    return figure

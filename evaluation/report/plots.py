"""Plots of evaluations, leagues and score cards, as PNG files by name."""

import io
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator, PercentFormatter

from wizard_env.evaluation.evaluate import Bidding, Evaluation
from wizard_env.evaluation.league import League
from wizard_env.evaluation.report.grids import leads_by_pair
from wizard_env.evaluation.scorecard import Scorecard

_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""A palette that colour-blind readers can tell apart (Okabe and Ito, Color Universal Design, 2008)."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
_DPI = 200
_WIDTH = 5.0
"""Inches."""


class _Bar(NamedTuple):
    """A number with its interval, drawn on its own line."""

    label: str
    value: float
    low: float
    high: float
    color: str = _COLORS[0]


def evaluation_plots(evaluations: Sequence[Evaluation]) -> dict[str, bytes]:
    """Plot points, leads and bids, with a panel per evaluation."""
    figures = {"points": _panels(evaluations, _draw_points, "points per game")}
    if any(evaluation.differences for evaluation in evaluations):
        label = f"lead over {evaluations[0].standings[0].name}"
        figures["differences"] = _panels(evaluations, _draw_differences, label)
    figures["bid_accuracy"] = _panels(evaluations, _draw_accuracy, "cards in hand", legend=True)
    figures["bid_bias"] = _panels(evaluations, _draw_bias, "position in the bidding", legend=True)
    return {name: _png(figure) for name, figure in figures.items()}


def league_plots(league: League) -> dict[str, bytes]:
    """Plot the ratings, and the lead of each agent over each other in colours."""
    bars = [_Bar(one.name, one.mu, one.low, one.high) for one in league.ratings]
    return {"ratings": _png(_plot_bars(bars, "rating, starting at 25")), "leads": _png(_plot_leads(league))}


def scorecard_plots(card: Scorecard) -> dict[str, bytes]:
    """Plot the score of each part, and of self-play; nothing for a card of few deals."""
    if (alone := card.self_play_score) is None:
        return {}
    bars = [_Bar(one.name, one.score, one.score_low, one.score_high) for one in card.parts]
    bars.append(_Bar("self-play", alone, alone, alone))
    return {"scores": _png(_plot_bars(bars, "score: random 0, champion 100"))}


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    return buffer.getvalue()


def _draw_bars(axes: Axes, bars: Sequence[_Bar], form: str = ".1f") -> None:
    """Draw a point and its 95% interval for each bar, from the top down; `form` formats the numbers."""
    for row, bar in enumerate(bars):
        axes.plot([bar.low, bar.high], [row, row], color=bar.color, linewidth=2.5, solid_capstyle="butt")
        axes.plot([bar.low, bar.high], [row, row], "|", color=bar.color, markersize=9)
        axes.plot(bar.value, row, "o", color=bar.color, markersize=7)
        axes.annotate(
            format(bar.value, form), (bar.value, row), xytext=(0, 9), textcoords="offset points", ha="center"
        )
    axes.set_yticks(range(len(bars)), [bar.label for bar in bars])
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
    _draw_bars(axes, bars, "+.1f")


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
        axes.plot(groups, values, color=color, marker=marker, markersize=5, label=standing.name)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)


def _plot_bars(bars: Sequence[_Bar], label: str) -> Figure:
    figure = Figure(figsize=(_WIDTH, 1.3 + 0.42 * len(bars)), layout="constrained")
    axes = figure.subplots()
    _draw_bars(axes, bars)
    axes.set_xlabel(label)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _plot_leads(league: League) -> Figure:
    names = [rating.name for rating in league.ratings]
    known = leads_by_pair(league)
    points = np.array([[known.get((name, other), np.nan) for other in names] for name in names])
    largest = float(np.nanmax(np.abs(points))) or 1.0
    figure = Figure(figsize=(3.5 + 0.75 * len(names), 1.6 + 0.5 * len(names)), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(points, cmap="PuOr", vmin=-largest, vmax=largest, aspect="auto")
    for row, column in zip(*np.nonzero(~np.isnan(points)), strict=True):
        value = points[row, column]
        color = "white" if abs(value) > 0.6 * largest else "black"
        axes.text(column, row, f"{value:+.0f}", ha="center", va="center", color=color, fontsize=9)
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    figure.colorbar(image, ax=axes)
    return figure

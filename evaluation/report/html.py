"""HTML reports: results on one page that needs no other files and no network."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from wizard_env.evaluation.crossplay import Crossplay
from wizard_env.evaluation.evaluate import Evaluation
from wizard_env.evaluation.league import League
from wizard_env.evaluation.report.grids import (
    Grid,
    breakdown_grids,
    crossplay_grids,
    evaluation_grids,
    interval_grid,
    league_grids,
    scorecard_grids,
    seeds_grids,
    size_grid,
)
from wizard_env.evaluation.report.plots import (
    Plots,
    crossplay_plots,
    draw,
    evaluation_plots,
    league_plots,
    scorecard_plots,
    seeds_plots,
)
from wizard_env.evaluation.report.verdict import (
    crossplay_verdict,
    evaluation_verdict,
    league_verdict,
    scorecard_verdict,
    seeds_verdict,
)
from wizard_env.evaluation.scorecard import Scorecard
from wizard_env.evaluation.seeds import Curve, SeedScores
from wizard_env.evaluation.statistics import Estimate
from wizard_env.rules import Rules
from wizard_env.words import rules_text

_STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --faint: #5c5c5c; --line: #d8d8d8; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --faint: #a8a8a8; --line: #3c3c3c; --page: #161616; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
body { max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.2em; margin: 0 0 .6em; }
.verdict { font-size: 1.2em; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .2em 1em; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .9em ui-monospace, monospace; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26em), 1fr)); gap: 2em; }
.plots section { min-width: 0; }
img { display: block; width: 100%; height: auto; background: #fff; border-radius: 6px; padding: .4em; }
.wide { overflow-x: auto; margin: 1em 0; }
.wide + h2, .plots + h2, details + h2 { margin-top: 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3em; }
th, td { padding: .2em .8em; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
details { margin: 1em 0; } summary { cursor: pointer; }
.note { color: var(--faint); }
@media (max-width: 480px) {
  body { font-size: 15px; margin: 1em auto; }
  th, td { padding: .2em .5em; }
  dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: .5em; }
}
"""

_EVALUATION_NOTE = (
    "Every agent played every hand of every deal from every seat, so all had the same luck of the deal. "
    "Bars, bands and interval columns are 95% intervals, by bootstrap over deals. Bias is the mean of bid "
    "minus tricks won, per round; error is the mean distance between the two. Times are from this run."
)
_SCORECARD_NOTE = (
    "The agent sits alone at every table and plays every deal from every seat. Its lead over the others is "
    "put on a scale: random is 0, champion:goal=points is 100. A part is the mean of its tables, the score "
    "the mean of the parts. Intervals are 95% intervals, by bootstrap over deals. Cards compare if they have "
    "the same protocol and the same opponents."
)
_FEW_DEALS_NOTE = (
    "The agent sits alone at the table and plays every deal from every seat. Its lead over the others is "
    "corrected by the mean lead of several fast agents on the same deals, then put on a scale: random is 0, "
    "champion:goal=points is 100. Intervals are Student's 95% intervals over deals."
)
_LEAGUE_NOTE = (
    "Every table played the same deals, with its seats rotated so that each of its agents played every hand. "
    "Ratings are from the Plackett-Luce model, fitted to the ranks in all games at once. Leads are in points "
    "per game on the same deals, at the tables where both agents sit. Intervals are 95% intervals, by "
    "bootstrap over deals. Agents whose places overlap may be equal."
)
_CROSSPLAY_NOTE = (
    "The row sits alone among copies of the column and plays every deal from every seat; the diagonal is "
    "self-play. Cross-play is the mean among the other agents, without those that are held out. Intervals "
    "are 95% intervals, by bootstrap over deals."
)
_SEEDS_NOTE = (
    "Every run sits alone among copies of an opponent and plays every deal from every seat. IQM is the mean "
    "of the middle half of all seeds and opponents. Intervals are 95% intervals over seeds and deals."
)
_CAPTIONS = {
    "points": "Points per game, with 95% interval",
    "differences": "Lead over the first agent in points per game on the same hands, with 95% interval",
    "bid_accuracy": "Bids met, by hand size",
    "bid_bias": "Bid bias, by position in the bidding",
    "ratings": "Ratings, with 95% interval",
    "leads": "Lead of the row over the column in points per game, with 95% interval",
    "crossplay": "Points per game of the row alone among copies of the column, with 95% interval",
    "crossplay_bids": "Bids met by the row alone among copies of the column, with 95% interval",
    "curves": "Learning curves: mean over seeds, with 95% interval",
    "profiles": "Performance profiles: share of runs that lead by more",
    "scores": "Scores, with 95% interval",
}
"""Captions of the plots, by name."""


class Origin(NamedTuple):
    """The command, date and software that produced a report."""

    command: str
    date: str
    software: dict[str, Any]
    """See `describe_software`."""


class Report(NamedTuple):
    """An HTML page, and the plots and tables in it."""

    page: str
    plots: Plots
    tables: dict[str, Grid]
    data: dict[str, list[dict[str, Any]]]
    """Tables of numbers for other programs: rows of plain values, by the names of the columns."""


def report_evaluations(evaluations: Sequence[Evaluation], title: str, origin: Origin) -> Report:
    """Report evaluations of the same agents, one per number of players."""
    first, plots = evaluations[0], evaluation_plots(evaluations)
    facts = _facts([one.rules for one in evaluations], first.games, first.seed)
    body = [_facts_list(facts, origin), _figures(plots)]
    if len(evaluations) > 1:
        body += ["<h2>By number of players</h2>", _table(size_grid(evaluations))]
    tables: dict[str, Grid] = {}
    data: dict[str, list[dict[str, Any]]] = {}
    for evaluation in evaluations:
        players = evaluation.rules.num_players
        grids = evaluation_grids(evaluation, f"{evaluation.games:,} deals")
        body += [f"<h2>{players} players</h2>", *map(_table, grids)]
        body.append(_folded("by hand size and by position in the bidding", breakdown_grids(evaluation)))
        suffix = f"_{players}_players" if len(evaluations) > 1 else ""
        tables |= {
            f"{name}{suffix}": grid for name, grid in zip(("points", "bids", "leads"), grids, strict=False)
        }
        values = evaluation.to_dict()
        data |= {f"points{suffix}": values["standings"], f"leads{suffix}": values["differences"]}
        data |= {f"{name}{suffix}": values[name] for name in ("by_hand_size", "by_position", "times")}
    return Report(_page(title, evaluation_verdict(evaluations), body, _EVALUATION_NOTE), plots, tables, data)


def report_league(league: League, title: str, origin: Origin) -> Report:
    """Report the standings of a league."""
    facts, plots = _facts(league.rules, league.games, league.seed), league_plots(league)
    ratings, leads = league_grids(league)
    intervals = interval_grid(league)
    body = [_facts_list(facts, origin), _figures(plots), _table(ratings), _table(leads)]
    body.append(_folded("leads with intervals", [intervals]))
    page = _page(title, league_verdict(league), body, _LEAGUE_NOTE)
    values = league.to_dict()
    for rating in values["ratings"]:
        del rating["equals"]  # names, which the places tell too
    data = {"ratings": values["ratings"], "leads": values["differences"]}
    return Report(page, plots, {"ratings": ratings, "leads": intervals}, data)


def report_crossplay(result: Crossplay, title: str, origin: Origin) -> Report:
    """Report cross-play."""
    facts, plots = _facts([result.rules], result.games, result.seed), crossplay_plots(result)
    grids = crossplay_grids(result)
    body = [_facts_list(facts, origin), _figures(plots), *map(_table, grids)]
    page = _page(title, crossplay_verdict(result), body, _CROSSPLAY_NOTE)
    values = result.to_dict()
    alone = list(map(_in_columns, values["compatibility"]))
    data = {"crossplay": values["cells"], "self_play": alone, "groups": values["groups"]}
    return Report(page, plots, dict(zip(data, grids, strict=False)), data)


def report_seeds(curves: Sequence[Curve], result: SeedScores, title: str, origin: Origin) -> Report:
    """Report groups of runs: their learning curves and their scores."""
    facts, plots = _facts([result.rules], result.games, result.seed), seeds_plots(curves, result)
    grids = seeds_grids(result)
    body = [_facts_list(facts, origin), _figures(plots), *map(_table, grids)]
    tables = dict(zip(("scores", "improvement"), grids, strict=False))
    values = result.to_dict()
    columns = ("decisions", "mean", "low", "high")
    points = [
        {"name": one.name, "metric": one.metric, "seeds": one.seeds, **dict(zip(columns, point, strict=True))}
        for one in curves
        for point in zip(*(getattr(one, column) for column in columns), strict=True)
    ]
    data = {"curves": points, "scores": values["scores"], "improvement": values["improvements"]}
    page = _page(title, seeds_verdict(result), body, _SEEDS_NOTE)
    return Report(page, plots, tables, data | {"runs": values["runs"]})


def report_scorecard(card: Scorecard, title: str, origin: Origin) -> Report:
    """Report a score card."""
    plots = scorecard_plots(card)
    body = [_facts_list(_card_facts(card), origin), _figures(plots), *map(_table, scorecard_grids(card))]
    note = _SCORECARD_NOTE if card.self_play else _FEW_DEALS_NOTE
    return Report(_page(title, scorecard_verdict(card), body, note), plots, {}, {})


def _in_columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values, with three in place of each estimate: NAME, NAME_low and NAME_high."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Estimate):
            found |= {name: value.mean, f"{name}_low": value.low, f"{name}_high": value.high}
        else:
            found[name] = value
    return found


def _card_facts(card: Scorecard) -> dict[str, str]:
    facts = {
        "Protocol": f"{card.protocol}, {card.effort}",
        "Agent": f"{card.agent or card.name}, fingerprint {card.fingerprint}",
        "Networks": ", ".join(f"{name} {known}" for name, known in card.panel.items()),
    }
    return facts | ({"Note": card.note} if card.note else {})


def _page(title: str, verdict: str, body: Iterable[str], note: str) -> str:
    """Return a whole page; only its body is HTML."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
    )
    content = "\n".join([f'<p class="verdict">{escape(verdict)}</p>', *body])
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n'
        f'<body><h1>{escape(title)}</h1>\n{content}\n<p class="note">{escape(note)}</p>\n</body></html>\n'
    )


def _facts(variants: Sequence[Rules], deals: int, seed: int) -> dict[str, str]:
    rules = variants[0]
    sizes = "all" if rules.hand_sizes is None else ", ".join(map(str, rules.hand_sizes))
    return {
        "Players": ", ".join(str(one.num_players) for one in variants),
        "Rules": f"{rules_text(rules)}; hand sizes: {sizes}",
        "Deals": f"{deals:,}",
        "Seed": str(seed),
    }


def _facts_list(facts: Mapping[str, str], origin: Origin) -> str:
    software = origin.software
    versions = {"wizard-env": software["version"], "Python": software["python"], **software["libraries"]}
    facts = {**facts, "Date": origin.date, "Versions": ", ".join(map(" ".join, versions.items()))}
    if software["commit"]:
        facts["Commit"] = software["commit"]
    facts["Processor"] = software["processor"]
    items = [f"<dt>{name}</dt><dd>{escape(fact)}</dd>" for name, fact in facts.items()]
    items.append(f"<dt>Command</dt><dd><code>{escape(origin.command)}</code></dd>")
    return f"<dl>{''.join(items)}</dl>"


def _figures(plots: Plots) -> str:
    """Embed plots in the page, below their captions."""
    if not plots:
        return ""
    sections = []
    for name, figure in plots.items():
        data, caption = base64.b64encode(draw(figure, "png")).decode(), escape(_CAPTIONS[name])
        image = f'<img src="data:image/png;base64,{data}" alt="{caption}">'
        sections.append(f"<section><h2>{caption}</h2>{image}</section>")
    return f'<div class="plots">{"".join(sections)}</div>'


def _table(grid: Grid) -> str:
    """Return a grid as an HTML table, with its title as caption."""
    head = "".join(f"<th>{escape(text)}</th>" for text in grid.headings)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in grid.rows
    )
    return (
        f'<div class="wide" tabindex="0"><table><caption>{escape(grid.title)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )


def _folded(title: str, grids: Iterable[Grid]) -> str:
    """Hide grids until the title is clicked."""
    tables = "\n".join(map(_table, grids))
    return f"<details><summary>{escape(title)}</summary>\n{tables}</details>"

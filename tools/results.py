"""Measure the champion and the adaptive player: python -m tools.results [SECTION...], or `make results`.

Each section is a table of docs/results.md, which is written as soon as it is measured.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from tools.marked_tables import estimated, fill, head, row
from wizard_env import Rules, configs
from wizard_env.agents import load
from wizard_env.agents.one_card.deals import SIZES
from wizard_env.agents.pretrained import partner_names
from wizard_env.agents.rule_based import PUBLISHED_ACCURACY
from wizard_env.evaluation.crossplay import cross_play
from wizard_env.evaluation.duplicate_deals import Deals, Results, arrange, leads_of_first, load_players, play
from wizard_env.evaluation.evaluate import Entrant, Evaluation, evaluate
from wizard_env.evaluation.one_card import ExactExploit, measure_exactly
from wizard_env.evaluation.report.grids import signed
from wizard_env.evaluation.statistics import SHARES, Estimate, estimate_weighted_sums, rank_seats
from wizard_env.evaluation.workers import Map, workers
from wizard_env.files import write_atomically
from wizard_env.games import game_seeds
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_PLAYERS, MIN_PLAYERS
from wizard_env.train.config.reading import read_config

PAGE = Path(__file__).parent.parent / "docs" / "results.md"
SEED = 2026
CHAMPION, ADAPTIVE = "champion", "adaptive"
FOR_POINTS = "champion:goal=points"
SEARCH = "search:worlds=16"
SEARCHES = ("champion+search:worlds=64", "champion+search:worlds=64,value=win")
ADAPTIVE_SEARCH = "adaptive+search:worlds=64"
TIMED_SEARCH = "adaptive+search:milliseconds=50"
SEEN = ("rule_based", "heuristic")
"""Opponents that the champion trained with."""
HELD_OUT = read_config(configs.find("champion")).held_out
OPPONENTS = ("random", *SEEN, *HELD_OUT, SEARCH)
FLAT_SEARCH, UNDERBIDDER, RIVAL = HELD_OUT
MIXED = ("rule_based", "heuristic", RIVAL)
STYLES = ("rule_based", "heuristic", CHAMPION)
"""Styles that opponents change: each of them becomes each other one, and `rival`."""
CHANGES = [(first, then) for first in STYLES for then in (*STYLES, RIVAL) if then != first]
CHANGED_AFTER = (3, 6, 9)
"""Rounds before the change."""


class Table(NamedTuple):
    """A table where the champion and the adaptive player are compared, alone among the opponents."""

    opponents: Sequence[str]
    rules: Rules = Rules(4)
    title: str = ""
    """The rule that differs from the usual ones."""


TABLES = (
    *(Table([opponent] * 3) for opponent in ("rule_based", "heuristic", UNDERBIDDER, FLAT_SEARCH, RIVAL)),
    Table(MIXED),
    Table([CHAMPION] * 3),
    Table([FOR_POINTS] * 3),
    *(Table(["rule_based"] * (players - 1), Rules(players)) for players in (3, 5, 6)),
    Table(["heuristic"] * 3, Rules(4, bid_reveal="secret"), "`bid_reveal=secret`"),
    Table(["rule_based"] * 3, Rules(4, magic_edition=True), "`magic_edition=True`"),
)


def alone(agent: str, opponent: str, rules: Rules, games: int, spread: Map) -> Evaluation:
    """Evaluate one agent against copies of another in all other seats."""
    return evaluate([agent] + [opponent] * (rules.num_players - 1), rules, games, SEED, spread=spread)


def lead(result: Evaluation) -> str:
    """Return the first agent's lead, and its interval."""
    (difference,) = result.differences
    return estimated(Estimate(difference.points, difference.points_low, difference.points_high), "+.0f")


def line(result: Evaluation, *cells: str) -> str:
    """Return a row of a table: the cells, then the first agent's lead, games won, and bids met."""
    first = result.standings[0]
    won = f"{first.win_share:.0%} ({first.win_share_low:.0%} to {first.win_share_high:.0%})"
    return row(*cells, lead(result), won, f"{first.bid_accuracy:.3f}", str(result.games))


def by_memory(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of the champion and the adaptive player at the same tables, on the same deals."""
    figures = (f"`{agent}`: lead, games won, bids met" for agent in (CHAMPION, ADAPTIVE))
    yield from head("opponents", "rule", *figures, "deals")
    for table in TABLES:
        results = [beside(agent, table, games, spread) for agent in (CHAMPION, ADAPTIVE)]
        counts = Counter(table.opponents)
        names = ", ".join(f"{count} `{name}`" for name, count in counts.items())
        yield row(names, table.title, *map(cell, results), str(games))
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        copies = [
            evaluate([agent], Rules(players), games, SEED, spread=spread) for agent in (CHAMPION, ADAPTIVE)
        ]
        cells = (f"{result.standings[0].bid_accuracy:.3f}" for result in copies)
        yield row(f"{players - 1} copies", "", *cells, str(games))


def beside(agent: str, table: Table, games: int, spread: Map) -> Evaluation:
    """Evaluate one agent against all opponents of a table together."""
    others = [Entrant("others", load(name)) for name in table.opponents]
    return evaluate([Entrant(agent, load(agent)), *others], table.rules, games, SEED, spread=spread)


def cell(result: Evaluation) -> str:
    first = result.standings[0]
    return f"{lead(result)}, {first.win_share:.0%}, {first.bid_accuracy:.3f}"


class ByDeal(NamedTuple):
    """The results of an agent alone among three, one number for each deal."""

    leads: NDArray[np.float64]
    """[deals]: points per game above the mean of the others."""
    wins: NDArray[np.float64]
    """[deals]: the share of games won; a shared first place counts as part of a win."""


def by_deal(agent: str, opponent: str, games: int, spread: Map, after: int = 0) -> ByDeal:
    """Play one agent against copies of another; the lead is that after some rounds."""
    players, rules = load_players([agent, *[opponent] * 3]), Rules(4)
    parts = [Deals(players, rules, seeds) for seeds in np.array_split(game_seeds(SEED, games), 2)]
    results = Results.join(list(spread(play, parts)))
    shares = rank_seats(results.scores).shares / SHARES
    seating = arrange(len(players), rules.num_players)
    return ByDeal(leads_of_first(results.points[..., after:]), (shares * (seating == 0)).sum(2).mean(1))


def gains(mine: ByDeal, theirs: ByDeal) -> Iterator[str]:
    """Yield the cells of what one agent has more than another on the same deals: lead, share of games won."""
    for form, *both in zip(("+.1f", "+.1%"), mine, theirs, strict=True):
        (gain,) = estimate_weighted_sums([both[0] - both[1]], np.ones((1, 1)), SEED)
        yield estimated(gain, form)


def by_change(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of the champion and the adaptive player among opponents that change their style."""
    figures = (f"`{agent}`: lead after the change, games won" for agent in (CHAMPION, ADAPTIVE))
    yield from head("opponents", "rounds before", *figures, "difference of leads", "of games won", "deals")
    for first, then in CHANGES:
        for after in CHANGED_AFTER:
            opponent = f"switch:first={first},then={then},after={after}"
            both = [by_deal(agent, opponent, games, spread, after) for agent in (CHAMPION, ADAPTIVE)]
            cells = (f"{signed(each.leads.mean(), '.0f')}, {each.wins.mean():.0%}" for each in both)
            champion, adaptive = both
            yield row(f"`{first}`, then `{then}`", str(after), *cells, *gains(adaptive, champion), str(games))


FIGURES = ("lead in points per game, 95% interval", "games won", "bids met", "deals")


def by_opponent(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of every number of players against every opponent."""
    yield from head("players", "opponents", "partner in training", *FIGURES)
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        for opponent in OPPONENTS:
            deals = max(2, games // 20) if opponent == SEARCH else games
            result = alone(CHAMPION, opponent, Rules(players), deals, spread)
            yield line(result, str(players), f"`{opponent}`", "yes" if opponent in SEEN else "no")


def by_rules(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of every bid restriction and reveal, and the Magic Edition, with four players."""
    options: list[dict[str, Any]] = [
        *({"bid_restriction": name} for name in BID_RESTRICTIONS[1:]),
        *({"bid_reveal": name} for name in BID_REVEALS[1:]),
        {"magic_edition": True},
    ]
    yield from head("rule", "opponents", *FIGURES)
    for option in options:
        ((name, value),) = option.items()
        for opponent in SEEN:
            result = alone(CHAMPION, opponent, Rules(4, **option), games, spread)
            yield line(result, f"`{name}={value}`", f"`{opponent}`")


def by_hand_size(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of bids met in games of four copies of an agent."""
    names = (CHAMPION, FOR_POINTS, "rule_based")
    found = [evaluate([name], Rules(4), games, SEED, spread=spread) for name in names]
    yield from head("cards", *(f"`{name}`" for name in names), "`rule_based`, published")
    for groups in zip(*(result.by_hand_size for result in found), strict=True):
        met = [
            f"{each.bid_accuracy:.3f} ({each.bid_accuracy_low:.3f} to {each.bid_accuracy_high:.3f})"
            for each in groups
        ]
        yield row(str(groups[0].group), *met, f"{PUBLISHED_ACCURACY[groups[0].group]:.3f}")
    means = [f"{result.standings[0].bid_accuracy:.3f}" for result in found]
    mean = sum(PUBLISHED_ACCURACY.values()) / len(PUBLISHED_ACCURACY)
    yield row("mean", *means, f"{mean:.3f}")


def by_search(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of the agents with search, and of those that they build on, on the same deals."""
    yield from head("agent", "opponents", *FIGURES)
    agents = (*SEARCHES, ADAPTIVE, ADAPTIVE_SEARCH)
    pairs = [(each, CHAMPION) for each in agents]
    pairs += [(each, opponent) for opponent in SEEN for each in (CHAMPION, *agents)]
    for agent, opponent in pairs:
        result = alone(agent, opponent, Rules(4), max(2, games // 20), spread)
        yield line(result, f"`{agent}`", f"`{opponent}`")


def search_gain(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of what search adds to the adaptive player, on the same deals."""
    yield from head("agent", "opponents", "gain in points per game", "in games won", "deals")
    games = max(2, games // 4)
    for opponent in (FOR_POINTS, "rule_based"):
        without = by_deal(ADAPTIVE, opponent, games, spread)
        found = by_deal(TIMED_SEARCH, opponent, games, spread)
        yield row(f"`{TIMED_SEARCH}`", f"3 `{opponent}`", *gains(found, without), str(games))


def crossplay(games: int, spread: Map) -> Iterator[str]:
    """Yield the matrix of each agent alone among copies of each, and self-play less cross-play."""
    agents = (ADAPTIVE, CHAMPION, FOR_POINTS, RIVAL, *SEEN)
    found = cross_play(agents, Rules(4), max(2, games // 4), SEED, spread=spread)
    yield from head("agent", *(f"3 `{name}`" for name in found.names), "self-play less cross-play")
    for number, (name, kept) in enumerate(zip(found.names, found.compatibility, strict=False)):
        cells = found.cells[number * len(found.names) :][: len(found.names)]
        points = [Estimate(each.points, each.points_low, each.points_high) for each in cells]
        assert kept.difference is not None
        yield row(
            f"`{name}`", *(estimated(each, ".0f") for each in points), estimated(kept.difference, "+.0f")
        )


def by_seat(points: Sequence[float]) -> str:
    return ", ".join(f"{one:.2f}" for one in points)


class OneCard(NamedTuple):
    """An agent to measure exactly in rounds of one card."""

    agent: str
    rules: Rules
    title: str = ""
    """The rules that differ from the usual ones."""


def measure_one_card(task: OneCard) -> ExactExploit:
    return measure_exactly(task.agent, task.rules)


def one_card(games: int, spread: Map) -> Iterator[str]:
    """Yield the table of rounds of one card: the equilibrium by other rules, and every agent by the usual."""
    yield from head("players", "agent", "rule", "points by seat", "gain of best response by seat", "NashConv")
    agents = (
        "exact",
        CHAMPION,
        FOR_POINTS,
        ADAPTIVE,
        RIVAL,
        *SEEN,
        *(f"partner:name={name}" for name in partner_names()),
    )
    others: list[dict[str, Any]] = [
        {"bid_restriction": "no_even"},
        {"bid_reveal": "simultaneous"},
        {"magic_edition": True},
    ]
    tasks = []
    for players in SIZES:
        usual = Rules(players, hand_sizes=(1,))
        tasks += [OneCard(agent, usual) for agent in (*agents, "random")]
        for option in others:
            ((name, value),) = option.items()
            tasks.append(OneCard("exact", Rules(players, hand_sizes=(1,), **option), f"`{name}={value}`"))
    for task, found in zip(tasks, spread(measure_one_card, tasks), strict=True):
        seats, name = str(task.rules.num_players), f"`{task.agent}`"
        gains, nash_conv = by_seat(found.gains), f"{found.nash_conv:.2f}"
        yield row(seats, name, task.title, by_seat(found.values), gains, nash_conv)


SECTIONS: dict[str, Callable[[int, Map], Iterator[str]]] = {
    "opponents": by_opponent,
    "memory": by_memory,
    "changes": by_change,
    "rules": by_rules,
    "hand-sizes": by_hand_size,
    "search": by_search,
    "search-gain": search_gain,
    "crossplay": crossplay,
    "one-card": one_card,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"all by default: {', '.join(SECTIONS)}"
    )
    parser.add_argument("--games", type=int, default=400, help="deals per line; fewer if an agent searches")
    parser.add_argument("--workers", type=int, default=2, help="number of processes")
    options = parser.parse_args(arguments)
    if unknown := set(options.sections) - SECTIONS.keys():
        parser.error(f"unknown sections {sorted(unknown)}: allowed are {', '.join(SECTIONS)}")
    with workers(options.workers) as spread:
        for name in options.sections or SECTIONS:
            write(name, list(track(SECTIONS[name](options.games, spread), name)))


def write(name: str, lines: Sequence[str]) -> None:
    """Write the table of a section into the page."""
    page = fill(PAGE.read_text(encoding="utf-8"), name, "\n".join(lines) + "\n")
    write_atomically(PAGE, lambda path: path.write_text(page, encoding="utf-8"))


if __name__ == "__main__":
    main()

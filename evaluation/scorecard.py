"""The score card: one fixed measurement of an agent, so that results from different people compare."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Rules
from wizard_env.agents import load
from wizard_env.checks import check_choice, quoted
from wizard_env.evaluation import protocol
from wizard_env.evaluation.duplicate_deals import (
    Deals,
    Entrant,
    Player,
    Results,
    leads_of_first,
    least_decisions,
    load_players,
    play,
)
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.evaluation.protocol import STRONGEST, Effort, Table
from wizard_env.evaluation.standings import Bidding, Standing, summarize
from wizard_env.evaluation.statistics import Estimate, estimate_small_mean, estimate_weighted_sums
from wizard_env.evaluation.workers import Map, in_this_process
from wizard_env.files import read_object
from wizard_env.games import game_seeds
from wizard_env.view import OutsideAgent

REFERENCES = Path(__file__).parent / "references.json"
"""The results of `random` and of `STRONGEST`: the 0 and the 100 of every score."""
_WEAKEST = "random"
_Result = TypeVar("_Result", float, NDArray[np.float64])


@dataclass(frozen=True)
class TableScore:
    """The agent alone at one table.

    `_low` and `_high` are 95% intervals over deals: by bootstrap, or by Student on the card of few deals.
    """

    part: str
    table: str
    """The opponents, or the rule that differs from the usual ones."""
    deals: int
    lead: float
    """Points per game above the mean of the opponents, over all seats of the same deals; on the card of few
    deals less the lead of the baseline."""
    lead_low: float
    lead_high: float
    score: float
    """The lead on a scale from `random`, 0, to `champion:goal=points`, 100, at the same table."""
    score_low: float
    score_high: float


@dataclass(frozen=True)
class PartScore:
    """The score of a part: the mean of its tables."""

    name: str
    score: float
    score_low: float
    score_high: float


@dataclass(frozen=True)
class Accuracy:
    """Share of bids met exactly in self-play, among four copies of the agent."""

    hand_size: int
    """Cards in hand; 0 for the mean of all bids."""
    bid_accuracy: float
    bid_accuracy_low: float
    bid_accuracy_high: float


@dataclass(frozen=True)
class Adaptation:
    """Lead in points per round over three that bid a trick too many, in rounds of five cards."""

    first_half: float
    second_half: float
    gain: float
    """The second half minus the first: above 0 if the agent uses what it has seen of its opponents."""
    gain_low: float
    gain_high: float


@dataclass(frozen=True)
class Scorecard:
    """The outcome of `measure`; equal in every run on a machine, except for the time."""

    protocol: int
    effort: str
    name: str
    agent: str | None
    """The name that `load` takes; None for an agent that was given as an object."""
    note: str
    """A description of the agent, and how others get it."""
    fingerprint: str
    """Of the agent, see `wizard_env.evaluation.fingerprints`."""
    panel: dict[str, str]
    """The fingerprints of the networks among the opponents; score cards with others do not compare."""
    version: str
    """Of the package."""
    score: float
    """The mean of the parts."""
    score_low: float
    score_high: float
    parts: list[PartScore]
    lines: list[TableScore]
    self_play_score: float | None
    """The share of bids met in self-play, on a scale from `random`, 0, to `champion:goal=points`, 100; None
    without."""
    self_play: list[Accuracy]
    """All bids together, then those of each hand size; empty on the card of few deals."""
    adaptation: Adaptation | None
    """None on the card of few deals."""
    microseconds: float | None = field(compare=False)
    """Time per decision in self-play, in batches; None if nothing could be timed."""
    bid_accuracy: float
    """Share of bids met exactly at the tables of the score."""
    decisions: int
    """Bids and cards of the agent in all games, those with one legal action included."""
    forfeits: dict[str, int]
    """Decisions that the agent has forfeited, by reason, if it counts them."""
    usage: dict[str, float]
    """The cost of the agent's answers, if it counts that."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; "microseconds" is not reproducible."""
        return asdict(self)


class Scale(NamedTuple):
    """The results of `random` and of the strongest opponent, whose scores are 0 and 100."""

    random: float
    strongest: float

    def score(self, result: _Result) -> _Result:
        """Return the score of a result."""
        return 100 * (result - self.random) / (self.strongest - self.random)

    def result(self, score: float) -> float:
        """Return the result that has a score."""
        return self.random + score / 100 * (self.strongest - self.random)


class References(NamedTuple):
    """The scales of all scores."""

    panel: dict[str, str]
    """The fingerprints of the networks that a card depends on."""
    leads: dict[str, Scale]
    """By table."""
    corrections: dict[str, list[float]]
    """By table, if it has a baseline: the lead of that on each deal, less its mean lead on many."""
    bid_accuracy: Scale
    """In self-play."""


def measure(
    agent: str | Agent,
    name: str | None = None,
    effort: str = "full",
    note: str = "",
    spread: Map = in_this_process,
) -> Scorecard:
    """Play the whole protocol with an agent.

    Args:
        agent: what `load` takes.
        name: the agent's name on the card; by default what `load` takes.
        effort: "full"; "short" for an agent that thinks for more than a millisecond; or "few" for one whose
            decisions are slow or dear, which plays in this process.
        note: a description of the agent, and how others get it.
        spread: where to play, see `wizard_env.evaluation.workers`.

    Raises ValueError if an agent that is an object gets no name.
    """
    check_choice("effort", effort, tuple(protocol.EFFORTS))
    if not isinstance(agent, str) and name is None:
        raise ValueError(f"agent={quoted(agent)} has no name: pass name=... for the card")
    references = read_references(REFERENCES, protocol.EFFORTS[effort].networks)
    return _make_scorecard(_play(Entrant(name or str(agent), agent), effort, spread), references, note)


def reference_document(spread: Map) -> dict[str, Any]:
    """Measure the ends of the scale, and return the content of the file of references."""
    leads: dict[str, list[float]] = {}
    corrections: dict[str, list[float]] = {}
    full, few = protocol.EFFORTS["full"], protocol.EFFORTS["few"]
    ends = [_play(Entrant(name, name), "full", spread) for name in (_WEAKEST, STRONGEST)]
    for number, table in enumerate(full.tables):
        leads[table.key] = [float(end.leads[number].mean()) for end in ends]
    for table in few.tables:
        many = few._replace(tables=(table,), deals=few.reference_deals)
        names = (_WEAKEST, *few.baseline)
        tasks = [task for name in names for task in _deals_of(load_players([name])[0], many)]
        found = dict(zip(names, (leads_of_first(one.points) for one in spread(play, tasks)), strict=True))
        leads[table.key] = [float(found[name].mean()) for name in (_WEAKEST, STRONGEST)]
        baseline = np.mean([found[name] for name in few.baseline], axis=0)
        corrections[table.key] = (baseline[: few.deals] - baseline.mean()).tolist()
    return {
        "protocol": protocol.VERSION,
        "panel": _fingerprints(few.networks),
        "leads": leads,
        "corrections": corrections,
        "bid_accuracy": [end.self_play[0].bid_accuracy for end in ends],
    }


def read_references(path: Path, networks: Sequence[str]) -> References:
    """Read the ends of the scale. Raises ValueError if they belong to other networks or tables."""
    found, panel = read_object(path), _fingerprints(networks)
    known = {name: found["panel"].get(name) for name in networks}
    keys = dict.fromkeys(table.key for effort in protocol.EFFORTS.values() for table in effort.tables)
    if known != panel or found["protocol"] != protocol.VERSION or list(found["leads"]) != list(keys):
        raise ValueError(
            f"{path} was measured with other networks or tables (protocol {found['protocol']}, "
            f"{known}; here protocol {protocol.VERSION}, {panel}): `make leaderboard` measures anew"
        )
    leads = {key: Scale(*ends) for key, ends in found["leads"].items()}
    return References(panel, leads, found["corrections"], Scale(*found["bid_accuracy"]))


def _fingerprints(networks: Sequence[str]) -> dict[str, str]:
    return {name: fingerprint(name, load(name)) for name in networks}


class _Measured(NamedTuple):
    """The results of the protocol's games."""

    player: Player
    effort: str
    leads: list[NDArray[np.float64]]
    """For each table float64 [deals]: the lead in points per game."""
    bid_accuracy: float
    decisions: int
    self_play: list[Accuracy]
    adaptation: Adaptation | None
    microseconds: float | None


def _play(entrant: Entrant, name: str, spread: Map) -> _Measured:
    effort, (player,) = protocol.EFFORTS[name], load_players([entrant])
    tasks = _deals_of(player, effort)
    adaptation_seed, self_play_seed = effort.seed + len(tasks), effort.seed + len(tasks) + 1
    rules = Rules(4)
    if effort.has_self_play:
        biased = Table("", "", protocol.ADAPTATION_RULES, (protocol.BIASED,) * 3)
        tasks += _deals_of(player, effort._replace(tables=(biased,), seed=adaptation_seed))
        seeds = game_seeds(self_play_seed, effort.deals * protocol.SELF_PLAY_SHARE)
        tasks.append(Deals((player,), rules, seeds))
    else:
        spread = in_this_process  # the agent counts its forfeits and usage here
    played = list(spread(play, tasks))
    of_tables, more = played[: len(effort.tables)], played[len(effort.tables) :]
    self_play, adaptation, microseconds = [], None, None
    if effort.has_self_play:
        among_biased, alone = more
        self_play = _accuracy(alone, entrant.name, rules, self_play_seed)
        adaptation = _adaptation(among_biased, adaptation_seed)
        seconds, timed = float(alone.seconds.sum()), int(alone.decisions.sum())
        microseconds = 1e6 * seconds / timed if timed else None
    met = [(one.bids[0] == one.tricks_won[0]).ravel() for one in of_tables]
    return _Measured(
        player,
        name,
        [leads_of_first(one.points) for one in of_tables],
        float(np.concatenate(met).mean()),
        sum(map(_count_decisions, tasks)),
        self_play,
        adaptation,
        microseconds,
    )


def _deals_of(player: Player, effort: Effort) -> list[Deals]:
    """Return the deals of an agent at each table."""
    names = sorted({name for table in effort.tables for name in table.opponents})
    opponents = dict(zip(names, load_players(names), strict=True))
    return [
        Deals(
            (player, *(opponents[name] for name in table.opponents)),
            table.rules,
            game_seeds(effort.seed + number, effort.deals),
        )
        for number, table in enumerate(effort.tables)
    ]


def _count_decisions(deals: Deals) -> int:
    """Count the bids and cards of the first player, which takes every seat of each deal once."""
    return len(deals.seeds) * least_decisions(deals.rules)


def _accuracy(results: Results, name: str, rules: Rules, seed: int) -> list[Accuracy]:
    found = summarize(results, [name], rules, seed)
    lines: list[Standing | Bidding] = [*found.standings, *found.by_hand_size]
    sizes = [0, *(line.group for line in found.by_hand_size)]
    return [
        Accuracy(size, line.bid_accuracy, line.bid_accuracy_low, line.bid_accuracy_high)
        for size, line in zip(sizes, lines, strict=True)
    ]


def _adaptation(results: Results, seed: int) -> Adaptation:
    half = protocol.ADAPTATION_ROUNDS // 2
    halves = [
        leads_of_first(points) / half for points in (results.points[..., :half], results.points[..., half:])
    ]
    (gain,) = estimate_weighted_sums([halves[1] - halves[0]], np.ones((1, 1)), seed)
    first, second = (float(one.mean()) for one in halves)
    return Adaptation(first, second, *gain)


def _make_scorecard(measured: _Measured, references: References, note: str) -> Scorecard:
    effort, player = protocol.EFFORTS[measured.effort], measured.player
    tables, entrant = effort.tables, player.entrant
    scales = [references.leads[table.key] for table in tables]
    scores = [
        scale.score(leads - np.array(references.corrections.get(table.key, 0.0)))
        for table, scale, leads in zip(tables, scales, measured.leads, strict=True)
    ]
    parts = list(dict.fromkeys(table.part for table in tables))
    estimates = _estimate(scores, tables, parts, effort.seed)
    lines = []
    for table, scale, score in zip(tables, scales, estimates[: len(tables)], strict=True):
        lines.append(
            TableScore(
                part=table.part,
                table=table.title,
                deals=effort.deals,
                lead=scale.result(score.mean),
                lead_low=scale.result(score.low),
                lead_high=scale.result(score.high),
                score=score.mean,
                score_low=score.low,
                score_high=score.high,
            )
        )
    score, accuracy = estimates[-1], references.bid_accuracy
    outside = player.agent if isinstance(player.agent, OutsideAgent) else None
    return Scorecard(
        protocol=protocol.VERSION,
        effort=measured.effort,
        name=entrant.name,
        agent=entrant.agent if isinstance(entrant.agent, str) else None,
        note=note,
        fingerprint=player.fingerprint,
        panel=references.panel,
        version=version("wizard-env"),
        score=score.mean,
        score_low=score.low,
        score_high=score.high,
        parts=[PartScore(part, *one) for part, one in zip(parts, estimates[len(tables) : -1], strict=True)],
        lines=lines,
        self_play_score=accuracy.score(measured.self_play[0].bid_accuracy) if measured.self_play else None,
        self_play=measured.self_play,
        adaptation=measured.adaptation,
        microseconds=measured.microseconds,
        bid_accuracy=measured.bid_accuracy,
        decisions=measured.decisions,
        forfeits=dict(outside.forfeits) if outside else {},
        usage=outside.costs() if outside else {},
    )


def _estimate(
    scores: Sequence[NDArray[np.float64]], tables: Sequence[Table], parts: Sequence[str], seed: int
) -> list[Estimate]:
    """Estimate the score of each table, of each part, and of all."""
    if len(tables) == 1:
        return [estimate_small_mean(scores[0])] * 3
    of_part = np.array([[table.part == part for table in tables] for part in parts])
    shares = of_part / of_part.sum(axis=1, keepdims=True)
    weights = np.vstack([np.eye(len(tables)), shares, shares.mean(axis=0)])
    return estimate_weighted_sums(scores, weights, seed)

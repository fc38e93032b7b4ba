"""Measuring an agent by the protocol: its score card."""

from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Rules
from wizard_env.agents import load
from wizard_env.checks import check_choice
from wizard_env.evaluation.duplicate_deals import (
    Deals,
    Entrant,
    Results,
    leads_of_first,
    load_players,
    make_entrant,
    play,
)
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.evaluation.scorecard import protocol
from wizard_env.evaluation.scorecard.protocol import PARTS, SEED, Table
from wizard_env.evaluation.standings import Bidding, Standing, summarize
from wizard_env.evaluation.statistics import estimate_weighted_sums
from wizard_env.evaluation.workers import Map, in_this_process
from wizard_env.files import read_object
from wizard_env.games import game_seeds

REFERENCES = Path(__file__).parent / "references.json"
"""The results of `random` and `champion`: the 0 and the 100 of every score."""
_WEAKEST, _STRONGEST = "random", "champion"
_Result = TypeVar("_Result", float, NDArray[np.float64])


@dataclass(frozen=True)
class TableScore:
    """The agent alone at one table. `_low` and `_high` are 95% intervals, by bootstrap over deals."""

    part: str
    table: str
    """The opponents, or the rule that differs from the usual ones."""
    deals: int
    lead: float
    """Points per game above the mean of the opponents, over all seats of the same deals."""
    lead_low: float
    lead_high: float
    score: float
    """The lead on a scale from `random`, 0, to `champion`, 100, at the same table."""
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
    """Of the name and the weights of the agent's networks, see `fingerprints`."""
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
    self_play_score: float
    """The share of bids met in self-play, on a scale from `random`, 0, to `champion`, 100."""
    self_play: list[Accuracy]
    """All bids together, then those of each hand size."""
    adaptation: Adaptation
    microseconds: float | None = field(compare=False)
    """Time per decision in self-play, in batches; None if nothing could be timed."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; "microseconds" is not reproducible."""
        return asdict(self)


class Scale(NamedTuple):
    """The results of `random` and of `champion`, whose scores are 0 and 100."""

    random: float
    champion: float

    def score(self, result: _Result) -> _Result:
        """Return the score of a result."""
        return 100 * (result - self.random) / (self.champion - self.random)

    def result(self, score: float) -> float:
        """Return the result that has a score."""
        return self.random + score / 100 * (self.champion - self.random)


class References(NamedTuple):
    """The scales of all scores."""

    panel: dict[str, str]
    leads: dict[str, Scale]
    """By table."""
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
        effort: "full", or "short" for an agent that thinks for more than a millisecond.
        note: a description of the agent, and how others get it.
        spread: where to play, see `wizard_env.evaluation.workers`.
    """
    check_choice("effort", effort, tuple(protocol.DEALS))
    references = read_references(REFERENCES)
    measured = _play(make_entrant(agent, name), effort, spread)
    return _make_scorecard(measured, references, note)


def reference_document(spread: Map) -> dict[str, Any]:
    """Measure the ends of the scale, and return the content of the file of references."""
    ends = [_play(Entrant(name, name), "full", spread) for name in (_WEAKEST, _STRONGEST)]
    tables = protocol.tables()
    leads = [[float(deals.mean()) for deals in end.leads] for end in ends]
    return {
        "protocol": protocol.VERSION,
        "panel": _panel(),
        "leads": {table.key: pair for table, *pair in zip(tables, *leads, strict=True)},
        "bid_accuracy": [end.self_play[0].bid_accuracy for end in ends],
    }


def read_references(path: Path) -> References:
    """Read the ends of the scale. Raises ValueError if they belong to other networks or tables."""
    found = read_object(path)
    panel, keys = _panel(), [table.key for table in protocol.tables()]
    if found["panel"] != panel or found["protocol"] != protocol.VERSION or list(found["leads"]) != keys:
        raise ValueError(
            f"{path} was measured with other networks or tables (protocol {found['protocol']}, "
            f"{found['panel']}; here protocol {protocol.VERSION}, {panel}): `make leaderboard` measures anew"
        )
    leads = {key: Scale(*ends) for key, ends in found["leads"].items()}
    return References(panel, leads, Scale(*found["bid_accuracy"]))


def _panel() -> dict[str, str]:
    return {name: fingerprint(name, load(name)) for name in ("rival", _STRONGEST)}


class _Measured(NamedTuple):
    """The results of the protocol's games."""

    entrant: Entrant
    effort: str
    leads: list[NDArray[np.float64]]
    """For each table float64 [deals]: the lead in points per game."""
    self_play: list[Accuracy]
    adaptation: Adaptation
    fingerprint: str
    microseconds: float | None


def _play(entrant: Entrant, effort: str, spread: Map) -> _Measured:
    deals, tables = protocol.DEALS[effort], protocol.tables()
    adaptation_seed, self_play_seed = SEED + len(tables), SEED + len(tables) + 1
    rules, biased = Rules(4), Table("", "", protocol.ADAPTATION_RULES, (protocol.BIASED,) * 3)
    seated = [*((table, SEED + number) for number, table in enumerate(tables)), (biased, adaptation_seed)]
    names = sorted({name for table, _ in seated for name in table.opponents})
    player, *others = load_players([entrant, *names])
    opponents = dict(zip(names, others, strict=True))
    tasks = []
    for table, seed in seated:
        players = (player, *(opponents[name] for name in table.opponents))
        tasks.append(Deals(players, table.rules, game_seeds(seed, deals)))
    tasks.append(Deals((player,), rules, game_seeds(self_play_seed, deals * protocol.SELF_PLAY_SHARE)))
    *played, among_biased, alone = spread(play, tasks)
    seconds, decisions = float(alone.seconds.sum()), int(alone.decisions.sum())
    return _Measured(
        entrant,
        effort,
        [leads_of_first(one.points) for one in played],
        _accuracy(alone, entrant.name, rules, self_play_seed),
        _adaptation(among_biased, adaptation_seed),
        fingerprint(entrant.name, player.agent),
        1e6 * seconds / decisions if decisions else None,
    )


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
    tables = protocol.tables()
    scales = [references.leads[table.key] for table in tables]
    scores = [scale.score(leads) for scale, leads in zip(scales, measured.leads, strict=True)]
    of_part = np.array([[table.part == part for table in tables] for part in PARTS])
    parts = of_part / of_part.sum(axis=1, keepdims=True)
    weights = np.vstack([np.eye(len(tables)), parts, parts.mean(axis=0)])
    estimates = estimate_weighted_sums(scores, weights, SEED)
    lines, deals = [], protocol.DEALS[measured.effort]
    for table, scale, score in zip(tables, scales, estimates[: len(tables)], strict=True):
        lines.append(
            TableScore(
                part=table.part,
                table=table.title,
                deals=deals,
                lead=scale.result(score.mean),
                lead_low=scale.result(score.low),
                lead_high=scale.result(score.high),
                score=score.mean,
                score_low=score.low,
                score_high=score.high,
            )
        )
    score = estimates[-1]
    return Scorecard(
        protocol=protocol.VERSION,
        effort=measured.effort,
        name=measured.entrant.name,
        agent=measured.entrant.agent if isinstance(measured.entrant.agent, str) else None,
        note=note,
        fingerprint=measured.fingerprint,
        panel=references.panel,
        version=version("wizard-env"),
        score=score.mean,
        score_low=score.low,
        score_high=score.high,
        parts=[PartScore(part, *one) for part, one in zip(PARTS, estimates[len(tables) : -1], strict=True)],
        lines=lines,
        self_play_score=references.bid_accuracy.score(measured.self_play[0].bid_accuracy),
        self_play=measured.self_play,
        adaptation=measured.adaptation,
        microseconds=measured.microseconds,
    )

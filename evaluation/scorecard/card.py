"""Measuring an agent by the protocol: its score card."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Rules
from wizard_env.agents import load
from wizard_env.checks import check_choice
from wizard_env.evaluation.duplicate import Deals, Entrant, Played, load_players, play
from wizard_env.evaluation.league import fingerprint
from wizard_env.evaluation.scorecard import protocol
from wizard_env.evaluation.scorecard.protocol import PARTS, SEED, Table
from wizard_env.evaluation.statistics import CONFIDENCE, RESAMPLES, summarize
from wizard_env.evaluation.workers import Map, workers
from wizard_env.extras import extra
from wizard_env.files.json_objects import read_object
from wizard_env.games import game_seeds

with extra("train"):
    from scipy.stats import bootstrap

REFERENCES = Path(__file__).parent / "references.json"
"""What `random` and `champion` achieve: the 0 and the 100 of every line."""
WEAKEST, STRONGEST = "random", "champion"


@dataclass(frozen=True)
class Line:
    """The agent alone at one table. `_low` and `_high` are 95% intervals, by bootstrap over deals."""

    part: str
    table: str
    """The opponents, or the rule that is not as usual."""
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
class Part:
    """A part of the score: the mean of its lines."""

    name: str
    score: float
    score_low: float
    score_high: float


@dataclass(frozen=True)
class Accuracy:
    """Share of bids met exactly, among four copies of the agent."""

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
    """The second less the first: above 0 if the agent makes use of what it has seen of its opponents."""
    gain_low: float
    gain_high: float


@dataclass(frozen=True)
class Card:
    """The outcome of `measure`. Equal in every run on a machine; only the time differs."""

    protocol: int
    effort: str
    name: str
    agent: str | None
    """What `load` takes; None for an agent that was given as an object."""
    note: str
    """What the agent is, and how others get it."""
    fingerprint: str
    """Of the name and the weights of the agent's networks, see `league.fingerprint`."""
    panel: dict[str, str]
    """The fingerprints of the networks among the opponents; cards with other ones do not compare."""
    version: str
    """Of the package."""
    score: float
    """The mean of the parts."""
    score_low: float
    score_high: float
    parts: list[Part]
    lines: list[Line]
    self_play_score: float
    """The share of bids met in self-play, on a scale from `random`, 0, to `champion`, 100."""
    self_play: list[Accuracy]
    """All bids together, then those of each hand size."""
    adaptation: Adaptation
    microseconds: float | None = field(compare=False)
    """Time per decision in self-play, in batches; None if nothing could be timed."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; "microseconds" is not reproducible."""
        return asdict(self)


class References(NamedTuple):
    """The two ends of the scale."""

    panel: dict[str, str]
    leads: dict[str, tuple[float, float]]
    """By table: the leads of `random` and of `champion`."""
    bid_accuracy: tuple[float, float]
    """In self-play."""


def measure(
    agent: str | Agent,
    name: str | None = None,
    effort: str = "full",
    note: str = "",
    spread: Map | None = None,
) -> Card:
    """Play the whole protocol with an agent.

    Args:
        agent: what `load` takes.
        name: what the card calls it; None for the name or path itself.
        effort: "full", or "short" for an agent that thinks for more than a millisecond.
        note: what the agent is, and how others get it.
        spread: where to play, see `wizard_env.evaluation.workers`; None plays in this process.

    Raises:
        ValueError: an unknown effort; an agent object without a name; the references were measured with
            other networks.
        and what `load` raises.
    """
    check_choice("effort", effort, tuple(protocol.DEALS))
    references = read_references(REFERENCES)
    if spread is None:
        with workers() as here:
            return measure(agent, name, effort, note, here)
    found = _play(_entrant(agent, name), effort, spread)
    return _card(found, references, note)


def reference_document(spread: Map) -> dict[str, Any]:
    """What the file of references holds, measured anew."""
    ends = [_play(Entrant(name, name), "full", spread) for name in (WEAKEST, STRONGEST)]
    tables = protocol.tables()
    leads = [[float(deals.mean()) for deals in end.leads] for end in ends]
    return {
        "protocol": protocol.VERSION,
        "panel": _panel(),
        "leads": {table.key: pair for table, *pair in zip(tables, *leads, strict=True)},
        "bid_accuracy": [end.self_play[0].bid_accuracy for end in ends],
    }


def read_references(path: Path) -> References:
    """The ends of the scale. Raises ValueError if they were measured with other networks or tables."""
    found = read_object(path)
    panel, keys = _panel(), [table.key for table in protocol.tables()]
    if found["panel"] != panel or found["protocol"] != protocol.VERSION or list(found["leads"]) != keys:
        raise ValueError(
            f"{path} was measured with other networks or tables (protocol {found['protocol']}, "
            f"{found['panel']}; here protocol {protocol.VERSION}, {panel}): `make leaderboard` measures anew"
        )
    leads = {key: (pair[0], pair[1]) for key, pair in found["leads"].items()}
    return References(panel, leads, tuple(found["bid_accuracy"]))


def _panel() -> dict[str, str]:
    return {name: fingerprint(name, load(name)) for name in ("rival", STRONGEST)}


def _entrant(agent: str | Agent, name: str | None) -> Entrant:
    if not isinstance(agent, str) and name is None:
        raise ValueError(f"agent={agent!r} has no name: pass name=... for the card")
    return Entrant(name or str(agent), agent)


class _Found(NamedTuple):
    """What the games of a protocol came to."""

    entrant: Entrant
    effort: str
    leads: list[NDArray[np.float64]]
    """For each table float64 [deals]: the lead in points per game."""
    self_play: list[Accuracy]
    adaptation: Adaptation
    fingerprint: str
    microseconds: float | None


def _play(entrant: Entrant, effort: str, spread: Map) -> _Found:
    deals, tables = protocol.DEALS[effort], protocol.tables()
    biased = Table("", "", protocol.adaptation_rules(), (protocol.BIASED,) * 3)
    seated = [*tables, biased]
    names = sorted({name for table in seated for name in table.opponents})
    player, *others = load_players([entrant, *names])
    opponents = dict(zip(names, others, strict=True))
    tasks = []
    for number, table in enumerate(seated):
        players = (player, *(opponents[name] for name in table.opponents))
        tasks.append(Deals(players, table.rules, game_seeds(SEED + number, deals)))
    rules, seed = Rules(4), SEED + len(seated)
    tasks.append(Deals((player,), rules, game_seeds(seed, deals * protocol.SELF_PLAY_SHARE)))
    *played, among_biased, alone = spread(play, tasks)
    seconds, decisions = float(alone.seconds.sum()), int(alone.decisions.sum())
    return _Found(
        entrant,
        effort,
        [_leads(one.points) for one in played],
        _accuracy(alone, entrant.name, rules, seed),
        _adaptation(among_biased, seed - 1),
        fingerprint(entrant.name, player.agent),
        1e6 * seconds / decisions if decisions else None,
    )


def _leads(points: NDArray[np.int16]) -> NDArray[np.float64]:
    """float64 [deals]: points of the first entrant above the mean of the others, added up over rounds.

    Args:
        points: int16 [entrants, seats, deals, rounds]. Whole numbers are added, so equal agents tie exactly.
    """
    totals = points.sum(axis=(1, 3), dtype=np.int64)
    others = len(points) - 1
    leads: NDArray[np.float64] = (totals[0] * others - totals[1:].sum(axis=0)) / (others * points.shape[1])
    return leads


def _accuracy(played: Played, name: str, rules: Rules, seed: int) -> list[Accuracy]:
    found = summarize(played, [name], rules, seed)
    (all_bids,) = found.standings
    return [
        Accuracy(0, all_bids.bid_accuracy, all_bids.bid_accuracy_low, all_bids.bid_accuracy_high),
        *(
            Accuracy(line.group, line.bid_accuracy, line.bid_accuracy_low, line.bid_accuracy_high)
            for line in found.by_hand_size
        ),
    ]


def _adaptation(played: Played, seed: int) -> Adaptation:
    half = protocol.ADAPTATION_ROUNDS // 2
    halves = [_leads(points) / half for points in (played.points[..., :half], played.points[..., half:])]
    gain, low, high = _weighted([halves[1] - halves[0]], np.ones((1, 1)), seed)
    first, second = (float(one.mean()) for one in halves)
    return Adaptation(first, second, float(gain[0]), float(low[0]), float(high[0]))


def _weighted(
    samples: Sequence[NDArray[np.float64]], weights: NDArray[np.float64], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Weighted sums of the means of samples, with 95% intervals, by percentile bootstrap (Efron 1979).

    Args:
        samples: of at least two numbers each, resampled independently of each other.
        weights: float64 [sums, samples].
        seed: of the bootstrap.

    Returns the sums and both ends of their intervals, each float64 [sums].
    """

    def sums(*drawn: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        """[sums, resamples]"""
        found: NDArray[np.float64] = weights @ np.stack([one.mean(axis=axis) for one in drawn])
        return found

    found = bootstrap(
        tuple(samples),
        sums,
        n_resamples=RESAMPLES,
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return sums(*samples, axis=-1), found.low, found.high


def _card(found: _Found, references: References, note: str) -> Card:
    tables = protocol.tables()
    ends = [references.leads[table.key] for table in tables]
    scores = [100 * (lead - low) / (high - low) for lead, (low, high) in zip(found.leads, ends, strict=True)]
    of_part = np.array([[table.part == part for table in tables] for part in PARTS])
    parts = of_part / of_part.sum(axis=1, keepdims=True)
    weights = np.vstack([np.eye(len(tables)), parts, parts.mean(axis=0)])
    rows = np.stack(_weighted(scores, weights, SEED), axis=1).tolist()
    lines = []
    for table, (low, high), row in zip(tables, ends, rows[: len(tables)], strict=True):
        leads = [low + score / 100 * (high - low) for score in row]
        lines.append(Line(table.part, table.title, protocol.DEALS[found.effort], *leads, *row))
    score, score_low, score_high = rows[-1]
    worst, best = references.bid_accuracy
    return Card(
        protocol=protocol.VERSION,
        effort=found.effort,
        name=found.entrant.name,
        agent=found.entrant.agent if isinstance(found.entrant.agent, str) else None,
        note=note,
        fingerprint=found.fingerprint,
        panel=references.panel,
        version=version("wizard-env"),
        score=score,
        score_low=score_low,
        score_high=score_high,
        parts=[Part(part, *row) for part, row in zip(PARTS, rows[len(tables) : -1], strict=True)],
        lines=lines,
        self_play_score=100 * (found.self_play[0].bid_accuracy - worst) / (best - worst),
        self_play=found.self_play,
        adaptation=found.adaptation,
        microseconds=found.microseconds,
    )

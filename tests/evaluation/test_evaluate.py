"""Evaluations: every entrant plays every seat of every deal once, so all have the same luck."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest

from wizard_env import Agent, Game, Rules, View
from wizard_env.agents.heuristic import HeuristicAgent
from wizard_env.agents.random import RandomAgent
from wizard_env.cards import card_names
from wizard_env.evaluation.evaluate import Bidding, Entrant, Evaluation, Standing, evaluate
from wizard_env.games import game_seeds
from wizard_env.state import BID
from wizard_env.view import Actions

SHORT = Rules(num_players=4, hand_sizes=(3, 1, 6))


class Recorder:
    """Plays like another agent, and notes the hands that it bids on."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.bids_on: Counter[tuple[int, str]] = Counter()

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        for known in view.known[view.known["phase"] == BID]:
            seat = int(known["seat"])
            self.bids_on[seat, " ".join(card_names(known["hands"][seat]))] += 1
        return self.agent.act(view, rng)


class Lowest:
    """Plays the legal action with the lowest id."""

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        return view.mask.argmax(axis=1)


def recorders(count: int, agent: Agent) -> list[Entrant]:
    return [Entrant(f"entrant {number}", Recorder(agent)) for number in range(count)]


def bids_on(entrant: Entrant) -> Counter[tuple[int, str]]:
    assert isinstance(entrant.agent, Recorder)
    return entrant.agent.bids_on


def numbers(standing: Standing) -> Standing:
    return replace(standing, name="")


@pytest.mark.parametrize("count", [1, 3, 5])
def test_every_entrant_plays_every_seat_of_every_deal_once(count: int) -> None:
    """The hands that an entrant bids on are all hands of all deals."""
    rules = Rules(num_players=4, hand_sizes=(5,))
    entrants = recorders(count, Lowest())
    evaluate(entrants, rules, 6, seed=3)
    deals = [Game(rules, seed=int(seed)) for seed in game_seeds(3, 6)]
    hands = Counter((seat, " ".join(game.hands[seat])) for game in deals for seat in range(4))
    assert set(hands.values()) == {1}
    for entrant in entrants:
        assert bids_on(entrant) == hands


def test_deals_are_paired_whatever_is_compared() -> None:
    """This holds in all rounds of the game, and for other agents with the same seed."""
    fields = [recorders(3, Lowest()), recorders(2, HeuristicAgent()), recorders(4, RandomAgent())]
    for entrants in fields:
        evaluate(entrants, SHORT, 8, seed=5)
    seen = [bids_on(entrant) for entrants in fields for entrant in entrants]
    assert all(other == seen[0] for other in seen)
    assert sum(seen[0].values()) == 8 * 4 * 3
    others = recorders(1, Lowest())
    evaluate(others, SHORT, 8, seed=6)
    assert bids_on(others[0]) != seen[0]


@pytest.mark.parametrize("count", [2, 5])
def test_identical_agents_tie_exactly(count: int) -> None:
    entrants = [Entrant(str(number), HeuristicAgent()) for number in range(count)]
    result = evaluate(entrants, SHORT, 30, seed=1)
    standings = result.standings
    assert [standing.name for standing in standings] == [str(number) for number in range(count)]
    assert len({numbers(standing) for standing in standings}) == 1
    assert standings[0].win_share == pytest.approx(1 / 4)
    assert standings[0].rank == pytest.approx(5 / 2)
    assert {(d.points, d.points_low, d.points_high) for d in result.differences} == {(0.0, 0.0, 0.0)}
    lines = {replace(line, name="") for line in result.by_hand_size + result.by_position}
    assert len(lines) == 3 + 4


@pytest.mark.parametrize("chunk", [1, 7])
def test_the_same_seed_gives_the_same_result(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of games side by side makes no difference, unless an agent draws at random."""
    field = [Entrant("heuristic", HeuristicAgent()), Entrant("lowest", Lowest())]
    expected = evaluate(field, SHORT, 20, seed=2, num_records=5)
    assert evaluate(field, SHORT, 20, seed=2, num_records=5) == expected
    assert evaluate(field, SHORT, 20, seed=3).standings != expected.standings
    monkeypatch.setattr("wizard_env.evaluation.evaluate.CHUNK", chunk)
    monkeypatch.setattr("wizard_env.evaluation.evaluate.CHUNKS", 1)
    assert evaluate(field, SHORT, 20, seed=2, num_records=5) == expected


def test_agents_that_draw_at_random_are_repeatable() -> None:
    results = [evaluate(["random", "heuristic"], SHORT, 10, seed) for seed in (4, 4, 5)]
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "b", "b"), ("a", "b", "c")])
@pytest.mark.parametrize(
    "rules", [SHORT, Rules(num_players=5, hand_sizes=(2, 4), bid_reveal="secret", magic_edition=True)]
)
def test_results_match_the_records(names: tuple[str, ...], rules: Rules) -> None:
    """Points, ranks, wins and bids are counted on the score pads of all games."""
    agents: dict[str, Any] = {"a": HeuristicAgent(), "b": Lowest(), "c": HeuristicAgent()}
    games = 12
    field = [Entrant(name, agents[name]) for name in names]
    result = evaluate(field, rules, games, seed=9, num_records=games * len(names))
    assert len(result.records) == games * len(names)
    pairs = [(line.name, line.other) for line in result.differences]
    assert pairs == list(combinations(dict.fromkeys(names), 2))
    assert all(
        game.seed == seed
        for game, seed in zip(result.records[:: len(names)], game_seeds(9, games), strict=True)
    )
    for standing in result.standings:
        points, ranks, wins = [], [], []
        for number, game in enumerate(result.records):
            assert game.phase == "over"
            assert game.rules == rules
            ordered = sorted(game.scores, reverse=True)
            named = [seat for seat, name in enumerate(game.players or ()) if name == standing.name]
            assert named == sorted(seats_of(standing.name, names, number, rules))
            for seat in seats_of(standing.name, names, number, rules):
                points.append(game.scores[seat])
                wins.append((seat in game.winners) / len(game.winners))
                first = ordered.index(game.scores[seat]) + 1
                ranks.append(first + (ordered.count(game.scores[seat]) - 1) / 2)
        assert standing.games == len(points)
        assert standing.points == pytest.approx(np.mean(points))
        assert standing.rank == pytest.approx(np.mean(ranks))
        assert standing.win_share == pytest.approx(np.mean(wins))
        assert standing.points_low < standing.points < standing.points_high
        expect_bids(standing, bids_of(result, standing.name, names))


class Bid(NamedTuple):
    """A bid on a score pad."""

    hand_size: int
    position: int
    missed_by: int
    points: int


def seats_of(name: str, names: tuple[str, ...], number: int, rules: Rules) -> list[int]:
    """Return the seats of a name in game `number`."""
    return [seat for seat in range(rules.num_players) if names[(seat + number) % len(names)] == name]


def bids_of(result: Evaluation, name: str, names: tuple[str, ...]) -> list[Bid]:
    return [
        Bid(
            pad.hand_size,
            (seat - pad.dealer - 1) % result.rules.num_players + 1,
            pad.bids[seat] - pad.tricks_won[seat],
            pad.points[seat],
        )
        for number, game in enumerate(result.records)
        for seat in seats_of(name, names, number, result.rules)
        for pad in game.rounds
    ]


def expect_bids(line: Standing | Bidding, bids: list[Bid]) -> None:
    """Check that accuracy, bias and error are those of these bids."""
    assert line.bid_accuracy == pytest.approx(np.mean([bid.missed_by == 0 for bid in bids]))
    assert line.bid_bias == pytest.approx(np.mean([bid.missed_by for bid in bids]))
    assert line.bid_error == pytest.approx(np.mean([abs(bid.missed_by) for bid in bids]))


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "b", "b", "b")])
def test_bids_by_hand_size_and_by_position(names: tuple[str, ...]) -> None:
    """A hand size that is played twice has one line; position 1 is at the dealer's left."""
    agents: dict[str, Any] = {"a": HeuristicAgent(), "b": Lowest()}
    rules = Rules(num_players=4, hand_sizes=(3, 1, 6, 3))
    field = [Entrant(name, agents[name]) for name in names]
    result = evaluate(field, rules, 5, seed=4, num_records=5 * len(names))
    assert [(line.name, line.group) for line in result.by_hand_size] == [
        (n, s) for n in "ab" for s in (1, 3, 6)
    ]
    assert [(line.name, line.group) for line in result.by_position] == [
        (n, p) for n in "ab" for p in (1, 2, 3, 4)
    ]
    for lines, key in ((result.by_hand_size, "hand_size"), (result.by_position, "position")):
        for line in lines:
            theirs = [bid for bid in bids_of(result, line.name, names) if getattr(bid, key) == line.group]
            assert line.bids == len(theirs)
            assert line.points == pytest.approx(np.mean([bid.points for bid in theirs]))
            assert line.points_low <= line.points <= line.points_high
            expect_bids(line, theirs)


def test_differences_are_paired() -> None:
    """Their interval comes from the differences on each deal; it is far narrower than those of the points."""
    field = [Entrant("a", HeuristicAgent()), Entrant("b", Lowest())]
    result = evaluate(field, SHORT, 100, seed=2, num_records=200)
    on_each_deal = []
    for deal in range(100):
        points: dict[str, list[int]] = {"a": [], "b": []}
        for number in (2 * deal, 2 * deal + 1):
            for name in points:
                points[name] += [
                    result.records[number].scores[s] for s in seats_of(name, ("a", "b"), number, SHORT)
                ]
        on_each_deal.append(np.mean(points["a"]) - np.mean(points["b"]))
    (difference,) = result.differences
    assert (difference.name, difference.other) == ("a", "b")
    assert difference.points == pytest.approx(np.mean(on_each_deal))
    error = np.std(on_each_deal) / 10
    assert difference.points_low == pytest.approx(difference.points - 1.96 * error, abs=0.4 * error)
    assert difference.points_high == pytest.approx(difference.points + 1.96 * error, abs=0.4 * error)


@pytest.mark.parametrize(
    ("entrants", "games", "message"),
    [
        ([], 10, "no entrants"),
        (["random"], 1, "games=1: at least 2"),
        (["random"], 0, "games=0: at least 2"),
        (["randm"], 10, "did you mean 'random'"),
    ],
)
def test_evaluations_that_are_refused(entrants: list[str], games: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(entrants, SHORT, games)

"""Agents: found by name, acting on views, seeing only what their seat sees."""

import importlib.util
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import wizard_env.agents
from tests.positions import at
from wizard_env import NUM_ACTIONS, OBS_SIZE, Game, Games, Rules
from wizard_env.agents import View, agent_names, load
from wizard_env.agents.random import RandomAgent
from wizard_env.cards import card_names, pack, unpack_cards
from wizard_env.loading import GROUP
from wizard_env.state import HIDDEN, NOT_BID

ALL_RULES = [
    Rules(num_players=3, hand_sizes=(1, 4, 20), magic_edition=True),
    Rules(num_players=4, hand_sizes=(2, 15), bid_restriction="no_even"),
    Rules(num_players=4, hand_sizes=(3, 1), bid_restriction="canadian"),
    Rules(num_players=5, hand_sizes=(1, 6), bid_reveal="secret"),
    Rules(num_players=6, hand_sizes=(2, 10), bid_reveal="simultaneous"),
]


def module_of(name: str) -> str:
    return entry_points(group=GROUP)[name].module


def missing(name: str) -> Any:
    """Mark the agents whose entry point stands while its module is still to be written."""
    absent = importlib.util.find_spec(module_of(name)) is None
    return pytest.param(name, marks=pytest.mark.skipif(absent, reason=f"no module {module_of(name)} yet"))


every_agent = pytest.mark.parametrize("name", [missing("random"), missing("heuristic")])


class Options:
    """An agent that somebody else has added."""

    def __init__(
        self, worlds: int = 1, depth: float = 1.0, style: str = "plain", quick: bool = False
    ) -> None:
        self.given = (worlds, depth, style, quick)

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return view.mask.argmax(axis=1)


MINE = Options


def positions(rules: Rules, count: int, seed: int = 0) -> View:
    """Decisions of all phases, from random play, each with a random word of its own."""
    games, rng = Games(rules, count, seed), np.random.default_rng(seed)
    steps = rng.integers(0, 3 * rules.num_players * max(rules.rounds), count)
    for step in range(int(steps.max())):
        going = np.flatnonzero(steps > step)
        view = games.view(going)
        games.step(RandomAgent().act(view, rng), going)
    return games.view(noise=rng.integers(0, 2**64, count, dtype=np.uint64))


def contents(view: View) -> list[bytes]:
    return [view.known.tobytes(), view.observation.tobytes(), view.mask.tobytes(), view.seat.tobytes()]


# --- loading


def test_names() -> None:
    """The group `wizard_env.agents`, which the package itself uses."""
    assert {"random", "heuristic"} <= set(agent_names())
    assert agent_names() == sorted(set(agent_names()))
    assert wizard_env.agents.load is load


@every_agent
def test_load_by_name(name: str) -> None:
    agent = load(name)
    assert callable(agent.act)
    assert load(f"{name}:").__class__ is agent.__class__
    with pytest.raises(TypeError, match=f"agent '{name}' has no option 'nonsense'"):
        load(f"{name}:nonsense=1")


def test_load_the_agent_that_is_meant() -> None:
    assert isinstance(load("random"), RandomAgent)


def test_an_agent_is_loaded_as_it_is() -> None:
    agent = RandomAgent()
    assert load(agent) is agent


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("mine", (1, 1.0, "plain", False)),
        ("mine:worlds=64", (64, 1.0, "plain", False)),
        ("mine:worlds=64,depth=2.5,style=bold,quick=True", (64, 2.5, "bold", True)),
        ("mine: worlds = -3 , style = 'a b'", (-3, 1.0, "a b", False)),
    ],
)
def test_others_add_agents_with_options(text: str, given: tuple[Any, ...]) -> None:
    agent = load(text)
    assert isinstance(agent, Options)
    assert agent.given == given
    assert "mine" in agent_names()


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(
    ("agent", "error", "message"),
    [
        ("randm", ValueError, "no agent 'randm': did you mean 'random'"),
        ("Random", ValueError, "no agent 'Random': did you mean 'random'"),
        ("zzz", ValueError, "no agent 'zzz': allowed are .*'random'.* or the path of a checkpoint"),
        ("", ValueError, "no agent ''"),
        (":worlds=1", ValueError, "no agent ''"),
        ("mine:world=3", TypeError, "'mine' has no option 'world': did you mean 'worlds'"),
        ("mine:worlds", ValueError, "option 'worlds' is not of the form key=value"),
        (7, TypeError, "agent=7: a name, a path or an object with a method `act`"),
        (None, TypeError, "agent=None"),
        (["random"], TypeError, "a method `act` is needed"),
    ],
)
def test_what_cannot_be_loaded(agent: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        load(agent)


@pytest.mark.skipif(
    importlib.util.find_spec(module_of("checkpoint")) is None,
    reason=f"no module {module_of('checkpoint')} yet",
)
@pytest.mark.parametrize("path", ["runs/no/such.zip", "no/nothing", "/no/such/folder/"])
def test_a_path_where_nothing_lies(path: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=path.rstrip("/")):
        load(path)


def test_a_file_of_that_name_does_not_hide_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What "random" means does not depend on what lies in the working directory."""
    (tmp_path / "random").mkdir()
    monkeypatch.chdir(tmp_path)
    assert isinstance(load("random"), RandomAgent)


# --- acting


@every_agent
@pytest.mark.parametrize("rules", ALL_RULES)
def test_an_agent_acts_legally(name: str, rules: Rules) -> None:
    """int64 [n] ids of legal actions, in every phase of whole games."""
    agent, rng = load(name), np.random.default_rng(0)
    games, phases = Games(rules, 40, seed=1), set()
    for _ in range(2 * rules.num_players * (sum(rules.rounds) + len(rules.rounds))):
        view = games.view()
        phases |= set(view.known["phase"].tolist())
        actions = agent.act(view, rng)
        assert actions.dtype == np.int64
        assert actions.shape == (40,)
        assert games.mask[np.arange(40), actions].all()
        games.step(actions)
    assert phases == {0, 1, 2}


@every_agent
def test_an_agent_follows_from_its_seed(name: str) -> None:
    """The same views and the same generator, the same actions; the view is left as it was."""
    view = positions(ALL_RULES[0], 60)
    view = View(view.known)
    before = contents(view)
    runs = [load(name).act(view, np.random.default_rng(5)).tolist() for _ in range(2)]
    agent = load(name)
    again = [agent.act(view, np.random.default_rng(5)).tolist() for _ in range(2)]
    assert runs[0] == runs[1] == again[0] == again[1]
    assert contents(view) == before


@every_agent
@pytest.mark.parametrize("rules", ALL_RULES)
def test_an_agent_decides_alike_alone_and_in_a_batch(name: str, rules: Rules) -> None:
    """Given the tables' noise: on the order and number of the other decisions nothing depends."""
    agent, view = load(name), positions(rules, 50)
    together = agent.act(view, np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(50)
    assert agent.act(view.select(order), np.random.default_rng(2)).tolist() == together[order].tolist()
    for row in range(0, 50, 7):
        assert agent.act(view.select([row]), np.random.default_rng(row)).tolist() == [together[row]]


@every_agent
def test_an_agent_without_a_decision(name: str) -> None:
    view = positions(ALL_RULES[0], 4).select(np.zeros(4, np.bool_))
    assert len(load(name).act(view, np.random.default_rng(0))) == 0


@every_agent
def test_agents_play_whole_games_against_each_other(name: str) -> None:
    """From single games: `agent.act(View.of(games), rng)`."""
    agent, rng = load(name), np.random.default_rng(0)
    games = [
        Game(Rules(num_players=players, hand_sizes=(1, 2)), seed) for players in (3, 6) for seed in (1, 2)
    ]
    while games:
        for game, action in zip(games, agent.act(View.of(games), rng), strict=True):
            game.step(int(action))
        games = [game for game in games if game.phase != "over"]


def test_the_random_agent_is_uniform() -> None:
    game = Game(Rules(num_players=3, hand_sizes=(9,)), seed=3)
    while game.phase != "bid":
        game.step(game.legal_actions()[0])
    actions = RandomAgent().act(View.of([game] * 2000), np.random.default_rng(0))
    counts = np.bincount(actions)
    assert len(counts) == 10
    assert scipy.stats.chisquare(counts).pvalue > 1e-4


# --- views


@pytest.mark.parametrize("rules", ALL_RULES)
def test_a_view_shows_what_the_acting_seats_see(rules: Rules) -> None:
    games = [Game(rules, seed) for seed in range(6)]
    rng = np.random.default_rng(0)
    for _ in range(4 * rules.num_players):
        view = View.of(games)
        assert len(view) == 6
        assert view.observation.shape == (6, OBS_SIZE)
        assert view.mask.shape == (6, NUM_ACTIONS)
        assert view.observation.dtype == view.mask.dtype == np.uint8
        for row, game in enumerate(games):
            assert game.seat == view.seat[row]
            assert view.observation[row].tobytes() == game.observe(int(view.seat[row])).tobytes()
            assert view.mask[row].tobytes() == game.legal_mask().tobytes()
        for game, action in zip(games, RandomAgent().act(view, rng), strict=True):
            game.step(int(action))
        games = [game if game.phase != "over" else Game(rules, 9) for game in games]


def test_a_view_is_a_copy() -> None:
    """Neither writing into it nor stepping on changes the other side."""
    game = at()
    before, view = game.state.tobytes(), View.of([game])
    view.known["scores"] = 7
    view.information(0)["tricks_won"][:] = 7
    assert game.state.tobytes() == before
    as_it_was = contents(view)
    view.information(0)["bids"][:] = 7
    game.step(game.legal_actions()[0])
    assert contents(view) == as_it_was


def test_a_finished_game_has_no_view() -> None:
    game = at()
    over = Game(Rules(num_players=3, hand_sizes=(1,)), seed=0)
    while over.phase != "over":
        over.step(over.legal_actions()[0])
    with pytest.raises(ValueError, match="game 1 of the view waits for no decision"):
        View.of([game, over])


@pytest.mark.parametrize(
    ("reveal", "bids"),
    [("open", [2, 1, 0]), ("simultaneous", [2, 1, 0]), ("secret", [HIDDEN, 1, HIDDEN])],
)
def test_information_holds_what_the_seat_knows_and_no_more(reveal: str, bids: list[int]) -> None:
    """Seat 1 acts: its hand, what was played, the upcard, and the bids that are public."""
    game = at(reveal)
    known = View.of([game]).information(0)
    assert game.seat == known["seat"] == 1
    assert [card_names(hand) for hand in known["hands"][:3]] == [[], ["WI", "JE"], []]
    assert [card_names(cards) for cards in known["played"][:3]] == [["2S", "9S"], ["KH"], ["AH", "3D"]]
    assert known["bids"][:3].tolist() == bids
    assert (known["generator"], game.state["generator"][0] != 0) == (0, True)
    for field in (
        "scores",
        "tricks_won",
        "trick",
        "voids",
        "upcard",
        "trump",
        "led_suit",
        "dealer",
        "leader",
    ):
        assert known[field].tolist() == game.state[field][0].tolist()


@pytest.mark.parametrize("reveal", ["simultaneous", "secret"])
def test_information_while_bids_are_hidden(reveal: Any) -> None:
    """Simultaneous and secret bidding: that a bid was made shows, which one does not."""
    game = Game(Rules(num_players=4, hand_sizes=(3,), bid_reveal=reveal), seed=5)
    if game.phase == "trump":
        game.step("trump H")
    first = game.seat
    assert first is not None
    game.step("bid 2")
    game.step("bid 1")
    bids = View.of([game]).information(0)["bids"]
    assert [bids[(first + place) % 4] for place in range(4)] == [HIDDEN, HIDDEN, NOT_BID, NOT_BID]


@every_agent
@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_an_agent_cannot_act_on_what_is_hidden(name: str, reveal: Any) -> None:
    """Other hands, hidden bids and deals to come: the same view, and the same action."""
    game = at(reveal)
    other = game.clone()
    for seat, hand in ((0, "TC"), (2, "7C")):
        assert len(unpack_cards(int(other.state["hands"][0, seat]))) == len(hand) // 2
    other.state["hands"][0, 0] = pack([3])
    other.state["hands"][0, 2] = pack([7])
    other.state["generator"] = 12345
    if reveal == "secret":
        other.state["bids"][0, [0, 2]] = [3, 3]
    assert contents(View.of([other])) == contents(View.of([game]))
    acted = [load(name).act(View.of([table]), np.random.default_rng(0)).tolist() for table in (game, other)]
    assert acted[0] == acted[1]


def test_select() -> None:
    """By index, in any order, or by mask; noise goes along."""
    view = positions(ALL_RULES[1], 8)
    noise = view.noise(np.random.default_rng(0))
    by_index = view.select([5, 2, 5])
    by_mask = view.select(np.arange(8) % 2 == 0)
    for chosen, rows in ((by_index, [5, 2, 5]), (by_mask, [0, 2, 4, 6])):
        assert len(chosen) == len(rows)
        assert chosen.observation.tolist() == view.observation[rows].tolist()
        assert chosen.mask.tolist() == view.mask[rows].tolist()
        assert chosen.seat.tolist() == view.seat[rows].tolist()
        assert chosen.noise(np.random.default_rng(1)).tolist() == noise[rows].tolist()
    assert len(view.select([])) == 0
    assert len(view.select(np.zeros(8, np.bool_))) == 0
    with pytest.raises(IndexError):
        view.select([8])


def test_noise() -> None:
    """The tables' own words where they have some, and then the generator is left alone."""
    view = positions(ALL_RULES[1], 8)
    rng = np.random.default_rng(3)
    assert view.noise(rng).tolist() == view.noise(np.random.default_rng(4)).tolist()
    assert rng.integers(1000) == np.random.default_rng(3).integers(1000)
    plain = View(view.known)
    words = plain.noise(np.random.default_rng(3))
    assert words.dtype == np.uint64
    assert words.shape == (8,)
    assert len(set(words.tolist())) == 8
    assert words.tolist() == plain.noise(np.random.default_rng(3)).tolist()
    assert words.tolist() != plain.noise(np.random.default_rng(4)).tolist()

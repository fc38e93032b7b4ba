"""Actions tried in worlds: what they bring on average, and the chance of meeting the bid."""

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import ACTIONS, Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.network import NetworkAgent
from wizard_env.agents.pretrained import DISTILLED
from wizard_env.agents.search.likelihood import sample_worlds
from wizard_env.agents.search.playouts import Playouts
from wizard_env.agents.search.seat_model import HEURISTIC, RULE_BASED, SeatModel
from wizard_env.engine import apply
from wizard_env.sampling import word_at
from wizard_env.state import SCORED
from wizard_env.win_probability import win_probability


def of(game: Game, worlds: int = 64) -> dict[str, float]:
    """The chance of each action of a game that has one."""
    view = View.of([game])
    found = Playouts(worlds)(view.known, view.noise(np.random.default_rng(3)), view.mask != 0).met[0]
    return {ACTIONS[action]: float(found[action]) for action in np.isfinite(found).nonzero()[0]}


def test_a_wizard_led_is_a_trick_for_sure() -> None:
    """With one card and the lead, a bid of 1 is met and a bid of 0 is not."""
    game = Game.from_deal(Rules(3), dealer=2, hands=[["WI"], ["3S"], ["7D"]], upcard="3C")
    assert of(game) == {"bid 0": 0.0, "bid 1": 1.0}


def test_every_legal_action_has_a_chance() -> None:
    game = Game(Rules(4, hand_sizes=(5,)), seed=2)
    while game.seat is not None:
        found = of(game)
        assert sorted(found) == sorted(ACTIONS[action] for action in game.legal_actions())
        assert all(0 <= chance <= 1 for chance in found.values())
        game.step(game.legal_actions()[0])


def test_chances_do_not_depend_on_hidden_cards() -> None:
    """The same seat, with the cards of two others exchanged."""
    hands = [["KS", "2D", "9H"], ["WI", "WI", "AC"], ["2C", "3C", "4D"]]
    one, other = (
        Game.from_deal(Rules(3, hand_sizes=(3,)), dealer=2, hands=dealt, upcard="7C")
        for dealt in (hands, [hands[0], hands[2], hands[1]])
    )
    assert of(one) == of(other)


def test_every_seat_of_a_world_plays_as_its_model_does() -> None:
    """The same points as when the agents play the same world, each in its seat."""
    network = SeatModel.from_layers(NetworkAgent(str(DISTILLED), backend="numpy").layers)
    guesses = network.guesses(24)
    guesses[:, 1], guesses[:, 2] = HEURISTIC.guesses(24)[:, 1], RULE_BASED.guesses(24)[:, 2]
    agents = [load(name) for name in (DISTILLED, "heuristic", "rule_based", DISTILLED)]
    states, words = under_way(Rules(hand_sizes=(6,)), 24, seed=8).states, np.arange(24, dtype=np.uint64)
    view = View(states, words)
    first = view.mask.argmax(axis=1)
    tried = np.arange(view.mask.shape[1]) == first[:, np.newaxis]
    playouts = Playouts(worlds=1, model=network)
    found = playouts(view.known, words, tried, first, guesses).points[np.arange(24), first]
    drawn = View(states, np.array([word_at(word, 0) for word in words], np.uint64))
    worlds = sample_worlds(drawn, 1, np.random.default_rng(0), model=network, guesses=guesses)[:, 0]
    for row, action in enumerate(first):
        world, seat = worlds[row : row + 1].copy(), int(view.seat[row])
        apply(world[0], int(action))
        while world[0].phase < SCORED:
            agent = agents[int(world[0].seat)]
            apply(world[0], int(agent.act(View(world), np.random.default_rng(0))[0]))
        assert found[row] == world[0].points[seat]
    alike = playouts(view.known, words, tried, first).points[np.arange(24), first]
    assert alike.tolist() != found.tolist()


@pytest.mark.parametrize("later", [(), (5, 6)])
def test_the_gain_is_one_of_winning(later: tuple[int, ...]) -> None:
    """In one world: of the probability after the round, which is the share of the win after the last one."""
    states, words = (
        under_way(Rules(hand_sizes=(4, *later)), 24, seed=8).states,
        np.arange(24, dtype=np.uint64),
    )
    states["scores"][:, :4] = 10 * np.random.default_rng(1).integers(0, 6, (24, 4))
    view, heuristic = View(states, words), load("heuristic")
    tried = view.mask != 0
    found = Playouts(worlds=1)(view.known, words, tried, view.mask.argmax(axis=1), to_win=True)
    drawn = View(states, np.array([word_at(word, 0) for word in words], np.uint64))
    worlds = sample_worlds(drawn, 1, np.random.default_rng(0))[:, 0]
    won = np.full(tried.shape, np.nan)
    for row, action in zip(*tried.nonzero(), strict=True):
        world = worlds[row : row + 1].copy()
        apply(world[0], int(action))
        while world[0].phase < SCORED:
            apply(world[0], int(heuristic.act(View(world), np.random.default_rng(0))[0]))
        scores = states["scores"][row, :4] + world["points"][0, :4]
        first = scores == scores.max()
        chances = win_probability(scores, np.array(later)) if later else first / first.sum()
        won[row, action] = chances[view.seat[row]]
    gain = won - won[np.arange(24), view.mask.argmax(axis=1)][:, np.newaxis]
    np.testing.assert_allclose(found.gain, gain, atol=2e-3)
    assert np.nanmax(abs(gain)) > 0.2


def test_points_decide_where_the_game_is_decided() -> None:
    """In the last round, for seats that can no longer win and for seats that can no longer lose."""
    states, words = under_way(Rules(hand_sizes=(4,)), 24, seed=8).states, np.arange(24, dtype=np.uint64)
    states["scores"][:, 0] = 1000
    view = View(states, words)
    arguments = view.known, words, view.mask != 0, view.mask.argmax(axis=1)
    by_points, to_win = (Playouts(worlds=8)(*arguments, to_win=value) for value in (False, True))
    assert np.nanmax(abs(by_points.gain)) > 10
    np.testing.assert_allclose(to_win.gain, by_points.gain / 100_000, atol=1e-9)

"""The game in OpenSpiel: its own tests, the deals, what seats know, and agents both ways."""

import pickle
from itertools import permutations
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots, generate_playthrough
from open_spiel.python.policy import UniformRandomPolicy

from wizard_env import NUM_ACTIONS, Game, Games, Rules, View
from wizard_env.agents import load
from wizard_env.cards import CARD_NAMES, COPIES, card_id
from wizard_env.engine import deal
from wizard_env.envs.openspiel import AgentBot, PolicyAgent, WizardGame, WizardState
from wizard_env.state import DECK_ORDER, STATE, write_rules

SMALL = "2S;9S;AH;WI;WI;JE"
GAMES: list[dict[str, Any]] = [
    {"players": 3, "hand_sizes": "1"},
    {"players": 4, "hand_sizes": "1;3", "bid_restriction": "leader", "magic_edition": True},
    {"players": 5, "hand_sizes": "2;1;2", "bid_reveal": "secret", "returns": "lead"},
    {"players": 6, "hand_sizes": "10", "bid_reveal": "simultaneous", "dealer": 4},
    {"players": 3, "hand_sizes": "1;1", "bid_restriction": "canadian", "deck": SMALL, "upcard": "AH"},
]


def load_game(**params: Any) -> Any:
    game: WizardGame = pyspiel.load_game("wizard", params)
    return game


def step_at_random(state: WizardState, rng: np.random.Generator) -> None:
    outcomes = state.chance_outcomes() if state.is_chance_node() else None
    if outcomes is None:
        state.apply_action(int(rng.choice(state.legal_actions())))
    else:
        actions, chances = zip(*outcomes, strict=True)
        state.apply_action(int(rng.choice(actions, p=chances)))


@pytest.mark.parametrize("params", GAMES)
@pytest.mark.parametrize("chance", ["explicit", "sampled"])
def test_the_tests_of_openspiel(params: dict[str, Any], chance: str) -> None:
    """OpenSpiel cannot serialize sampled games in Python itself; pickle can, with the generator."""
    game = load_game(**params, chance=chance)
    pyspiel.random_sim_test(game, num_sims=2, serialize=chance == "explicit", verbose=False)
    copied = pickle.loads(pickle.dumps(game))
    assert str(copied) == str(game)
    rng = np.random.default_rng(1)
    state, other = game.new_initial_state(), copied.new_initial_state()
    while not state.is_terminal():
        choices = pickle.loads(pickle.dumps(rng))
        step_at_random(state, rng)
        step_at_random(other, choices)
        assert str(other) == str(state)
        assert other.history() == state.history()
        other = pickle.loads(pickle.dumps(other))
    assert min(state.returns()) >= game.min_utility()
    assert max(state.returns()) <= game.max_utility()
    assert sum(step.player >= 0 for step in state.full_history()) <= game.max_game_length()


def test_a_playthrough_is_reproduced() -> None:
    """The name of the game holds its parameters; a single hand size needs its semicolon there."""
    name = "wizard(players=3,hand_sizes=1;,bid_reveal=simultaneous)"
    played = generate_playthrough.playthrough(name, [], seed=3)
    actions = [int(line.split()[1]) for line in played.splitlines() if line.startswith("action: ")]
    assert generate_playthrough.playthrough(name, actions) == played
    assert "IsTerminal() = True" in played


def test_a_whole_game() -> None:
    """Returns are the points of the score pad, and the leads add up to zero."""
    rng = np.random.default_rng(0)
    game = load_game(players=6, returns="lead")
    state = game.new_initial_state()
    while not state.is_terminal():
        assert state.returns() == [0.0] * 6
        step_at_random(state, rng)
    assert state.game is not None
    points = np.sum([played.points for played in state.game.rounds], axis=0)
    assert [played.hand_size for played in state.game.rounds] == list(range(1, 11))
    leads = [own - np.delete(points, seat).mean() for seat, own in enumerate(points)]
    assert state.returns() == pytest.approx(leads)
    assert sum(state.returns()) == pytest.approx(0)


def test_cards_are_dealt_in_the_engine_s_order() -> None:
    """The same deck gives the state that `engine.deal` makes, in the second round too."""
    rng = np.random.default_rng(2)
    rules = Rules(num_players=4, hand_sizes=(1, 2))
    state = load_game(players=4, hand_sizes="1;2").new_initial_state()
    state.apply_action(3)
    for index, size in enumerate(rules.rounds):
        deck = rng.permutation(np.repeat(np.arange(len(COPIES)), COPIES))
        for card in deck[: 4 * size + 1]:
            assert state.is_chance_node()
            state.apply_action(int(card))
        expected, order = np.zeros(1, STATE), np.zeros(1, DECK_ORDER)
        write_rules(rules, expected)
        order["cards"] = deck
        expected["dealer"], expected["round_index"], expected["hand_size"] = (3 + index) % 4, index, size
        expected["scores"], expected["generator"] = state.game.state["scores"], state.game.state["generator"]
        deal(expected[0], order[0])
        assert state.game.state.tobytes() == expected.tobytes()
        while state.is_player_node():
            step_at_random(state, rng)
    assert state.is_terminal()


def test_the_chances_of_deals_are_those_of_a_shuffled_deck() -> None:
    """Every order of the cards is equally likely, equal cards told apart."""
    found: dict[tuple[str, ...], float] = {}

    def walk(state: WizardState, chance: float) -> None:
        if state.is_chance_node():
            for action, probability in state.chance_outcomes():
                walk(state.child(action), chance * probability)
            return
        game = state.game
        assert game is not None
        dealt = (str(game.dealer), *(hand[0] for hand in game.hands), str(game.upcard))
        found[dealt] = found.get(dealt, 0.0) + chance

    walk(load_game(players=3, hand_sizes="1", deck=SMALL).new_initial_state(), 1.0)
    orders = list(permutations(SMALL.split(";"), 4))
    expected: dict[tuple[str, ...], float] = {}
    for dealer in "012":
        for order in orders:
            expected[dealer, *order] = expected.get((dealer, *order), 0.0) + 1 / 3 / len(orders)
    assert found == pytest.approx(expected)


def test_the_chance_of_a_deal_from_the_whole_deck() -> None:
    state = load_game(players=3, hand_sizes="1").new_initial_state()
    chance = 1.0
    for outcome in [1, card_id("WI"), card_id("3H"), card_id("WI"), card_id("JE")]:
        chance *= dict(state.chance_outcomes())[outcome]
        state.apply_action(outcome)
    assert chance == pytest.approx(1 / 3 * (4 * 1 * 3 * 4) / (60 * 59 * 58 * 57))
    assert (state.game.hands, state.game.upcard) == ([["3H"], ["WI"], ["WI"]], "JE")


@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_information_states_are_what_a_seat_has_seen(reveal: str) -> None:
    """Strings and tensors agree exactly where views do, and hold nothing that is concealed."""
    game = load_game(players=3, hand_sizes="1;2", deck="2S;9S;AH;WI;WI;JE;JE", bid_reveal=reveal)
    rng = np.random.default_rng(4)
    views: dict[bytes, tuple[str, bytes]] = {}
    for _ in range(60):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_player_node():
                view, seat = View.of([state.game]), state.current_player()
                known = Game.from_state(state.game.rules, view.known, view.finished_rounds[0])
                seen = (
                    state.information_state_string(),
                    np.float32(state.information_state_tensor(seat)).tobytes(),
                )
                concealed = game.state_of(known)
                assert concealed.information_state_string() == seen[0]
                assert np.float32(concealed.information_state_tensor(seat)).tobytes() == seen[1]
                key = view.known.tobytes() + view.finished_rounds.tobytes()
                assert views.setdefault(key, seen) == seen
            step_at_random(state, rng)
    assert len(views) == len({text for text, _ in views.values()}) == len({t for _, t in views.values()})


def test_observations_are_those_of_the_environment() -> None:
    game, rng = load_game(players=4, hand_sizes="3"), np.random.default_rng(5)
    state = game.new_initial_state()
    assert not any(state.observation_tensor(0))
    while not state.is_terminal():
        if state.is_player_node():
            for seat in range(4):
                assert np.float32(state.observation_tensor(seat)).max() <= 1
                observed = np.array(state.observation_tensor(seat)) > 0
                assert (observed == (state.game.observe(seat) > 0)).all()
        step_at_random(state, rng)


class PolicyOfBot:
    """The policy that plays what a bot plays."""

    def __init__(self, bot: AgentBot) -> None:
        self.bot = bot

    def action_probabilities(self, state: WizardState, player: int) -> dict[int, float]:
        assert player == state.current_player()
        return {self.bot.step(state): 1.0}


def test_agents_go_both_ways() -> None:
    """An agent as a bot, as a policy, and as an agent again chooses the same."""
    agent, game = load("rule_based"), load_game(players=3, hand_sizes="1;2;1")
    again = PolicyAgent(PolicyOfBot(AgentBot(agent)), game)
    games, rng = Games(Rules(3, hand_sizes=(1, 2, 1)), 16, seed=1), np.random.default_rng(0)
    for _ in range(24):
        actions = agent.act(games.view(), rng)
        assert again.act(games.view(), rng).tolist() == actions.tolist()
        games.step(actions)


def test_bots_play_games_of_openspiel() -> None:
    game = load_game(players=3, hand_sizes="2", returns="lead")
    bots = [AgentBot(load(name), seed=1) for name in ("rule_based", "random", "random")]
    rng = np.random.RandomState(0)
    leads = [evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng) for _ in range(40)]
    assert np.mean(leads, axis=0)[0] > 5


def test_a_policy_is_checked() -> None:
    game = load_game(players=3, hand_sizes="1")
    view, rng = View.of([Game(Rules(3, hand_sizes=(1,)))]), np.random.default_rng(0)
    uniform = PolicyAgent(UniformRandomPolicy(game), game)
    drawn = [uniform.act_and_tell(view, rng) for _ in range(64)]
    assert {int(actions[0]) for actions, _ in drawn} == {0, 1}
    assert drawn[0][1].tolist() == [[0.5, 0.5] + [0] * (NUM_ACTIONS - 2)]

    class Wrong:
        def action_probabilities(self, state: WizardState, player: int) -> dict[int, float]:
            return {5: 1.0}

    with pytest.raises(ValueError, match=r"allows bid 5; legal: bid 0, bid 1"):
        PolicyAgent(Wrong(), game).act(view, rng)
    with pytest.raises(ValueError, match="this one is played by"):
        PolicyAgent(Wrong(), load_game(players=3, hand_sizes="2")).act(view, rng)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"players": 7}, ValueError, "num_players=7: allowed are 3 to 6"),
        ({"hand_sizes": "a"}, ValueError, "hand_sizes='a': allowed are hand sizes"),
        ({"hand_sizes": 1}, pyspiel.SpielError, "Expected type: kString"),
        ({"bid_reveal": "secret", "bid_restriction": "no_even"}, ValueError, "must know the other bids"),
        ({"dealer": 4}, ValueError, "dealer=4"),
        ({"deck": "2S;2S", "hand_sizes": "1"}, ValueError, "2 copies of 2S"),
        ({"deck": "2S;3S", "hand_sizes": "1"}, ValueError, "a round needs 5 cards"),
        ({"upcard": "2S"}, ValueError, "a round that deals all cards turns none up"),
        ({"upcard": "3S", "hand_sizes": "1", "deck": "2S;4S;5S;6S;7S"}, ValueError, "has no such card"),
        ({"returns": "rank"}, ValueError, "returns='rank'"),
    ],
)
def test_parameters_are_checked(params: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        load_game(**params)


def test_cards_have_their_names() -> None:
    state = load_game(players=3, hand_sizes="1").new_initial_state()
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert names == ["seat 0 deals", "seat 1 deals", "seat 2 deals"]
    state.apply_action(0)
    assert [state.action_to_string(card) for card in state.legal_actions()] == [
        f"deal {c}" for c in CARD_NAMES
    ]

"""The game and its states, by OpenSpiel's methods."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from wizard_env.actions import ACTIONS, NUM_ACTIONS
from wizard_env.cards import CARD_NAMES, DECK_SIZE, NUM_KINDS
from wizard_env.checks import check_choice, check_integer, check_seed, quoted
from wizard_env.engine import score
from wizard_env.envs.openspiel.observer import WizardObserver, join, round_text
from wizard_env.envs.openspiel.parameters import (
    CHANCE,
    DEFAULTS,
    DRAWN,
    RETURNS,
    count_dealt,
    parse_deck,
    parse_sizes,
    parse_upcard,
    write_params,
)
from wizard_env.extras import extra
from wizard_env.game import Game
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS, Rules
from wizard_env.state import STATE, rules_of, write_rules

with extra("openspiel"):
    import pyspiel


def _game_type(returns: str, chance: str) -> Any:
    kind = pyspiel.GameType
    sampled = chance == "sampled"
    return kind(
        short_name="wizard",
        long_name="Wizard",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.SAMPLED_STOCHASTIC if sampled else kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if returns == "lead" else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=MIN_PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


class WizardGame(pyspiel.Game):  # type: ignore[misc]
    """The game, with the parameters of `wizard_env.envs.openspiel`.

    Raises TypeError and ValueError as `Rules` does, and ValueError for other parameters that are not allowed.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(params or {})}
        self.rules = Rules(
            num_players=given["players"],
            bid_restriction=given["bid_restriction"],
            bid_reveal=given["bid_reveal"],
            magic_edition=given["magic_edition"],
            hand_sizes=parse_sizes(given["hand_sizes"]),
        )
        states = np.zeros(1, STATE)
        write_rules(self.rules, states)
        self._usual_rules = rules_of(states[0])
        self.first_dealer = check_integer("dealer", given["dealer"], DRAWN, self.rules.num_players - 1)
        self.deck = parse_deck(given["deck"])
        self.upcard = parse_upcard(given["upcard"], self.deck)
        needed = [count_dealt(self.rules, size) for size in self.rules.rounds]
        if max(needed) > sum(self.deck):
            raise ValueError(f"deck={quoted(given['deck'])}: a round needs {max(needed)} cards")
        if self.upcard and max(self.rules.rounds) * self.rules.num_players == DECK_SIZE:
            raise ValueError(f"upcard={quoted(given['upcard'])}: a round that deals all cards turns none up")
        self.cards_drawn = [number - len(self.upcard) for number in needed]
        for name, allowed in {"returns": RETURNS, "chance": CHANCE}.items():
            check_choice(name, given[name], allowed)
        self.returns_lead = given["returns"] == "lead"
        self.samples_chance = given["chance"] == "sampled"
        self.rng = np.random.default_rng(check_seed(given["rng_seed"]))
        super().__init__(
            _game_type(given["returns"], given["chance"]), self._info(), write_params(dict(params or {}))
        )

    def _info(self) -> Any:
        sizes, players = self.rules.rounds, self.rules.num_players
        highest = float(sum(score(size, size) for size in sizes))
        lowest = float(sum(score(0, size) for size in sizes))
        if self.returns_lead:
            lowest, highest = lowest - highest, highest - lowest
        return pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=1 if self.samples_chance else NUM_KINDS,
            num_players=players,
            min_utility=lowest,
            max_utility=highest,
            utility_sum=0.0 if self.returns_lead else None,
            max_game_length=sum(1 + players + size * players for size in sizes),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the generator too, which OpenSpiel cannot ask a game in Python for."""
        return _restore_game, (self.get_parameters(), self.rng)

    def new_initial_state(self) -> "WizardState":
        """Return a state before the first dealer is drawn, or before the first card is dealt."""
        return WizardState(self)

    def state_of(self, game: Game) -> "WizardState":
        """Return the state in which a `Game` stands, which is copied; its history is empty.

        Raises ValueError for a game by other rules.
        """
        if rules_of(game.state[0]) != self._usual_rules:
            raise ValueError(f"a game by {game.rules}: this one is played by {self.rules}")
        state = WizardState(self)
        state.resume(game.clone())
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "WizardObserver | None":
        """Return an observer of all that one seat knows; None for parts of it, which are not offered."""
        if params:
            raise ValueError(f"observation parameters {quoted(params)}: none are allowed")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            return None
        return WizardObserver(self.rules, kind.perfect_recall)


class WizardState(pyspiel.State):  # type: ignore[misc]
    """A moment of the game: a `Game`, or a round that is being dealt.

    game: the `Game`, when all cards are dealt; None before the first round is. While a later round is being
        dealt, it is the game with the finished rounds, whose own next deal is not played.
    """

    def __init__(self, game: WizardGame) -> None:
        super().__init__(game)
        self.game: Game | None = None
        self._dealer = game.first_dealer
        self._dealt: list[int] | None = []
        """The cards dealt of this round so far, in order; None when all are."""

    def resume(self, game: Game) -> None:
        """Stand where a game stands."""
        self.game, self._dealt = game, None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_state, (self.get_game(), self.serialize())

    @property
    def is_dealing(self) -> bool:
        """Return whether the round is being dealt."""
        return self._dealt is not None

    # --- OpenSpiel's methods, by its names

    def current_player(self) -> int:
        """Return the seat that acts, or OpenSpiel's number for chance or the end."""
        if self._dealt is not None:
            return pyspiel.PlayerId.CHANCE
        assert self.game is not None
        seat = self.game.seat
        return pyspiel.PlayerId.TERMINAL if seat is None else seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._dealt is None and self.current_player() == pyspiel.PlayerId.TERMINAL

    def returns(self) -> list[float]:
        """Return the points of each seat, or its lead; zero until the game is over."""
        game = self.get_game()
        if not self.is_terminal():
            return [0.0] * game.num_players()
        assert self.game is not None
        points = self.game.scores
        if game.returns_lead:
            others = len(points) - 1
            return [(own * (others + 1) - sum(points)) / others for own in points]
        return [float(own) for own in points]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the seats that may deal, or the kinds of card that may come next, with probabilities."""
        game = self.get_game()
        if game.samples_chance:
            return [(0, 1.0)]
        if self._dealer == DRAWN:
            players = game.num_players()
            return [(seat, 1 / players) for seat in range(players)]
        left = self._left()
        total = left.total()
        return [(card, copies / total) for card, copies in left.items() if copies]

    def _legal_actions(self, player: int) -> list[int]:
        if self.game is None or player != self.current_player():
            return []
        return self.game.legal_actions()

    def _apply_action(self, action: int) -> None:
        game = self.get_game()
        if self._dealt is None:
            assert self.game is not None
            if self.game.step(int(action)) is not None and self.game.seat is not None:
                self._dealt, self._dealer = [], self.game.dealer
            return
        drawn = game.cards_drawn[self._round_index()]
        if game.samples_chance:
            if self._dealer == DRAWN:
                self._dealer = int(game.rng.integers(game.num_players()))
            cards = np.repeat(np.arange(NUM_KINDS), list(self._left().values()))
            self._deal(game.rng.permutation(cards)[:drawn].tolist())
        elif self._dealer == DRAWN:
            self._dealer = int(action)
        else:
            self._dealt.append(int(action))
            if len(self._dealt) == drawn:
                self._deal(self._dealt)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return ACTIONS[action]
        if self.get_game().samples_chance:
            return "deal"
        return f"seat {action} deals" if self._dealer == DRAWN else f"deal {CARD_NAMES[action]}"

    def __str__(self) -> str:
        """Return everything, hidden cards included."""
        if self._dealt is None:
            return str(self.game)
        if self._dealer == DRAWN:
            return "the first dealer is drawn"
        finished = [] if self.game is None else list(map(round_text, self.game.pad))
        cards = join(CARD_NAMES[card] for card in self._dealt)
        return "\n".join([*finished, f"seat {self._dealer} deals {cards}".rstrip()])

    # --- dealing

    def _left(self) -> Counter[int]:
        """Return how many cards of each kind can still be dealt."""
        game = self.get_game()
        left = Counter(dict(enumerate(game.deck)))
        left.subtract([*game.upcard, *(self._dealt or [])])
        return left

    def _round_index(self) -> int:
        return 0 if self.game is None else self.game.round_number - 1

    def _deal(self, cards: list[int]) -> None:
        """Begin the round with these cards: the hands from the dealer's left, then the upcard."""
        rules, index = self.get_game().rules, self._round_index()
        players, size = rules.num_players, rules.rounds[index]
        names = [CARD_NAMES[card] for card in [*cards, *self.get_game().upcard]]
        hands = [names[place * size : (place + 1) * size] for place in range(players)]
        first = (self._dealer + 1) % players
        hands = hands[players - first :] + hands[: players - first]
        upcard = names[size * players] if len(names) > size * players else None
        before = self.game
        scores = None if before is None else before.scores
        dealt = Game.from_deal(rules, self._dealer, hands, upcard, scores, round_number=index + 1)
        if before is not None:
            dealt = Game.from_state(rules, dealt.state, before.finished_rounds[:index])
        self.resume(dealt)


def _restore_game(params: dict[str, Any], rng: np.random.Generator) -> WizardGame:
    game: WizardGame = pyspiel.load_game("wizard", params)
    game.rng = rng
    return game


def _restore_state(game: WizardGame, serialized: str) -> WizardState:
    state: WizardState = game.deserialize_state(serialized)
    return state


pyspiel.register_game(_game_type("points", "explicit"), WizardGame)

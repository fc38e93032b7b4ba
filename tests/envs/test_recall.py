"""Perfect recall: what a seat was shown determines every public fact of the game, and nothing hidden."""

import functools
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from wizard_env import ACTIONS, HISTORY, Game, Rules, read_history, unpack, wizard_v0
from wizard_env.cards import CARD_NAMES, RANKS, SUITS
from wizard_env.envs.aec import raw_env
from wizard_env.observation.fields import ROUND_SIZE
from wizard_env.observation.readable import Round
from wizard_env.rules import BID_REVEALS

KINDS = [
    Rules(num_players=3, hand_sizes=(2, 7, 1), magic_edition=True),
    Rules(num_players=4, hand_sizes=(1, 15, 2), bid_restriction="leader"),
    Rules(num_players=5, hand_sizes=(3, 5, 1), bid_reveal="secret"),
    Rules(num_players=6, hand_sizes=(2, 1, 4), bid_reveal="simultaneous", magic_edition=True),
]
every_kind = pytest.mark.parametrize("rules", KINDS, ids=str)
Facts = dict[str, Any]


class Memory:
    """All public facts of a game, from what one seat was shown at its decisions."""

    def __init__(self, rules: Rules, seat: int) -> None:
        self.rules, self.seat = rules, seat
        self.rounds: list[Round] = []
        self._forget_tricks()

    def _forget_tricks(self) -> None:
        self.tricks: list[list[tuple[int, str]]] = []
        self.leader = -1

    def see(self, observation: NDArray[np.uint8], info: dict[str, Any]) -> None:
        """Take in what is shown at a decision, or at the end of the game."""
        if info["round"].any():
            self.rounds += read_history(self.rules, info["round"])
            self._forget_tricks()
        self.seen = unpack(observation)
        if self.seen["tricks_won"].sum() > len(self.tricks) and self.seen["phase"].any():
            self.tricks.append(self._last_trick())
        self.leader = self._by_seat("leader").tolist().index(1)

    def _by_seat(self, name: str) -> NDArray[Any]:
        """A field that has an entry for each place, in the order of the seats."""
        return np.roll(self.seen[name][: self.rules.num_players], self.seat, axis=0)

    def _order(self, leader: int) -> list[int]:
        return [(leader + place) % self.rules.num_players for place in range(self.rules.num_players)]

    def _last_trick(self) -> list[tuple[int, str]]:
        """The trick that ended since the last decision: what was played, less what is known already."""
        known = [card for trick in [*self.tricks, self.trick()] for card in trick]
        return [(seat, self._new_card(seat, known)) for seat in self._order(self.leader)]

    def _new_card(self, seat: int, known: list[tuple[int, str]]) -> str:
        counts = self._by_seat("played")[seat].astype(int)
        for by, card in known:
            if by == seat:
                counts[CARD_NAMES.index(card)] -= 1
        (card,) = counts.nonzero()[0]
        assert counts[card] == 1
        return CARD_NAMES[card]

    def trick(self) -> list[tuple[int, str]]:
        """The cards on the table."""
        leader = self._by_seat("leader").tolist().index(1)
        codes = self._by_seat("trick")
        return [(seat, card_of(codes[seat])) for seat in self._order(leader) if codes[seat].any()]

    def facts(self) -> Facts:
        seen = self.seen
        upcard, trump = seen["upcard"], seen["trump"][: len(SUITS)]
        bids = zip(self._by_seat("bid").tolist(), self._by_seat("bid_known").tolist(), strict=True)
        scores = np.sum([each.points for each in self.rounds], axis=0, dtype=int)
        return {
            "rounds": self.rounds,
            "round_number": len(self.rounds) + 1,
            "hand_size": int(seen["hand_size"][0]),
            "dealer": self._by_seat("dealer").tolist().index(1),
            "upcard": card_of(upcard) if upcard.any() else None,
            "trump": SUITS[trump.argmax()] if trump.any() else None,
            "bids": [bid if known else None for bid, known in bids],
            "tricks_won": self._by_seat("tricks_won").tolist(),
            "scores": scores.tolist() if self.rounds else [0] * self.rules.num_players,
            "plays": [play for trick in [*self.tricks, self.trick()] for play in trick],
            "hand": np.repeat(CARD_NAMES, seen["hand"]).tolist(),
        }


def card_of(code: NDArray[Any]) -> str:
    """The card of a code: suit, Wizard, Jester, rank."""
    if code[4] or code[5]:
        return "WI" if code[4] else "JE"
    return RANKS[code[6:].argmax()] + SUITS[code[:4].argmax()]


def facts_of(game: Game, plays: list[tuple[int, str]], seat: int) -> Facts:
    """The same facts, from the game itself."""
    reveal = game.rules.bid_reveal
    public = reveal == "open" or (reveal == "simultaneous" and game.phase == "play")
    names = ("rounds", "round_number", "hand_size", "dealer", "upcard", "trump", "tricks_won", "scores")
    bids = [bid if public or by == seat else None for by, bid in enumerate(game.bids)]
    facts = {name: getattr(game, name) for name in names}
    return facts | {"bids": bids, "plays": plays, "hand": game.hands[seat]}


def note_play(plays: list[tuple[int, str]], game: Game, action: int) -> list[tuple[int, str]]:
    """The plays of the round after an action in a game that has not taken it yet."""
    name = ACTIONS[action]
    return [*plays, (game.acting_seat, name.split()[1])] if name.startswith("play") else []


@every_kind
@pytest.mark.parametrize("history", [False, True])
def test_every_agent_of_pettingzoo_recalls_the_game(rules: Rules, history: bool) -> None:
    """Through `last` alone, at each of its decisions and at the end; with a history, without memory too."""
    env: Any = wizard_v0.env(**rules.to_dict(), history=history)
    rng = np.random.default_rng(4)
    for seed in range(2):
        env.reset(seed=seed)
        game = env.unwrapped.game
        plays: list[tuple[int, str]] = []
        memories = [Memory(rules, seat) for seat in range(rules.num_players)]
        for agent in env.agent_iter():
            observation, _, terminated, _, info = env.last()
            seat = env.possible_agents.index(agent)
            memories[seat].see(observation["observation"], info)
            if history:
                assert read_history(rules, observation["history"]) == memories[seat].rounds
                assert env.observation_space(agent).contains(observation)
            if terminated:
                assert memories[seat].rounds == game.rounds
                assert len(game.rounds) == len(rules.rounds)
                env.step(None)
                continue
            assert memories[seat].facts() == facts_of(game, plays, seat)
            action = int(rng.choice(info["action_mask"].nonzero()[0]))
            before = len(game.rounds)
            plays = note_play(plays, game, action)
            env.step(action)
            if len(game.rounds) > before:
                plays = []


@every_kind
@pytest.mark.parametrize("episode", ["game", "round"])
def test_the_learner_of_gymnasium_recalls_the_game(rules: Rules, episode: str) -> None:
    """From observations and infos at its own decisions, over the episodes of a game."""
    env: Any = gymnasium.make("wizard_env/Wizard-v0", **rules.to_dict(), episode=episode, history=True)
    rng, games = np.random.default_rng(5), 0
    observation, info = env.reset(seed=1)
    memory, ended = Memory(rules, info["seat"]), False
    while games < 2:
        memory.see(observation["observation"], info)
        game = env.unwrapped.game
        assert read_history(rules, observation["history"]) == memory.rounds == game.rounds
        assert env.observation_space.contains(observation)
        if not ended:
            facts, expected = memory.facts(), facts_of(game, [], info["seat"])
            cards = game.state["plays"][0, : game.state["num_plays"][0]].tolist()
            assert [card for _, card in facts.pop("plays")] == [CARD_NAMES[card] for card in cards]
            assert facts == {name: expected[name] for name in facts}
            assert info["scores"].tolist() == facts["scores"]
            action = int(rng.choice(info["action_mask"].nonzero()[0]))
            observation, _, ended, _, info = env.step(action)
            continue
        over, ended = game.phase == "over", False
        observation, info = env.reset()
        assert not info["round"].any()
        if over:
            games += 1
            memory = Memory(rules, info["seat"])


def test_a_round_is_in_the_info_of_one_step() -> None:
    """PettingZoo: for every agent, from the end of the round to its next step."""
    env: Any = raw_env(num_players=3, hand_sizes=(1, 2))
    env.reset(seed=2)
    assert not any(info["round"].any() for info in env.infos.values())
    while not env.game.rounds:
        env.step(env.game.legal_actions()[0])
    expected = env.game.finished_rounds[0].tobytes()
    waiting = set(env.agents)
    while waiting:
        assert {agent for agent, info in env.infos.items() if info["round"].any()} == waiting
        assert all(env.infos[agent]["round"].tobytes() == expected for agent in waiting)
        waiting.discard(env.agent_selection)
        env.step(env.game.legal_actions()[0])


# --- nothing hidden shows


@pytest.mark.parametrize("reveal", BID_REVEALS)
def test_a_history_shows_no_round_before_it_is_scored(reveal: Any) -> None:
    """Its row is zero, and no info has it; afterwards both are what was played, bids included."""
    rules = Rules(num_players=4, hand_sizes=(2, 3, 1), bid_reveal=reveal)
    env: Any = raw_env(**rules.to_dict(), history=True)
    rng = np.random.default_rng(6)
    env.reset(seed=3)
    while env.game.phase != "over":
        finished = len(env.game.rounds)
        for agent in env.agents:
            history = env.observe(agent)["history"]
            assert history.shape == (3, ROUND_SIZE)
            assert not history[finished:].any()
            assert history[:finished].tobytes() == env.game.finished_rounds[:finished].tobytes()
        env.step(int(rng.choice(env.game.legal_actions())))
        for info in env.infos.values():
            assert not info["round"].any() or info["round"].tobytes() in map(bytes, env.game.finished_rounds)
    for rows in (env.observe("player_0")["history"], env.game.finished_rounds):
        fields = unpack(rows, HISTORY)
        assert fields["bids"][:, :4].tolist() == [each.bids for each in env.game.rounds]


# --- reading a history


def test_a_history_that_is_none_is_refused() -> None:
    rules = Rules(num_players=5)
    rows = np.zeros((2, ROUND_SIZE), np.int8)
    assert read_history(rules, rows) == []
    for name, value, allowed in (
        ("hand_size", 13, "hand_size: allowed are 0 to 12"),
        ("dealer", 5, "dealer: allowed are 0 to 4"),
        ("plays", 54, "plays: allowed are -1 to 53"),
        ("upcard", -2, "upcard: allowed are -1 to 53"),
    ):
        wrong = rows.copy()
        unpack(wrong, HISTORY)[name][:] = value
        with pytest.raises(ValueError, match=allowed):
            read_history(rules, wrong)
    wrong = rows.copy()
    unpack(wrong, HISTORY)["hand_size"][1] = 2
    with pytest.raises(ValueError, match="plays: 5 players need as many for each card of the hand size"):
        read_history(rules, wrong)
    with pytest.raises(ValueError, match="the last axis has length 76"):
        read_history(rules, rows[:, 1:])


@pytest.mark.parametrize("make", [raw_env, functools.partial(gymnasium.make, "wizard_env/Wizard-v0")])
def test_a_game_of_other_rounds_fits_the_history_or_is_refused(make: Any) -> None:
    """`reset` may ask for fewer rounds than the environment was made with, not for more."""
    env = make(num_players=3, hand_sizes=(1, 2, 3), history=True)
    with pytest.raises(ValueError, match="has 4 rounds: with history=True allowed are 1 to 3"):
        env.reset(seed=0, options={"hand_sizes": (1, 1, 1, 1)})
    shown = env.reset(seed=0, options={"hand_sizes": (4,)})
    observation = env.last()[0] if shown is None else shown[0]
    assert observation["history"].shape == (3, ROUND_SIZE)
    assert not observation["history"].any()

"""Games: a batch equals single games, byte for byte, whatever its size, threads and options."""

import copy
import pickle
import re
from typing import Any, cast

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from wizard_env import (
    NUM_ACTIONS,
    OBS_SIZE,
    Game,
    Games,
    IllegalAction,
    Rules,
    View,
    action_id,
    sample_legal,
    sample_softmax,
    unpack,
)
from wizard_env.cards import card_id
from wizard_env.sampling import draw_noise
from wizard_env.state import NO_CARD
from wizard_env.view import actions_by_owner, printed_actions

ALL_RULES = [
    Rules(num_players=3, hand_sizes=(1, 2, 3), magic_edition=True),
    Rules(num_players=4, hand_sizes=(2, 15, 1), bid_restriction="canadian"),
    Rules(num_players=5, hand_sizes=(3, 12), bid_reveal="secret"),
    Rules(num_players=6, hand_sizes=(1, 10, 1, 1), bid_reveal="simultaneous"),
    Rules(num_players=3, hand_sizes=(2, 2), bid_restriction="no_even"),
    Rules(num_players=6, hand_sizes=(1, 1, 1), bid_restriction="leader", magic_edition=True),
    Rules(num_players=4),
]
SHORT = Rules(num_players=3, hand_sizes=(1, 2))


def snapshot(games: Games) -> list[bytes]:
    """All that a batch shows."""
    shown = (games.observation, games.mask, games.seat, games.points, games.done, games.scores)
    return [array.tobytes() for array in (*shown, games.round_done, games.seeds, games.order, games.states)]


def play(games: Games, rng: np.random.Generator, steps: int) -> Games:
    for _ in range(steps):
        games.step(sample_legal(games.mask, rng))
    return games


def round_points(game: Game, rounds_before: int) -> list[int]:
    """Return the points of the last step."""
    return game.rounds[-1].points if len(game.rounds) > rounds_before else [0] * game.rules.num_players


# --- a batch equals single games


@pytest.mark.parametrize("rules", ALL_RULES)
def test_a_batch_equals_single_games(rules: Rules) -> None:
    """Byte for byte, records included, over whole games and those that restart, each with its own seed."""
    games, rng = Games(rules, 3, seed=3), np.random.default_rng(8)
    singles = [Game(rules, seed=seed) for seed in games.seeds]
    ended, seeds = np.zeros(3, int), set(games.seeds.tolist())
    while ended.min() < 2:
        for i, single in enumerate(singles):
            assert games.seat[i] == single.seat
            assert games.mask[i].tobytes() == single.legal_mask().tobytes()
            assert games.observation[i].tobytes() == single.observe(int(games.seat[i])).tobytes()
            assert games.scores[i].tolist() == single.scores
            assert games.states[i].tobytes() == single.state[0].tobytes()
        actions = sample_legal(games.mask, rng)
        games.step(actions)
        for i, action in enumerate(actions):
            rounds = len(singles[i].rounds)
            singles[i].step(int(action))
            assert games.points[i].tolist() == round_points(singles[i], rounds)
            assert games.round_done[i] == (len(singles[i].rounds) > rounds)
            assert games.done[i] == (singles[i].phase == "over")
            assert (games.seeds[i] != singles[i].seed) == games.done[i]
            if games.done[i]:
                singles[i] = Game(rules, seed=games.seeds[i])
                ended[i] += 1
                seeds.add(singles[i].seed)
    assert len(seeds) == 3 + ended.sum()


def test_a_game_is_the_same_in_any_batch() -> None:
    """Game i does not depend on how many games there are."""
    rng = np.random.default_rng(0)
    many, few = Games(SHORT, 700, seed=9), Games(SHORT, 20, seed=9)
    other = Games(SHORT, 20, seed=10)
    for _ in range(40):
        np.testing.assert_array_equal(many.seeds[:20], few.seeds)
        np.testing.assert_array_equal(many.observation[:20], few.observation)
        np.testing.assert_array_equal(many.mask[:20], few.mask)
        np.testing.assert_array_equal(many.points[:20], few.points)
        actions = sample_legal(many.mask, rng)
        many.step(actions)
        few.step(actions[:20])
    assert not set(other.seeds.tolist()) & set(few.seeds.tolist())


def test_given_seeds() -> None:
    """An array of seeds gives each game its own; a list may hold the largest ones."""
    given = np.array([7, 2**64 - 1, 7], np.uint64)
    games = Games(SHORT, 3, seed=given)
    np.testing.assert_array_equal(games.seeds, given)
    assert Games(SHORT, 2, [1, 2**64 - 1]).seeds.tolist() == [1, 2**64 - 1]
    assert games.states[0].tobytes() == games.states[2].tobytes() == Game(SHORT, 7).state[0].tobytes()


# --- the arrays


def test_the_arrays_are_rewritten_in_place() -> None:
    """Observation, mask, seat, points and done keep their place, type and shape."""
    games = Games(Rules(num_players=5), 7)
    arrays = (games.observation, games.mask, games.seat, games.points, games.done, games.scores)
    kinds = [(str(array.dtype), array.shape) for array in arrays]
    assert kinds == [
        ("uint8", (7, OBS_SIZE)),
        ("uint8", (7, NUM_ACTIONS)),
        ("uint8", (7,)),
        ("int16", (7, 5)),
        ("bool", (7,)),
        ("int16", (7, 5)),
    ]
    assert games.observation.flags.c_contiguous
    assert games.mask.flags.c_contiguous
    before = games.observation.copy()
    play(games, np.random.default_rng(0), 3)
    assert (games.observation != before).any()
    after = (games.observation, games.mask, games.seat, games.points, games.done, games.scores)
    assert all(old is new for old, new in zip(arrays, after, strict=True))


# --- options


@pytest.mark.parametrize("rules", ALL_RULES[:6])
def test_skip_forced_steps_over_single_legal_actions(rules: Rules) -> None:
    """The same as taking every forced action by hand, points and ends of games included."""
    quick, slow = Games(rules, 40, seed=6, skip_forced=True), Games(rules, 40, seed=6)
    rng = np.random.default_rng(1)
    for _ in range(60):
        assert (quick.mask.sum(axis=1) > 1).all()
        actions = sample_legal(quick.mask, rng)
        quick.step(actions)
        slow.step(actions)
        points, done = slow.points.copy(), slow.done.copy()
        while (rows := np.flatnonzero(slow.mask.sum(axis=1) == 1)).size:
            slow.step(slow.mask[rows].argmax(axis=1), rows)
            points[rows] += slow.points[rows]
            done[rows] |= slow.done[rows]
        np.testing.assert_array_equal(quick.points, points)
        np.testing.assert_array_equal(quick.done, done)
        np.testing.assert_array_equal(quick.observation, slow.observation)
        np.testing.assert_array_equal(quick.mask, slow.mask)
        np.testing.assert_array_equal(quick.seat, slow.seat)
        assert quick.states.tobytes() == slow.states.tobytes()


def test_canonical_suits_are_another_way_to_see_the_same_games() -> None:
    """Suits differ in name alone: actions go in and masks come out in the order that is shown."""
    rules = Rules(num_players=4, hand_sizes=(7, 2), magic_edition=True)
    canonical, printed = Games(rules, 60, seed=5, canonical_suits=True), Games(rules, 60, seed=5)
    rng = np.random.default_rng(4)
    orders = set()
    for _ in range(150):
        encoding = printed.view().encode(canonical_suits=True)
        np.testing.assert_array_equal(canonical.observation, encoding.observation)
        np.testing.assert_array_equal(canonical.mask, encoding.mask)
        np.testing.assert_array_equal(canonical.order, encoding.order)
        for seat in range(4):
            assert canonical.observe(seat).sum() == printed.observe(seat).sum()
        orders |= set(canonical.order.tolist())
        actions = sample_legal(canonical.mask, rng)
        canonical.step(actions)
        printed.step(printed_actions(actions, encoding.order))
        assert canonical.states.tobytes() == printed.states.tobytes()
        np.testing.assert_array_equal(canonical.points, printed.points)
    assert len(orders) == 24


def test_pause_at_the_end_of_a_game() -> None:
    """The last round stays visible, with all bids shown, until a new game begins."""
    rules = Rules(num_players=3, hand_sizes=(1, 2), bid_reveal="secret")
    games, free = Games(rules, 6, seed=1, pause="game"), Games(rules, 6, seed=1)
    rng = np.random.default_rng(0)
    while not (paused := np.flatnonzero(~games.mask.any(axis=1))).size:
        actions = sample_legal(games.mask, rng)
        games.step(actions)
        free.step(actions)
        np.testing.assert_array_equal(games.points, free.points)
        np.testing.assert_array_equal(games.done, free.done)
    assert games.done[paused].all()
    seen = unpack(games.observe(0)[paused])
    assert (seen["bid_known"][:, :3] == 1).all()
    assert not seen["bid_hidden"].any()
    for game in paused:
        assert Game.from_state(rules, games.states[game : game + 1]).phase == "over"
    with pytest.raises(IllegalAction, match="the game is over"):
        games.step(np.zeros(len(paused), int), paused)
    games.begin(paused, np.arange(len(paused)))
    for seed, game in enumerate(paused):
        single = Game(rules, seed)
        assert games.seeds[game] == seed
        assert games.observation[game].tobytes() == single.observe(int(games.seat[game])).tobytes()
        assert games.mask[game].tobytes() == single.legal_mask().tobytes()
        assert not games.scores[game].any()


def test_pause_at_the_end_of_a_round() -> None:
    """Nothing is legal until `deal`; then the game continues as without a pause."""
    games, free = Games(SHORT, 8, seed=1, pause="round"), Games(SHORT, 8, seed=1)
    rng = np.random.default_rng(0)
    while (rows := np.flatnonzero(games.mask.any(axis=1))).size:
        actions = sample_legal(games.mask[rows], rng)
        games.step(actions, rows)
        free.step(actions, rows)
    np.testing.assert_array_equal(games.points, free.points)
    np.testing.assert_array_equal(games.scores, games.points)
    assert not games.done.any()
    with pytest.raises(ValueError, match="awaits no decision"):
        games.view().observation.any()
    with pytest.raises(IllegalAction, match=r"the (game|round) is over"):
        games.step(np.zeros(8, int))
    games.deal(np.arange(8))
    np.testing.assert_array_equal(games.observation, free.observation)
    np.testing.assert_array_equal(games.mask, free.mask)
    assert games.states.tobytes() == free.states.tobytes()
    with pytest.raises(ValueError, match="game 3 is not between two rounds"):
        games.deal([3])


# --- illegal actions


@pytest.mark.parametrize("num_games", [6, 600])
@pytest.mark.parametrize("action", [NUM_ACTIONS, -1, 2**40, action_id("bid 9")])
def test_an_illegal_action_names_the_game_and_changes_nothing(num_games: int, action: int) -> None:
    """No game has changed, for an illegal action in any of them."""
    games = Games(Rules(num_players=3), num_games, seed=2)
    before = snapshot(games)
    actions = games.mask.argmax(axis=1)
    actions[[4, 5]] = action
    with pytest.raises(IllegalAction, match=r"round 1.*game 4 of the batch; no game has changed") as raised:
        games.step(actions)
    assert f"seat {games.seat[4]} may not" in str(raised.value)
    assert "legal: " in str(raised.value)
    assert snapshot(games) == before
    with pytest.raises(IllegalAction, match="game 4 of the batch"):
        games.step(actions[[3, 4]], rows=[3, 4])
    assert snapshot(games) == before


def test_results_are_those_of_the_last_step() -> None:
    """Whichever games it is taken in: the others show no points, and no end of a round or of a game."""
    rng = np.random.default_rng(5)
    games = Games(Rules(num_players=3, hand_sizes=(1,)), 12, seed=1)
    ended = 0
    for _ in range(200):
        rows = rng.permutation(12)[: rng.integers(1, 13)]
        before = games.scores.copy()
        games.step(sample_legal(games.mask[rows], rng), rows)
        others = np.setdiff1d(np.arange(12), rows)
        for array in (games.points, games.round_done, games.done):
            assert not array[others].any()
        assert (games.done == games.round_done).all()
        assert not games.points[~games.done].any()
        assert (games.points[games.done] != 0).any(axis=1).all()
        assert (games.scores[others] == before[others]).all()
        ended += int(games.done.sum())
        rows[:] = 0  # nothing is kept of the caller's array
    assert ended > 100
    games.step(games.mask.argmax(axis=1))
    games.step(games.mask[[3]].argmax(axis=1), [3])
    assert not games.done[np.arange(12) != 3].any()


def given_deals(
    rules: Rules, size: int, count: int
) -> tuple[list[Game], NDArray[np.int64], NDArray[np.int64]]:
    """Games, and the hands and upcards that they were dealt in their round of that size, by card number."""
    games, hands, upcards = [], [], []
    number = rules.rounds.index(size) + 1
    for seed in range(count):
        one = Game(Rules(rules.num_players, hand_sizes=(size,)), seed)
        dealer, scores = seed % rules.num_players, [10 * seed * seat for seat in range(rules.num_players)]
        games.append(Game.from_deal(rules, dealer, one.hands, one.upcard, scores, seed + 7, number))
        hands.append([[card_id(card) for card in hand] for hand in one.hands])
        upcards.append(NO_CARD if one.upcard is None else card_id(one.upcard))
    return games, np.array(hands), np.array(upcards)


@pytest.mark.parametrize("rules", [Rules(4), Rules(3, hand_sizes=(2, 20, 3)), Rules(6, "leader")], ids=str)
def test_given_hands_are_dealt_in_one_call(rules: Rules) -> None:
    """As by `Game.from_deal`, and the games go on as these do, with the deals of their seeds."""
    for size in rules.rounds[:2]:
        singles, hands, upcards = given_deals(rules, size, 8)
        games = Games(rules, 10, seed=9, pause="game")
        games.step(games.mask.argmax(axis=1))
        rows, kept = np.array([9, 1, 2, 3, 4, 5, 6, 8]), games.states[[0, 7]].tobytes()
        dealers, scores = [one.dealer for one in singles], [one.scores for one in singles]
        games.deal_hands(hands, upcards, dealers, scores, seeds=[one.seed for one in singles], rows=rows)
        assert games.states[[0, 7]].tobytes() == kept
        assert not games.finished_rounds[rows].view(np.uint8).any()
        rng = np.random.default_rng(0)
        for _ in range(300):
            for row, single in zip(rows, singles, strict=True):
                assert games.states[row].tobytes() == single.state.tobytes()
            going = np.array([row for row, one in zip(rows, singles, strict=True) if one.phase != "over"])
            if not len(going):
                break
            assert (
                games.observation[going[0]].tobytes()
                == singles[list(rows).index(going[0])].observe(int(games.seat[going[0]])).tobytes()
            )
            actions = sample_legal(games.mask[going], rng)
            games.step(actions, going)
            for row, action in zip(going, actions, strict=True):
                singles[list(rows).index(row)].step(int(action))


WRONG_DEALS: dict[str, Any] = {
    "more copies of a card than there are": (
        {"hands": [[[3], [3], [4]]] * 2},
        "cards of game 0: one is dealt",
    ),
    "an unknown card": ({"hands": [[[3], [4], [54]]] * 2}, "cards of game 0: allowed are 0 to 53"),
    "no upcard": ({"upcards": -1}, "cards of game 0: allowed are 0 to 53"),
    "hands of a size that is not played": ({"hands": [[[1, 2], [3, 4], [5, 6]]] * 2}, "hands of 2 cards"),
    "too few hands": ({"hands": [[[1], [2]]] * 2}, r"hands of shape \(2, 2, 1\)"),
    "another seat": ({"dealers": [0, 3]}, "dealers of game 1: allowed are 0 to 2"),
    "odd scores": ({"scores": 5}, "scores of game 0: allowed are multiples of 10"),
}


@pytest.mark.parametrize(("change", "message"), WRONG_DEALS.values(), ids=WRONG_DEALS.keys())
def test_deals_that_are_not_possible_are_refused(change: dict[str, Any], message: str) -> None:
    games = Games(Rules(3, hand_sizes=(1, 3)), 2)
    before = snapshot(games)
    given: dict[str, Any] = {"hands": [[[1], [2], [52]]] * 2, "upcards": 52}
    with pytest.raises(ValueError, match=message):
        games.deal_hands(**given | change)
    assert snapshot(games) == before
    games.deal_hands([[[1], [2], [52]]] * 2, 52)
    assert games.states["phase"].tolist() == [0, 0]


def test_an_agent_that_answers_with_something_else_is_refused() -> None:
    """An action that is cut to a whole number may be legal, and nobody would notice."""

    class Careless:
        def act(self, view: View, _: np.random.Generator) -> Any:
            return np.full(len(view), 0.7)

    view, rng = Games(SHORT, 2).view(), np.random.default_rng(0)
    for owner in (np.array([0, 0]), np.array([0, 1])):
        with pytest.raises(ValueError, match=r"actions of Careless hold .*0.7.*whole numbers"):
            actions_by_owner([Careless(), Careless()], owner, view, rng)


REFUSALS: dict[str, tuple[Any, str]] = {
    "too few actions": (lambda games: games.step([0, 0]), "one is needed for each of 3 games"),
    "a number as actions": (lambda games: games.step(0), "one is needed for each of 3 games"),
    "actions that are floats": (lambda games: games.step([0.9] * 3), r"actions hold 0\.9, of type float"),
    "actions that are bools": (lambda games: games.step([True] * 3), "actions hold True, of type bool"),
    "rows that are floats": (lambda games: games.view(np.array([0.5])), r"rows hold np.float64\(0.5\)"),
    "a seed that is too large": (lambda games: games.begin([0], [2**64]), "seeds hold 18446744073709551616"),
    "a row that is too large": (lambda games: games.begin([3], [1]), "^rows "),
    "a row twice": (lambda games: games.step([0, 0], rows=[1, 1]), "row"),
    "too few seeds": (lambda games: games.begin([0, 1], [7]), "seed"),
    "seeds for fewer games": (lambda _: Games(SHORT, 3, seed=np.zeros(2, np.uint64)), "seeds of shape"),
    "rules for more games": (lambda _: Games([SHORT] * 3, 2), "3 rules for 2 games"),
    "no games": (lambda _: Games(SHORT, 0), "num_games=0"),
    "more games than memory": (
        lambda _: Games(Rules(), 2**31),
        r"num_games=2147483648 needs [\d,.]+ GiB of memory: there are",
    ),
    "an unknown pause": (lambda _: Games(SHORT, 2, pause=cast(Any, "games")), "'game'"),
    "an unknown dealer": (lambda games: games.begin([0], [1], 4), "dealer=4: allowed are 0 to 2"),
    "rules for more players": (
        lambda games: games.begin([1], [1], rules=Rules(num_players=4)),
        "num_players=4 of game 1: only hand sizes may differ",
    ),
    "rules with other options": (
        lambda games: games.begin([1], [1], rules=Rules(num_players=3, magic_edition=True)),
        "magic_edition=1 of game 1: only hand sizes may differ",
    ),
}


@pytest.mark.parametrize(("call", "message"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_refused_changes_nothing(call: Any, message: str) -> None:
    games = Games(SHORT, 3, seed=2)
    before = snapshot(games)
    with pytest.raises((ValueError, TypeError), match=message):
        call(games)
    assert snapshot(games) == before


# --- what seats may know


def test_observe() -> None:
    """Any seat's observation is the same as in single games."""
    rules = Rules(num_players=4, hand_sizes=(5,), bid_reveal="secret")
    games = play(Games(rules, 6, seed=2), np.random.default_rng(0), 9)
    singles = [Game.from_state(rules, games.states[i : i + 1]) for i in range(6)]
    for seat in range(4):
        rows = games.observe(seat)
        assert rows.tobytes() == b"".join(single.observe(seat).tobytes() for single in singles)
    np.testing.assert_array_equal(games.observe(games.seat), games.observation)
    np.testing.assert_array_equal(games.observe([3, 0], rows=[5, 1])[0], singles[5].observe(3))


def test_view() -> None:
    """A view of a batch is the view of single games: the acting seats', with the suits as printed."""
    rules = Rules(num_players=4, hand_sizes=(5,), bid_reveal="simultaneous")
    games = play(Games(rules, 6, seed=2, canonical_suits=True), np.random.default_rng(0), 3)
    view = games.view()
    of_singles = View.of([Game.from_state(rules, games.states[i : i + 1]) for i in range(6)])
    assert len(view) == 6
    assert view.known.tobytes() == of_singles.known.tobytes()
    np.testing.assert_array_equal(view.observation, of_singles.observation)
    np.testing.assert_array_equal(view.mask, of_singles.mask)
    np.testing.assert_array_equal(view.seat, games.seat)
    some = games.view([4, 1])
    np.testing.assert_array_equal(some.observation, view.observation[[4, 1]])
    np.testing.assert_array_equal(view.select([4, 1]).mask, some.mask)
    kept = view.observation.copy()
    play(games, np.random.default_rng(1), 5)
    np.testing.assert_array_equal(view.observation, kept)


# --- choosing


def masks() -> NDArray[np.uint8]:
    """A few masks of a game."""
    games = play(Games(Rules(hand_sizes=(6,)), 5, seed=1), np.random.default_rng(0), 6)
    return games.mask.copy()


def test_the_rounds_of_a_view_stay_those_of_its_moment() -> None:
    """Though they are copied when they are first read; once a game has ended since, there is an error."""
    rng = np.random.default_rng(0)
    games = play(Games(Rules(hand_sizes=(1,) * 6), 20, seed=0), rng, 12)
    read, unread = games.view(), games.view().select([3, 5])
    kept = read.finished_rounds.copy()
    known = (kept["hand_size"] > 0).sum(axis=1)
    assert known.all()
    play(games, rng, 10)
    assert (games.states["round_index"] > known).any()
    assert unread.finished_rounds.tobytes() == kept[[3, 5]].tobytes()
    late = games.view()
    play(games, rng, 40)
    with pytest.raises(RuntimeError, match="a game of the view has ended since"):
        _ = late.finished_rounds


@pytest.mark.parametrize("kind", [np.uint8, np.bool_, np.int8])
def test_sample_legal_is_uniform_and_legal(kind: Any) -> None:
    """Every legal action as often as any other, and no other."""
    rng = np.random.default_rng(5)
    for mask in masks():
        actions = sample_legal(np.tile(mask, (20_000, 1)).astype(kind), rng)
        counts = np.bincount(actions, minlength=NUM_ACTIONS)
        assert not counts[mask == 0].any()
        assert mask.sum() == 1 or scipy.stats.chisquare(counts[mask == 1]).pvalue > 1e-4


def test_sample_softmax_follows_the_logits() -> None:
    """Each legal action with probability exp(logit) over the sum, and its logarithm; no other action."""
    rng = np.random.default_rng(6)
    for mask in masks():
        logits = rng.normal(size=NUM_ACTIONS).astype(np.float32)
        logits[mask == 0] = np.nan
        legal = np.flatnonzero(mask)
        weights = np.exp(logits[legal].astype(float))
        probability = weights / weights.sum()
        actions, logs = sample_softmax(np.tile(logits, (20_000, 1)), np.tile(mask, (20_000, 1)), rng)
        counts = np.bincount(actions, minlength=NUM_ACTIONS)
        assert not counts[mask == 0].any()
        if len(legal) > 1:
            assert scipy.stats.chisquare(counts[legal], probability * len(actions)).pvalue > 1e-4
        chosen = np.searchsorted(legal, actions)
        np.testing.assert_allclose(logs, np.log(probability)[chosen], rtol=1e-4, atol=1e-5)


def sample_evenly(mask: NDArray[np.uint8], noise: Any) -> NDArray[np.int64]:
    """`sample_softmax` with logits that are all alike."""
    return sample_softmax(np.zeros(mask.shape), mask, noise)[0]


@pytest.mark.parametrize("sample", [sample_legal, sample_evenly])
def test_noise_decides(sample: Any) -> None:
    """A row's choice depends on its own word alone; a generator gives as many words as there are rows."""
    mask = np.tile(masks()[0], (50, 1))
    words = np.random.default_rng(3).integers(0, 2**64, 50, dtype=np.uint64)
    actions = sample(mask, words)
    np.testing.assert_array_equal(sample(mask[7:9], words[7:9]), actions[7:9])
    drawn = draw_noise(np.random.default_rng(3), 50)
    np.testing.assert_array_equal(sample(mask, np.random.default_rng(3)), sample(mask, drawn))
    assert len(set(actions.tolist())) > 1
    rngs = [np.random.default_rng(seed) for seed in range(50)]
    assert mask[0, sample(mask, rngs)].all()


@pytest.mark.parametrize(
    ("entry", "kind"), [(0.5, float), (256, int), (-1, np.int8), (2, np.uint8), (np.nan, float)]
)
def test_a_mask_holds_zeros_and_ones(entry: Any, kind: Any) -> None:
    """Anything else is not taken for one of them: the message names it, and its type."""
    mask = masks().astype(kind)
    mask[1, 3] = entry
    said = f"the mask holds {entry}, of type {np.dtype(kind)}: allowed are 0 and 1"
    for sample in (sample_legal, sample_evenly):
        with pytest.raises(ValueError, match=said):
            sample(mask, np.random.default_rng(0))


@pytest.mark.parametrize("wrong", [1e300, np.inf, np.nan, -np.inf])
def test_logits_without_probabilities_are_refused(wrong: float) -> None:
    """Legal actions need numbers; -inf is a probability of 0, so one number above it is enough."""
    mask, rng = np.zeros((3, NUM_ACTIONS), np.uint8), np.random.default_rng(0)
    mask[:, :2] = 1
    logits = np.zeros((3, NUM_ACTIONS))
    logits[:, 2] = wrong  # not legal, not read
    logits[:, 1] = -np.inf
    assert sample_softmax(logits, mask, rng)[0].tolist() == [0, 0, 0]
    logits[1, 0] = wrong
    with pytest.raises(ValueError, match=rf"logits of row 1: \[{re.escape(str(wrong))}, -inf\]"):
        sample_softmax(logits, mask, rng)


def test_a_row_without_legal_action_gives_action_0() -> None:
    """Games that pause have nothing to choose."""
    mask = np.zeros((2, NUM_ACTIONS), np.uint8)
    mask[1, 5] = 1
    assert sample_legal(mask, np.random.default_rng(0)).tolist() == [0, 5]
    assert sample_softmax(np.zeros(mask.shape), mask, np.random.default_rng(0))[0].tolist() == [0, 5]


# --- playouts


@pytest.mark.parametrize("pause", ["never", "game", "round"])
def test_playout(pause: Any) -> None:
    """Copies are played to their end by the rules; the games stay as they are."""
    games = Games(Rules(num_players=3, hand_sizes=(2, 3)), 200, seed=4, pause=pause)
    before = snapshot(games)
    ends, decisions = games.playout(np.random.default_rng(1))
    assert snapshot(games) == before
    assert (ends.shape, ends.dtype) == ((200, 3), np.dtype(np.int16))
    assert (ends % 10 == 0).all()
    assert (np.abs(ends) <= 40 + 50).all()
    named = sum(state["upcard"] == action_id("play WI") - action_id("play 2S") for state in games.states)
    played_or_bid = 200 * (3 + 3 * 2 + 3 + 3 * 3)
    assert played_or_bid + named <= decisions <= played_or_bid + named + 200
    again, _ = games.playout(np.random.default_rng(1))
    np.testing.assert_array_equal(again, ends)
    other, _ = games.playout(np.random.default_rng(2))
    assert (other != ends).any()


def test_playout_ends_are_distributed_as_by_single_steps() -> None:
    """The mean score of random play is the same, stepped or played out; a game that is over stays."""
    rules = Rules(num_players=3, hand_sizes=(2,))
    games = Games(rules, 4000, seed=4, pause="game")
    ends, _ = games.playout(np.random.default_rng(1))
    rng = np.random.default_rng(2)
    while (rows := np.flatnonzero(games.mask.any(axis=1))).size:
        games.step(sample_legal(games.mask[rows], rng), rows)
    finished, decisions = games.playout(rng)
    assert decisions == 0
    np.testing.assert_array_equal(finished, games.scores)
    assert scipy.stats.ttest_rel(ends.sum(axis=1), games.scores.sum(axis=1)).pvalue > 1e-3


def test_observations_and_masks_are_aligned() -> None:
    """To 64 bytes, in a copy too."""
    games = Games(Rules(3), 5, seed=0)
    for copied in (games, copy.deepcopy(games), pickle.loads(pickle.dumps(games))):
        assert copied.observation.ctypes.data % 64 == copied.mask.ctypes.data % 64 == 0
        copied.step(copied.mask.argmax(axis=1))

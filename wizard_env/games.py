"""Games: many games stepped together, one decision in each, for learners that play every seat."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.actions import FIRST_PLAY, NUM_ACTIONS, IllegalAction
from wizard_env.cards import COPIES, DECK_SIZE, NUM_KINDS, UNITS
from wizard_env.chance import deal_round, draw_for_dealer, mix, random_action, step_generator
from wizard_env.checks import (
    check_choice,
    check_integer,
    check_integers,
    check_memory,
    check_words,
    quoted,
    shortened,
)
from wizard_env.compiled.jit import at, compiled, direct, kernel, outlined
from wizard_env.engine import (
    apply,
    begin_game,
    first_action,
    is_choice,
    next_round,
    take,
    turn_up,
    why_illegal,
)
from wizard_env.game import Game
from wizard_env.history.checks import check_finished_rounds
from wizard_env.history.finished import (
    clear_finished_round,
    copy_rounds,
    count_finished,
    write_finished_round,
)
from wizard_env.observation.encoder import (
    PRINTED_ORDER,
    canonical_order,
    choose_order,
    observe,
    printed_action,
    show_legal,
    write_choices,
    write_full_state,
)
from wizard_env.observation.fields import FULL_ROW, FULL_SIZE, OBS_SIZE, OBSERVATION_ROW
from wizard_env.rules import MAX_PLAYERS, MAX_ROUNDS, Rules
from wizard_env.sampling import draw_noise, sample_legal
from wizard_env.state import (
    DECK_ORDER,
    FINISHED_ROUND,
    MASK_ROW,
    NO_CARD,
    NO_SEAT,
    OPTION_FIELDS,
    OVER,
    PLAY,
    SCORED,
    STATE,
    DeckOrder,
    Row,
    State,
    aligned_copy,
    aligned_zeros,
    rules_of,
    write_rules,
)
from wizard_env.state_checks import MAX_SCORE, check_states
from wizard_env.view import View, printed_actions, reorder_actions

Pause = Literal["never", "game", "round"]
_PAUSES: tuple[str, ...] = get_args(Pause)
_NEVER, _GAME, _ROUND = range(len(_PAUSES))

LARGEST_SEED = 2**128
"""For a batch, whose games derive their own seeds, of 64 bits, from it."""

RESULT = np.dtype(
    (
        np.record,
        [
            ("seed", "u8"),
            ("legal", "i8"),
            ("points", "i2", MAX_PLAYERS),
            ("seat", "u1"),
            ("order", "u1"),
            ("round_done", "?"),
            ("done", "?"),
        ],
    )
)
"""The result of a step in one game: 32 bytes, so that the numbers of eight bytes stay aligned in a batch."""
assert RESULT.itemsize % 8 == 0
_FIRST_ACTION = 56
"""The bit of `legal` at which the id of the first action begins; below it are the choices."""
_CHOICES = (1 << NUM_KINDS) - 1
assert NUM_KINDS <= _FIRST_ACTION
assert FIRST_PLAY < 1 << 63 - _FIRST_ACTION


class Batch(NamedTuple):
    """The arrays of a batch, with a record for each game."""

    states: Any
    observations: Any
    """A single record, which is not written, where nothing is observed; so with masks."""
    masks: Any
    results: Any
    finished_rounds: Any
    """[n, most rounds]; a single record, which is not written, where no history is kept."""


class Options(NamedTuple):
    canonical_suits: bool
    skip_forced: bool
    pause: int
    """An index of _PAUSES."""
    observe: bool
    history: bool


_DTYPES = Batch(STATE, OBSERVATION_ROW, MASK_ROW, RESULT, FINISHED_ROUND)
BATCH: Any = Batch([STATE], [OBSERVATION_ROW], [MASK_ROW], [RESULT], [[FINISHED_ROUND]])
OPTIONS: Any = Options(bool, bool, int, bool, bool)  # type: ignore[arg-type]  # kinds, for kernels


class Games:
    """A batch of games, with the same rules or each with its own; `step` takes one decision in each.

    The arrays are allocated once and rewritten in place by `step`; copy what you want to keep. With
    `pause="never"` new rounds are dealt and finished games restart by themselves, so every game
    always awaits a decision.

    observation: uint8 [n, OBS_SIZE], what the acting seat may know (see OBSERVATION).
    mask: uint8 [n, NUM_ACTIONS], 1 for an action that the acting seat may take.
    seat: uint8 [n], the acting seat.
    points: int16 [n, num_players], the points that the last step scored; 0 where no round ended. Where
        games differ in their number of players there is a column for each seat of the largest, 0 where
        nobody sits.
    round_done: bool [n], whether the last step ended a round.
    done: bool [n], whether the last step ended the game.
    scores: int16 [n, num_players], points of the game so far.
    num_players: int8 [n], the number of players in each game.
    seeds: uint64 [n], the seed of each current game: `Game(rules, seed=seeds[i])` is dealt the same
        cards.
    order: uint8 [n], the order in which suits are shown (see `observation/encoder.py`).
    states: [n] the records of the games, of dtype STATE; everything, hidden cards included.
    finished_rounds: [n, most rounds] records of dtype FINISHED_ROUND: in each game the round at each index,
        zero where it has not been finished. The next game clears them.
    """

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        num_games: int,
        seed: int | ArrayLike = 0,
        *,
        canonical_suits: bool = False,
        skip_forced: bool = False,
        pause: Pause = "never",
        observe: bool = True,
        history: bool = True,
    ) -> None:
        """Deal `num_games` games.

        Args:
            rules: the options of every game, or n of them, one for each.
            num_games: n, at least 1.
            seed: a number from which every game derives its own seed, the same for game i whatever n
                is; or uint64 [n], the seed of each game.
            canonical_suits: show suits in the acting seat's canonical order, in observations, masks
                and actions alike.
            skip_forced: let `step` also take decisions that have a single legal action.
            pause: "never"; or stop at the end of each "game" or of each "round", with nothing legal,
                until `begin` or `deal` is called.
            observe: write observations and masks. Agents that act on `view` read neither; without
                them `observation` and `mask` have no rows, and a step is faster.
            history: keep the finished rounds of each game, which views show; without, `finished_rounds` has
                no rows.
        """
        num_games = check_integer("num_games", num_games, 1, 2**31)
        seen = OBSERVATION_ROW.itemsize + MASK_ROW.itemsize if observe else 0
        indices = 2 * np.dtype(np.int64).itemsize
        kinds = _check_rules(rules, num_games)
        most = max(len(kind.rounds) for kind in kinds)
        kept = most * FINISHED_ROUND.itemsize if history else 0
        needed = num_games * (STATE.itemsize + RESULT.itemsize + seen + indices + kept)
        check_memory(f"num_games={num_games}", needed)
        check_choice("pause", pause, _PAUSES)
        self._kinds = list(kinds)
        self.num_games = num_games
        self._options = Options(
            bool(canonical_suits), bool(skip_forced), _PAUSES.index(pause), bool(observe), bool(history)
        )
        states = np.zeros(num_games, STATE)
        for kind, rows in kinds.items():
            pattern = np.zeros(1, STATE)
            write_rules(kind, pattern)
            states[rows] = pattern
        self._attach(
            Batch(
                states,
                aligned_zeros(num_games if observe else 1, OBSERVATION_ROW),
                aligned_zeros(num_games if observe else 1, MASK_ROW),
                np.zeros(num_games, RESULT),
                np.zeros((num_games, most) if history else (1, 1), FINISHED_ROUND),
            )
        )
        self.begin(self._rows, game_seeds(seed, num_games))

    _stepped: NDArray[np.int64]
    """The games that the last step was taken in; no others hold its results."""

    def _attach(self, batch: Batch) -> None:
        """Take arrays as this batch's own, and name the views of them that callers read."""
        self._batch = batch
        self._rows = self._stepped = np.arange(self.num_games)
        self.states: NDArray[Any] = batch.states
        self.num_players = self.states["num_players"]
        most = int(self.num_players.max())
        written = self.num_games if self._options.observe else 0
        self.observation: NDArray[np.uint8] = batch.observations.view(np.uint8).reshape(-1, OBS_SIZE)[
            :written
        ]
        self.mask: NDArray[np.uint8] = batch.masks.view(np.uint8).reshape(-1, NUM_ACTIONS)[:written]
        self.seat: NDArray[np.uint8] = batch.results["seat"]
        self.points: NDArray[np.int16] = batch.results["points"][:, :most]
        self.round_done: NDArray[np.bool_] = batch.results["round_done"]
        self.done: NDArray[np.bool_] = batch.results["done"]
        self.order: NDArray[np.uint8] = batch.results["order"]
        self.seeds: NDArray[np.uint64] = batch.results["seed"]
        self.scores = self.states["scores"][:, :most]
        kept = self.num_games if self._options.history else 0
        self.finished_rounds: NDArray[Any] = batch.finished_rounds[:kept]

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("_kinds", "num_games", "_options")}
        return kept | {"arrays": tuple(self._batch)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        arrays = kept.pop("arrays")
        self.__dict__.update(kept)
        written = self.num_games if self._options.observe else 1
        shapes = [(n,) for n in (self.num_games, written, written, self.num_games)]
        room = (self.num_games, arrays[-1].shape[-1]) if self._options.history else (1, 1)
        _check_arrays(arrays, [*shapes, room])
        self._check_games(arrays[0], arrays[-1])
        self._attach(Batch(*map(aligned_copy, arrays)))
        self._show_anew()

    def restore(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Continue from the arrays of games with the same rules and options, as `__getstate__` gives them.

        The states are checked, and what they determine is written anew.

        Raises ValueError for arrays of other sizes or rules, and for a record that is no state of the game.
        """
        _check_arrays(arrays, [array.shape for array in self._batch])
        restored = type(self).__new__(type(self))
        restored.__setstate__(self.__getstate__() | {"arrays": tuple(arrays)})
        for option in OPTION_FIELDS:
            if (differs := self.states[option] != restored.states[option]).any():
                game = int(differs.reshape(self.num_games, -1).any(axis=1).argmax())
                raise ValueError(f"game {game} has other rules than these games: {option} differs")
        for array, other in zip(self._batch, restored._batch, strict=True):
            array[...] = other
        self._stepped = self._rows

    def _check_games(self, states: NDArray[Any], finished_rounds: NDArray[Any]) -> None:
        """Raise ValueError for games that cannot have been played."""
        check_states(states)
        if not self._options.history:
            return
        most = int(states["num_rounds"].max())
        if finished_rounds.shape[1] < most:
            raise ValueError(f"room for {finished_rounds.shape[1]} finished rounds: a game has {most}")
        check_finished_rounds(states, finished_rounds)

    def _show_anew(self) -> None:
        """Write what the states determine, whatever the arrays held."""
        self._batch.observations["values"] = 0  # the entries of seats where nobody sits are never written
        _show_games(self._batch, self._rows, self._options)
        for flags in (self.round_done.view(np.uint8), self.done.view(np.uint8)):
            flags[:] = flags != 0  # numpy trusts that a bool is the byte 0 or 1

    def __repr__(self) -> str:
        rules = ", ".join(map(repr, self._kinds))
        return f"Games({rules}, num_games={self.num_games})"

    @property
    def rules(self) -> Rules:
        """The options of every game. Raises ValueError where they differ."""
        if len(self._kinds) > 1:
            raise ValueError(f"the games have {len(self._kinds)} different rules: see `rules_of(states[i])`")
        return self._kinds[0]

    def begin(
        self, rows: ArrayLike, seeds: ArrayLike, dealer: int | None = None, rules: Rules | None = None
    ) -> None:
        """Start new games in some rows.

        Args:
            rows: int [k].
            seeds: uint64 [k].
            dealer: the seat that deals first; the one that draws the highest card if None.
            rules: play their hand sizes from now on; the other options must be those of these games.
        """
        games = self._indices(rows)
        words = check_words("seeds", seeds, len(games))
        fewest = int(self.num_players[games].min(initial=MAX_PLAYERS))
        first = NO_SEAT if dealer is None else check_integer("dealer", dealer, 0, fewest - 1)
        if rules is not None:
            self._change_hand_sizes(games, rules)
        _begin_games(self._batch, games, words, first, self._options)

    def _change_hand_sizes(self, games: NDArray[np.int64], rules: Rules) -> None:
        """Write the hand sizes of `rules`; raises ValueError if another option differs."""
        pattern = np.zeros(1, STATE)
        write_rules(rules, pattern)
        changed = ["num_rounds", "hand_sizes"]
        for option in OPTION_FIELDS:
            if option not in changed:
                differs = self.states[option][games] != pattern[option]
                _refuse_games(f"{option}={pattern[option][0]}", games, differs, "only hand sizes may differ")
        room = self._batch.finished_rounds
        if self._options.history and room.shape[1] < len(rules.rounds):
            wider = np.zeros((self.num_games, len(rules.rounds)), FINISHED_ROUND)
            wider[:, : room.shape[1]] = room
            self._batch, self.finished_rounds = self._batch._replace(finished_rounds=wider), wider
        self.states[changed][games] = pattern[changed]

    def deal(self, rows: ArrayLike) -> None:
        """Deal the next round in some rows that paused at the end of one. rows: int [k]."""
        games = self._indices(rows)
        waiting = self.states["phase"][games] == SCORED
        if not waiting.all():
            raise ValueError(f"game {games[~waiting][0]} is not between two rounds")
        _deal_games(self._batch, games, self._options)

    def deal_hands(
        self,
        hands: ArrayLike,
        upcards: ArrayLike = NO_CARD,
        dealers: ArrayLike = 0,
        scores: ArrayLike = 0,
        *,
        seeds: ArrayLike | None = None,
        rows: ArrayLike | None = None,
    ) -> None:
        """Start games from given deals, as `Game.from_deal` does: each in its first round of that hand size.

        A card is the id of its play less FIRST_PLAY, as in `card_id("TS")`.

        Args:
            hands: int [k, num_players, hand_size], the cards of each seat.
            upcards: int, or int [k], the card turned up; NO_CARD, -1, exactly where no card is left.
            dealers: int, or int [k], the seat that deals.
            scores: int, or int [k, num_players], points of each seat so far, multiples of 10.
            seeds: uint64 [k], for the deals of later rounds; those of the games before if None.
            rows: int [k]; all games if None.

        Raises ValueError for a deal that is not possible, and then leaves all games unchanged.
        """
        games = self._rows if rows is None else self._indices(rows)
        states = self.states.take(games)
        count, players = len(games), int(states["num_players"].max(initial=0))
        held = check_integers("hands", hands)
        if held.ndim != 3 or held.shape[:2] != (count, players) or (states["num_players"] != players).any():
            raise ValueError(
                f"hands of shape {held.shape}: ({count}, num_players, hand_size) is needed, for games with "
                "equally many players"
            )
        size = held.shape[2]
        is_played = (states["hand_sizes"] == size) & (
            np.arange(MAX_ROUNDS) < states["num_rounds"][:, np.newaxis]
        )
        if not is_played.any(axis=1).all():
            raise ValueError(
                f"hands of {size} cards: no round of game {games[is_played.any(axis=1).argmin()]} has so many"
            )
        turned = np.array(np.broadcast_to(check_integers("upcards", upcards), count), np.int64)
        dealing = np.broadcast_to(check_integers("dealers", dealers), count)
        points = np.broadcast_to(check_integers("scores", scores), (count, players))
        words = self.seeds[games] if seeds is None else check_words("seeds", seeds, count)
        dealt = np.column_stack([held.reshape(count, -1), turned])
        if size * players == DECK_SIZE:
            _refuse_games("upcards", games, turned != NO_CARD, "no card is left")
            dealt = dealt[:, :-1]
        _refuse_games(
            "cards",
            games,
            ((dealt < 0) | (dealt >= NUM_KINDS)).any(axis=1),
            f"allowed are 0 to {NUM_KINDS - 1}",
        )
        copies = np.zeros((count, NUM_KINDS), np.int64)
        np.add.at(copies, (np.arange(count)[:, np.newaxis], dealt), 1)
        _refuse_games(
            "cards", games, (copies > COPIES).any(axis=1), "one is dealt more often than the deck holds it"
        )
        _refuse_games(
            "dealers", games, (dealing < 0) | (dealing >= players), f"allowed are 0 to {players - 1}"
        )
        wrong = (points % 10 != 0) | (abs(points) > MAX_SCORE)
        _refuse_games("scores", games, wrong.any(axis=1), f"allowed are multiples of 10 up to {MAX_SCORE}")
        sets = np.array(UNITS)[held].sum(axis=2)
        self.states["generator"][games] = words
        self.states["dealer"][games], self.states["hand_size"][games] = dealing, size
        self.states["round_index"][games] = is_played.argmax(axis=1)
        self.states["scores"][games, :players], self.states["hands"][games, :players] = points, sets
        _turn_up_games(self._batch, games, turned, self._options)

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None, *, printed: bool = False) -> None:
        """Take one decision in every game, or in some rows.

        Args:
            actions: int [n], or [k] with rows: a legal action for each acting seat.
            rows: int [k], distinct; all games if None. In the others `points`, `round_done` and `done` are
                cleared, as they are those of this step.
            printed: the actions are in the suits as printed, as agents answer a `view`, even where
                `canonical_suits` shows others.

        Raises:
            IllegalAction: an action is not legal; no game has changed.
        """
        games = self._rows if rows is None else self._indices(rows)
        chosen = check_integers("actions", actions)
        if chosen.shape != games.shape:
            raise ValueError(f"actions of shape {chosen.shape}: one is needed for each of {len(games)} games")
        chosen = np.ascontiguousarray(chosen, np.int64)
        shown = printed and self._options.canonical_suits
        taken = reorder_actions(chosen, self.order[games]) if shown else chosen
        if rows is not None:
            direct(_clear_results)(self._batch.results, self._stepped, games, taken)
        illegal = direct(_step_games)(self._batch, games, taken, self._options)
        if illegal >= 0:
            self._refuse(int(games[illegal]), int(chosen[illegal]), printed)
        self._stepped = games

    def run(self, kernel: Callable[..., None], rows: NDArray[np.int64], *arguments: Any) -> None:
        """Let a kernel take decisions in some rows: `kernel(BATCH, rows, *arguments, options)`.

        The kernel writes the results of these rows and shows them, as `step` does.
        """
        none = rows[:0]  # the kernel takes the actions, so there are none to check here
        direct(_clear_results)(self._batch.results, self._stepped, none, none)
        kernel(self._batch, rows, *arguments, self._options)
        self._stepped = rows

    def spread(self, rng: np.random.Generator) -> None:
        """Play each game for a random part of its length, with random actions, so that games are out of step.

        Games that begin together go through small and large rounds together, and a rollout, or a
        measurement, would see hands of one size only.
        """
        cards = self.states["hand_sizes"].sum(axis=1, dtype=np.int64)
        left = rng.integers(0, self.num_players * (cards + self.states["num_rounds"]))
        while len(rows := left.nonzero()[0]):
            self.step(sample_legal(self.mask[rows], rng), rows)
            left[rows] -= 1

    def view(self, rows: ArrayLike | None = None, noise: NDArray[np.uint64] | None = None) -> View:
        """Return what the acting seats may know, in the suits as printed, for agents. rows: int [k]."""
        games = self._rows if rows is None else self._indices(rows)
        states, seeds = self.states.take(games), self.seeds[games]  # indexing records is slow

        def rounds() -> NDArray[Any]:
            now = self.states.take(games)
            if (self.seeds[games] != seeds).any() or (count_finished(now) < count_finished(states)).any():
                raise RuntimeError("a game of the view has ended since: read its rounds before that")
            return copy_rounds(self.finished_rounds, states, games)

        return View(states, noise, rounds if self._options.history else None, copy=False)

    def observe(self, seats: ArrayLike, rows: ArrayLike | None = None) -> NDArray[np.uint8]:
        """Return what given seats may know, whether they act or not.

        Args:
            seats: int, or int [n], or [k] with rows: the observer in each game.
            rows: int [k]; all games if None.

        Returns:
            uint8 [n or k, OBS_SIZE], a new array, with the suits in the observer's order.
        """
        games = self._rows if rows is None else self._indices(rows)
        observers = np.full(games.shape, check_integers("seats", seats), np.int64)
        if ((observers < 0) | (observers >= self.num_players[games])).any():
            raise ValueError(f"seats {shortened(observers)}: allowed are 0 to {self.num_players.min() - 1}")
        observations = np.zeros(len(games), OBSERVATION_ROW)
        _observe_games(self.states, games, observers, observations, self._options.canonical_suits)
        return observations.view(np.uint8).reshape(len(games), OBS_SIZE)

    def full_state(self) -> NDArray[np.uint8]:
        """Return everything, hidden cards included, as FULL_STATE lays it out, for critics.

        Returns:
            uint8 [n, FULL_SIZE], a new array, with seats counted from the acting one and suits in its order.
        """
        rows = np.zeros(self.num_games, FULL_ROW)
        _describe_games(self.states, rows, self._options.canonical_suits)
        return rows.view(np.uint8).reshape(self.num_games, FULL_SIZE)

    def playout(self, rng: np.random.Generator) -> tuple[NDArray[np.int16], int]:
        """Play copies of all games to their end with uniformly random actions.

        Returns:
            int16 [n, num_players], the final scores, and the number of decisions taken.
        """
        ends = self.states.copy()
        decisions = _playout_games(ends, draw_noise(rng, self.num_games))
        return ends["scores"][:, : self.scores.shape[1]].copy(), decisions

    def _indices(self, rows: ArrayLike) -> NDArray[np.int64]:
        given = check_integers("rows", rows)
        indices = np.array(given, np.int64, order="C")
        increase = indices.ndim == 1 and bool((indices[1:] > indices[:-1]).all())
        ends = indices[[0, -1]] if increase and len(indices) else indices
        if indices.ndim != 1 or (len(ends) and not 0 <= ends.min() <= ends.max() < self.num_games):
            raise ValueError(f"rows {quoted(rows)}: allowed are 0 to {self.num_games - 1}")
        if not increase and len(np.unique(indices)) < len(indices):
            raise ValueError(f"rows {quoted(rows)}: each game may appear once")
        return indices

    def _refuse(self, game: int, action: int, printed: bool) -> None:
        if not printed:  # name it in the suits as printed
            action = int(printed_actions([action], self.order[game : game + 1])[0])
        where = f" (game {game} of the batch; no game has changed)" if self.num_games > 1 else ""
        state = self.states[game]
        text = Game.from_state(rules_of(state), state).why_not(action)
        raise IllegalAction(text + where, why_illegal(state, action))


def _check_arrays(arrays: Sequence[NDArray[Any]], shapes: Sequence[tuple[int, ...]]) -> None:
    """Raise ValueError unless the arrays are those of a batch, of these shapes."""
    given = [(array.dtype, array.shape) for array in arrays]
    if given != list(zip(_DTYPES, shapes, strict=True)):
        raise ValueError(f"arrays of shapes {[shape for _, shape in given]}: these games need {shapes}")


def _check_rules(rules: Rules | Sequence[Rules], num_games: int) -> dict[Rules, slice | list[int]]:
    """Return the games that are played by each of the rules."""
    if isinstance(rules, Rules):
        return {rules: slice(None)}
    each = list(rules)
    for one in each:
        if not isinstance(one, Rules):
            raise TypeError(f"rules={quoted(one)}: a Rules object is needed")
    if len(each) != num_games:
        raise ValueError(f"{len(each)} rules for {num_games} games: one each is needed, or one for all")
    kinds: dict[Rules, list[int]] = {}
    for game, one in enumerate(each):
        kinds.setdefault(one, []).append(game)
    return {**kinds}


def game_seeds(seed: int | ArrayLike, num_games: int) -> NDArray[np.uint64]:
    """Return uint64 [num_games], a seed for each game of a batch: the same for game i in any batch."""
    if isinstance(seed, int | np.integer):
        entropy = np.random.SeedSequence(check_integer("seed", seed, 0, LARGEST_SEED))
        return entropy.generate_state(num_games, np.uint64).astype(np.uint64)
    return check_words("seeds", seed, num_games)


@compiled
def show_game(state: State, row: Row, mask: Row, result: Any, options: Options) -> None:
    """Note the acting seat's legal actions, and write what it sees; in a pause, that is the last winner."""
    if options.canonical_suits:
        _show_in_order(state, row, mask, result, options, canonical_order(state, int(state.seat)))
    else:
        _show_in_order(state, row, mask, result, options, PRINTED_ORDER)  # compiled for this order alone


@compiled
def _show_in_order(state: State, row: Row, mask: Row, result: Any, options: Options, order: int) -> None:
    seat = int(state.seat)
    first = first_action(state)
    choices = show_legal(state, order)
    result.order = order
    result.seat = seat
    result.legal = first << _FIRST_ACTION | choices
    if options.observe:
        write_choices(mask, first, choices)
        observe(state, seat, row, order)


@compiled
def _begin_record(batch: Batch, game: int, options: Options) -> None:
    """Note the seed of a new game, and clear its finished rounds."""
    batch.results[game].seed = batch.states[game].generator
    if options.history:
        for index in range(batch.finished_rounds.shape[1]):
            clear_finished_round(batch.finished_rounds[game, index])


@outlined
def _begin(batch: Batch, game: int, deck: DeckOrder, dealer: int, options: Options) -> None:
    """Draw for the first dealer and deal the first round; the generator still holds the game's seed.

    dealer: the seat that deals, whatever the draw says; or NO_SEAT.
    """
    state = batch.states[game]
    _begin_record(batch, game, options)
    draw_for_dealer(state, deck)
    if dealer != NO_SEAT:
        begin_game(state, dealer)
    deal_round(state, deck)


@outlined
def end_round(batch: Batch, game: int, deck: DeckOrder, options: Options) -> None:
    """Keep a scored round, and note its points; then deal the next, or begin a new game, unless it pauses."""
    state, result = batch.states[game], batch.results[game]
    result.round_done = True
    for seat in range(state.num_players):
        result.points[seat] = state.points[seat]
    if options.history and state.round_index < batch.finished_rounds.shape[1]:  # else hand sizes were written
        write_finished_round(state, batch.finished_rounds[game, int(state.round_index)])
    if state.phase == OVER:
        result.done = True
        if options.pause == _NEVER:
            _begin(batch, game, deck, NO_SEAT, options)
    elif options.pause != _ROUND:
        next_round(state)
        deal_round(state, deck)


@compiled
def _first_illegal(results: Any, games: Any, actions: Any) -> int:
    """Find the first index whose action is illegal, or -1. The mask is not read: callers may write to it."""
    for index in range(len(games)):
        shown = int(results[at(games[index])].legal)
        if not is_choice(actions[index], shown >> _FIRST_ACTION, shown & _CHOICES):
            return index
    return -1


def _refuse_games(name: str, games: NDArray[np.int64], wrong: Any, allowed: str) -> None:
    """Raise ValueError for the first game where something is wrong. wrong: bool [k]."""
    if wrong.any():
        raise ValueError(f"{name} of game {games[wrong.argmax()]}: {allowed}")


@compiled
def clear_result(result: Any) -> None:
    for seat in range(MAX_PLAYERS):
        result.points[seat] = 0
    result.round_done = False
    result.done = False


@kernel([RESULT], [np.int64], [np.int64], [np.int64])
def _clear_results(results: Any, stepped: Any, games: Any, actions: Any) -> None:
    """Clear the results of the last step, in the games `stepped`, unless the next is refused.

    A kernel of its own: as a part of `_step_games` it would slow down steps in all games.
    """
    if _first_illegal(results, games, actions) >= 0:
        return
    for index in range(len(stepped)):
        result = results[at(stepped[index])]
        if result.round_done:
            clear_result(result)


@kernel(BATCH, [np.int64], [np.int64], OPTIONS)
def _step_games(batch: Batch, games: Any, actions: Any, options: Options) -> int:
    """Take one decision in each game; or in none, and return the first index whose action is illegal, or -1.

    A round begins with a real choice, so no step ends more than one, even if it skips forced decisions.
    """
    illegal = _first_illegal(batch.results, games, actions)
    if illegal >= 0:
        return illegal
    states, rows, masks, results, _ = batch  # outside the loop: each of them counts a reference
    decks = np.empty(1, DECK_ORDER)
    for index in range(len(games)):
        game = at(games[index])
        state, result, deck = states[game], results[game], decks[0]
        action = printed_action(actions[index], int(result.order))
        clear_result(result)
        take(state, action, options.skip_forced)
        if state.phase >= SCORED:
            end_round(batch, game, deck, options)
        written = game if options.observe else at(0)
        show_game(state, rows[written], masks[written], result, options)
    return -1


@outlined
def _show_rows(batch: Batch, games: Any, options: Options) -> None:
    states, rows, masks, results, _ = batch
    for game in games:
        written = game if options.observe else 0
        show_game(states[game], rows[written], masks[written], results[game], options)


@kernel(BATCH, [np.int64], OPTIONS)
def _show_games(batch: Batch, games: Any, options: Options) -> None:
    _show_rows(batch, games, options)


@kernel(BATCH, [np.int64], [np.uint64], int, OPTIONS)
def _begin_games(batch: Batch, games: Any, seeds: Any, dealer: int, options: Options) -> None:
    decks = np.empty(1, DECK_ORDER)
    for index in range(len(games)):
        game = games[index]
        batch.states[game].generator = seeds[index]
        _begin(batch, game, decks[0], dealer, options)
    _show_rows(batch, games, options)


@kernel(BATCH, [np.int64], OPTIONS)
def _deal_games(batch: Batch, games: Any, options: Options) -> None:
    states = batch.states
    decks = np.empty(1, DECK_ORDER)
    for game in games:
        next_round(states[game])
        deal_round(states[game], decks[0])
    _show_rows(batch, games, options)


@kernel(BATCH, [np.int64], [np.int64], OPTIONS)
def _turn_up_games(batch: Batch, games: Any, upcards: Any, options: Options) -> None:
    for index in range(len(games)):
        game = games[index]
        _begin_record(batch, game, options)
        turn_up(batch.states[game], int(upcards[index]))
    _show_rows(batch, games, options)


@kernel([STATE], [np.int64], [np.int64], [OBSERVATION_ROW], bool)
def _observe_games(states: Any, games: Any, observers: Any, rows: Any, canonical: bool) -> None:
    for index in range(len(games)):
        state = states[games[index]]
        seat = observers[index]
        observe(state, seat, rows[index], choose_order(state, seat, canonical))


@kernel([STATE], [FULL_ROW], bool)
def _describe_games(states: Any, rows: Any, canonical: bool) -> None:
    for index in range(len(states)):
        state = states[index]
        seat = int(state.seat)
        write_full_state(state, seat, rows[index], choose_order(state, seat, canonical))


@kernel([STATE], [np.uint64])
def _playout_games(states: Any, words: Any) -> int:
    decks = np.empty(1, DECK_ORDER)
    decisions = 0
    for index in range(len(states)):
        state = states[index]
        generator = words[index]
        while state.phase != OVER:
            if state.phase == SCORED:
                next_round(state)
                deal_round(state, decks[0])
            generator = step_generator(generator, 1)
            decisions += 1
            if state.phase == PLAY:  # a branch of its own, so that it is compiled for this phase
                apply(state, random_action(state, mix(generator)))
            else:
                apply(state, random_action(state, mix(generator)))
    return decisions

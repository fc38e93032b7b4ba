"""View: the information of the acting seats of some games, and the protocol of agents that act on it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.checks import check_integers, check_words
from wizard_env.compiled.jit import kernel
from wizard_env.engine import conceal
from wizard_env.failures import noting_own_code
from wizard_env.history.checks import check_finished_rounds
from wizard_env.history.finished import copy_rounds, read_rounds
from wizard_env.observation.encoder import choose_order, observe, printed_action, reorder_action, write_mask
from wizard_env.observation.fields import OBS_SIZE, OBSERVATION_ROW
from wizard_env.observation.readable import Round
from wizard_env.rules import Rules
from wizard_env.sampling import draw_noise
from wizard_env.state import FINISHED_ROUND, MASK_ROW, PLAY, STATE, copy_records, rules_of
from wizard_env.state_checks import OTHERS_HIDDEN, check_states

if TYPE_CHECKING:
    from wizard_env.game import Game

Actions: TypeAlias = NDArray[np.int64]


class Agent(Protocol):
    """A player: anything with this method."""

    def act(self, view: "View", rng: np.random.Generator) -> Actions:
        """Choose an action for every decision of the view: int64 [n], ids of legal actions."""


class OutsideAgent:
    """An agent that asks outside this process: a program, a model, a client.

    Subclass it, and `wizard_env.loading.programs(allowed=False)` refuses the agent. A decision without a
    legal answer is forfeited: a random legal action takes its place.

    forfeits: the number of forfeited decisions, by reason.
    """

    plays_in_one_process = False
    """True if only the process that made it can ask; evaluations then refuse several workers."""

    def __init__(self) -> None:
        self.forfeits: Counter[str] = Counter()

    def costs(self) -> dict[str, float]:
        """Return the cost of its answers so far, if it counts that."""
        return {}


class Encoding(NamedTuple):
    """Decisions as input for a network; `printed_actions` turns its actions back by `order`."""

    observation: NDArray[np.uint8]
    """[n, OBS_SIZE]"""
    mask: NDArray[np.uint8]
    """[n, NUM_ACTIONS]"""
    order: NDArray[np.uint8]
    """[n] the order of the suits, see `observation/encoder.py`"""


class View:
    """Information of the acting seats of n games; nothing in it reaches the hidden cards.

    known: [n] records of dtype STATE, without the hands of others, hidden bids and the generator.
    observation: uint8 [n, OBS_SIZE], as in OBSERVATION.
    mask: uint8 [n, NUM_ACTIONS], 1 for a legal action.
    """

    _finished_rounds: NDArray[Any] | Callable[[], NDArray[Any]]
    """Copied when they are first read: few agents read them, and they are most of a view."""
    _printed: Encoding | None = None
    """Kept without `cached_property`, whose lock in Python 3.11 a forked process could inherit locked."""

    def __init__(
        self,
        states: NDArray[Any],
        noise: NDArray[np.uint64] | None = None,
        finished_rounds: NDArray[Any] | Callable[[], NDArray[Any]] | None = None,
        *,
        copy: bool = True,
    ) -> None:
        """Take the states of games that await a decision, and conceal what the acting seats may not know.

        noise: uint64 [n], a fresh random word for each decision, if the games have their own streams.
        finished_rounds: [n, k], those of these games; if None, none is known.
        copy: False trusts the arrays, and conceals the states in place; and `finished_rounds` may then be a
            function that returns them, which is called when they are first read.

        Raises TypeError for anything but records of dtype STATE and FINISHED_ROUND, and ValueError for a
        record that is not a state of the game, awaits no decision, or cannot have come from these rounds.
        """
        if finished_rounds is None:
            finished_rounds = np.zeros((len(states), 0), FINISHED_ROUND)
        if copy:
            assert not callable(finished_rounds)
            check_states(states, OTHERS_HIDDEN)
            check_finished_rounds(states, finished_rounds)
            finished_rounds = copy_rounds(finished_rounds, states)
        over = states["phase"] > PLAY
        if over.any():
            raise ValueError(f"game {over.argmax()} of the view awaits no decision: its round is over")
        self.known = copy_records(states) if copy else states
        _conceal_rows(self.known)
        self._finished_rounds = finished_rounds
        self._noise = None if noise is None else check_words("noise", noise, len(states))

    @classmethod
    def of(cls, games: "Sequence[Game]") -> Self:
        """Return a view of the games' acting seats. Raises ValueError if a game is over."""
        if not len(games):
            raise ValueError("a view of no games: at least one is needed")
        view = cls(np.frombuffer(b"".join(game.state.tobytes() for game in games), STATE))
        rounds = np.zeros((len(games), view.known["num_rounds"].max()), FINISHED_ROUND)
        for own, game in zip(rounds, games, strict=True):
            own[: len(game.finished_rounds)] = game.finished_rounds
        view._finished_rounds = rounds
        return view

    def __len__(self) -> int:
        return len(self.known)

    @property
    def seat(self) -> NDArray[np.int8]:
        """int8 [n]: the seat that acts in each game."""
        seats: NDArray[np.int8] = self.known["seat"]
        return seats

    @property
    def finished_rounds(self) -> NDArray[Any]:
        """[n, k] records of dtype FINISHED_ROUND: the finished rounds of each game, zero where it has fewer.

        So is a round that is not known because the game was begun after it. k is that of
        `Games.finished_rounds`, the most rounds that any of the games has, or 0 where the games keep none.

        Raises RuntimeError if they are first read when a game of the batch has ended since.
        """
        if callable(self._finished_rounds):
            self._finished_rounds = self._finished_rounds()
        return self._finished_rounds

    @property
    def observation(self) -> NDArray[np.uint8]:
        return self._as_printed().observation

    @property
    def mask(self) -> NDArray[np.uint8]:
        return self._as_printed().mask

    def _as_printed(self) -> Encoding:
        if self._printed is None:
            self._printed = self.encode()
        return self._printed

    def encode(self, *, canonical_suits: bool = False) -> Encoding:
        """Encode observations and masks, with suits as printed or in each observer's canonical order."""
        count = len(self)
        rows, masks = np.zeros(count, OBSERVATION_ROW), np.empty(count, MASK_ROW)
        order = np.empty(count, np.uint8)
        _encode_rows(self.known, rows, masks, order, canonical_suits)
        return Encoding(
            rows.view(np.uint8).reshape(count, OBS_SIZE),
            masks.view(np.uint8).reshape(count, NUM_ACTIONS),
            order,
        )

    def information(self, index: int) -> Any:
        """Return a copy of the record `known[index]`."""
        return self.known[index].copy()

    def rules(self, index: int) -> Rules:
        """Return the rules of game `index`."""
        return rules_of(self.known[index])

    def rounds(self, index: int) -> list[Round]:
        """Return the known finished rounds of game `index`, as `Game.rounds` has them, oldest first."""
        return read_rounds(self.known[[index]], self.finished_rounds[index])

    def noise(self, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Return uint64 [n], a random word for each decision, from the games' own streams if there are any.

        Otherwise the words come from `rng`, and a choice depends on the rest of the batch.
        """
        return draw_noise(rng, len(self)) if self._noise is None else self._noise

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_finished_rounds": self.finished_rounds}

    def with_noise(self, noise: NDArray[np.uint64]) -> "View":
        """Return a view of the same decisions with other random words. noise: uint64 [n]."""
        other = View.__new__(View)
        other.__dict__.update(self.__dict__, _noise=check_words("noise", noise, len(self)))
        return other

    def select(self, rows: ArrayLike) -> "View":
        """Return the view of some of the decisions, by index or by mask."""
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_:
            chosen = np.arange(len(self))[chosen]
        chosen = check_integers("rows", chosen)
        part = View.__new__(View)  # `known` is concealed already
        part.known = self.known.take(chosen)
        part._finished_rounds = lambda: copy_rounds(self.finished_rounds, part.known, chosen)
        part._noise = None if self._noise is None else self._noise[chosen]
        return part


def actions_by_owner(
    agents: Sequence[Agent], owner: NDArray[np.integer[Any]], view: View, rng: np.random.Generator
) -> Actions:
    """Ask each agent for the actions of its decisions in a view: int64 [n].

    owner: int [n], the index of the agent that takes each decision.
    """
    actions = np.empty(len(view), np.int64)
    for agent, rows, part in split_by_owner(agents, owner, view):
        chosen = ask(agent, part, rng)
        if part is view:
            return chosen
        actions[rows] = chosen
    return actions


def ask(agent: Agent, view: View, rng: np.random.Generator) -> Actions:
    """Ask an agent for its actions: int64 [n]. Raises ValueError for an answer that is something else.

    Errors in a custom agent's code get a note that says where, see `failures`. Raises RuntimeError if that
    code ends the program.
    """
    name = f"actions of {type(agent).__name__}"
    with noting_own_code():
        answer = agent.act(view, rng)
    actions = check_integers(name, answer)
    if actions.shape != (len(view),):
        raise ValueError(f"{name} of shape {actions.shape}: ({len(view)},) is needed")
    return actions.astype(np.int64, copy=False)


def split_by_owner(
    agents: Sequence[Agent], owner: NDArray[np.integer[Any]], view: View
) -> Iterator[tuple[Agent, NDArray[np.bool_], View]]:
    """Yield each agent that takes a decision, with the mask and the view of its decisions.

    An agent that takes all of them gets the view itself. owner: as for `actions_by_owner`.
    """
    for number, agent in enumerate(agents):
        theirs = owner == number
        if theirs.all():
            yield agent, theirs, view
            return
        if theirs.any():
            yield agent, theirs, view.select(theirs)


def printed_actions(actions: ArrayLike, order: NDArray[np.uint8]) -> Actions:
    """Translate actions from the given suit orders to the suits as printed."""
    printed = np.array(check_integers("actions", actions), np.int64)
    _reorder_rows(printed, np.ascontiguousarray(order), True)
    return printed


def reorder_actions(actions: ArrayLike, order: NDArray[np.uint8]) -> Actions:
    """Translate actions from the suits as printed to the given suit orders."""
    reordered = np.array(check_integers("actions", actions), np.int64)
    _reorder_rows(reordered, np.ascontiguousarray(order), False)
    return reordered


@kernel([STATE])
def _conceal_rows(states: Any) -> None:
    for index in range(len(states)):
        conceal(states[index], int(states[index].seat))


@kernel([STATE], [OBSERVATION_ROW], [MASK_ROW], [np.uint8], bool)
def _encode_rows(states: Any, rows: Any, masks: Any, orders: Any, canonical: bool) -> None:
    for index in range(len(states)):
        state = states[index]
        seat = int(state.seat)
        order = choose_order(state, seat, canonical)
        orders[index] = order
        write_mask(state, masks[index], order)
        observe(state, seat, rows[index], order)


@kernel([np.int64], [np.uint8], bool)
def _reorder_rows(actions: Any, orders: Any, back: bool) -> None:
    for index in range(len(actions)):
        order = int(orders[index])
        action = actions[index]
        actions[index] = printed_action(action, order) if back else reorder_action(action, order)

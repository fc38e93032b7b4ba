"""agent_test: checks that an agent keeps what its callers rely on, for the tests of agents' authors."""

import os
import random
import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import ACTIONS, NUM_ACTIONS
from wizard_env.checks import check_integer
from wizard_env.game import Game
from wizard_env.loading import agent_names, load
from wizard_env.records.positions import position
from wizard_env.rules import Rules
from wizard_env.state import PHASES, SCORED
from wizard_env.view import Actions, Agent, View

RULES = (
    Rules(num_players=3, hand_sizes=(1, 4, 20), magic_edition=True),
    Rules(num_players=3, hand_sizes=(2, 9), bid_restriction="leader"),
    Rules(num_players=4, hand_sizes=(2, 15), bid_restriction="no_even"),
    Rules(num_players=4, hand_sizes=(3, 7), bid_restriction="canadian", magic_edition=True),
    Rules(num_players=5, hand_sizes=(1, 6), bid_reveal="secret"),
    Rules(num_players=5, hand_sizes=(5, 12)),
    Rules(num_players=6, hand_sizes=(2, 10), bid_reveal="simultaneous"),
    Rules(num_players=6, hand_sizes=(1, 3), bid_reveal="secret", magic_edition=True),
)
"""All numbers of players, restrictions and reveals, with small and full hands."""

UNKNOWN_OPTION = "no_such_option"

_ANSWERS = "an agent answers every view"
_TYPE = "an answer is an int64 array with one action for each decision"
_LEGAL = "every action is legal"
_UNCHANGED = "an agent leaves the view unchanged"
_DETERMINISTIC = "the same view and a generator of the same seed get the same answer"
_INDEPENDENT = (
    "where the games have their own noise, a decision gets the same answer in a batch, in a permuted batch "
    "and alone, whatever the generator (take randomness from view.noise)"
)
_OPTIONS = "an unknown option is refused with a TypeError that names it"


def agent_test(agent: str | os.PathLike[str] | Agent, *, seed: int = 0, num_games: int = 3) -> None:
    """Check an agent on decisions of all phases, by each of RULES, all in one batch.

    Its answers must be int64 [n], ids of legal actions, and int64 [0] for an empty view. The same view
    and a generator of the same seed must get the same answer. If the games have their own noise, an
    answer must depend neither on the rest of the batch nor on the generator. The view must stay
    unchanged. An agent that is loaded by name must refuse an unknown option.

    Args:
        agent: a name with options, a path, or an agent, as `load` takes them.
        seed: a different seed tests different decisions.
        num_games: random games for each of RULES and each phase. The agent answers one decision of each
            five times: about 120 * num_games answers in all.

    Raises:
        AssertionError: a check fails; the message says which, and if a single decision shows it, its
            rules, its position and the actions.
        ValueError, TypeError, OSError: `agent` cannot be loaded; see `load`.
    """
    num_games = check_integer("num_games", num_games, 1, 2**31)
    tested = load(agent)
    if isinstance(agent, str) and (name := agent.partition(":")[0]) in agent_names():
        _check_options(name)
    chance = random.Random(check_integer("seed", seed, 0, 2**128))
    games = [
        _draw_decision(rules, phase, chance)
        for rules in RULES
        for phase in PHASES[:SCORED]
        for _ in range(num_games)
    ]
    once, again = (_ask(tested, games, View.of(games), seed=0) for _ in range(2))
    _compare(_DETERMINISTIC, games, ("once", once), ("again", again))
    _check_independence(tested, games, np.random.default_rng(seed))


def _check_options(name: str) -> None:
    try:
        load(f"{name}:{UNKNOWN_OPTION}=1")
    except TypeError as refusal:
        if UNKNOWN_OPTION in str(refusal):
            return
        raise AssertionError(f"{_OPTIONS}: {name}:{UNKNOWN_OPTION}=1 gave {refusal!r}") from refusal
    raise AssertionError(f"{_OPTIONS}: {name}:{UNKNOWN_OPTION}=1 was accepted")


def _draw_decision(rules: Rules, phase: str, chance: random.Random) -> Game:
    """Draw a game that awaits a decision of a phase, uniformly from those of a random game."""
    found, count = None, 0
    while found is None:  # in a game without a Wizard turned up no trump is named
        game = Game(rules, chance.getrandbits(64))
        while game.phase != "over":
            if game.phase == phase:
                count += 1
                if chance.randrange(count) == 0:
                    found = game.clone()
            game.step(chance.choice(game.legal_actions()))
    return found


def _check_independence(agent: Agent, games: list[Game], rng: np.random.Generator) -> None:
    noise = rng.integers(0, 2**64, len(games), dtype=np.uint64)
    view = View.of(games).with_noise(noise)
    in_batch = _ask(agent, games, view, seed=1)
    order = rng.permutation(len(games))
    permuted = np.empty_like(in_batch)
    permuted[order] = _ask(agent, [games[row] for row in order], view.select(order), seed=2)
    _compare(_INDEPENDENT, games, ("in a batch", in_batch), ("in a permuted batch", permuted))
    alone = [_ask(agent, [game], view.select([row]), seed=3 + row) for row, game in enumerate(games)]
    _compare(_INDEPENDENT, games, ("in a batch", in_batch), ("alone", np.concatenate(alone)))
    _ask(agent, [], view.select([]), seed=0)


def _ask(agent: Agent, games: list[Game], view: View, seed: int) -> Actions:
    """Return the agent's answer to a view of these games; check that it is legal and the view unchanged."""
    before = {part: values.copy() for part, values in _contents(view).items()}
    try:
        actions = agent.act(view, np.random.default_rng(seed))
    except Exception as error:
        raise AssertionError(f"{_ANSWERS}: one of {len(view)} decisions raised {error!r}") from error
    for part, values in _contents(view).items():
        for row, game in enumerate(games):
            if values[row].tobytes() != before[part][row].tobytes():
                raise _broken(_UNCHANGED, game, f"view.{part} was written to")
    if not isinstance(actions, np.ndarray) or actions.dtype != np.int64 or actions.shape != (len(view),):
        raise AssertionError(f"{_TYPE}: a view of {len(view)} decisions got {_describe(actions)}")
    for game, mask, action in zip(games, before["mask"], actions.tolist(), strict=True):
        if not 0 <= action < NUM_ACTIONS or not mask[action]:
            raise _broken(_LEGAL, game, game.why_not(action))
    return actions


def _contents(view: View) -> dict[str, NDArray[Any]]:
    """Return all that an agent reads in a view; noise comes from a new generator, so it stays the same."""
    noise = view.noise(np.random.default_rng(0))
    return {
        "known": view.known,
        "finished_rounds": view.finished_rounds,
        "observation": view.observation,
        "mask": view.mask,
        "noise": noise,
    }


def _describe(answer: object) -> str:
    if isinstance(answer, np.ndarray):
        return f"an array of type {answer.dtype} and shape {answer.shape}"
    return f"a {type(answer).__name__}: {reprlib.repr(answer)}"


def _compare(promise: str, games: list[Game], one: tuple[str, Actions], other: tuple[str, Actions]) -> None:
    for row in (one[1] != other[1]).nonzero()[0]:
        answers = [f"{ACTIONS[actions[row]]!r} {when}" for when, actions in (one, other)]
        raise _broken(promise, games[row], " but ".join(answers))


def _broken(promise: str, game: Game, what: str) -> AssertionError:
    return AssertionError(f"{promise}: {what}; by {game.rules}; in the position {position(game, past=True)}")

"""ExactAgent: plays the equilibrium of rounds of one card."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Rules
from wizard_env.actions import FIRST_BID, FIRST_TRUMP
from wizard_env.agents.one_card.deals import SIZES
from wizard_env.agents.one_card.equilibrium import in_first_suit, solve
from wizard_env.cards import NUM_RANKS, NUM_SUIT_CARDS, NUM_SUITS, UNITS, WIZARD
from wizard_env.compiled.jit import kernel
from wizard_env.engine import legal
from wizard_env.rules import BID_RESTRICTIONS
from wizard_env.state import (
    BID,
    CANADIAN,
    FREE,
    LEADER,
    NO_EVEN,
    OPEN,
    PLAY,
    STATE,
    TRUMP,
    copy_records,
)
from wizard_env.view import Actions, View


class ExactAgent:
    """Takes the actions of the equilibrium, each with its probability where the equilibrium mixes.

    It maximises the points of the round, and keeps to the equilibrium whatever the others do. The first
    decision under some rules waits for their solution, for seconds with 4 players.
    """

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        actions, _ = self.act_and_tell(view, rng)
        return actions

    def act_and_tell(self, view: View, rng: np.random.Generator) -> tuple[Actions, NDArray[np.float64]]:
        """Return the actions, and the probability of each: float64 [n, NUM_ACTIONS].

        Raises ValueError for a round of several cards, or with more than 4 players.
        """
        policy = _policy(view)
        up_to = policy.cumsum(axis=1)
        drawn = (view.noise(rng) >> np.uint64(11)) * 2.0**-53 * up_to[:, -1]
        return (up_to > drawn[:, np.newaxis]).argmax(axis=1), policy


def _policy(view: View) -> NDArray[np.float64]:
    known = view.known
    _check_rounds(known)
    policy = np.zeros((len(view), NUM_ACTIONS))
    forced = known["phase"] == PLAY
    policy[forced] = view.mask[forced]
    options = [
        known["num_players"],
        _restrictions(known),
        known["bid_reveal"] != OPEN,
        known["magic_edition"],
    ]
    kinds = np.stack(options, axis=1).astype(np.int64)
    for kind in np.unique(kinds[~forced], axis=0):
        rows = (~forced & (kinds == kind).all(axis=1)).nonzero()[0]
        policy[rows] = _policy_by(_rules(*kind.tolist()), known[rows])
    return policy


def _restrictions(known: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the restriction in force; those that depend on scores come to `no_even` or `free`."""
    by_scores = (known["bid_restriction"] == LEADER) | (known["bid_restriction"] == CANADIAN)
    restricted = np.empty(len(known), np.uint8)
    _find_restricted(copy_records(known), restricted)
    return np.where(by_scores, np.where(restricted, NO_EVEN, FREE), known["bid_restriction"])


def _rules(num_players: int, restriction: int, hidden: int, magic_edition: int) -> Rules:
    return Rules(
        num_players=num_players,
        bid_restriction=BID_RESTRICTIONS[restriction],  # type: ignore[arg-type]
        bid_reveal="simultaneous" if hidden else "open",  # one card leaves nothing to decide after the bids
        magic_edition=bool(magic_edition),
        hand_sizes=(1,),
    )


def _policy_by(rules: Rules, known: NDArray[Any]) -> NDArray[np.float64]:
    """Return float64 [n, NUM_ACTIONS], the policy for trumps and bids of rounds by the same rules."""
    policy = np.zeros((len(known), NUM_ACTIONS))
    each = np.arange(len(known))
    players, seat = rules.num_players, known["seat"].astype(np.int64)
    first = (known["dealer"].astype(np.int64) + 1) % players
    position = (seat - first) % players
    card = np.searchsorted(UNITS, known["hands"][each, seat])
    heard = np.zeros(len(known), np.int64)
    if rules.bid_reveal == "open":
        for earlier in range(players - 1):
            bids = known["bids"][each, (first + earlier) % players]
            heard = np.where(earlier < position, 2 * heard + bids, heard)
    upcard = known["upcard"].astype(np.int64)
    upcard = np.where(upcard < NUM_SUIT_CARDS, upcard % NUM_RANKS, upcard)
    strategies = solve(rules)
    names = known["phase"] == TRUMP
    for trump in range(NUM_SUITS):
        chances = strategies[WIZARD].naming[in_first_suit(card[names], np.array(trump))]
        policy[names, FIRST_TRUMP + trump] = chances
    turned = in_first_suit(card, known["trump"].astype(np.int64))
    for kind, place in set(zip(upcard[~names].tolist(), position[~names].tolist(), strict=True)):
        rows = (~names & (upcard == kind) & (position == place)).nonzero()[0]
        chances = strategies[kind].bids[place][heard[rows], turned[rows]]
        policy[rows, FIRST_BID], policy[rows, FIRST_BID + 1] = 1 - chances, chances
    return policy


def _check_rounds(known: NDArray[Any]) -> None:
    wrong = (known["hand_size"] != 1) | (known["num_players"] > max(SIZES))
    if wrong.any():
        size, players = (int(known[wrong.argmax()][name]) for name in ("hand_size", "num_players"))
        cards = "1 card" if size == 1 else f"{size} cards"
        raise ValueError(
            f"a round of {cards} with {players} players: the agent 'exact' plays rounds of one card with "
            f"{SIZES[0]} or {SIZES[-1]} players"
        )


@kernel([STATE], [np.uint8])
def _find_restricted(states: Any, restricted: Any) -> None:
    """Write 1 where the dealer may not bid 1 after bids of 0. The states are overwritten."""
    for index in range(len(states)):
        state = states[index]
        for seat in range(state.num_players):
            state.bids[seat] = 0
        state.seat = state.dealer
        state.phase = BID
        restricted[index] = not (legal(state) >> 1) & 1

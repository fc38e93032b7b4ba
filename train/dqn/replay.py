"""The replay memory of deep Q-networks: decisions, their rewards, and the seat's next decision."""

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS
from wizard_env.actions import FIRST_PLAY, FIRST_TRUMP
from wizard_env.checks import check_memory
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.rules import MAX_PLAYERS

_BID, _TRUMP, _PLAY = range(3)
_NONE = -1


class Replay:
    """The most recent transitions, up to `size` of them.

    The arrays have one row for each transition, in no particular order; rows from `filled` on are empty.

    observations: uint8 [size, OBS_SIZE], of the seat that acted.
    actions: int64 [size].
    rewards: float32 [size].
    next_observations: uint8 [size, OBS_SIZE], of the seat at its next decision.
    next_masks: uint8 [size, NUM_ACTIONS], its legal actions there; none where its round was over.
    """

    def __init__(self, size: int) -> None:
        check_memory(f"replay_size={size}", size * (2 * OBS_SIZE + NUM_ACTIONS))
        self.observations = np.zeros((size, OBS_SIZE), np.uint8)
        self.actions = np.zeros(size, np.int64)
        self.rewards = np.zeros(size, np.float32)
        self.next_observations = np.zeros((size, OBS_SIZE), np.uint8)
        self.next_masks = np.zeros((size, NUM_ACTIONS), np.uint8)
        self._added = 0

    @property
    def filled(self) -> int:
        return min(self._added, len(self.actions))

    def add(
        self,
        observations: NDArray[np.uint8],
        actions: NDArray[np.int64],
        next_observations: NDArray[np.uint8],
        next_masks: NDArray[np.uint8],
    ) -> None:
        """Add k decisions without rewards and the next ones of their seats; every array is [k, ...]."""
        rows = self._take_rows(observations, actions)
        self.rewards[rows] = 0
        self.next_observations[rows] = next_observations
        self.next_masks[rows] = next_masks

    def add_last(
        self, observations: NDArray[np.uint8], actions: NDArray[np.int64], rewards: NDArray[np.float32]
    ) -> None:
        """Add the last decisions of k seats in a round; every array is [k, ...]."""
        rows = self._take_rows(observations, actions)
        self.rewards[rows] = rewards
        self.next_masks[rows] = 0

    def _take_rows(self, observations: NDArray[np.uint8], actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Write decisions into free rows, then into those of the oldest transitions; returns the rows."""
        rows = np.arange(self._added, self._added + len(actions)) % len(self.actions)
        self._added += len(actions)
        self.observations[rows] = observations
        self.actions[rows] = actions
        return rows

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw uniformly random rows, int64 [count], with replacement."""
        return rng.integers(0, self.filled, count)


class Recorder:
    """Watches N games and files each decision once its outcome is known.

    A play leads to the seat's own next play of the round, and the last play to the seat's points. A bid or a
    choice of trump leads straight to the points: at that time a good next play is not yet known.
    """

    def __init__(self, num_games: int, bids: Replay, plays: Replay) -> None:
        """bids: for bids and choices of trump. plays: for plays."""
        self._bids = bids
        self._plays = plays
        self._games = np.arange(num_games)
        # each seat's latest decision of each kind in the current round
        self._observations = np.zeros((num_games, MAX_PLAYERS, 3, OBS_SIZE), np.uint8)
        self._actions = np.full((num_games, MAX_PLAYERS, 3), _NONE, np.int64)

    def decide(
        self,
        seats: NDArray[np.int64],
        observations: NDArray[np.uint8],
        masks: NDArray[np.uint8],
        actions: NDArray[np.int64],
    ) -> None:
        """Note a decision of a seat in every game; every array is [games, ...]."""
        before = self._actions[self._games, seats, _PLAY]
        follow = ((actions >= FIRST_PLAY) & (before != _NONE)).nonzero()[0]
        self._plays.add(
            self._observations[follow, seats[follow], _PLAY],
            before[follow],
            observations[follow],
            masks[follow],
        )
        kinds = np.select([actions >= FIRST_PLAY, actions >= FIRST_TRUMP], [_PLAY, _TRUMP], _BID)
        self._observations[self._games, seats, kinds] = observations
        self._actions[self._games, seats, kinds] = actions

    def pay(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Note the rewards, float32 [n, seats], in the games whose round ended, bool [n]."""
        waiting = (self._actions != _NONE) & ended[:, np.newaxis, np.newaxis]
        for kind, replay in ((_BID, self._bids), (_TRUMP, self._bids), (_PLAY, self._plays)):
            games, seats = waiting[:, :, kind].nonzero()
            replay.add_last(
                self._observations[games, seats, kind],
                self._actions[games, seats, kind],
                rewards[games, seats],
            )
        self._actions[ended] = _NONE

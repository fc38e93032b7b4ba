"""What a seat sees of a state of OpenSpiel's, as tensors and strings."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wizard_env.cards import CARD_NAMES, NUM_KINDS, card_names
from wizard_env.engine import bids_are_public
from wizard_env.game import Game
from wizard_env.observation.fields import HIGHS, HISTORY, OBS_SIZE, OBSERVATION, ROUND_SIZE, as_rows, unpack
from wizard_env.observation.readable import Round
from wizard_env.render.ansi import text
from wizard_env.rules import Rules

if TYPE_CHECKING:
    from wizard_env.envs.openspiel.game import WizardState


class WizardObserver:
    """Observations of one seat, and with perfect recall its information states.

    Args:
        rules: the options of the game.
        perfect_recall: whether to add the order of the cards played and all finished rounds.

    tensor: float32 [size], entries from 0 to 1, or from -1/53 where HISTORY writes -1. Without perfect recall
        it is an observation (see OBSERVATION), each entry divided by its largest value; it is zero while
        cards are dealt. With perfect recall it is `player`, one-hot; the observation; `plays`, the cards
        played this round in order, one-hot [plays, NUM_KINDS]; and `rounds`, finished rounds as HISTORY lays
        them out, each entry divided by its largest value.
    dict: the pieces of the tensor by name, as views; those of the observation by the names of its fields.
    """

    def __init__(self, rules: Rules, perfect_recall: bool) -> None:
        players, sizes = rules.num_players, rules.rounds
        shapes: dict[str, tuple[int, ...]] = {"observation": (OBS_SIZE,)}
        if perfect_recall:
            plays = (max(sizes) * players, NUM_KINDS)
            rounds = (len(sizes) - 1, ROUND_SIZE)
            shapes = {"player": (players,), **shapes, "plays": plays, "rounds": rounds}
        self._perfect_recall = perfect_recall
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        self._pieces: dict[str, NDArray[np.float32]] = {}
        self.dict: dict[str, NDArray[np.float32]] = {}
        start = 0
        for name, shape in shapes.items():
            stop = start + int(np.prod(shape))
            self._pieces[name] = self.tensor[start:stop].reshape(shape)
            if name == "observation":
                self.dict |= unpack(self._pieces[name], OBSERVATION)
            elif stop > start:
                self.dict[name] = self._pieces[name]
            start = stop

    def set_from(self, state: "WizardState", player: int) -> None:
        """Write the tensor as `player` sees the state."""
        self.tensor.fill(0)
        game = state.game
        if game is not None and not state.is_dealing:
            np.divide(game.observe(player), HIGHS, out=self._pieces["observation"])
        if not self._perfect_recall:
            return
        self._pieces["player"][player] = 1
        if game is None:
            return
        if not state.is_dealing:
            plays = game.state["plays"][0, : int(game.state["num_plays"][0])]
            self._pieces["plays"][np.arange(len(plays)), plays] = 1
        rows = as_rows(game.finished_rounds)[: len(self._pieces["rounds"])]
        np.divide(rows, _ROUND_HIGHS, out=self._pieces["rounds"])

    def string_from(self, state: "WizardState", player: int) -> str:
        """Return what `player` sees of the state, and with perfect recall all that it has seen."""
        game = state.game
        if not self._perfect_recall:
            return "dealing" if game is None or state.is_dealing else text(game.scene(player))
        parts = [f"seat {player}"]
        if game is not None:
            parts += map(round_text, game.pad[: game.num_rounds - 1])
        if game is None or state.is_dealing:
            parts.append("dealing")
        else:
            parts.append(_information_text(game, player))
        return " | ".join(parts)


_ROUND_HIGHS = np.concatenate(
    [np.broadcast_to(np.asarray(field.high, np.float32), field.shape).ravel() for field in HISTORY]
).astype(np.float32)
"""float32 [ROUND_SIZE], the largest value of every entry of a finished round."""


def _information_text(game: Game, seat: int) -> str:
    """Return what a seat knows of a round that is being played, plays in order."""
    state = game.state[0]
    public = bids_are_public(state)
    bids = ["-" if bid is None else bid if public or by == seat else "?" for by, bid in enumerate(game.bids)]
    plays = (CARD_NAMES[card] for card in state["plays"][: state["num_plays"]].tolist())
    scores = game.scores
    before = f"scores {join(scores)}, " if any(scores) else ""
    return (
        f"{before}dealer {game.dealer}, upcard {game.upcard}, trump {game.trump}, "
        f"hand {join(card_names(state['hands'][seat]))}, bids {join(bids)}, plays {join(plays)}"
    )


def round_text(played: Round) -> str:
    plays = join(card for _, card in played.plays)
    beginning = f"dealer {played.dealer}, upcard {played.upcard}, trump {played.trump}"
    return f"{beginning}, bids {join(played.bids)}, plays {plays}"


def join(items: Iterable[object]) -> str:
    return " ".join(map(str, items))

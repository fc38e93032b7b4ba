"""Transcripts: whole games with their tricks spelled out, for people and for programs without the rules."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any

from wizard_env.actions import ACTIONS
from wizard_env.game import Game
from wizard_env.rules import Rules


@dataclass
class Trick:
    """A trick, finished or not."""

    leader: int
    cards: list[str] = field(default_factory=list)
    """In the order of play, from the leader clockwise."""
    winner: int | None = None
    """The seat that won it; None while it is unfinished."""

    def plays(self, num_players: int) -> list[tuple[int, str]]:
        """Return seats and cards, in the order of play."""
        return [((self.leader + order) % num_players, card) for order, card in enumerate(self.cards)]


@dataclass
class PlayedRound:
    """A round, finished or not; lists are by seat unless stated otherwise."""

    number: int
    hand_size: int
    dealer: int
    upcard: str | None
    hands: list[list[str]]
    """As dealt."""
    trump: str | None = None
    """None if there is none, or none yet."""
    bids: list[int | None] = field(default_factory=list)
    tricks: list[Trick] = field(default_factory=list)
    tricks_won: list[int] = field(default_factory=list)
    points: list[int] | None = None
    """None while the round is unfinished."""


@dataclass
class Transcript:
    """A game as `transcribe` spells it out."""

    rules: Rules
    seed: int
    draw: list[tuple[int, str]]
    """The draw for the first dealer: seats and cards, redraws included."""
    rounds: list[PlayedRound]
    scores: list[int]
    winners: list[int]
    """Empty while the game is unfinished."""
    players: list[str] | None = None
    """Their names, by seat."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; without `players` if they have no names."""
        plain = asdict(self) | {"rules": self.rules.to_dict()}
        if self.players is None:
            del plain["players"]
        return plain


def transcribe(game: Game) -> Transcript:
    """Spell out a game from its beginning.

    Raises ValueError for a game begun by `Game.from_state`, whose beginning is unknown.
    """
    rounds = [transcribe_deal(game.restart())]
    for again, action in game.retrace():
        step_and_transcribe(again, action, rounds)
    players = None if game.players is None else list(game.players)
    return Transcript(game.rules, game.seed, game.draw, rounds, game.scores, game.winners, players)


def tricks_of(plays: Sequence[tuple[int, str]], tricks_won: Sequence[int]) -> list[Trick]:
    """Return the tricks of a round from its cards, each with its seat, in the order of play.

    tricks_won: the tricks that each seat has won with these cards.
    """
    num_players, left = len(tricks_won), list(tricks_won)
    tricks = []
    for first in range(0, len(plays), num_players):
        played = plays[first : first + num_players]
        tricks.append(Trick(leader=played[0][0], cards=[card for _, card in played]))
    for trick, following in zip_longest(tricks, tricks[1:]):
        if following is not None:
            trick.winner = following.leader
            left[trick.winner] -= 1
        elif len(trick.cards) == num_players:
            trick.winner = left.index(1)
    return tricks


def transcribe_deal(game: Game) -> PlayedRound:
    """Return the current round of a game, before its first action."""
    return PlayedRound(
        number=game.round_number,
        hand_size=game.hand_size,
        dealer=game.dealer,
        upcard=game.upcard,
        hands=game.hands,
        trump=game.trump,
        bids=game.bids,
        tricks_won=game.tricks_won,
    )


def step_and_transcribe(game: Game, action: int | str, rounds: list[PlayedRound]) -> None:
    """Take an action in a game, and write it down in the last of its rounds; append the next if that ends.

    Raises IllegalAction, and then leaves the rounds unchanged.
    """
    played, leads, seat = rounds[-1], not game.trick, game.acting_seat
    plays = game.phase == "play"
    finished = game.step(action)
    if finished is not None:
        played.points, tricks_won = finished.points, finished.tricks_won
    else:
        played.trump, played.bids, tricks_won = game.trump, game.bids, game.tricks_won
    if plays:
        if leads:
            played.tricks.append(Trick(leader=seat))
        trick = played.tricks[-1]
        trick.cards.append(ACTIONS[game.history[-1]].split()[1])
        if len(trick.cards) == game.rules.num_players:
            gained = [after - before for after, before in zip(tricks_won, played.tricks_won, strict=True)]
            trick.winner = gained.index(1)
        played.tricks_won = tricks_won
    if finished is not None and game.phase != "over":
        rounds.append(transcribe_deal(game))

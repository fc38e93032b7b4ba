"""Games told in words: a whole game from its transcript, and a session as it is played."""

from collections.abc import Iterator, Sequence

from wizard_env.play.session import Advice, Event, Session
from wizard_env.records.transcripts import PlayedRound, Transcript, Trick
from wizard_env.render.ansi import SUIT_NAMES
from wizard_env.render.scene import cards_text, rules_text


def narrate_game(transcript: Transcript) -> Iterator[str]:
    """The lines of a whole game, with an empty line before each round."""
    rules = transcript.rules
    yield f"Wizard, {rules.num_players} players, {rules_text(rules)}, seed {transcript.seed}"
    if transcript.draw:
        drawn = ", ".join(f"seat {seat} {card}" for seat, card in transcript.draw)
        yield f"Draw for the first dealer: {drawn}"
    for played in transcript.rounds:
        yield ""
        yield from narrate_round(played)
    yield ""
    scores = ", ".join(f"seat {seat} {points}" for seat, points in enumerate(transcript.scores))
    yield f"Scores: {scores}"
    if transcript.winners:
        winners = " and ".join(f"seat {seat}" for seat in transcript.winners)
        yield f"Won by {winners}"


def narrate_round(played: PlayedRound) -> Iterator[str]:
    """The lines of one round, finished or not."""
    names = [f"seat {seat}" for seat in range(len(played.hands))]
    cards = cards_text(played.hand_size)
    upcard = "no upcard" if played.upcard is None else f"upcard {played.upcard}"
    trump = "no trump" if played.trump is None else f"trump {SUIT_NAMES[played.trump]}"
    yield f"Round {played.number}: {cards} each, {names[played.dealer]} deals, {upcard}, {trump}"
    for name, hand, bid in zip(names, played.hands, played.bids, strict=True):
        yield f"  {name} holds {' '.join(hand)} and {'has not bid' if bid is None else f'bids {bid}'}"
    for number, trick in enumerate(played.tricks, start=1):
        winner = "" if trick.winner is None else f"; {names[trick.winner]} wins"
        yield f"  trick {number}: {_trick_text(trick, names)}{winner}"
    if played.points is not None:
        columns = zip(names, played.tricks_won, played.bids, played.points, strict=True)
        results = (f"{name} {won}/{bid} {points:+}" for name, won, bid, points in columns)
        yield f"  won / bid, points: {', '.join(results)}"


def narrate_event(session: Session, event: Event, seat: int | None) -> Iterator[str]:
    """An action as a seat saw it, with a line for the trick or the round that it ended."""
    names = seat_names(session, seat)
    verb, _, what = event.action_for(seat, session.game.rules).partition(" ")
    yield f"{names[event.seat]}: {verb} {what}".rstrip()
    if event.winner is not None:
        yield f"  the trick goes to {names[event.winner]}"
    if event.points is not None:
        points = ", ".join(f"{name} {number:+}" for name, number in zip(names, event.points, strict=True))
        yield f"  round {event.round_number} is over: {points}"


def narrate_last_trick(session: Session, seat: int | None) -> str:
    """The cards of the last finished trick and its winner, in one line."""
    trick, names = session.last_trick, seat_names(session, seat)
    if trick is None or trick.winner is None:
        return "no trick has been played yet"
    return f"{_trick_text(trick, names)}; it went to {names[trick.winner]}"


def narrate_advice(advice: Advice, most: int | None = None) -> Iterator[str]:
    """A line per action, with its probability and expected points, and a last line with the round's.

    most: how many actions to list at most, likeliest first; None lists all.
    """
    for one in advice.choices[:most]:
        points = "" if one.points is None else f"  {one.points:+6.1f} points"
        yield f"{one.action:<8} {one.share:>4.0%}{points}"
    if advice.value is not None:
        yield f"expected from the round: {advice.value:+.1f} points"


def seat_names(session: Session, seat: int | None) -> list[str]:
    """The names of the seats; `seat`, unless it is None, is "you"."""
    return [
        "you" if number == seat else f"seat {number}" + (f" ({name})" if name else "")
        for number, name in enumerate(session.seats)
    ]


def _trick_text(trick: Trick, names: Sequence[str]) -> str:
    return ", ".join(f"{names[seat]} {card}" for seat, card in trick.plays(len(names)))

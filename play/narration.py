"""Games in words: a whole game from its transcript, and what happens at a table as it is played."""

from collections.abc import Iterator

from wizard_env.play.session import Advice, Event, Session
from wizard_env.records.transcript import PlayedRound, Transcript, Trick
from wizard_env.render.scene import cards_text, rules_text
from wizard_env.render.text import SUIT_NAMES


def narrate_game(transcript: Transcript) -> Iterator[str]:
    """The whole game; the lines of a round follow an empty one."""
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
    """One round, finished or not."""
    cards = cards_text(played.hand_size)
    upcard = "no upcard" if played.upcard is None else f"upcard {played.upcard}"
    trump = "no trump" if played.trump is None else f"trump {SUIT_NAMES[played.trump]}"
    yield f"Round {played.number}: {cards} each, seat {played.dealer} deals, {upcard}, {trump}"
    for seat, hand in enumerate(played.hands):
        bid = "has not bid" if played.bids[seat] is None else f"bids {played.bids[seat]}"
        yield f"  seat {seat} holds {' '.join(hand)} and {bid}"
    for number, trick in enumerate(played.tricks, start=1):
        yield f"  trick {number}: {_tell_trick(trick, len(played.hands))}"
    if played.points is not None:
        columns = zip(played.tricks_won, played.bids, played.points, strict=True)
        told = (f"seat {seat} {won}/{bid} {points:+}" for seat, (won, bid, points) in enumerate(columns))
        yield f"  won / bid, points: {', '.join(told)}"


def _tell_trick(trick: Trick, players: int) -> str:
    cards = ", ".join(f"seat {seat} {card}" for seat, card in trick.plays(players))
    return cards if trick.winner is None else f"{cards}; seat {trick.winner} wins it"


def seat_names(session: Session, seat: int | None) -> list[str]:
    """What each seat is called by somebody who sits at one of them, or at none."""
    return [
        "you" if number == seat else f"seat {number}" + (f" ({name})" if name else "")
        for number, name in enumerate(session.seats)
    ]


def narrate_event(session: Session, event: Event, seat: int | None) -> Iterator[str]:
    """What was done, as a seat saw it; a line more where it ended a trick, and where it ended the round."""
    names = seat_names(session, seat)
    verb, _, what = event.action_for(seat, session.game.rules).partition(" ")
    yield f"{names[event.seat]}: {verb} {what}".rstrip()
    if event.winner is not None:
        yield f"  the trick goes to {names[event.winner]}"
    if event.points is not None:
        points = ", ".join(f"{name} {number:+}" for name, number in zip(names, event.points, strict=True))
        yield f"  round {event.round_number} is over: {points}"


def narrate_last_trick(session: Session, seat: int | None) -> str:
    """The cards of the last trick, and who won it."""
    trick, names = session.last_trick, seat_names(session, seat)
    if trick is None or trick.winner is None:
        return "no trick was played yet"
    cards = ", ".join(f"{names[number]} {card}" for number, card in trick.plays(len(names)))
    return f"{cards}; it went to {names[trick.winner]}"


def narrate_advice(advice: Advice, most: int | None = None) -> Iterator[str]:
    """A line for each action: how likely the adviser takes it, and the points of the round it expects.

    At the end what it expects of the round; most: so many actions are told, the likeliest; None for all.
    """
    for one in advice.choices[:most]:
        points = "" if one.points is None else f"  {one.points:+6.1f} points"
        yield f"{one.action:<8} {one.share:>4.0%}{points}"
    if advice.value is not None:
        yield f"the round is worth {advice.value:+.1f} points"

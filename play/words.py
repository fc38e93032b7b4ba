"""What happens at a table, in words."""

from collections.abc import Iterator

from play.table import Advice, Event, Table


def seat_names(table: Table, seat: int | None) -> list[str]:
    """What each seat is called by somebody who sits at one of them, or at none."""
    return [
        "you" if number == seat else f"seat {number}" + (f" ({name})" if name else "")
        for number, name in enumerate(table.seats)
    ]


def tell_event(table: Table, event: Event, seat: int | None) -> Iterator[str]:
    """What was done, as a seat saw it; a line more where it ended a trick, and where it ended the round."""
    names = seat_names(table, seat)
    verb, _, what = event.action_for(seat, table.game.rules).partition(" ")
    yield f"{names[event.seat]}: {verb} {what}".rstrip()
    if event.winner is not None:
        yield f"  the trick goes to {names[event.winner]}"
    if event.points is not None:
        points = ", ".join(f"{name} {number:+}" for name, number in zip(names, event.points, strict=True))
        yield f"  round {event.round_number} is over: {points}"


def tell_last_trick(table: Table, seat: int | None) -> str:
    """The cards of the last trick, and who won it."""
    trick, names = table.last_trick, seat_names(table, seat)
    if trick is None or trick.winner is None:
        return "no trick was played yet"
    cards = ", ".join(f"{names[number]} {card}" for number, card in trick.plays(len(names)))
    return f"{cards}; it went to {names[trick.winner]}"


def tell_advice(advice: Advice, most: int | None = None) -> Iterator[str]:
    """A line for each action: how likely the adviser takes it, and the points of the round it expects.

    At the end what it expects of the round; most: so many actions are told, the likeliest; None for all.
    """
    for one in advice.choices[:most]:
        points = "" if one.points is None else f"  {one.points:+6.1f} points"
        yield f"{one.action:<8} {one.share:>4.0%}{points}"
    if advice.value is not None:
        yield f"the round is worth {advice.value:+.1f} points"

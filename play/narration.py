"""Games in words: a whole game from its transcript, and a session as it is played."""

from collections.abc import Iterator, Sequence

from wizard_env.agents.assessment import PlayerKind
from wizard_env.play.language.terms import (
    card_text,
    choice_text,
    join_names,
    points_text,
    rules_text,
    seat_text,
    suit_name,
)
from wizard_env.play.language.translation import t, tn
from wizard_env.play.session import Advice, Event, RecognisedSeat, Session
from wizard_env.records.transcripts import PlayedRound, Transcript, Trick


def narrate_game(transcript: Transcript) -> Iterator[str]:
    """Yield the lines of a whole game, with an empty line before each round."""
    rules = transcript.rules
    players = tn("{count} player", "{count} players", rules.num_players)
    yield f"Wizard, {players}, {rules_text(rules)}, {t('seed {seed}', seed=transcript.seed)}"
    names = label_seats(len(transcript.scores), transcript.players)
    if transcript.players is not None:
        yield ", ".join(names)
    if transcript.draw:
        drawn = ", ".join(f"{seat_text(seat)} {card_text(card)}" for seat, card in transcript.draw)
        yield t("Draw for the first dealer: {cards}", cards=drawn)
    for played in transcript.rounds:
        yield ""
        yield from _narrate_round(played)
    yield ""
    scores = ", ".join(f"{name} {points}" for name, points in zip(names, transcript.scores, strict=True))
    yield t("Scores: {scores}", scores=scores)
    if transcript.winners:
        yield t("Won by {names}", names=join_names([names[seat] for seat in transcript.winners]))


def _narrate_round(played: PlayedRound) -> Iterator[str]:
    yield heading_text(played)
    for seat, (hand, bid) in enumerate(zip(played.hands, played.bids, strict=True)):
        yield f"  {seat_text(seat)}: {hand_text(hand)}; {bid_text(bid)}"
    yield from (f"  {line}" for line in narrate_tricks(played))
    if played.points is not None:
        yield f"  {result_text(played)}"


def heading_text(played: PlayedRound) -> str:
    """Return the number, cards, dealer, upcard and trump of a round, in one line."""
    number = t("Round {number}", number=played.number)
    cards = tn("{count} card each", "{count} cards each", played.hand_size)
    dealer = t("dealer: {name}", name=seat_text(played.dealer))
    upcard = t("no upcard") if played.upcard is None else t("upcard {card}", card=card_text(played.upcard))
    return f"{number}: {cards}, {dealer}, {upcard}, {_trump_text(played)}"


def _trump_text(played: PlayedRound) -> str:
    if played.trump is not None:
        return t("trump {suit}", suit=suit_name(played.trump))
    return t("trump not named yet") if played.upcard == "WI" else t("no trump")


def narrate_tricks(played: PlayedRound) -> Iterator[str]:
    """Yield a line for each trick of a round, with the seats in words."""
    names = [seat_text(seat) for seat in range(len(played.bids))]
    for count, trick in enumerate(played.tricks, start=1):
        winner = "" if trick.winner is None else "; " + t("won by {name}", name=names[trick.winner])
        yield f"{t('trick {number}', number=count)}: {_trick_text(trick, names)}{winner}"


def result_text(played: PlayedRound) -> str:
    """Return the tricks won, the bid and the points of each seat in a finished round, in one line."""
    assert played.points is not None, "the round is not over"
    columns = enumerate(zip(played.tricks_won, played.bids, played.points, strict=True))
    results = (f"{seat_text(seat)} {won}/{bid} {points_text(points)}" for seat, (won, bid, points) in columns)
    return f"{t('won / bid, points')}: {', '.join(results)}"


def hand_text(hand: Sequence[str]) -> str:
    """Return cards as people write them, in a row."""
    return " ".join(map(card_text, hand))


def bid_text(bid: int | None) -> str:
    """Return a bid in words; None is a bid that has not been made."""
    return t("no bid") if bid is None else t("bid {number}", number=bid)


def narrate_event(session: Session, event: Event, seat: int | None) -> Iterator[str]:
    """Yield a line for an action as a seat knows it, and one for the trick or the round that it ended."""
    names = seat_names(session, seat)
    yield f"{names[event.seat]}: {action_text(event.action_for(session.game.scene(seat)))}"
    if event.winner is not None:
        yield "  " + t("the trick goes to: {name}", name=names[event.winner])
    if event.points is not None:
        scored = zip(names, map(points_text, event.points), strict=True)
        points = ", ".join(f"{name} {points}" for name, points in scored)
        yield "  " + t("round {number} is over: {points}", number=event.round_number, points=points)


def narrate_last_trick(session: Session, seat: int | None) -> str:
    """Return the cards of the last finished trick and its winner, in one line."""
    trick, names = session.last_trick, seat_names(session, seat)
    if trick is None or trick.winner is None:
        return t("no trick has been played yet")
    return f"{_trick_text(trick, names)}; {t('won by {name}', name=names[trick.winner])}"


def narrate_advice(advice: Advice, players: Sequence[str], most: int | None = None) -> Iterator[str]:
    """Yield a line for each of the `most` best actions (None: all), the best first.

    Then one for each seat whose player is recognised. players: the names of the seats, see `seat_names`.
    """
    shown = advice.choices[:most]
    names = [action_text(one.action) for one in shown]
    width = max(map(len, names), default=0)
    for one, name in zip(shown, names, strict=True):
        chance = t("meets the bid: {percent}", percent=f"{one.met:>4.0%}")
        points = t("{points} points", points=f"{points_text(one.points, 1):>5}")
        yield f"{name:<{width}}  {chance}  {points}"
    for recognised in advice.recognised:
        yield _recognised_text(recognised, players[recognised.seat])


def seat_names(session: Session, seat: int | None) -> list[str]:
    """Return the names of the seats; `seat`, unless it is None, is "you"."""
    names = label_seats(len(session.seats), session.seats)
    return [t("you") if number == seat else name for number, name in enumerate(names)]


def label_seats(count: int, players: Sequence[str | None] | None) -> list[str]:
    """Return seats in words, each with the name of its player if that is known."""
    names = players or [None] * count
    return [seat_text(seat) + (f" ({name})" if name else "") for seat, name in enumerate(names)]


def action_text(action: str) -> str:
    """Return an action in words: a card, "bid 3", "bid" for a hidden one, "trump hearts"."""
    if action == "bid":
        return t("bid hidden")
    if action.startswith("play"):
        return choice_text(action)
    if action.startswith("bid"):
        return t("bid {number}", number=choice_text(action))
    return t("trump {suit}", suit=choice_text(action))


def _recognised_text(recognised: RecognisedSeat, name: str) -> str:
    belief = _kind_text(recognised.kind, name)
    if recognised.bids is None:
        return belief
    if recognised.bids == "high":
        return t("{belief} and bids high", belief=belief)
    return t("{belief} and bids low", belief=belief)


def _kind_text(kind: PlayerKind, name: str) -> str:
    if kind == PlayerKind.COPY:
        return t("{name} plays like the adviser", name=name)
    if kind == PlayerKind.LEARNED:
        return t("{name} plays like a trained network", name=name)
    if kind == PlayerKind.UNKNOWN:
        return t("{name} has a style of their own", name=name)
    return t("{name} plays like {agent}", name=name, agent=kind)


def _trick_text(trick: Trick, names: Sequence[str]) -> str:
    return ", ".join(f"{names[seat]} {card_text(card)}" for seat, card in trick.plays(len(names)))

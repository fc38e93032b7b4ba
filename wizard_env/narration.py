"""Games in words: a whole game from its transcript, and a session as it is played.

The functions take a translation, see `words.Translate`; without one they answer in English.
"""

from collections.abc import Iterator, Sequence

from wizard_env.records.transcripts import PlayedRound, Transcript, Trick
from wizard_env.session import Event, Session
from wizard_env.words import (
    Translate,
    action_text,
    bid_text,
    card_text,
    english,
    hand_text,
    join_names,
    label_seats,
    rules_text,
    seat_text,
    suit_name,
)


def narrate_game(transcript: Transcript, t: Translate = english) -> Iterator[str]:
    """Yield the lines of a whole game, with an empty line before each round."""
    rules = transcript.rules
    players = t("{count} player", "{count} players", count=rules.num_players)
    yield f"Wizard, {players}, {rules_text(rules, t)}, {t('seed {seed}', seed=transcript.seed)}"
    names = label_seats(len(transcript.scores), transcript.players, t)
    if transcript.players is not None:
        yield ", ".join(names)
    if transcript.draw:
        drawn = ", ".join(f"{seat_text(seat, t)} {card_text(card)}" for seat, card in transcript.draw)
        yield t("Draw for the first dealer: {cards}", cards=drawn)
    for played in transcript.rounds:
        yield ""
        yield from _narrate_round(played, t)
    yield ""
    scores = ", ".join(f"{name} {points}" for name, points in zip(names, transcript.scores, strict=True))
    yield t("Scores: {scores}", scores=scores)
    if transcript.winners:
        yield t("Won by {names}", names=join_names([names[seat] for seat in transcript.winners], t))


def _narrate_round(played: PlayedRound, t: Translate) -> Iterator[str]:
    yield heading_text(played, t)
    for seat, (hand, bid) in enumerate(zip(played.hands, played.bids, strict=True)):
        yield f"  {seat_text(seat, t)}: {hand_text(hand)}; {bid_text(bid, t)}"
    yield from (f"  {line}" for line in narrate_tricks(played, t))
    if played.points is not None:
        yield f"  {result_text(played, t)}"


def heading_text(played: PlayedRound, t: Translate = english) -> str:
    """Return the number, cards, dealer, upcard and trump of a round, in one line."""
    number = t("Round {number}", number=played.number)
    cards = t("{count} card each", "{count} cards each", count=played.hand_size)
    dealer = t("dealer: {name}", name=seat_text(played.dealer, t))
    upcard = t("no upcard") if played.upcard is None else t("upcard {card}", card=card_text(played.upcard))
    return f"{number}: {cards}, {dealer}, {upcard}, {_trump_text(played, t)}"


def _trump_text(played: PlayedRound, t: Translate) -> str:
    if played.trump is not None:
        return t("trump {suit}", suit=suit_name(played.trump, t))
    return t("trump not named yet") if played.upcard == "WI" else t("no trump")


def narrate_tricks(played: PlayedRound, t: Translate = english) -> Iterator[str]:
    """Yield a line for each trick of a round, with the seats in words."""
    names = [seat_text(seat, t) for seat in range(len(played.bids))]
    for count, trick in enumerate(played.tricks, start=1):
        winner = "" if trick.winner is None else "; " + t("won by {name}", name=names[trick.winner])
        yield f"{t('trick {number}', number=count)}: {_trick_text(trick, names)}{winner}"


def result_text(played: PlayedRound, t: Translate = english) -> str:
    """Return the tricks won, the bid and the points of each seat in a finished round, in one line."""
    assert played.points is not None, "the round is not over"
    columns = enumerate(zip(played.tricks_won, played.bids, played.points, strict=True))
    results = (f"{seat_text(seat, t)} {won}/{bid} {points:+}" for seat, (won, bid, points) in columns)
    return f"{t('won / bid, points')}: {', '.join(results)}"


def narrate_event(session: Session, event: Event, seat: int | None, t: Translate = english) -> Iterator[str]:
    """Yield a line for an action as a seat knows it, and one for the trick or the round that it ended."""
    names = seat_names(session, seat, t)
    yield f"{names[event.seat]}: {action_text(event.action_for(session.game.scene(seat)), t)}"
    if event.winner is not None:
        yield "  " + t("the trick goes to: {name}", name=names[event.winner])
    if event.points is not None:
        scored = zip(names, event.points, strict=True)
        points = ", ".join(f"{name} {points:+}" for name, points in scored)
        yield "  " + t("round {number} is over: {points}", number=event.round_number, points=points)


def narrate_last_trick(session: Session, seat: int | None, t: Translate = english) -> str:
    """Return the cards of the last finished trick and its winner, in one line."""
    trick, names = session.last_trick, seat_names(session, seat, t)
    if trick is None or trick.winner is None:
        return t("no trick has been played yet")
    return f"{_trick_text(trick, names)}; {t('won by {name}', name=names[trick.winner])}"


def seat_names(session: Session, seat: int | None, t: Translate = english) -> list[str]:
    """Return the names of the seats; `seat`, unless it is None, is "you"."""
    names = label_seats(len(session.seats), session.seats, t)
    return [t("you") if number == seat else name for number, name in enumerate(names)]


def _trick_text(trick: Trick, names: Sequence[str]) -> str:
    return ", ".join(f"{names[seat]} {card_text(card)}" for seat, card in trick.plays(len(names)))

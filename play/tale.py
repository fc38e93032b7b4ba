"""A game that was played, told round by round and trick by trick as lines of text."""

from collections.abc import Iterator

from wizard_env.render import SUIT_NAMES
from wizard_env.scene import cards_text, rules_text
from wizard_env.transcript import PlayedRound, Transcript, Trick


def tell(transcript: Transcript) -> Iterator[str]:
    """The whole game; the lines of a round follow an empty one."""
    rules = transcript.rules
    yield f"Wizard, {rules.num_players} players, {rules_text(rules)}, seed {transcript.seed}"
    if transcript.draw:
        drawn = ", ".join(f"seat {seat} {card}" for seat, card in transcript.draw)
        yield f"Draw for the first dealer: {drawn}"
    for played in transcript.rounds:
        yield ""
        yield from tell_round(played)
    yield ""
    scores = ", ".join(f"seat {seat} {points}" for seat, points in enumerate(transcript.scores))
    yield f"Scores: {scores}"
    if transcript.winners:
        winners = " and ".join(f"seat {seat}" for seat in transcript.winners)
        yield f"Won by {winners}"


def tell_round(played: PlayedRound) -> Iterator[str]:
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

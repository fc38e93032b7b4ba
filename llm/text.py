"""The game as text for a language model: the rules, what a seat has seen, and its legal actions."""

import re
from collections.abc import Iterator

from wizard_env import ACTIONS, Game, Rules, View
from wizard_env.history.finished import read_plays
from wizard_env.narration import heading_text, narrate_tricks, result_text
from wizard_env.observation.readable import Round
from wizard_env.records.transcripts import PlayedRound, tricks_of
from wizard_env.render.scene import Scene, Seat
from wizard_env.rules import prose
from wizard_env.words import (
    bid_text,
    choice_text,
    hand_text,
    join_names,
    rules_text,
    seat_text,
)

_SECTIONS = ("Deck", "Deal", "Bidding", "Play", "Who wins the trick", "Magic Edition", "Scoring and end")
"""The sections of docs/rules.md that players need."""
_OPTION = re.compile(r"\|.*\| `(?P<value>\w+)`.* \| (?P<meaning>.+) \|")
"""A row of the table of options in docs/rules.md."""


def rules_page(rules: Rules) -> str:
    """Return the rules of a game with these options, and the form of an answer, in one page.

    The rules are the sections of docs/rules.md, without the options that are not in force.
    """
    found = prose()
    sections = [one for one in _SECTIONS if rules.magic_edition or one != "Magic Edition"]
    examples = f"{answer_text('bid 2')}, {answer_text('trump H')} or {answer_text('play TS')}"
    return "\n".join(
        [
            f"Wizard, {rules.num_players} players, {rules_text(rules)}",
            "Bid how many tricks you will win, then win exactly that many.",
            f"Cards dealt to each player, round by round: {', '.join(map(str, rules.rounds))}.",
            *(line for section in sections for line in _lines_in_force(found[section], rules)),
            "Seats are numbered clockwise. WI is a Wizard, JE a Jester.",
            f"Answer with one legal action, such as {examples}. The last action in your answer counts.",
        ]
    )


def _lines_in_force(section: str, rules: Rules) -> Iterator[str]:
    """Yield the lines of a section of docs/rules.md; of the table of options, only those in force."""
    in_force = (rules.bid_restriction, rules.bid_reveal)
    for line in filter(None, section.splitlines()):
        if not line.startswith("|"):
            yield line.strip().removeprefix("- ")
        elif (option := _OPTION.fullmatch(line)) and option["value"] in in_force:
            yield option["meaning"]


def decision_text(view: View, row: int = 0) -> str:
    """Return a decision of a view: what its seat has seen of the game, and its legal actions."""
    game = game_of(view, row)
    return turn_text(game, game.acting_seat)


def turn_text(game: Game, seat: int, first_round: int = 1) -> str:
    """Return what a seat has seen, as `view_text` does, and the legal actions unless the game is over."""
    seen = view_text(game, seat, first_round)
    return seen if game.seat is None else f"{seen}\n{legal_text(game)}"


def game_of(view: View, row: int) -> Game:
    """Return the game of a decision, without what its seat has not seen."""
    return Game.from_state(view.rules(row), view.information(row), view.finished_rounds[row])


def view_text(game: Game, seat: int, first_round: int = 1) -> str:
    """Return all that a seat has seen of a game from one of its rounds on, in compact form.

    First each finished round with all its cards, then the current round with the seat's hand, or the result.

    Raises ValueError for a seat that is not at the table.
    """
    return "\n".join(_view_lines(game, seat, first_round))


def _view_lines(game: Game, seat: int, first_round: int) -> Iterator[str]:
    scene = game.scene(seat)
    for number, scored in scene.pad:
        if number < first_round:
            continue
        played = _finished_round(number, scored)
        yield heading_text(played)
        yield from narrate_tricks(played)
        yield result_text(played)
        yield ""
    if scene.phase == "over":
        yield _scores_text(scene)
        yield f"Won by {join_names([seat_text(seat) for seat in scene.winners])}"
        return
    current = _current_round(game, scene)
    yield heading_text(current)
    yield f"You are {seat_text(seat)}. Your hand: {hand_text(scene.seats[seat].hand or ())}"
    yield from map(_seat_line, scene.seats)
    yield from narrate_tricks(current)


def score_text(game: Game) -> str:
    """Return the result of each finished round and the scores, which all seats know."""
    scene = game.scene(None)
    played = [_finished_round(number, scored) for number, scored in scene.pad]
    results = (f"{heading_text(one)}\n{result_text(one)}\n" for one in played)
    return "".join(results) + _scores_text(scene)


def _scores_text(scene: Scene) -> str:
    scores = ", ".join(f"{seat_text(seat.number)} {seat.score}" for seat in scene.seats)
    return f"Scores: {scores}"


def _seat_line(seat: Seat) -> str:
    points = f"{seat.score} points"
    bid = "bid hidden" if seat.bid_is_hidden else bid_text(seat.bid)
    won = f"tricks won: {seat.tricks_won}"
    return f"{seat_text(seat.number)}: {points}, {bid}, {won}"


def _finished_round(number: int, scored: Round) -> PlayedRound:
    return PlayedRound(
        number=number,
        hand_size=scored.hand_size,
        dealer=scored.dealer,
        upcard=scored.upcard,
        hands=[],
        trump=scored.trump,
        bids=list(scored.bids),
        tricks=tricks_of(scored.plays, scored.tricks_won),
        tricks_won=scored.tricks_won,
        points=scored.points,
    )


def _current_round(game: Game, scene: Scene) -> PlayedRound:
    tricks_won = [seat.tricks_won for seat in scene.seats]
    return PlayedRound(
        number=scene.round_number,
        hand_size=scene.hand_size,
        dealer=scene.dealer,
        upcard=scene.upcard,
        hands=[],
        trump=scene.trump,
        bids=[seat.bid for seat in scene.seats],
        tricks=tricks_of(read_plays(game.state), tricks_won),
        tricks_won=tricks_won,
    )


def legal_text(game: Game) -> str:
    """Return the legal actions of the seat that acts, in one line.

    Raises ValueError if the game is over.
    """
    if game.seat is None:
        raise ValueError("the game is over: nobody acts")
    actions = ", ".join(answer_text(ACTIONS[action]) for action in game.legal_actions())
    return f"Legal actions of {seat_text(game.seat)}: {actions}"


def answer_text(action: str) -> str:
    """Return the name of an action, as in "play TS", the way that an answer names it, as in "play 10♠"."""
    return f"{action.split()[0]} {choice_text(action)}"

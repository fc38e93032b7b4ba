"""The score pad in lines of text: it fits 80 columns with six players, whatever they are called."""

import pytest
from wizard_table.terminal.board import Board
from wizard_table.translation import LANGUAGES, t, use_language

from tests.positions import played_at_random
from wizard_env import Rules
from wizard_env.words import seat_text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_score_pad_fits(language: str, players: int) -> None:
    """Every seat has a column with all its rounds and its sum; long names give way to numbers of seats."""
    game = played_at_random(Rules(players), 1)
    use_language(language)
    try:
        names = ["you", *(f"seat {seat + 1} (champion+search:worlds=32)" for seat in range(1, players))]
        lines = list(Board(game.scene(), names).pad_lines())
        labels = ["you", *(seat_text(seat, t) for seat in range(1, players))]
    finally:
        use_language("en")
    assert max(map(len, lines)) <= 80
    shown = "\n".join(lines)
    for seat, label in enumerate(labels):
        assert label in shown
        assert str(game.scores[seat]) in shown
    cells = [f"{one.tricks_won[seat]}/{one.bids[seat]}" for one in game.rounds for seat in range(players)]
    assert all(shown.count(cell) >= cells.count(cell) for cell in cells)

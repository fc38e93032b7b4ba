"""Transcripts: whole games with their tricks spelled out."""

import json

import pytest

from tests.positions import played_at_random
from wizard_env import Game, Rules
from wizard_env.records.transcripts import Trick, transcribe


def test_a_round_card_by_card() -> None:
    game = Game.from_deal(Rules(3), dealer=0, hands=["TS JE", "AS 2H", "WI 7S"], upcard="3C")
    for action in ["bid 1", "bid 2", "bid 0", "play AS", "play WI", "play TS", "play 7S", "play JE"]:
        game.step(action)
    (played,) = transcribe(game).rounds
    assert (played.number, played.hand_size, played.dealer, played.upcard, played.trump) == (
        2,
        2,
        0,
        "3C",
        "C",
    )
    assert played.hands == [["TS", "JE"], ["AS", "2H"], ["7S", "WI"]]
    assert played.bids == [0, 1, 2]
    assert played.tricks == [Trick(1, ["AS", "WI", "TS"], 2), Trick(2, ["7S", "JE"], None)]
    assert (played.tricks_won, played.points) == ([0, 0, 1], None)


@pytest.mark.parametrize("rules", [Rules(3), Rules(6, bid_reveal="secret"), Rules(4, magic_edition=True)])
def test_tricks_and_points_are_those_of_the_game(rules: Rules) -> None:
    game = played_at_random(rules, seed=5)
    transcript = transcribe(game)
    assert [one.points for one in transcript.rounds] == [scored.points for scored in game.rounds]
    assert (transcript.scores, transcript.winners, transcript.draw) == (game.scores, game.winners, game.draw)
    for one, scored in zip(transcript.rounds, game.rounds, strict=True):
        winners = [trick.winner for trick in one.tricks]
        won = [winners.count(seat) for seat in range(rules.num_players)]
        assert won == one.tricks_won == scored.tricks_won
        assert (one.trump, one.bids) == (scored.trump, scored.bids)
        leaders = [(one.dealer + 1) % rules.num_players, *winners[:-1]]
        assert [trick.leader for trick in one.tricks] == leaders
        cards: list[list[str]] = [[] for _ in one.hands]
        for trick in one.tricks:
            for place, card in enumerate(trick.cards):
                cards[(trick.leader + place) % rules.num_players].append(card)
        assert [sorted(hand) for hand in cards] == [sorted(hand) for hand in one.hands]


def test_as_json() -> None:
    transcript = transcribe(played_at_random(Rules(3, hand_sizes=(1, 2)), 0))
    plain = json.loads(json.dumps(transcript.to_dict()))
    assert list(plain) == ["rules", "seed", "draw", "rounds", "scores", "winners"]
    assert plain["rules"]["hand_sizes"] == [1, 2]
    assert list(plain["rounds"][1]["tricks"][0]) == ["leader", "cards", "winner"]


def test_a_game_without_its_beginning_is_refused() -> None:
    game = played_at_random(Rules(3), 1, 9)
    with pytest.raises(ValueError, match="begun from a state"):
        transcribe(Game.from_state(game.rules, game.state))

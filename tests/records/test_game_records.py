"""Records and positions: what is written down is read back equal, and nothing else is read at all."""

import codecs
import doctest
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_invariants import all_rules
from wizard_env import Game, Games, IllegalAction, Rules, View, action_id
from wizard_env.files import compact_json, digest
from wizard_env.records.game_records import (
    RecordError,
    read_records,
    record,
    replay,
    write_records,
)
from wizard_env.records.positions import parse_position, position
from wizard_env.records.transcripts import transcribe

MAX_STEPS = 400


def play_on(game: Game, steps: int, seed: int = 0) -> Game:
    rng = random.Random(seed)
    for _ in range(steps):
        if game.phase == "over":
            break
        game.step(rng.choice(game.legal_actions()))
    return game


@st.composite
def any_game(draw: st.DrawFn) -> Game:
    """A game from its seed or from a deal, at any moment."""
    game = Game(draw(all_rules()), draw(st.integers(0, 2**64 - 1)))
    if draw(st.booleans()):
        game = parse_position(position(play_on(game, draw(st.integers(0, MAX_STEPS)))))
    return play_on(game, draw(st.integers(0, MAX_STEPS)), draw(st.integers(0, 9)))


def in_the_middle(steps: int = 24, **options: Any) -> Game:
    return play_on(Game(Rules(num_players=3, **options), seed=1), steps)


def parse(line: str) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(line)
    return written


def signed(written: dict[str, Any]) -> str:
    """Return a record with a digest that fits, as a forger would write it."""
    content = {key: value for key, value in written.items() if key != "digest"}
    return json.dumps({**content, "digest": digest(compact_json(content, sort_keys=True))})


# --- records


@given(any_game())
def test_a_record_gives_the_equal_game(game: Game) -> None:
    line = record(game)
    again = replay(line)
    assert again == game
    assert (again.seed, again.history) == (game.seed, game.history)
    assert (again.draw, again.start) == (game.draw, game.start)
    assert "\n" not in line
    assert record(again) == line


def test_a_record_tells_all_of_a_game() -> None:
    game = in_the_middle(20)
    written = parse(record(game))
    assert written["rules"] == game.rules.to_dict()
    assert (written["seed"], written["start"], written["over"]) == (1, None, False)
    assert [tuple(card) for card in written["draw"]] == game.draw
    assert written["scores"] == game.scores
    *finished, last = written["rounds"]
    for written_round, scored in zip(finished, game.rounds, strict=True):
        for key in ("hand_size", "dealer", "bids", "tricks_won", "points"):
            assert written_round[key] == getattr(scored, key)
    assert "points" not in last
    names = [action for written_round in written["rounds"] for action in written_round["actions"]]
    assert [action_id(name) for name in names] == game.history


def test_a_game_begun_from_a_state_cannot_be_recorded() -> None:
    games = Games(Rules(num_players=3), 1, seed=2)
    game = Game.from_state(games.rules, games.states[:1])
    with pytest.raises(ValueError, match="begun from a state"):
        record(game)


@given(st.data())
def test_an_altered_line_is_refused_or_means_the_same(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(LINES))
    place = data.draw(st.integers(0, len(line)))
    length = data.draw(st.integers(0, 3))
    inserted = data.draw(st.text(max_size=3) | st.text('0123456789"[]{},: eE-', max_size=3))
    altered = line[:place] + inserted + line[place + length :]
    try:
        game = replay(altered)
    except RecordError:
        return
    assert game == replay(line)


Change = Callable[[dict[str, Any]], Any]


def put(key: str, value: Any) -> Change:
    return lambda written: written.__setitem__(key, value)


def in_round(number: int, key: str, value: Any) -> Change:
    return lambda written: written["rounds"][number].__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put("format", "chess"), "not a game record"),
        (put("version", 2), "the record has no 'players'"),
        (put("players", ["Ann", "Ben", "Cleo"]), 'the record has unknown "players"'),
        (put("winner", 1), 'the record has unknown "winner"'),
        (put("rules", {"num_player": 3}), "did you mean 'num_players'"),
        (put("seed", 2), "seat|hands|dealer"),
        (put("start", {}), "start has no 'round'"),
        (put("draw", [[0, "WI"]]), r"draw is .* but the replayed game has \[\["),
        (in_round(0, "hands", ["JE", "WI", "WI"]), r"rounds\[0\].hands\[0\] is .* but the replayed game"),
        (in_round(0, "points", [90, 0, 0]), r"rounds\[0\].points\[0\] is 90"),
        (in_round(0, "actions", ["bid 9"]), r"rounds\[0\], action 1: seat . may not bid 9: .*legal: bid 0"),
        (put("over", True), "over is true, but the replayed game has false"),
    ],
)
def test_a_forgery_is_named(change: Change, reason: str) -> None:
    written = parse(record(in_the_middle()))
    change(written)
    with pytest.raises(RecordError, match=f"^line 7: .*(?:{reason})"):
        replay(signed(written), 7)


def test_a_record_keeps_the_names_of_the_players(tmp_path: Path) -> None:
    """Without names it reads as records always did. The game that is read has them, and its copies."""
    game, names = in_the_middle(), ["Ann", "champion", "\u00c9va \U0001f469\u200d\U0001f3a4"]
    written = record(game, names)
    assert (parse(written)["version"], replay(written).players) == (2, tuple(names))
    again = replay(written)
    assert record(again) == written
    assert again == game
    copies = again.clone(), again.restart(), pickle.loads(pickle.dumps(again)), next(iter(again.retrace()))[0]
    assert [copy.players for copy in copies] == [tuple(names)] * len(copies)
    assert transcribe(again).to_dict()["players"] == names
    assert (transcribe(game).players, game.players) == (None, None)
    assert (parse(record(game))["version"], replay(record(game)).players) == (1, None)
    write_records(tmp_path / "games.jsonl", [game], names)
    assert (tmp_path / "games.jsonl").read_text() == written + "\n"
    with pytest.raises(RecordError, match="not JSON"):
        replay("nonsense")


@pytest.mark.parametrize(
    ("players", "reason"),
    [
        (["Ann", "champion"], "2 players are named: 3 are needed"),
        (["Ann", "champion", " "], "a player has no name"),
        (["Ann", "champion", "\x1b[2J"], r"'\\x1b\[2J': 1000 printable characters at most"),
        (["Ann", "champion", "\u202efdp.exe"], "1000 printable characters at most"),
        (["Ann", "champion", "a" * 1001], "1000 printable characters at most"),
        ("Ann", 'players is "Ann": a value of type list'),
    ],
)
def test_names_from_outside_are_checked(players: Any, reason: str) -> None:
    """Names of players from outside must not take over the terminal that shows them."""
    written = parse(record(in_the_middle(), ["Ann", "champion", "random"]))
    with pytest.raises(RecordError, match=f"^line 1: .*{reason}"):
        replay(signed(written | {"players": players}))
    if isinstance(players, list):
        with pytest.raises(ValueError, match=reason):
            record(in_the_middle(), players)
        game = in_the_middle()
        with pytest.raises(ValueError, match=reason):
            game.players = players


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda line: line[: len(line) // 2], "cut off"),
        (lambda line: "seed=3", "not JSON"),
        (lambda line: "null", "not a game record"),
        (lambda line: line.replace('"seed":1', '"seed":3'), "altered: the digest is"),
    ],
)
def test_a_damaged_line_is_named(change: Callable[[str], str], reason: str) -> None:
    with pytest.raises(RecordError, match=f"^line 1: .*{reason}"):
        replay(change(record(in_the_middle())))


# --- files of records


def test_files_keep_their_games(tmp_path: Path) -> None:
    """Blank lines and a byte-order mark, which editors add, are skipped."""
    games = [in_the_middle(steps) for steps in (0, 24, 500)]
    path = tmp_path / "games.jsonl"
    write_records(path, games)
    assert list(read_records(path)) == games
    assert path.read_text() == "".join(record(game) + "\n" for game in games)
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes() + b"\r\n \n")
    assert list(read_records(path)) == games
    write_records(str(path), [])
    assert list(read_records(str(path))) == []


@pytest.mark.parametrize("damage", [b"\0\n", b"\xff\n", b'{"format'])
def test_a_bad_line_is_named_after_the_good_ones(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "games.jsonl"
    write_records(path, [in_the_middle(), in_the_middle(30)])
    path.write_bytes(path.read_bytes() + damage)
    games = read_records(path)
    assert next(games) == in_the_middle()
    next(games)
    with pytest.raises(RecordError, match=r"games.jsonl, line 3: "):
        next(games)


# --- positions


def same_table(one: Game, other: Game) -> bool:
    """Return whether two games agree in all but leftovers of the rounds before."""
    left_over = ("points", "trick", "trick_best")
    fields = [name for name in one.state.dtype.names or () if name not in left_over]
    return (
        one.rules == other.rules
        and one.trick == other.trick
        and all((one.state[name] == other.state[name]).all() for name in fields)
        and one.seat == other.seat
        and (one.legal_mask() == other.legal_mask()).all()
        and all((one.observe(s) == other.observe(s)).all() for s in range(one.rules.num_players))
    )


@given(any_game())
def test_a_position_is_read_back(game: Game) -> None:
    text = position(game)
    again, recalled = parse_position(text), parse_position(position(game, past=True))
    assert position(again) == text
    assert "\n" not in text
    assert same_table(again, game)
    assert same_table(recalled, game)
    assert position(recalled, past=True) == position(game, past=True)
    assert recalled.finished_rounds.tobytes() == game.finished_rounds.tobytes()
    assert again.rounds == (game.rounds[-1:] if game.phase == "over" else [])
    play_on(game, MAX_STEPS)
    play_on(again, MAX_STEPS)
    assert same_table(again, game)  # dealt the same cards


def test_a_position_reads_as_people_write_it() -> None:
    rules = Rules(num_players=3, bid_restriction="leader", magic_edition=True, hand_sizes=(2, 3))
    game = Game.from_deal(rules, 2, ["TS 2H", "WI JE", "3D 3C"], "WI", [10, -20, 0], seed=9)
    for action in ("trump H", "bid 1", "bid 2", "bid 0", "play 2H", "play WI", "play 3D", "play JE"):
        game.step(action)
    assert position(game) == (
        "players=3 restriction=leader magic=on sizes=2,3 round=1 dealer=2 scores=10,-20,0 "
        "hands=TS2H/WIJE/3D3C upcard=WI trump=H bids=1,2,0 tricks=2HWI3D/JE seed=9"
    )
    short = parse_position(
        "tricks=2HWI3D/JE dealer=2 hands=2HTS/JEWI/3D3C upcard=WI trump=H bids=1,2,0 players=3"
    )
    assert (short.rules, short.scores, short.round_number) == (Rules(num_players=3), [0, 0, 0], 2)
    assert short.trick == [(1, "JE")]


PAST = (
    "players=3 sizes=1,2,1 round=3 dealer=1 scores=20,-30,60 hands=TS/2H/WI upcard=3D seed=0 "
    "past=4C:1,0,0:8S9C2C|WIH:1,0,2:AH2HTD/3S4DJE"
)


def test_the_past_of_a_position_reads_as_people_write_it() -> None:
    """Upcard with the trump that was named, bids from the dealer's left, tricks."""
    game = parse_position(PAST)
    first, second = game.rounds
    assert (first.dealer, first.upcard, first.trump, first.bids) == (2, "4C", "C", [1, 0, 0])
    assert first.plays == ((0, "8S"), (1, "9C"), (2, "2C"))
    assert (second.dealer, second.upcard, second.trump, second.bids) == (0, "WI", "H", [2, 1, 0])
    assert (first.points, second.points) == ([-10, -10, 20], [-20, -10, 20])
    assert position(game, past=True) == PAST
    assert position(parse_position(PAST.replace("4C:1,0,0:8S9C2C|", ""))) == position(game)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("past=", "past=JE:0,0,0:8S9C2C|", "past: 3 rounds: the game has finished 2 before this one"),
        ("4C:1,0,0:8S", "4C:1,0,0,8S", "past: round 1: .* an upcard, bids and tricks are needed"),
        ("4C:1,0,0", "4C:1,0,99", r"past: round 1: bids \[1, 0, 99\]: allowed are 0 to 20"),
        ("4C:1,0,0", "4C:1,0,2", "finished round 1: its bids and tricks must be those that a hand allows"),
        ("WIH", "WI", "past: round 2: 'WI': an upcard is needed, and if it is a Wizard the suit"),
        ("AH2HTD/3S4DJE", "AH4DTD/3S2HJE", "finished round 2: plays="),
    ],
)
def test_an_impossible_past_is_refused(old: str, new: str, reason: str) -> None:
    assert old in PAST
    with pytest.raises(ValueError, match=reason):
        parse_position(PAST.replace(old, new, 1))


def test_a_docstring_shows_a_position() -> None:
    for test in doctest.DocTestFinder().find(
        position, globs={"Game": Game, "Rules": Rules, "position": position}
    ):
        assert doctest.DocTestRunner().run(test).failed == 0


GOOD = "players=3 dealer=2 hands=TS2H/WIJE/3D3C upcard=4H bids=1,2,0 tricks=2HWI3D/JE"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (GOOD, "", "the position has no dealer"),
        ("players=3", "player=3", "a position has no 'player': did you mean 'players'"),
        ("players=3", "players=3 players=3", "players appears twice"),
        ("players=3", "players=3 magic=yes", "magic=yes: allowed are on, off"),
        ("players=3", "players=3 sizes=1,3", r"hands of 2 cards: the rounds are played with \(1, 3\)"),
        ("players=3", "players=3 round=3", "hands of 2 cards: round 3 is played with 3"),
        ("players=3", "players=3 scores=0,0,1e1", "'1e1' is not a whole number"),
        ("players=3", "players=3 seed=" + "9" * 50_000, "a position has at most 20000"),
        ("TS2H", "TS2", "'TS2' is not a sequence of cards"),
        ("upcard=4H", "upcard=4H trump=H", "trump: seat 0 may not trump H: it bids 0 to 2"),
        ("bids=1,2,0", "bids=1,2,3", "bids: seat 2 may not bid 3: it bids 0 to 2"),
        ("tricks=2HWI3D/JE", "tricks=2HWI3D/3C", "trick 2: seat 1 may not play 3C: it holds JE"),
        (
            "tricks=2HWI3D/JE",
            "tricks=2HWI3D/JE3CTS",
            "the round is over; give the position in the next round",
        ),
        ("tricks=2HWI3D/JE", "tricks=2HWI3D/JE3CTS/WI", "trick 3: the round is already over"),
    ],
)
def test_an_impossible_position_is_refused(old: str, new: str, reason: str) -> None:
    assert old in GOOD
    with pytest.raises(ValueError, match=reason) as caught:
        parse_position(GOOD.replace(old, new))
    assert not isinstance(caught.value, IllegalAction)  # which would say that a game is unchanged


def test_what_one_seat_sees_is_no_position() -> None:
    game = in_the_middle(7)
    seen = Game.from_state(game.rules, View.of([game]).information(0))
    with pytest.raises(ValueError, match="what one seat sees"):
        position(seen)


LINES = [
    record(in_the_middle()),
    record(in_the_middle(500, hand_sizes=(1, 2))),
    record(parse_position(position(in_the_middle(30)))),
    record(play_on(Game(Rules(), seed=11), 3)),
]

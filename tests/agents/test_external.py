"""ExternalAgent: programs that keep the protocol, and programs that break it."""

import contextlib
import gc
import json
import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from tests.positions import at, differing_in_secret
from wizard_env import ACTIONS, Game, Games, Rules
from wizard_env.agents import View
from wizard_env.agents.external import PROTOCOL, VERSION, ExternalAgent, describe
from wizard_env.agents.random import RandomAgent
from wizard_env.testing import agent_test

PAGE = (Path(__file__).parent.parent.parent / "docs" / "external.md").read_text(encoding="utf-8")
HELLO = f"""
import json, os, signal, sys, time
def say(**content):
    print(json.dumps(content), flush=True)
def requests():
    return map(json.loads, sys.stdin)
open(__file__ + ".pid", "w").write(str(os.getpid()))
sys.stdin.readline()
say(protocol={PROTOCOL!r}, version={VERSION})
"""
UNUSED_RNG = np.random.default_rng(0)
HIDING = [{"bid_reveal": "simultaneous"}, {"bid_reveal": "secret", "magic_edition": True}]

Bot: TypeAlias = Callable[..., ExternalAgent]


def examples(language: str) -> list[str]:
    """The code blocks of the page about the protocol."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def bot(tmp_path: Path) -> Any:
    """Makes an agent from a program: its code after the hello, or its whole code."""
    with contextlib.ExitStack() as agents:

        def make(program: str, whole: bool = False, timeout: float = 5.0) -> ExternalAgent:
            path = tmp_path / "bot.py"
            path.write_text(program if whole else HELLO + program, encoding="utf-8")
            return agents.enter_context(ExternalAgent([sys.executable, "-S", str(path)], timeout))

        yield make


def decisions(count: int) -> View:
    """First bids of rounds of nine cards, with noise."""
    games = Games(Rules(num_players=3, hand_sizes=(9,)), count, seed=1)
    naming = np.flatnonzero(games.states["phase"] == 0)
    games.step(games.mask[naming].argmax(axis=1), naming)
    return games.view(noise=np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))


def after_a_round() -> View:
    """The decision on the page: that of `at`, after a round that led to its scores."""
    game = at("secret")
    before = Game.from_deal(
        game.rules, 2, ["AS 3H", "4S 5S", "6S JE"], "TD", scores=[-10, -30, 110], round_number=2
    )
    bids, plays = (f"bid {bid}" for bid in (2, 0, 1)), ("AS", "4S", "JE", "3H", "5S", "6S")
    for action in (*bids, *(f"play {card}" for card in plays)):
        before.step(action)
    return View.of([Game.from_state(game.rules, game.state, before.finished_rounds)])


def is_running(folder: Path) -> bool:
    """Return whether the process of the bot in a folder exists, even if it has ended and nobody waited."""
    if os.name != "posix":
        pytest.skip("POSIX only")
    try:
        os.kill(int((folder / "bot.py.pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


# --- the page about the protocol


def test_the_request_on_the_page() -> None:
    """Its keys and values are those of a real request, except for the id and the noise."""
    (shown,) = [content for content in map(json.loads, examples("json")) if "legal" in content]
    sent = json.loads(json.dumps(describe(after_a_round(), 0)))
    assert list(shown) == ["id", *sent, "noise"]
    assert {key: shown[key] for key in sent} == sent


def test_the_keys_on_the_page() -> None:
    (shown,) = [content for content in map(json.loads, examples("json")) if "legal" in content]
    table = PAGE.partition("| key | meaning |")[2].partition("\n\n")[0]
    assert re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", table, re.MULTILINE))) == list(shown)
    row = table.partition("| `rounds` |")[2].partition("\n")[0]
    assert re.findall(r"`(\w+)`", row) == list(shown["rounds"][0])


def test_the_program_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes `agent_test` when started as the page says."""
    start, program = examples("py")
    (tmp_path / "my_bot.py").write_text(program, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(start.replace('"python', f'"{shlex.quote(sys.executable)}'), names)
    agent = names["agent"]
    assert isinstance(agent, ExternalAgent)
    with agent:
        agent_test(agent, num_games=1)
    assert not agent.forfeits


# --- what is asked


@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_hidden_information_is_not_sent(reveal: str) -> None:
    """Other hands, hidden bids and future deals."""
    game, other = differing_in_secret(reveal)
    assert describe(View.of([other]), 0) == describe(View.of([game]), 0)
    assert describe(View.of([game]), 0)["bids"] == ([None, 1, None] if reveal == "secret" else [2, 1, 0])


@pytest.mark.parametrize("options", [{"bid_restriction": "canadian"}, *HIDING], ids=str)
def test_requests_describe_the_game(options: dict[str, Any]) -> None:
    """In every decision of a game, and in values that JSON can hold; closed bids once they are public."""
    game, rng = Game(Rules(5, hand_sizes=(4, 12, 1), **options), seed=3), np.random.default_rng(0)
    while game.seat is not None:
        sent = describe(View.of([game]), 0)
        for name in ("seat", "phase", "round_number", "num_rounds", "hand_size", "dealer", "upcard"):
            assert sent[name] == getattr(game, name)
        for name in ("trump", "led_suit", "trick", "tricks_won", "scores"):
            assert sent[name] == getattr(game, name)
        reveal = game.rules.bid_reveal
        is_open = reveal == "open" or (reveal == "simultaneous" and game.phase == "play")
        assert sent["bids"] == [
            bid if is_open or seat == game.seat else None for seat, bid in enumerate(game.bids)
        ]
        assert sent["rounds"] == [finished._asdict() for finished in game.rounds]
        assert sent["hand"] == game.hands[sent["seat"]]
        assert sent["legal_ids"] == game.legal_actions()
        assert sent["legal"] == [ACTIONS[action] for action in sent["legal_ids"]]
        assert Rules(**sent["rules"]) == game.rules
        json.dumps(sent)
        game.step(int(rng.choice(game.legal_actions())))
        if game.phase != "play" and sent["phase"] == "play":
            assert sent["plays"] == game.rounds[-1].plays[:-1]


def test_requests_are_numbered_and_contain_noise(bot: Bot, tmp_path: Path) -> None:
    """The noise is the tables' own, so a program that uses it acts alike in the same match."""
    agent = bot(f"""
kept = open({str(tmp_path / "kept")!r}, "w", buffering=1)
for request in requests():
    print(json.dumps(request), file=kept)
    say(id=request["id"], action=request["legal"][request["noise"] % len(request["legal"])])
""")
    view = decisions(6)
    first = agent.act(view, np.random.default_rng(1)).tolist()
    assert first == agent.act(view, np.random.default_rng(2)).tolist()
    assert len(set(first)) > 1
    kept = [json.loads(line) for line in (tmp_path / "kept").read_text().splitlines()]
    assert [request["id"] for request in kept] == list(range(1, 13))
    assert [request["noise"] for request in kept[:6]] == [
        int(word) >> 11 for word in view.noise(np.random.default_rng(0))
    ]
    assert all({"id": 1, **describe(view, row)}.keys() < kept[row].keys() for row in range(6))
    agent_test(agent, num_games=1)


def test_an_answer_names_the_action_or_gives_its_id(bot: Bot) -> None:
    agent = bot("""
for request in requests(): say(id=request["id"], action=("play WI", 77)[request["id"] % 2], why="it wins")
""")
    actions = agent.act(View.of([at(), at()]), UNUSED_RNG)
    assert actions.dtype == np.int64
    assert actions.tolist() == [77, 77]
    assert not agent.forfeits


# --- what goes wrong

ILLEGAL = ("'bid 99'", "'play 2S'", "77", "-1", "10**30")
ANSWERS = [
    *(f"say(id=n, action={action})" for action in (*ILLEGAL, "True", "None", "1.0")),
    "say(id=n)",
    "say(action='bid 1')",
    "say(id=str(n), action='bid 1')",
    "say(id=n + 1, action='bid 1')",
    "print('bid 1', flush=True)",
    "print('[1]', flush=True)",
    "print('[' * 60000, flush=True)",
    "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()",
]


def test_a_wrong_answer_forfeits_the_decision(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    """The random agent's action replaces it, and the next answers are used."""
    agent = bot(f"""
for request in requests():
    n = request["id"]
    if n % 2:
        exec({ANSWERS!r}[n // 2])
    else:
        say(id=n, action="bid 4")
""")
    view = decisions(2 * len(ANSWERS))
    expected = RandomAgent().act(view, UNUSED_RNG)
    expected[1::2] = 4
    assert agent.act(view, UNUSED_RNG).tolist() == expected.tolist()
    assert agent.forfeits == {"illegal": len(ILLEGAL), "malformed": len(ANSWERS) - len(ILLEGAL)}
    illegal, malformed = caplog.messages  # the first of each
    assert re.search("bot.py.* forfeits a decision, illegal: unknown action 'bid 99': an action is", illegal)
    assert re.search(
        "forfeits a decision, malformed: its action is True: a name or an id is needed", malformed
    )


def test_a_late_answer_is_not_used_for_the_next_request(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    """Nor are lines that came before the request."""
    agent = bot(
        """
waiting = requests()
first, second, third = next(waiting), next(waiting), next(waiting)
for request, bid in ((first, 1), (second, 2), (third, 3)):
    say(id=request["id"], action=f"bid {bid}")
print("thinking", flush=True)
request = next(waiting)
say(id=request["id"], action="bid 4")
""",
        timeout=0.4,
    )
    view = decisions(3)
    expected = [*RandomAgent().act(view, UNUSED_RNG)[:2], 3]
    assert agent.act(view, UNUSED_RNG).tolist() == expected
    assert agent.forfeits == {"late": 2}
    assert [message.partition(", ")[2] for message in caplog.messages] == [
        "late: no answer within 0.4 seconds"
    ]
    time.sleep(0.1)
    assert agent.act(decisions(1), UNUSED_RNG).tolist() == [4]


def test_a_program_that_does_not_read_does_not_block(bot: Bot, tmp_path: Path) -> None:
    """Not even with more requests than a pipe can hold; and it is killed at the end."""
    agent = bot("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)", timeout=0.001)
    agent.act(decisions(300), UNUSED_RNG)
    assert agent.forfeits == {"late": 300}
    assert is_running(tmp_path)
    agent.close()
    assert not is_running(tmp_path)


def test_a_program_that_does_not_stop_talking_is_late(bot: Bot, tmp_path: Path) -> None:
    agent = bot("while True: say(id=0, action='bid 0')", timeout=0.05)
    agent.act(decisions(2), UNUSED_RNG)
    assert agent.forfeits == {"late": 2}
    agent.close()
    assert not is_running(tmp_path)


def test_the_end_of_a_program_is_an_error(bot: Bot) -> None:
    """It is told with the last lines of its stderr, which may be full."""
    agent = bot("""
for request in requests():
    for line in range(3000):
        print("a line of some forty characters, number", line, file=sys.stderr)
    if request["id"] == 2:
        sys.exit(3)
    say(id=request["id"], action=request["legal"][0])
""")
    agent.act(decisions(1), UNUSED_RNG)
    for _ in range(2):
        with pytest.raises(ChildProcessError, match=r"bot.py' ended with exit status 3: ") as error:
            agent.act(decisions(1), UNUSED_RNG)
        assert re.findall(r"number (\d+)", str(error.value)) == [str(line) for line in range(2995, 3000)]


def test_threads_share_a_program(bot: Bot) -> None:
    """Every decision gets its own answer."""
    agent = bot("for request in requests(): say(id=request['id'], action=request['legal'][-1])")
    view = decisions(40)
    expected = [int(np.flatnonzero(mask)[-1]) for mask in view.mask]
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda _: agent.act(view, UNUSED_RNG).tolist(), range(4))
    assert list(parts) == [expected] * 4
    assert not agent.forfeits


# --- starting


def saying(hello: str) -> list[str]:
    return [sys.executable, "-S", "-c", f"import sys; print({hello!r}, flush=True); sys.stdin.read()"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no_such_program --fast", "'no_such_program --fast' cannot be started: .*such file"),
        (["no such program"], "command \"'no such program'\" cannot be started"),
        (f"{sys.executable} -S no_file.py", "no_file.py' ended with exit status 2: .*no_file"),
        ("'", "cannot be started: No closing quotation"),
        (saying('{"protocol": "wizard-external", "version": 2}'), "hello: it said .*2}, allowed is .*1}"),
        (saying("ready"), "did not say hello: 'ready.n' is not JSON"),
    ],
)
def test_what_cannot_be_started(command: Any, message: str) -> None:
    with pytest.raises(ChildProcessError, match=message):
        ExternalAgent(command)


def test_a_missing_hello() -> None:
    command = [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"]
    with pytest.raises(ChildProcessError, match=r"did not say hello: no answer within 0\.1 seconds"):
        ExternalAgent(command, start_timeout=0.1)


@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (1e9, ValueError), ("1", TypeError)])
def test_timeouts_are_seconds(value: Any, error: Any) -> None:
    for name in ("timeout", "start_timeout"):
        with pytest.raises(error, match=f"^{name}="):
            ExternalAgent(["true"], **{name: value})


# --- ending


ECHO = """
for request in requests(): say(id=request['id'], action=request['legal'][0])
open(__file__ + ".end", "w").close()
"""


def test_close_ends_the_program(bot: Bot, tmp_path: Path) -> None:
    """It reaches its own end."""
    agent = bot(ECHO)
    with agent as entered:
        assert entered is agent
        agent.act(decisions(1), UNUSED_RNG)
        assert is_running(tmp_path)
    assert not is_running(tmp_path)
    assert (tmp_path / "bot.py.end").exists()
    with pytest.raises(ValueError, match=r"bot.py' is closed"):
        agent.act(decisions(1), UNUSED_RNG)


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_processes_that_a_program_started_end_with_it(bot: Bot) -> None:
    """As those of a shell script do; a thread that reads from them ends too."""
    threads = threading.active_count()
    agent = bot("""
import subprocess
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
child.wait()
""")
    agent.close()
    end = time.monotonic() + 10
    while threading.active_count() > threads and time.monotonic() < end:
        time.sleep(0.01)
    assert threading.active_count() <= threads


def test_a_deleted_agent_ends_its_program(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HELLO + ECHO, encoding="utf-8")
    agent = ExternalAgent([sys.executable, "-S", str(tmp_path / "bot.py")])
    agent.act(decisions(1), UNUSED_RNG)
    assert is_running(tmp_path)
    del agent
    gc.collect()
    assert not is_running(tmp_path)

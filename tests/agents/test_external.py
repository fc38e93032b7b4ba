"""ExternalAgent: programs that keep the protocol, and programs that break it."""

import contextlib
import gc
import json
import logging
import os
import re
import shlex
import signal
import subprocess
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
from wizard_env.agents import View, load
from wizard_env.agents.external import MAX_RESTARTS, PROTOCOL, VERSION, ExternalAgent, describe
from wizard_env.agents.random import RandomAgent
from wizard_env.testing import agent_test

PAGE = (Path(__file__).parent.parent.parent / "docs" / "external.md").read_text(encoding="utf-8")
HELLO = f"""
import json, os, sys, time
def say(**content):
    print(json.dumps(content), flush=True)
def requests():
    return map(json.loads, sys.stdin)
open(__file__ + ".pid", "w").write(str(os.getpid()))
sys.stdin.readline()
say(protocol={PROTOCOL!r}, version={VERSION})
"""
CHILD = """
import subprocess
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
open(__file__ + ".child", "w").write(str(child.pid))
"""
UNUSED_RNG = np.random.default_rng(0)

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


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that do not exit by themselves are killed earlier."""
    monkeypatch.setattr("wizard_env.agents.external.program._GRACE", 0.1)


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


def child_is_running(folder: Path, wait: float = 10.0) -> bool:
    """Return whether the child of the bot in a folder runs after `wait` seconds, or fewer if it ends."""
    if os.name != "posix":
        pytest.skip("POSIX only")
    path, end = folder / "bot.py.child", time.monotonic() + wait
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)
    pid = path.read_text()
    while True:
        listed = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False)
        running = bool(listed.stdout.strip()) and not listed.stdout.startswith("Z")
        if not running or time.monotonic() > end:
            return running
        time.sleep(0.05)


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


def test_the_hello_and_the_answer_on_the_page(bot: Bot) -> None:
    hello, request, answer = map(json.loads, examples("json"))
    assert hello == {"protocol": PROTOCOL, "version": VERSION}
    assert answer["id"] == request["id"]
    assert answer["action"] in request["legal"]


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


def test_the_program_on_the_page_meets_its_bids(bot: Bot) -> None:
    """At least 6 of 20; random bids meet one in six."""
    agent, rng = bot(examples("py")[1], whole=True), np.random.default_rng(0)
    games = Games(Rules(num_players=4, hand_sizes=(5,)), 20, seed=2, pause="game")
    while len(running := np.flatnonzero(~games.done)):
        view = games.view(running)
        actions, mine = RandomAgent().act(view, rng), view.seat == 1
        if mine.any():
            actions[mine] = agent.act(view.select(mine), rng)
        games.step(actions, running)
    assert (games.points[:, 1] > 0).sum() >= 6


# --- what is asked


@pytest.mark.parametrize("reveal", ["open", "simultaneous", "secret"])
def test_hidden_information_is_not_sent(reveal: str) -> None:
    """Other hands, hidden bids and future deals."""
    game, other = differing_in_secret(reveal)
    assert describe(View.of([other]), 0) == describe(View.of([game]), 0)
    assert describe(View.of([game]), 0)["bids"] == ([None, 1, None] if reveal == "secret" else [2, 1, 0])


def test_bids_are_sent_once_they_are_revealed() -> None:
    """None stands for a bid not made and for a hidden bid."""
    game = Game(Rules(num_players=3, hand_sizes=(3,), bid_reveal="simultaneous"), seed=5)
    if game.phase == "trump":
        game.step("trump H")
    seats = []
    for bid in (2, 1, 3):
        assert describe(View.of([game]), 0)["bids"] == [None] * 3
        seats.append(game.seat)
        game.step(f"bid {bid}")
    sent = describe(View.of([game]), 0)["bids"]
    assert [sent[seat] for seat in seats] == [2, 1, 3]


def test_finished_rounds_are_sent_with_closed_bids() -> None:
    """Bids that nobody saw are public once their round is scored, and those of this round are not."""
    game = Game(Rules(num_players=3, hand_sizes=(2, 3), bid_reveal="secret"), seed=3)
    while not game.rounds:
        assert describe(View.of([game]), 0)["rounds"] == []
        game.step(game.legal_actions()[-1])
    (sent,) = describe(View.of([game]), 0)["rounds"]
    assert sent == game.rounds[0]._asdict()
    assert len(sent["plays"]) == 6
    assert sent["bids"] == [2, 2, 2]
    assert describe(View.of([game]), 0)["bids"] == [None] * 3


def test_plays_are_sent_in_order_with_their_seats() -> None:
    """As the finished round lists them once it is scored."""
    game = Game(Rules(num_players=4, hand_sizes=(5,), magic_edition=True), seed=3)
    sent: list[Any] = []
    while game.phase != "over":
        sent.append(describe(View.of([game]), 0)["plays"])
        game.step(game.legal_actions()[-1])
    (finished,) = game.rounds
    assert [plays for plays in sent if plays] == [finished.plays[:count] for count in range(1, 20)]


@pytest.mark.parametrize("phase", ["trump", "bid", "play"])
def test_requests_describe_the_game(phase: str) -> None:
    """In every phase, and in values that JSON can hold."""
    seeds = iter(range(1000))
    while True:
        game = Game(Rules(num_players=5, hand_sizes=(4, 12), bid_restriction="canadian"), next(seeds))
        while game.phase not in (phase, "over"):
            game.step(game.legal_actions()[0])
        if game.phase == phase:
            break
    sent = describe(View.of([game]), 0)
    for name in ("seat", "phase", "round_number", "num_rounds", "hand_size", "dealer", "upcard"):
        assert sent[name] == getattr(game, name)
    for name in ("trump", "led_suit", "trick", "bids", "tricks_won", "scores"):
        assert sent[name] == getattr(game, name)
    assert sent["rounds"] == [finished._asdict() for finished in game.rounds]
    assert sent["hand"] == game.hands[sent["seat"]]
    assert sent["legal_ids"] == game.legal_actions()
    assert sent["legal"] == [ACTIONS[action] for action in sent["legal_ids"]]
    assert Rules(**sent["rules"]) == game.rules
    json.dumps(sent)


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


@pytest.mark.parametrize("action", ['"play WI"', "77"])
def test_an_answer_names_the_action_or_gives_its_id(bot: Bot, action: str) -> None:
    agent = bot(f"for request in requests(): say(id=request['id'], action={action}, why='it wins')")
    actions = agent.act(View.of([at()]), UNUSED_RNG)
    assert actions.dtype == np.int64
    assert actions.tolist() == [77]
    assert not agent.forfeits


# --- what goes wrong


ANSWERS = [
    ("say(id=n, action='bid 99')", "illegal", "unknown action 'bid 99': an action is \"bid 0\""),
    ("say(id=n, action='play 2S')", "illegal", r"seat \d may not play 2S: it bids 0 to 9; legal: bid 0"),
    ("say(id=n, action=77)", "illegal", r"seat \d may not play WI"),
    ("say(id=n, action=-1)", "illegal", "ids run from 0 to 78"),
    ("say(id=n, action=10**30)", "illegal", "ids run from 0 to 78"),
    ("say(id=n, action=True)", "malformed", "its action is True: a name or an id is needed"),
    ("say(id=n, action=None)", "malformed", "its action is None"),
    ("say(id=n, action=1.0)", "malformed", r"its action is 1\.0"),
    ("say(id=n)", "malformed", r"does not answer request \d"),
    ("say(action='bid 1')", "malformed", r"does not answer request \d"),
    ("say(id=str(n), action='bid 1')", "malformed", r"does not answer request \d"),
    ("say(id=n + 1, action='bid 1')", "malformed", r"does not answer request \d"),
    ("print('bid 1', flush=True)", "malformed", "'bid 1.n' is not JSON in UTF-8"),
    ("print('[1]', flush=True)", "malformed", "is not a JSON object"),
    ("print('[' * 60000, flush=True)", "malformed", "is not JSON in UTF-8"),
    ("print('x' * 10**6, flush=True)", "malformed", r"'x+\.\.\. is not JSON"),
    ("sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "malformed", "is not JSON in UTF-8"),
]


@pytest.mark.parametrize(("line", "kind", "reason"), ANSWERS, ids=[line for line, *_ in ANSWERS])
def test_a_wrong_answer_forfeits_the_decision(
    bot: Bot, line: str, kind: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The random agent's action replaces it, and the next answers are used."""
    agent = bot(f"""
for request in requests():
    n = request["id"]
    if n < 3:
        {line}
    else:
        say(id=n, action="bid 4")
""")
    view = decisions(3)
    expected = [*RandomAgent().act(view, UNUSED_RNG)[:2], 4]
    assert agent.act(view, UNUSED_RNG).tolist() == expected
    assert agent.forfeits == {kind: 2}
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert re.search(f"bot.py.* forfeits a decision, {kind}: .*{reason}", caplog.messages[0])


def test_forfeited_decisions_are_reproducible(bot: Bot) -> None:
    """If the tables have no noise, the random action comes from the generator."""
    agent = bot("for request in requests(): say()")
    view = View(decisions(8).known)
    actions = agent.act(view, np.random.default_rng(3)).tolist()
    assert actions == agent.act(view, np.random.default_rng(3)).tolist()
    assert actions == RandomAgent().act(view, np.random.default_rng(3)).tolist()
    assert actions != agent.act(view, np.random.default_rng(4)).tolist()
    assert agent.forfeits["malformed"] == 24


def test_a_late_answer_is_not_used_for_the_next_request(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    agent = bot(
        """
first, second, third = next(requests()), next(requests()), next(requests())
say(id=first["id"], action="bid 1")
say(id=second["id"], action="bid 2")
say(id=third["id"], action="bid 3")
""",
        timeout=0.4,
    )
    view = decisions(3)
    expected = [*RandomAgent().act(view, UNUSED_RNG)[:2], 3]
    assert agent.act(view, UNUSED_RNG).tolist() == expected
    assert agent.forfeits == {"late": 2}
    assert caplog.messages == [caplog.messages[0]]
    assert caplog.messages[0].endswith("late: no answer within 0.4 seconds")


def test_lines_sent_before_a_request_are_ignored(bot: Bot) -> None:
    agent = bot("""
for request in requests():
    answers = [{"id": request["id"] + ahead, "action": f"bid {2 + ahead}"} for ahead in range(2)]
    print(*map(json.dumps, answers), "thinking", sep="\\n", flush=True)
""")
    view = decisions(1)
    for _ in range(3):
        assert agent.act(view, UNUSED_RNG).tolist() == [2]
        time.sleep(0.05)
    assert not agent.forfeits


@pytest.mark.usefixtures("impatient")
def test_a_program_that_does_not_read_does_not_block(bot: Bot) -> None:
    """Not even with more requests than a pipe can hold."""
    agent = bot("time.sleep(60)", timeout=0.001)
    agent.act(decisions(200), UNUSED_RNG)
    assert agent.forfeits == {"late": 200}
    start = time.monotonic()
    agent.close()
    assert time.monotonic() - start < 3


@pytest.mark.usefixtures("impatient")
def test_a_program_that_does_not_stop_talking_is_late(bot: Bot) -> None:
    agent = bot("while True: say(id=0, action='bid 0'); time.sleep(0.001)", timeout=0.05)
    agent.act(decisions(2), UNUSED_RNG)
    assert agent.forfeits == {"late": 2}


def test_a_crashed_program_is_restarted(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    agent = bot("""
request = next(requests())
say(id=request["id"], action="bid 1")
next(requests())
sys.exit("no idea")
""")
    view = decisions(12)
    actions = agent.act(view, UNUSED_RNG).tolist()
    expected = RandomAgent().act(view, UNUSED_RNG)
    lives = 1 + MAX_RESTARTS
    assert [actions[2 * life] for life in range(lives)] == [1] * lives
    assert [actions[2 * life + 1] for life in range(lives)] == expected[1 : 2 * lives : 2].tolist()
    assert actions[2 * lives :] == expected[2 * lives :].tolist()
    assert agent.forfeits == {"crashed": lives, "given up": 12 - 2 * lives}
    assert [message.partition(" forfeits a decision, ")[2] for message in caplog.messages] == [
        "crashed: it ended with exit status 1: no idea",
        f"given up: it was restarted {MAX_RESTARTS} times and will not be restarted again",
    ]


@pytest.mark.usefixtures("impatient")
def test_a_program_that_closes_its_output_counts_as_crashed(bot: Bot, tmp_path: Path) -> None:
    agent = bot("os.close(1); time.sleep(60)")
    assert is_running(tmp_path)
    agent.act(decisions(1), UNUSED_RNG)
    assert agent.forfeits == {"crashed": 1}
    assert not is_running(tmp_path)


def test_a_crash_is_seen_at_once_where_a_child_holds_the_pipes(bot: Bot, tmp_path: Path) -> None:
    """The last answer of the program still counts."""
    agent = bot(
        CHILD
        + """
request = next(requests())
say(id=request["id"], action="bid 1")
next(requests())
sys.exit()
""",
        timeout=60,
    )
    start = time.monotonic()
    assert agent.act(decisions(2), UNUSED_RNG)[0] == 1
    assert time.monotonic() - start < 20
    assert agent.forfeits == {"crashed": 1}
    assert not child_is_running(tmp_path)


def test_a_crash_is_seen_on_a_busy_machine(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program has ended before all threads begin that attend to it."""
    start_now = threading.Thread.start

    def start_late(thread: threading.Thread) -> None:
        start_now(thread)
        time.sleep(0.5)

    monkeypatch.setattr(threading.Thread, "start", start_late)
    start = time.monotonic()
    with pytest.raises(ChildProcessError, match="ended with exit status 3"):
        bot("import sys; sys.exit(3)", whole=True, timeout=60)
    assert time.monotonic() - start < 30


def test_a_crash_is_seen_where_a_child_has_left_the_group(bot: Bot, tmp_path: Path) -> None:
    agent = bot(CHILD.replace("[sys", "start_new_session=True, args=[sys") + "sys.exit()", timeout=60)
    start = time.monotonic()
    agent.act(decisions(1), UNUSED_RNG)
    agent.close()
    assert time.monotonic() - start < 20
    assert agent.forfeits == {"crashed": 1}
    if child_is_running(tmp_path, wait=0):
        os.kill(int((tmp_path / "bot.py.child").read_text()), signal.SIGKILL)


@pytest.mark.parametrize(
    ("first", "line"),
    [
        ("", "print('x' * 99)"),
        ("", "os.write(1, b'x')"),
        ("next(requests())", "os.write(1, b'x')"),
        ("next(requests())", "say(id=0, action='a late answer')"),
    ],
)
def test_a_program_that_prints_without_end_is_ended(
    bot: Bot, tmp_path: Path, first: str, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    """While it is asked and between questions, with line feeds and without."""
    agent, end = bot(f"{first}\nwhile True: {line}", timeout=60), time.monotonic() + 60
    while not first and is_running(tmp_path):
        assert time.monotonic() < end
        time.sleep(0.05)
    agent.act(decisions(1), UNUSED_RNG)
    assert agent.forfeits == {"crashed": 1}
    assert not is_running(tmp_path)
    assert caplog.messages[0].endswith(
        "crashed: it was ended, because it wrote more than 1,048,576 bytes after one request"
    )


def test_few_requests_wait_for_a_program_that_does_not_read(
    bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is forfeited without being sent. The program is asked again once it reads."""
    monkeypatch.setattr("wizard_env.agents.external.program._MOST_WAITING", 3)
    agent = bot(
        """
while not os.path.exists(__file__ + ".go"): time.sleep(0.01)
for request in requests():
    open(__file__ + ".read", "a").write("a")
    say(id=request["id"], action="bid 1")
""",
        timeout=0.001,
    )
    agent.act(decisions(500), UNUSED_RNG)
    assert agent.forfeits == {"late": 500}
    (tmp_path / "bot.py.go").touch()
    agent._timeout, end = 5.0, time.monotonic() + 60
    while agent.act(decisions(1), UNUSED_RNG) != [1] or agent.forfeits["late"] > 510:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert len((tmp_path / "bot.py.read").read_text()) < 250


@pytest.mark.parametrize("together", [2, 4])
def test_threads_share_a_program(bot: Bot, together: int) -> None:
    """Every decision gets its own answer."""
    agent = bot("for request in requests(): say(id=request['id'], action=request['legal'][-1])")
    view = decisions(40)
    expected = [int(np.flatnonzero(mask)[-1]) for mask in view.mask]
    with ThreadPoolExecutor(together) as pool:
        parts = pool.map(lambda _: agent.act(view, UNUSED_RNG).tolist(), range(together))
    assert list(parts) == [expected] * together
    assert not agent.forfeits


def test_closing_ends_a_question(bot: Bot, tmp_path: Path) -> None:
    """Of another thread, and does not start the program anew."""
    agent = bot("next(requests()); open(__file__ + '.asked', 'w'); time.sleep(60)", timeout=60)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(agent.act, decisions(3), UNUSED_RNG)
        while not (tmp_path / "bot.py.asked").exists():
            time.sleep(0.01)
        agent.close()
        with pytest.raises(ValueError, match=r"bot.py' is closed"):
            asking.result(20)
    assert not is_running(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_asks_a_program_of_its_own(bot: Bot, tmp_path: Path) -> None:
    """And leaves that of its parent alone."""
    agent = bot("for request in requests(): say(id=request['id'], action=f'bid {os.getppid() % 7}')")
    view = decisions(1)
    assert agent.act(view, UNUSED_RNG) == [os.getpid() % 7]
    child = os.fork()
    if not child:
        code = 1
        with contextlib.suppress(BaseException):
            code = 0 if agent.act(view, UNUSED_RNG) == [os.getpid() % 7] and not agent.forfeits else 2
            agent.close()
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert agent.act(view, UNUSED_RNG) == [os.getpid() % 7]
    assert not agent.forfeits


def test_a_program_that_cannot_be_restarted(bot: Bot, tmp_path: Path) -> None:
    """The match continues with random actions."""
    agent = bot("sys.exit()")
    (tmp_path / "bot.py").unlink()
    agent.act(decisions(6), UNUSED_RNG)
    assert agent.forfeits == {"crashed": 1 + MAX_RESTARTS, "given up": 2}


# --- starting


@pytest.mark.parametrize(
    ("command", "error", "message"),
    [
        (
            "no_such_program --fast",
            ChildProcessError,
            "'no_such_program --fast' cannot be started: .*such file",
        ),
        (["no such program"], ChildProcessError, "command \"'no such program'\" cannot be started"),
        (
            f"{sys.executable} no_file.py",
            ChildProcessError,
            "no_file.py' did not say hello: .*status 2: .*no_file",
        ),
        ("'", ValueError, 'command="\'": No closing quotation'),
        ("", ValueError, "command='': a program is needed"),
        ([], ValueError, r"command=\[\]: a program is needed"),
        (7, TypeError, "command=7: a string or a list of strings is needed"),
        ([sys.executable, 7], TypeError, "a string or a list of strings is needed"),
    ],
)
def test_what_cannot_be_started(command: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        ExternalAgent(command)


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        ('{"protocol": "wizard-external", "version": 2}', "it said .*2}, allowed is .*1}"),
        ('{"version": 1}', "it said .*null, .*allowed is"),
        ("ready", "'ready.n' is not JSON"),
        ("", "'.n' is not JSON"),
    ],
)
def test_a_program_must_say_its_protocol_and_version(bot: Bot, hello: str, message: str) -> None:
    with pytest.raises(ChildProcessError, match=f"bot.py' did not say hello: {message}"):
        bot(f"import sys; print({hello!r}, flush=True); sys.stdin.read()", whole=True)


def test_a_missing_hello() -> None:
    command = [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"]
    with pytest.raises(ChildProcessError, match=r"did not say hello: no answer within 0\.1 seconds"):
        ExternalAgent(command, start_timeout=0.1)


@pytest.mark.parametrize("name", ["timeout", "start_timeout"])
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (float("nan"), ValueError),
        (1e9, ValueError),
        ("1", TypeError),
        (True, TypeError),
    ],
)
def test_timeouts_are_seconds(name: str, value: Any, error: Any) -> None:
    with pytest.raises(error, match=f"^{name}="):
        ExternalAgent(["true"], **{name: value})


def test_an_external_agent_needs_a_command() -> None:
    with pytest.raises(TypeError, match="agent 'external' needs the option 'command'"):
        load("external")
    with pytest.raises(TypeError, match="'external' has no option 'comand': did you mean 'command'"):
        load("external:comand=x")


# --- ending


ECHO = """
for request in requests(): say(id=request['id'], action=request['legal'][0])
open(__file__ + ".end", "w").close()
"""
STUBBORN = (
    "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + ECHO + "\nwhile True: time.sleep(9)"
)


def test_close_ends_the_program(bot: Bot, tmp_path: Path) -> None:
    """It reaches its own end."""
    agent = bot(ECHO)
    with agent as entered:
        assert entered is agent
        agent.act(decisions(1), UNUSED_RNG)
        assert is_running(tmp_path)
    assert not is_running(tmp_path)
    assert (tmp_path / "bot.py.end").exists()
    agent.close()
    with pytest.raises(ValueError, match=r"bot.py' is closed"):
        agent.act(decisions(1), UNUSED_RNG)


@pytest.mark.usefixtures("impatient")
def test_a_program_that_does_not_exit_is_killed(bot: Bot, tmp_path: Path) -> None:
    agent = bot(STUBBORN)
    assert is_running(tmp_path)
    agent.close()
    assert not is_running(tmp_path)


@pytest.mark.parametrize("end", ["", "sys.stdin.read()", "sys.exit(3)", "os.kill(os.getpid(), 11)"])
def test_processes_that_a_program_started_end_with_it(bot: Bot, tmp_path: Path, end: str) -> None:
    """It may exit by itself, and its output may be theirs or not."""
    agent = bot(CHILD.replace("[sys", "stdout=-3, stderr=-3, args=[sys") + end)
    agent.close()
    assert not child_is_running(tmp_path)


@pytest.mark.usefixtures("impatient")
@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_processes_that_a_program_started_are_killed_with_it(bot: Bot) -> None:
    threads = threading.active_count()
    agent = bot("""
import subprocess
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
child.wait()
""")
    assert threading.active_count() == threads + 4
    agent.close()
    assert threading.active_count() == threads  # none is left that reads from the child


def test_a_deleted_agent_ends_its_program(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HELLO + ECHO, encoding="utf-8")
    agent = ExternalAgent([sys.executable, "-S", str(tmp_path / "bot.py")])
    agent.act(decisions(1), UNUSED_RNG)
    assert is_running(tmp_path)
    del agent
    gc.collect()
    assert not is_running(tmp_path)


def test_the_end_of_python_ends_the_program(tmp_path: Path) -> None:
    """Without any warning."""
    (tmp_path / "bot.py").write_text(HELLO + ECHO, encoding="utf-8")
    code = f"""
from wizard_env.agents.external import ExternalAgent
agent = ExternalAgent([{sys.executable!r}, "-S", {str(tmp_path / "bot.py")!r}])
import os, pathlib
os.kill(int(pathlib.Path({str(tmp_path / "bot.py.pid")!r}).read_text()), 0)
"""
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code],
        capture_output=True, text=True, timeout=60, check=True, cwd=Path(__file__).parent.parent.parent,
    )  # fmt: skip
    assert ended.stderr == ""
    assert not is_running(tmp_path)


def test_output_to_stderr_does_not_block(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    """Its last lines become part of the error message."""
    agent = bot("""
for request in requests():
    for line in range(3000):
        print("a line of some forty characters, number", line, file=sys.stderr)
    if request["id"] == 2:
        break
    say(id=request["id"], action=request["legal"][0])
""")
    agent.act(decisions(2), UNUSED_RNG)
    assert agent.forfeits == {"crashed": 1}
    assert re.findall(r"number (\d+)", caplog.messages[0]) == [str(line) for line in range(2995, 3000)]

"""Stand-ins for a language model: a server with its protocol, and players that read nothing but the text."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from wizard_env import ACTIONS, Agent, Game, Rules, View
from wizard_env.cards import CARD_NAMES, COPIES
from wizard_env.words import card_text, suit_name

Speaker = Callable[[list[dict[str, str]]], str]
"""Answers a conversation, of which each message has a role and a content."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
PACKED = b"Content-Encoding: gzip\r\n"
END = b"\r\n"

CARDS = {card_text(card): card for card in CARD_NAMES}
SUITS = {suit_name(suit): suit for suit in "SHDC"}
TOKENS_IN, TOKENS_OUT = 100, 2
"""Charged for each answer."""


@contextmanager
def serving(speak: Speaker) -> Iterator[str]:
    """Serve a model under an address, which is returned; an exception of `speak` is the server's failure."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                status, content = 200, completion(speak(request["messages"]))
            except Exception as failure:
                status, content = 500, {"error": {"message": str(failure)}}
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class RawServer(ThreadingHTTPServer):
    """Sends each client some bytes, then others for ever if there are any.

    asked: counts the clients.
    left: set once a client has left before the last byte.
    """

    daemon_threads = True

    def __init__(self, first: bytes, forever: bytes, pause: float) -> None:
        self.asked = threading.Semaphore(0)
        self.left = threading.Event()
        self._first, self._forever, self._pause = first, forever, pause
        super().__init__(("127.0.0.1", 0), BaseHTTPRequestHandler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def finish_request(self, request: Any, client_address: Any) -> None:
        request.recv(1 << 20)
        self.asked.release()
        try:
            request.sendall(self._first)
            while self._forever:
                request.sendall(self._forever)
                time.sleep(self._pause)
        except OSError:
            self.left.set()


@contextmanager
def sending(first: bytes, forever: bytes = b"", pause: float = 0.0) -> Iterator[RawServer]:
    """Serve bytes in the place of replies. pause: seconds between those that are sent for ever."""
    with RawServer(first, forever, pause) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def completion(text: str) -> dict[str, Any]:
    """Return a chat completion as OpenAI's interface has it."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    total = {"total_tokens": TOKENS_IN + TOKENS_OUT}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "stand-in",
        "choices": [choice],
        "usage": {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, **total},
    }


def legal_in(text: str) -> list[str]:
    """Return the legal actions that a question lists."""
    return text.splitlines()[-1].split(": ", 1)[1].split(", ")


def random_speaker(seed: int) -> Speaker:
    """Answer with a random legal action."""
    rng, lock = np.random.default_rng(seed), threading.Lock()

    def speak(messages: list[dict[str, str]]) -> str:
        with lock:
            return f"I choose {rng.choice(legal_in(messages[-1]['content']))}."

    return speak


def agent_speaker(agent: Agent) -> Speaker:
    """Answer as an agent does that is shown the game that the text describes."""

    def speak(messages: list[dict[str, str]]) -> str:
        game = read_game(messages[0]["content"], messages[1]["content"])
        action = agent.act(View.of([game]), np.random.default_rng(0))[0]
        return f"Let me see. {ACTIONS[action]}"

    return speak


def read_game(rules_text: str, question: str) -> Game:
    """Return the game that the text describes; the others' hands are any that agree with it."""
    *_, current = question.split("\n\n")
    heading, own, *lines = current.splitlines()
    seats = [line for line in lines if re.match(r"seat \d: ", line)]
    sizes = re.search(r"round by round: ([\d, ]+)\.", rules_text)
    assert sizes is not None
    rules = Rules(num_players=len(seats), hand_sizes=tuple(map(int, sizes[1].split(", "))))
    number, dealer, upcard = re.match(
        r"Round (\d+): .*, dealer: seat (\d), (?:upcard (\S+)|no upcard),", heading
    ).groups()  # type: ignore[union-attr]
    plays = [
        (int(seat) - 1, CARDS[card])
        for line in lines
        if line.startswith("trick ")
        for seat, card in re.findall(r"seat (\d) ([^\s,;]+)", line.split("; won")[0])
    ]
    seat, hand = re.match(r"You are seat (\d)\. Your hand: (.*)", own).groups()  # type: ignore[union-attr]
    held = {int(seat) - 1: [CARDS[card] for card in hand.split()]}
    turned = upcard and CARDS[upcard]
    game = Game.from_deal(
        rules,
        dealer=int(dealer) - 1,
        hands=_deal(rules.rounds[int(number) - 1], len(seats), plays, held, turned),
        upcard=turned,
        scores=[int(re.search(r": (-?\d+) points", line)[1]) for line in seats],  # type: ignore[index]
        round_number=int(number),
    )
    if game.phase == "trump" and "trump not named yet" not in heading:
        game.step(f"trump {SUITS[heading.rsplit('trump ', 1)[1]]}")
    bids = [re.search(r"bid (\d+)", line) for line in seats]
    while game.phase == "bid" and (bid := bids[game.acting_seat]):
        game.step(bid[0])
    for player, card in plays:
        assert player == game.seat
        game.step(f"play {card}")
    return game


def _deal(
    size: int, players: int, plays: list[tuple[int, str]], held: dict[int, list[str]], upcard: str | None
) -> list[list[str]]:
    """Return hands that hold what was played, and nothing of a suit that was not followed."""
    hands = [
        [card for seat, card in plays if seat == player] + held.get(player, []) for player in range(players)
    ]
    voids = _voids(plays, players)
    left = [card for card, copies in zip(CARD_NAMES, COPIES, strict=True) for _ in range(copies)]
    for card in [*(card for hand in hands for card in hand), *([upcard] if upcard else [])]:
        left.remove(card)
    rng = np.random.default_rng(0)
    while True:
        pack, dealt = rng.permutation(left).tolist(), [list(hand) for hand in hands]
        for player, hand in enumerate(dealt):
            fit = [card for card in pack if card[1] not in voids[player]]
            hand += fit[: size - len(hand)]
            for card in hand[len(hands[player]) :]:
                pack.remove(card)
        if all(len(hand) == size for hand in dealt):
            return dealt


def _voids(plays: list[tuple[int, str]], players: int) -> list[set[str]]:
    voids: list[set[str]] = [set() for _ in range(players)]
    for first in range(0, len(plays), players):
        led = None
        for player, card in plays[first : first + players]:
            if led and card[1] in "SHDC" and card[1] != led:
                voids[player].add(led)
            if led is None and card != "JE":
                led = card[1] if card != "WI" else ""
    return voids

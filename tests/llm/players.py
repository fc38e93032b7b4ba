"""Stand-ins for a language model, which answer the texts of a game; and servers for tests."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import uvicorn

from wizard_env import ACTIONS, Rules, View
from wizard_env.agents import load
from wizard_env.llm.text_game import TextGame
from wizard_env.session import Session

RULES = Rules(num_players=3, hand_sizes=(2, 3))


def legal_answers(message: str) -> list[str]:
    """Return the legal actions that a message ends with."""
    return message.rpartition(": ")[2].split(", ")


def answers_of(agent: str, seeds: range, rules: Rules = RULES) -> dict[str, str]:
    """Return the answers of an agent to every message of the games of some seeds."""
    answers, player, rng = {}, load(agent), np.random.default_rng(0)
    for seed in seeds:
        game = TextGame(rules, seed)
        while not game.over:
            answers[game.message] = ACTIONS[int(player.act(View.of([game.game]), rng)[0])]
            game.answer(answers[game.message])
    return answers


def scores_among(agent: str, seed: int, rules: Rules = RULES) -> list[int]:
    """Return the scores of a game in which an agent has all seats."""
    session = Session(rules, [agent] * rules.num_players, seed)
    while session.game.seat is not None:
        session.advance()
    return session.game.scores


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an app on a free port of this machine; yields its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()

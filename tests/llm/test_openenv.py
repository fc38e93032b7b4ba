"""Games on a server of OpenEnv, by its own client; `make test-openenv` runs them."""

import asyncio
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("openenv")

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.docs.pages import ROOT, examples, run
from tests.llm.players import RULES, answers_of, scores_among, serving
from wizard_env.llm.openenv import WizardAction, WizardClient, WizardEnvironment, make_app
from wizard_env.llm.text import rules_page
from wizard_env.llm.text_game import TextGame

OPTIONS: dict[str, Any] = {"num_players": 3, "hand_sizes": (2, 3)}
SEEDS = range(8)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(make_app(**OPTIONS)) as address:
        yield address


def test_many_games_at_once_as_an_agent_plays_them(url: str) -> None:
    """By text, each game goes as it does where the agent has the seat itself."""
    answers = answers_of("rule_based", SEEDS)

    async def play(seed: int) -> tuple[int, float, dict[str, Any]]:
        async with WizardClient(base_url=url) as client:
            result, total = await client.reset(seed=seed), 0.0
            text = result.observation.text.removeprefix(f"{rules_page(RULES)}\n\n")
            while not result.done:
                result = await client.step(WizardAction(reply=answers[text]))
                text, total = result.observation.text, total + result.reward
            return (await client.state()).seat, total, result.metadata

    async def play_all() -> list[tuple[int, float, dict[str, Any]]]:
        return await asyncio.gather(*map(play, SEEDS))

    for seed, (seat, total, result) in zip(SEEDS, asyncio.run(play_all()), strict=True):
        points = scores_among("rule_based", seed)[seat]
        assert total == result["points"] == points
        assert (result["invalid_answers"], result["forfeited"]) == (0, 0)


def test_a_session_plays_game_after_game(url: str) -> None:
    """The state has the seed of a game that nobody seeded; the same seed begins it again."""
    with WizardClient(base_url=url).sync() as client:
        first = client.reset(episode_id="first")
        state = client.state()
        assert (state.episode_id, state.step_count, state.scores) == ("first", 0, [0, 0, 0])
        client.step(WizardAction(reply=first.observation.legal_actions[0]))
        assert client.state().step_count == 1
        again = client.reset(seed=state.seed)
        assert again.observation == first.observation
        assert client.state().episode_id not in ("first", "")
        assert (again.reward, again.done) == (0, False)


def test_an_invalid_reply_is_told_why(url: str) -> None:
    with WizardClient(base_url=url).sync() as client:
        before = client.reset(seed=1).observation
        refused = client.step(WizardAction(reply="I pass"))
        assert (refused.observation.error, refused.reward, refused.done) == ("unreadable", 0, False)
        assert "names no action" in refused.observation.text
        assert refused.observation.legal_actions == before.legal_actions
        assert client.step(WizardAction(reply="bid 9")).observation.error == "illegal"
        end = client.step(WizardAction(reply=""))
        assert (end.reward, end.done, end.observation.legal_actions) == (-50, True, [])
        assert end.metadata == {"points": -50, "bids_met": 0, "invalid_answers": 3, "forfeited": 1}
        with pytest.raises(RuntimeError, match="takes no more answers"):
            client.step(WizardAction(reply="bid 0"))


def test_a_refused_reset_changes_nothing(url: str) -> None:
    with WizardClient(base_url=url).sync() as client:
        client.reset(seed=5)
        before = client.state()
        for wrong in (-1, True, "7"):
            with pytest.raises(RuntimeError, match="allowed are"):
                client.reset(seed=wrong)
        assert client.state() == before


def test_requests_that_are_refused(url: str) -> None:
    """Also those of web pages, whose browser sends the name of their site."""
    for path, body, headers, expected in (
        ("/reset", b"{}", {}, (200, "Wizard, 3 players")),
        ("/reset", b"{}", {"Origin": "https://other.example"}, (403, "requests from web pages are refused")),
        (
            "/reset",
            b'{"seed": 18446744073709551616}',
            {},
            (400, "seed=18446744073709551616: allowed are 0 to"),
        ),
        ("/reset", b'{"sede": 1}', {}, (400, "reset has no option 'sede'")),
        ("/step", b'{"action": {"reply": "bid 1"}}', {}, (400, "no game has begun: reset comes first")),
    ):
        connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
        connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        assert answer.status == expected[0]
        assert expected[1] in answer.read().decode()
        connection.close()
    with pytest.raises(InvalidStatus), connect(f"ws{url[4:]}/ws", origin=Origin("https://other.example")):
        pass


def test_options_are_those_of_the_environment() -> None:
    env = WizardEnvironment(**OPTIONS, seat=2, opponents="random", reward="met", tries=1)
    observation = env.reset(seed=4)
    assert env.state.seat == 2
    game = TextGame(RULES, 4, seat=2, opponents="random", reward="met")
    while not observation.done:
        reply = observation.legal_actions[-1]
        observation = env.step(WizardAction(reply=reply))
        assert observation.reward == game.answer(reply)
        assert observation.text == game.message
    assert observation.metadata == game.result()
    assert env.get_metadata().name == "wizard"


def test_the_block_of_the_page_runs(url: str) -> None:
    (code,) = [code for code, _ in examples(ROOT / "docs" / "language-models.md") if "openenv" in code]
    names: dict[str, Any] = {"__name__": "__main__"}
    run(code.replace("http://localhost:8000", url), None, names)
    assert len(names["results"]) == 16

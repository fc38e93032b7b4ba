"""A seat at the table as an environment of OpenEnv: the server, and its client.

`uvicorn --factory wizard_env.llm.openenv:make_app` serves games with the default options.
"""

from functools import partial
from typing import Any, Literal
from uuid import uuid4

from wizard_env import ACTIONS, __version__
from wizard_env.checks import check_names
from wizard_env.envs.opponents import Opponents
from wizard_env.extras import extra
from wizard_env.llm.text import answer_text, rules_page
from wizard_env.llm.text_game import TextGame, TextReward
from wizard_env.rules import make_rules
from wizard_env.session import fresh_seed

with extra("openenv"):
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server import Action, Environment, Observation, State, create_app
    from openenv.core.env_server.types import EnvironmentMetadata
    from starlette.datastructures import Headers
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocketClose


class WizardAction(Action):  # type: ignore[misc]
    """A reply of the model."""

    reply: str


class WizardObservation(Observation):  # type: ignore[misc]
    """A decision of the model's seat, or the end of the game, where `done` is true.

    `reward` is that of the step. At the end, `metadata` holds the `result` of the game, see `TextGame`.
    """

    text: str
    """The text for the model, see `message` of `TextGame`; the first begins with the rules."""
    legal_actions: list[str]
    """The legal actions, as an answer names them; empty at the end."""
    error: Literal["unreadable", "illegal"] | None = None
    """Set if the reply was refused; `text` gives the reason."""


class WizardState(State):  # type: ignore[misc]
    """The progress of the game, and the seed that repeats it. None of it is for the model."""

    seed: int
    seat: int
    scores: list[int]


class WizardEnvironment(Environment[WizardAction, WizardObservation, WizardState]):  # type: ignore[misc]
    """A game at a time: the model has one seat, agents have the others. Each session has its own."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        num_players: int = 4,
        seat: int | None = None,
        opponents: Opponents = "rule_based",
        reward: TextReward = "points",
        tries: int = 3,
        **options: Any,
    ) -> None:
        """Set the options of all games.

        Args:
            num_players: 3 to 6.
            seat, opponents, reward, tries: as for `TextGame`.
            options: the other options of Rules.
        """
        super().__init__()
        self._rules = make_rules(WizardEnvironment, num_players, options)
        self._deal = partial(
            TextGame, self._rules, seat=seat, opponents=opponents, reward=reward, tries=tries
        )
        self._game: TextGame | None = None
        self._episode_id = ""
        self._seed = 0
        self._steps = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> WizardObservation:
        """Start the game of a seed, 0 to 2**64 - 1; of a random one if None.

        Raises TypeError for other options: those of the games are set where the server starts.
        """
        check_names("reset", options, ["seed", "episode_id"])
        seed = fresh_seed() if seed is None else seed
        self._game, self._seed = self._deal(seed), seed
        self._episode_id = episode_id or str(uuid4())
        self._steps = 0
        return self._observe(f"{rules_page(self._rules)}\n\n{self._game.message}", reward=0.0)

    def step(self, action: WizardAction, timeout_s: float | None = None, **_: Any) -> WizardObservation:
        """Take a reply, then let the opponents act until the model must.

        An invalid reply leaves the decision open; after the last try, the game is forfeited.

        Raises ValueError before the first `reset`, and after the end of a game.
        """
        game = self._playing()
        reward = game.answer(action.reply)
        self._steps += 1
        return self._observe(game.message, reward)

    @property
    def state(self) -> WizardState:
        """The progress of the game. Raises ValueError before the first `reset`."""
        game = self._playing()
        return WizardState(
            episode_id=self._episode_id,
            step_count=self._steps,
            seed=self._seed,
            seat=game.seat,
            scores=game.game.scores,
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the name and the version of this package."""
        return EnvironmentMetadata(
            name="wizard", description="The card game Wizard, against agents", version=__version__
        )

    def _playing(self) -> TextGame:
        if self._game is None:
            raise ValueError("no game has begun: reset comes first")
        return self._game

    def _observe(self, text: str, reward: float) -> WizardObservation:
        game = self._playing()
        return WizardObservation(
            text=text,
            legal_actions=[]
            if game.over
            else [answer_text(ACTIONS[one]) for one in game.game.legal_actions()],
            error=None if game.error is None else game.error.kind,
            reward=reward,
            done=game.over,
            metadata=game.result() if game.over else {},
        )


class WizardClient(EnvClient[WizardAction, WizardObservation, WizardState]):  # type: ignore[misc]
    """A session on a server: `WizardClient(base_url="http://localhost:8000")`."""

    def _step_payload(self, action: WizardAction) -> dict[str, Any]:
        return {"reply": action.reply}

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        reward, done = payload["reward"], payload["done"]
        observation = WizardObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation, reward, done, observation.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> WizardState:
        return WizardState(**payload)


class _ProgramsOnly:
    """ASGI middleware: refuses web pages, which name their site in `Origin`; clients are programs.

    Any page could else play through the browser of somebody in this network.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._app
        if scope["type"] in ("http", "websocket") and "Origin" in Headers(scope=scope):
            refusal = JSONResponse({"detail": "requests from web pages are refused"}, 403)
            answer = refusal if scope["type"] == "http" else WebSocketClose()
        await answer(scope, receive, send)


async def _refuse(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 400)


def make_app(max_sessions: int = 64, **options: Any) -> Any:
    """Return the server's app, in which each session plays its own games. It refuses requests of web pages.

    Args:
        max_sessions: number of sessions at the same time.
        options: as for `WizardEnvironment`; refused here if no game could be dealt with them.
    """
    WizardEnvironment(**options).reset(seed=0)
    app = create_app(
        partial(WizardEnvironment, **options),
        WizardAction,
        WizardObservation,
        env_name="wizard",
        max_concurrent_envs=max_sessions,
        state_cls=WizardState,
    )
    app.add_middleware(_ProgramsOnly)
    for error in (TypeError, ValueError):
        app.add_exception_handler(error, _refuse)
    return app

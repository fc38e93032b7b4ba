"""A taskset, an environment and a harness for the library `verifiers`: models play games and are scored.

`verifiers` finds them under the name of a module at the top level: `vf-eval wizard-verifiers`.
"""

import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import fields
from itertools import count
from typing import Any, Literal, Self

from wizard_env import Rules
from wizard_env.extras import extra
from wizard_env.llm.text import rules_page
from wizard_env.llm.text_game import TextGame, TextReward
from wizard_env.rules import BidRestriction, BidReveal

with extra("verifiers"):
    import openai
    import verifiers.v1 as vf
    from pydantic import model_validator
    from verifiers.v1.dialects.chat import message_to_wire

TASKSET_ID = "wizard-verifiers"
FIRST_SEEDS = {"train": 0, "eval": 2**32}
"""The seed of the first game of each split; those of the others follow, so no game is in both."""

_TLS = ssl.create_default_context()  # to make one for each turn would take longer than the turn


class WizardTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The games of a taskset: `--env.taskset.*`."""

    id: str = TASKSET_ID
    split: Literal["train", "eval"] = "train"
    """The seeds of the games: those to learn from, or those to measure with."""
    num_players: int = 4
    bid_restriction: BidRestriction = "free"
    bid_reveal: BidReveal = "open"
    magic_edition: bool = False
    hand_sizes: list[int] | None = None
    """With the four above, the options of Rules."""
    seat: int | None = None
    """The model's seat; drawn for each game if None."""
    opponents: str | list[str] = "rule_based"
    """The name of an agent, or one for each seat to the model's left."""
    reward: TextReward = "points"
    """The reward of a game, see `TextGame`."""
    tries: int = 3
    """Answers to one decision; if the last of them is invalid, the game is forfeited."""

    @model_validator(mode="after")
    def _can_be_dealt(self) -> Self:
        """Refuse options that every game would refuse."""
        self.deal(seed=0)
        return self

    def rules(self) -> Rules:
        """Return the rules of the games."""
        return Rules(**self.model_dump(include={field.name for field in fields(Rules)}))

    def deal(self, seed: int) -> TextGame:
        """Return the game of a seed at the model's first decision."""
        return TextGame(self.rules(), seed, self.seat, self.opponents, self.reward, self.tries)


class WizardData(vf.TaskData):  # type: ignore[misc]
    """The data of one game besides those of its taskset."""

    seed: int


class WizardTask(vf.Task[WizardData]):  # type: ignore[misc]
    """One game; `WizardGameEnv` plays and scores it."""


class WizardTaskset(vf.Taskset[WizardTask, WizardTasksetConfig]):  # type: ignore[misc]
    """Games of the same rules, one for each seed, without end."""

    INFINITE = True

    def load(self) -> Iterator[WizardTask]:
        rules = rules_page(self.config.rules())
        for seed in count(FIRST_SEEDS[self.config.split]):
            data = WizardData(name=f"seed {seed}", prompt=None, system_prompt=rules, seed=seed)
            yield WizardTask(data, self.config.task)


class WizardHarness(vf.Harness[vf.HarnessConfig]):  # type: ignore[misc]
    """A chat without tools in this process.

    The library's own chat starts a program for each turn, and a game has a hundred turns.
    """

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: Any,
    ) -> Any:
        """Ask the model for one reply, which `verifiers` records on its way."""
        system_prompt, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system_prompt}, *map(message_to_wire, prompt)]
        http = openai.DefaultAsyncHttpxClient(verify=_TLS)
        try:
            async with openai.AsyncOpenAI(
                base_url=endpoint, api_key=secret, timeout=None, http_client=http
            ) as client:
                await client.chat.completions.create(model=ctx.model, messages=messages)
        except openai.APIError as error:  # the model failed, or a limit of the run was reached
            return vf.ProgramResult(exit_code=1, stdout="", stderr=str(error))
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class WizardGameEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The taskset and the model that plays: `--env.*`."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class WizardGameEnv(vf.Env[WizardGameEnvConfig]):  # type: ignore[misc]
    """One game is one episode: the model answers each decision of its seat, agents play the others.

    The reward is `total` of `TextGame`, and its `result` is recorded as metrics. The game is forfeited after
    invalid answers, and where the run's limit of turns or tokens ends it.
    """

    async def run(self, task: WizardTask, agents: Any) -> None:
        # On a thread, so that other games go on while opponents think.
        game = await asyncio.to_thread(self.config.taskset.deal, task.data.seed)
        async with agents.player.interaction(task) as interaction:
            while not game.over:
                segment = await interaction.turn(game.message)
                if segment.terminated:
                    game.forfeit()
                else:
                    await asyncio.to_thread(game.answer, segment.last_reply)
        trace = interaction.trace
        trace.record_reward(self.config.taskset.reward, game.total)
        trace.record_metrics(game.result())


def load_environment(**options: Any) -> WizardGameEnv:
    """Return the environment of a taskset with these options, see `WizardTasksetConfig`."""
    return vf.load_environment(WizardGameEnvConfig(taskset=WizardTasksetConfig(**options)))

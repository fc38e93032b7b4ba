"""McpAgent: a language model that is an MCP client plays a seat; it connects, and fetches the questions."""

import atexit
import inspect
import logging
import threading
from collections.abc import Sequence
from typing import Annotated, Literal, Self, TypeAlias

import anyio
import numpy as np
import uvicorn
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, StrictInt

from wizard_env import View
from wizard_env.checks import check_integer, check_seconds
from wizard_env.llm.ports import open_port
from wizard_env.llm.questions import Question, Questions
from wizard_env.llm.serving import StrictServer, address_of, make_app, refusals
from wizard_env.llm.text_agent import Message, TextAgent
from wizard_env.view import Actions

POLL_SECONDS = 20.0
"""Time after which a client hears that no question is waiting yet."""
_PAUSE = 0.02
"""Seconds between two looks at the questions: they come from other threads, and back from absent clients."""
_GRACE = 5
"""Seconds that connections have to end by themselves when the server is closed."""
_ACTING = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_INSTRUCTIONS = """\
You are measured at the card game Wizard. Call next_question: its reply is a decision, with the rules, \
everything that your seat has seen, and the legal actions. Choose a legal action, and call answer with the \
number of the question. Repeat this until next_question says that the measurement is over. The questions are \
about many games, in any order, and each holds all that you need. If no question is waiting yet, call \
next_question again."""

_log = logging.getLogger(__name__)


class Offer(BaseModel):
    """The reply of `next_question`, for programs."""

    text: str = Field(description="The reply in words.")
    status: Literal["question", "wait", "over"] = Field(
        description="wait: no question is waiting yet; over: there will be no more."
    )
    question: int | None = Field(default=None, description="The number of the question.")
    rules: str = Field(default="", description="The rules of the game.")
    decision: str = Field(
        default="", description="What the seat has seen, and its legal actions in the last line."
    )
    refusal: str = Field(
        default="", description="The reason why the last answer to this decision was refused."
    )


class Receipt(BaseModel):
    """The reply of `answer`, for programs."""

    text: str = Field(description="The reply in words.")
    question: int = Field(description="The number of the question.")


TextAndOffer: TypeAlias = Annotated[CallToolResult, Offer]
TextAndReceipt: TypeAlias = Annotated[CallToolResult, Receipt]


class McpAgent(TextAgent):
    """Asks for each decision, see TextAgent, and waits until a client of its MCP server answers.

    Several questions are open at the same time. One client, or several, answer them in any order. A question
    that a client has taken is offered again after TAKEN_SECONDS without an answer.

    The server listens until `close`, the end of a `with` block, or the end of this process.

    address: of the server.
    """

    plays_in_one_process = True  # only one process can listen on the port

    def __init__(
        self,
        port: int,
        host: str = "127.0.0.1",
        timeout: float = 600.0,
        tries: int = 3,
        at_once: int = 8,
    ) -> None:
        """Open the port; a warning in the log gives the address.

        Args:
            port: the port to listen on; 0 picks a free one.
            host: the address to listen on; 0.0.0.0 lets other computers connect.
            timeout: seconds that questions may wait while none is answered.
            tries, at_once: see TextAgent.

        Raises ValueError if a value is not allowed, or the port cannot be opened.
        """
        super().__init__(tries, at_once)
        port = check_integer("port", port, 0, 65_535)
        self._timeout = check_seconds("timeout", timeout)
        self._questions = Questions(self._timeout)
        listening = open_port(host, port)
        self.address = address_of(host, listening.getsockname()[1])
        app = make_app(_make_server(self._questions), host)
        config = uvicorn.Config(
            app, log_config=None, log_level="warning", timeout_graceful_shutdown=_GRACE
        )  # the logging stays as the command has set it up
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()
        while self._thread.is_alive() and not self._server.started:
            self._thread.join(_PAUSE)
        atexit.register(self.close)
        _log.warning("the model has to connect to %s", self.address)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Ask for every decision of the view.

        Raises TimeoutError if nobody answers, ConnectionError if the agent is closed.
        """
        self._questions.begin()
        return super().act(view, rng)

    def answer(self, conversation: Sequence[Message]) -> str:
        """Return the answer of a client. Raises as `act` does."""
        try:
            return self._questions.ask(conversation)
        except TimeoutError:
            raise TimeoutError(
                f"nobody answered a question at {self.address} for {self._timeout:g} seconds"
            ) from None

    def abandon(self) -> None:
        """Withdraw all questions."""
        self._questions.withdraw()

    def close(self) -> None:
        """Tell waiting clients that the measurement is over, and free the port."""
        self._questions.end()
        self._server.should_exit = True
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Tools:
    """The tools of the server; models read their docstrings."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def next_question(self) -> TextAndOffer:
        """Take the next question: a decision, with the rules and everything that your seat has seen.

        Waits some seconds for one; if there is none yet, call it again.
        """
        with anyio.move_on_after(POLL_SECONDS):
            while not self._questions.ended:
                if (question := self._questions.take()) is not None:
                    return _reply(_offer(question))
                await anyio.sleep(_PAUSE)
        if self._questions.ended:
            return _reply(Offer(text="The measurement is over.", status="over"))
        return _reply(Offer(text="No question is waiting yet: call next_question again.", status="wait"))

    async def answer(
        self,
        question: Annotated[StrictInt, Field(description="The number of the question.")],
        action: Annotated[str, Field(description='Such as "bid 2", "trump hearts" or "play 10♠".')],
    ) -> TextAndReceipt:
        """Answer a question with one of its legal actions.

        If the action cannot be taken, next_question asks again and gives the reason.
        """
        with refusals():
            self._questions.answer(question, action)
        text = f"Question {question} is answered: call next_question."
        return _reply(Receipt(text=text, question=question))


def _make_server(questions: Questions) -> StrictServer:
    server = StrictServer(_INSTRUCTIONS)
    tools = _Tools(questions)
    for tool in (tools.next_question, tools.answer):
        server.add_tool(tool, description=inspect.getdoc(tool), annotations=_ACTING)
    return server


def _offer(question: Question) -> Offer:
    rules, decision, *retries = (message.content for message in question.conversation)
    refusal = retries[-1] if retries else ""
    parts = filter(None, (f"Question {question.number}", rules, decision, refusal))
    return Offer(
        text="\n\n".join(parts),
        status="question",
        question=question.number,
        rules=rules,
        decision=decision,
        refusal=refusal,
    )


def _reply(content: Offer | Receipt) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=content.text)], structured_content=content.model_dump()
    )

"""AnswerFile: the answers of models, kept in a file so that no question is paid for twice."""

import json
from collections.abc import Sequence
from pathlib import Path

from wizard_env.checks import shortened
from wizard_env.files import check_file, check_kept, compact_json, digest
from wizard_env.llm.text_agent import Message


class AnswerFile:
    """A file with a line of JSON for each answer: the model, the question, the answer and its tokens.

    `key` is a digest of the model and the whole conversation. A last line that was cut off by a crash is
    removed.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or begin it. Raises ValueError if it holds something else, or OSError."""
        check_file(path)
        check_kept(path)
        self._path = path
        self._answers: dict[str, str] = {}
        with path.open("ab+") as file:
            file.seek(0)
            end = 0
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                key, answer = _parse(line, f"{path}, line {number}")
                self._answers[key] = answer
                end += len(line)
            file.truncate(end)

    def find(self, model: str, conversation: Sequence[Message]) -> str | None:
        """Return the answer of a model in a conversation; None if it has not been asked."""
        return self._answers.get(_key(model, conversation))

    def add(self, model: str, conversation: Sequence[Message], answer: str, **numbers: int) -> None:
        """Write an answer down, with numbers that belong to it."""
        key = _key(model, conversation)
        content = {"key": key, "model": model, "question": conversation[-1].content, "answer": answer}
        line = compact_json(content | numbers).encode() + b"\n"
        with self._path.open("ab", buffering=0) as file:
            file.write(line)
        self._answers[key] = answer


def _key(model: str, conversation: Sequence[Message]) -> str:
    return digest(compact_json([model, *conversation]))


def _parse(line: bytes, where: str) -> tuple[str, str]:
    try:
        content = json.loads(line)
        key, answer = content["key"], content["answer"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{where}: not an answer of a model: {shortened(error)}") from None
    if not isinstance(key, str) or not isinstance(answer, str):
        raise ValueError(f"{where}: not an answer of a model: key and answer must be texts")
    return key, answer

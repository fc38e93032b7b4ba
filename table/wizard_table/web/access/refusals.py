"""Refusals in the person's words, with the reason for developers beside them."""

from collections.abc import Iterator

from pydantic import ValidationError

from wizard_env.actions import IllegalAction
from wizard_env.records.game_records import RecordError
from wizard_table.translation import t


class FieldError(ValueError):
    """A refusal of what a person has entered in a field of a form."""

    def __init__(self, why: str, field: str) -> None:
        super().__init__(why)
        self.field = field


def refusal_of(error: Exception) -> dict[str, str]:
    """Return the body of a refusal: `why`, the reason for the person, and what else there is to tell.

    `field` names the entry of the message that is wrong; `detail` says for developers what is wrong, in
    English.
    """
    return dict(_entries(error))


def not_understood() -> str:
    """Return the reason for a message that no page of this release sends."""
    return t("This page and the server do not understand each other. Load the page again.")


def _entries(error: Exception) -> Iterator[tuple[str, str]]:
    if isinstance(error, ValidationError):
        yield from _entries_of_invalid(error)
    elif isinstance(error, IllegalAction):
        yield "why", t("The rules do not allow this now.")
        yield "detail", str(error)
    elif isinstance(error, RecordError):
        yield "why", _no_record()
        yield "detail", str(error)
    else:
        yield "why", str(error)
        if isinstance(error, FieldError):
            yield "field", error.field


def _entries_of_invalid(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield the entries for the first thing that is wrong with a message."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = [str(part) for part in first["loc"]]
    ours = first.get("ctx", {}).get("error")
    if isinstance(ours, ValueError):  # raised by a check of the project, in the person's words
        yield "why", str(ours)
    else:
        yield "why", _no_record() if where == ["record"] else not_understood()
        yield "detail", f"{'.'.join(where) or 'the message'}: {first['msg']}"
    if where:
        yield "field", where[0]


def _no_record() -> str:
    return t("This is not the record of a game, or it was altered.")

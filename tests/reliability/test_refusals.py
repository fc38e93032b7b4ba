"""Refusals of text from outside are short, however long or deep it is."""

import pytest

from wizard_env.checks import quoted
from wizard_env.records import parse_position, replay

LONG = "A" * 1_000_000
SHORTEST = 4 * 500
"""A refusal may quote several values."""


@pytest.mark.parametrize("text", [LONG, f"dealer={LONG}", f"{LONG}=1", f"players=3 dealer=0 hands={LONG}"])
def test_a_position_or_record_is_refused_shortly(text: str) -> None:
    for read in (parse_position, replay):
        with pytest.raises(ValueError, match=r"position|record|hands|dealer|whole|JSON") as refusal:
            read(text)
        assert len(str(refusal.value)) < SHORTEST


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 10_000, "", "null"])
def test_other_json_is_no_record(text: str) -> None:
    with pytest.raises(ValueError, match="line 1: ") as refusal:
        replay(text)
    assert len(str(refusal.value)) < SHORTEST


def test_what_cannot_be_written_out_is_named_by_its_type() -> None:
    """Python writes no more than 4,300 digits."""
    assert quoted(10**5000) == "a value of type int, too large to show"

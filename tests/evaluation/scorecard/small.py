"""A protocol that takes a second: a table for each part, with small rounds."""

import json
from functools import cache
from pathlib import Path

import pytest

from wizard_env import Rules
from wizard_env.evaluation.scorecard import protocol, scorecard
from wizard_env.evaluation.scorecard.protocol import PARTS, Table
from wizard_env.evaluation.workers import workers

DEALS = {"full": 24, "short": 4}


def tables() -> list[Table]:
    players = (3, 4, 5, 6, 4, 4)
    return [
        Table(part, "rule_based", Rules(count, hand_sizes=(1, 3)), ("rule_based",) * (count - 1))
        for part, count in zip(PARTS, players, strict=True)
    ]


def use_small_protocol(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Play these tables instead, and measure the ends of their scale."""
    monkeypatch.setattr(protocol, "tables", tables)
    monkeypatch.setattr(protocol, "DEALS", DEALS)
    monkeypatch.setattr(scorecard, "REFERENCES", folder / "references.json")
    scorecard.REFERENCES.write_text(references())


@cache
def references() -> str:
    """Return the ends of the scale as JSON; only called while these tables are used."""
    with workers() as here:
        return json.dumps(scorecard.reference_document(here))

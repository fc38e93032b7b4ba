"""A protocol that takes a second: a table for each part, with small rounds."""

import json
from functools import cache
from pathlib import Path

import pytest

from wizard_env import Rules
from wizard_env.evaluation import protocol, scorecard
from wizard_env.evaluation.protocol import PARTS, Table
from wizard_env.evaluation.workers import workers

TABLES = tuple(
    Table(part, "rule_based", Rules(count, hand_sizes=(1, 3)), ("rule_based",) * (count - 1))
    for part, count in zip(PARTS, (3, 4, 5, 6, 4, 4), strict=True)
)
FULL, FEW = protocol.EFFORTS["full"], protocol.EFFORTS["few"]
EFFORTS = {
    "full": FULL._replace(tables=TABLES, deals=24),
    "short": FULL._replace(tables=TABLES, deals=4),
    "few": FEW._replace(
        tables=(FEW.tables[0]._replace(rules=Rules(4, hand_sizes=(1, 2))),),
        deals=4,
        baseline=("rule_based", protocol.STRONGEST),
        reference_deals=40,
    ),
}


def use_small_protocol(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Play these tables instead, and measure the ends of their scale."""
    monkeypatch.setattr(protocol, "EFFORTS", EFFORTS)
    monkeypatch.setattr(scorecard, "REFERENCES", folder / "references.json")
    scorecard.REFERENCES.write_text(references())


@cache
def references() -> str:
    """Return the ends of the scale as JSON; only called while these tables are used."""
    with workers() as here:
        return json.dumps(scorecard.reference_document(here))

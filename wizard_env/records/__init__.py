"""Games on paper: records and positions that read back exactly, transcripts, and files that are never half
written."""

from wizard_env.records.game_records import (
    RecordError,
    players_of,
    read_records,
    record,
    replay,
    write_records,
)
from wizard_env.records.positions import parse_position, position
from wizard_env.records.transcripts import Transcript, transcribe

__all__ = [
    "RecordError",
    "Transcript",
    "parse_position",
    "players_of",
    "position",
    "read_records",
    "record",
    "replay",
    "transcribe",
    "write_records",
]

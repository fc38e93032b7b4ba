"""Games as text: records and positions that read back exactly, and transcripts for people."""

from wizard_env.records.game_records import RecordError, read_records, record, replay, write_records
from wizard_env.records.positions import parse_position, position
from wizard_env.records.transcripts import Transcript, transcribe

__all__ = [
    "RecordError",
    "Transcript",
    "parse_position",
    "position",
    "read_records",
    "record",
    "replay",
    "transcribe",
    "write_records",
]

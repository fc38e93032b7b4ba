"""The files of a data set: Parquet in shards, with a row for each decision.

Observations, masks and probabilities are fixed-size binary, one value per row: lists of numbers take ten
times as long to write and to read. `read_decisions` gives them as arrays.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, OBS_SIZE
from wizard_env.checks import nearest, quoted, shortened
from wizard_env.extras import extra
from wizard_env.files import read_object

with extra("data"):
    import pyarrow as pa
    import pyarrow.parquet as pq

_SHARDS = "decisions-*.parquet"
ABOUT = "_dataset.json"
"""Readers of a whole folder skip names that begin with an underscore."""
_METADATA = b"wizard-dataset"

COLUMNS: dict[str, tuple[Any, str]] = {
    "observation": (pa.binary(OBS_SIZE), f"uint8 [{OBS_SIZE}], what the acting seat may know"),
    "mask": (pa.binary(NUM_ACTIONS), f"uint8 [{NUM_ACTIONS}], 1 for a legal action"),
    "action": (pa.uint8(), "the action that was taken"),
    "probabilities": (
        pa.binary(4 * NUM_ACTIONS),
        f"float32 [{NUM_ACTIONS}], how likely the agent was to take each action; "
        "NaN if the agent does not give it",
    ),
    "points": (pa.int16(), "points of the acting seat in this round"),
    "return": (pa.int32(), "its points from this round to the end of the game"),
    "seat": (pa.int8(), "the acting seat"),
    "agent": (pa.int8(), f"the index of its agent in `{ABOUT}`"),
    "num_players": (pa.int8(), "the number of players"),
    "round": (pa.int8(), "the number of the round, from 1"),
    "hand_size": (pa.int8(), "cards dealt to each seat in that round"),
    "game": (pa.int64(), "the number of the game in the data set"),
    "step": (pa.int16(), "the number of the decision in its game, from 0"),
    "deal_seed": (pa.uint64(), "`Game(rules, seed=deal_seed)` is dealt the same cards"),
}
"""The type and the meaning of each column."""

_ARRAYS = {"observation": np.uint8, "mask": np.uint8, "probabilities": np.float32}


class ShardWriter:
    """Writes a file of decisions, part by part; a context manager."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        """Open the file. about: what to keep in its metadata, as JSON."""
        fields = [pa.field(name, kind, nullable=False) for name, (kind, _) in COLUMNS.items()]
        self._schema = pa.schema(fields, {_METADATA: json.dumps(about)})
        self._writer = pq.ParquetWriter(
            path,
            self._schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in COLUMNS if name not in _ARRAYS],
            write_statistics=["game", "round", "hand_size", "num_players"],
            write_page_checksum=True,
        )

    def write(self, columns: dict[str, NDArray[Any]]) -> None:
        """Append rows as one row group. columns: arrays of n rows by name, as in COLUMNS."""
        arrays = [_to_arrow(columns[field.name], field.type) for field in self._schema]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema), 2**20)

    def __enter__(self) -> "ShardWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()


def _to_arrow(array: NDArray[Any], kind: Any) -> Any:
    if array.ndim == 1:
        return pa.array(array, kind)
    return pa.Array.from_buffers(kind, len(array), [None, pa.py_buffer(np.ascontiguousarray(array))])


def read_about(folder: str | Path) -> dict[str, Any]:
    """Read the agents, rules, seed and columns of a data set. Raises ValueError if it is damaged."""
    path = Path(folder) / ABOUT
    about = read_object(path)
    agents = about.get("agents")
    if not isinstance(agents, list) or not all(isinstance(name, str) for name in agents):
        raise ValueError(f"{path}: not of a data set: it names no agents")
    return about


def read_decisions(
    folder: str | Path, columns: Sequence[str] | None = None, rows: int = 65_536
) -> Iterator[dict[str, NDArray[Any]]]:
    """Read the decisions of a data set, at most `rows` at a time.

    Yields arrays of n rows by column; observations, masks and probabilities are [n, entries]. Raises
    FileNotFoundError if there is no data set, ValueError if a file is damaged or a column is unknown.

    columns: the columns to read; all if None.
    """
    paths = sorted(Path(folder).glob(_SHARDS))
    if not paths:
        raise FileNotFoundError(f"{folder} holds no data set: there is no {_SHARDS}")
    for path in paths:
        for batch in _batches(path, columns, rows):
            yield {
                name: _to_array(name, batch.column(index)) for index, name in enumerate(batch.schema.names)
            }


def count_decisions(folder: Path) -> int:
    """Return the number of decisions of a data set."""
    return sum(pq.read_metadata(path).num_rows for path in folder.glob(_SHARDS))


def _batches(path: Path, columns: Sequence[str] | None, rows: int) -> Iterator[Any]:
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            kinds = {field.name: field.type for field in file.schema_arrow}
            if kinds != {name: kind for name, (kind, _) in COLUMNS.items()}:
                raise ValueError("its columns are not those of a data set")
            if unknown := set(columns or ()) - set(COLUMNS):
                wrong = min(unknown)
                raise ValueError(f"there is no column {quoted(wrong)}: {nearest(wrong, list(COLUMNS))}")
            found = 0
            for batch in file.iter_batches(rows, columns=list(columns) if columns else None):
                if any(column.null_count for column in batch.columns):
                    raise ValueError("some of its values are missing")
                found += len(batch)
                yield batch
            if not found or found != file.metadata.num_rows:
                raise ValueError(f"it should hold {file.metadata.num_rows} decisions and holds {found}")
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {shortened(error)}") from error


def _to_array(name: str, column: Any) -> NDArray[Any]:
    """Return a column of Arrow as an array: [n], or [n, entries]."""
    if name not in _ARRAYS:
        array: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return array
    width = column.type.byte_width
    memory = np.frombuffer(column.buffers()[1], np.uint8, len(column) * width, column.offset * width)
    return memory.view(_ARRAYS[name]).reshape(len(column), -1)

"""Altered data sets: a line says so, or they hold what was written."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reliability.damage import damaged
from tests.reliability.effort import generator, times
from wizard_env import Rules

pytest.importorskip("pyarrow")
import pyarrow as pa
import pyarrow.parquet as pq

from wizard_env.evaluation.datasets.parquet import ABOUT, COLUMNS, read_about, read_decisions
from wizard_env.evaluation.datasets.writer import write_dataset

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    list(write_dataset(folder, ["random"], [Rules(num_players=3, hand_sizes=(1, 2))], 60))
    (path,) = folder.glob("*.parquet")
    return path


def columns_of(folder: Path) -> dict[str, NDArray[Any]]:
    parts = list(read_decisions(folder))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def read(folder: Path) -> dict[str, NDArray[Any]] | None:
    """The columns; None if a line refuses them."""
    try:
        return columns_of(folder)
    except ValueError as error:
        message = str(error)
    assert str(folder) in message
    assert len(message) < 3000
    return None


def test_an_altered_shard_is_refused_or_holds_what_was_written(shard: Path, tmp_path: Path) -> None:
    """Pages have checksums. What an altered footer makes of sound pages has the right columns."""
    content, rng = shard.read_bytes(), generator()
    sound, path = columns_of(shard.parent), tmp_path / shard.name
    length = int.from_bytes(content[-8:-4], "little")
    pages = len(content) - 8 - length
    for _ in range(times(100, 10_000)):
        altered = bytearray(content)
        altered[rng.integers(4, pages)] ^= 1 << rng.integers(8)
        path.write_bytes(altered)
        found = read(tmp_path)
        assert found is None or all(np.array_equal(found[name], sound[name], True) for name in COLUMNS)
    for _ in range(times(40, 10_000)):
        path.write_bytes(damaged(content, rng))
        found = read(tmp_path)
        assert found is None or all(len(found[name]) == len(found["action"]) for name in COLUMNS)


def test_a_file_with_other_columns_is_refused(shard: Path, tmp_path: Path) -> None:
    """Formerly the bytes of another type were taken for observations."""
    table = pq.read_table(shard)
    place = table.schema.get_field_index("observation")
    short = pa.array([b"x" * 7] * len(table), pa.binary(7))
    missing = pa.array([None] * len(table), table.schema.field("action").type)
    for altered in (
        table.set_column(place, "observation", short),
        table.drop_columns(["mask"]),
        table.set_column(table.schema.get_field_index("action"), "action", missing),
    ):
        pq.write_table(altered, tmp_path / shard.name)
        with pytest.raises(ValueError, match=r"cannot be read: (its columns|some of its values)"):
            columns_of(tmp_path)


def test_a_column_that_there_is_not(shard: Path) -> None:
    with pytest.raises(ValueError, match="no column 'masks': did you mean 'mask'"):
        list(read_decisions(shard.parent, ["masks"]))


def test_a_damaged_description_is_refused_by_name(shard: Path, tmp_path: Path) -> None:
    """By readers, and by a writer that continues; otherwise it names agents."""
    content, rng = (shard.parent / ABOUT).read_bytes(), generator("about")
    path, refusals = tmp_path / ABOUT, []
    for _ in range(times(100, 10_000)):
        path.write_bytes(damaged(content, rng))
        try:
            assert all(isinstance(name, str) for name in read_about(tmp_path)["agents"])
            list(write_dataset(tmp_path, ["random"], [Rules(num_players=3, hand_sizes=(1, 2))], 60))
        except ValueError as error:
            refusals.append(str(error))
    assert refusals
    assert all(str(tmp_path) in message and len(message) < 3000 for message in refusals)

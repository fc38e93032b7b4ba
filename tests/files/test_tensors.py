"""Files of tensors: equal contents are equal bytes."""

from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save

from wizard_env.files.tensors import write_tensors

TENSORS = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.array([True]), "c": np.zeros(0)}
ABOUT = {name: f'"{name}" is ä value\n\x1f/' for name in "qwertyuiop"}


def test_equal_contents_are_equal_bytes(tmp_path: Path) -> None:
    """safetensors itself writes metadata in an order that changes from call to call."""
    contents = set()
    for attempt in range(8):
        write_tensors(tmp_path / str(attempt), save(TENSORS, ABOUT))
        contents.add((tmp_path / str(attempt)).read_bytes())
    assert len(contents) == 1


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    for about in (ABOUT, None):
        path = tmp_path / "file"
        write_tensors(path, save(TENSORS, about))
        with safe_open(path, framework="np") as file:
            assert file.metadata() == about
        found = load_file(path)
        assert found.keys() == TENSORS.keys()
        for name, values in TENSORS.items():
            assert found[name].dtype == values.dtype
            np.testing.assert_array_equal(found[name], values)

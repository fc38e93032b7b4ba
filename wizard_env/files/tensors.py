"""Files of tensors, in the format of safetensors, whose bytes depend on their contents alone."""

import json
from pathlib import Path

_SIZE = 8
"""Bytes at the beginning of a file that hold the length of its header."""


def write_tensors(path: Path, content: bytes) -> None:
    """Write what a `save` of safetensors returned, with the metadata in alphabetical order.

    safetensors writes metadata in an order that changes from one call to the next. Raises OSError if the
    file cannot be written as a whole.
    """
    end = _SIZE + int.from_bytes(content[:_SIZE], "little")
    header = json.loads(content[_SIZE:end])
    about = dict(sorted(header.pop("__metadata__", {}).items()))
    if about:
        header = {"__metadata__": about} | header
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _SIZE)  # what follows stays aligned
    with path.open("wb") as file:
        file.write(len(text).to_bytes(_SIZE, "little"))
        file.write(text)
        file.write(memoryview(content)[end:])

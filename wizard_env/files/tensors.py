"""Files of tensors in the format of safetensors: equal contents give equal bytes."""

import json
from pathlib import Path

_SIZE = 8  # bytes at the beginning of a file that hold the length of its header


def write_tensors(path: Path, content: bytes) -> None:
    """Write what `save` of safetensors returned, with the metadata in alphabetical order.

    safetensors orders metadata differently from one call to the next.
    """
    end = _SIZE + int.from_bytes(content[:_SIZE], "little")
    header = json.loads(content[_SIZE:end])
    metadata = dict(sorted(header.pop("__metadata__", {}).items()))
    if metadata:
        header = {"__metadata__": metadata} | header
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _SIZE)  # so that the tensors stay aligned
    with path.open("wb") as file:
        file.write(len(text).to_bytes(_SIZE, "little"))
        file.write(text)
        file.write(memoryview(content)[end:])

"""Reading JSON files that may be damaged, or come from others."""

import json
from pathlib import Path
from typing import Any

from wizard_env.checks import shortened

MAX_BYTES = 1 << 20
"""The largest file that is read."""


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds.

    Raises:
        ValueError: it is too large, or holds something else; the message names the file.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"{path}: it is larger than {MAX_BYTES} bytes")
    try:
        found = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {shortened(error)}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path}: a JSON object is needed, as in {{...}}")
    return found

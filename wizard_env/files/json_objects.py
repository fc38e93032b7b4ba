"""JSON: objects read from files that may be damaged, one-line texts, and their digests."""

import hashlib
import json
from pathlib import Path
from typing import Any

from wizard_env.checks.arguments import shortened
from wizard_env.files.reading import check_kept

_MAX_BYTES = 1 << 20


def read_object(path: Path) -> dict[str, Any]:
    """Read the JSON object in a file. Raises ValueError if it is too large or holds something else."""
    check_kept(path)
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"{path}: it is larger than {_MAX_BYTES} bytes")
    try:
        found = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {shortened(error)}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path}: a JSON object is needed, as in {{...}}")
    return found


def compact_json(content: Any, sort_keys: bool = False) -> str:
    """Return JSON without spaces, on one line. With sorted keys, equal contents give equal texts."""
    return json.dumps(content, separators=(",", ":"), sort_keys=sort_keys)


def digest(text: str) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]

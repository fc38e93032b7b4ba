"""Labels of parametrized tests."""

import re


def label(options: object) -> str:
    """Return options as text, without the addresses of objects, which differ from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(options))

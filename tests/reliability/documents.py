"""Strategies for what strangers send: any JSON, and sound documents with altered parts."""

import copy
import json
from typing import Any

from hypothesis import strategies as st

NUMBERS = (
    st.integers(-3, 70)
    | st.sampled_from([2**31, 2**32, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**40])
    | st.floats()
)
TEXT = st.text(max_size=20) | st.sampled_from(
    ["past", "heuristic", "bid 1", "../x", "a" * 3000, "\ud800", "\0"]
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def altered(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """The document with one to three parts replaced, removed or added; its outermost keys are likeliest."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        _alter(draw, changed)
    return changed


def _alter(draw: st.DrawFn, part: Any) -> None:
    while True:
        places = list(part) if isinstance(part, dict) else list(range(len(part)))
        if not places:
            return
        place = draw(st.sampled_from(places))
        inside = part[place]
        if not (isinstance(inside, (dict, list)) and draw(st.booleans())):
            break
        part = inside
    way = draw(st.sampled_from(["replace", "replace", "replace", "remove", "add"]))
    if way == "replace":
        part[place] = draw(JSON)
    elif way == "remove":
        del part[place]
    elif isinstance(part, dict):
        part[draw(st.text(max_size=8))] = draw(JSON)
    else:
        part.append(draw(JSON))


def as_json(value: Any) -> str:
    """Write JSON, with NaN and lone surrogates as Python writes them."""
    return json.dumps(value)

"""Names of people: each has one spelling, can be seen, and cannot be mistaken for another."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby

from wizard_table.translation import t
from wizard_table.web.access.refusals import FieldError

LONGEST_NAME = 20
"""Characters in a person's name."""
_RESERVED = ("you", "person", "server", "host", "agent", "watcher", "another person", "open seat")
"""Names that the page uses for other things, as it does "seat 1" and the like."""
_MOST_MARKS = 3
"""Accents and the like on one letter."""

_JOINERS = "\u200c\u200d"
"""Invisible characters that belong to words and emoji."""
_BLANK = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Characters that are printable by their class, but show nothing."""
_SHOWN = ("L", "N", "S")
"""Classes of characters that can be seen by themselves: letters, numbers, and symbols with emoji."""
_SEAT = re.compile(r"seat[o0-9l]*")
_GROUPS = {
    "a": "\u0430\u03b1\u0251",
    "b": "\u0432\u044c\u03b2",
    "c": "\u0441\u03f2",
    "d": "\u0501",
    "e": "\u0435\u0454\u03b5",
    "g": "\u0261",
    "h": "\u04bb\u043d\u03b7",
    "j": "\u0458\u03f3",
    "k": "\u043a\u03ba",
    "l": "i1\u0131\u0456\u04cf\u03b9\u01c0",
    "m": "\u043c\u03bc",
    "n": "\u043f\u03bd\u0578",
    "o": "0\u043e\u03bf\u03c3\u0585",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "r": "\u0433\u027e",
    "s": "\u0455",
    "t": "\u0442\u03c4",
    "u": "y\u03c5\u057d\u0446\u0443\u03b3\u04af",  # the capital of a Greek u looks like Y
    "w": "\u0448\u03c9\u051d",
    "x": "\u0445\u03c7",
    "z": "\u03b6",
}
"""For each Latin letter, the small letters and digits that look like it, or whose capitals do."""
_ALIKE = {ord(one): letter for letter, others in _GROUPS.items() for one in others}


def normalize_name(name: str) -> str:
    """Return a person's name in its normal form: NFKC, no blanks around it, one blank between words.

    Raises ValueError for a name that is empty, too long, not printable or reserved.
    """
    normal = re.sub(" +", " ", unicodedata.normalize("NFKC", name)).strip()
    if not all(one.isprintable() or one in _JOINERS for one in normal) or set(normal) & set(_BLANK):
        raise ValueError(t("a name must consist of printable characters"))
    if not any(unicodedata.category(one)[0] in _SHOWN for one in normal):
        raise ValueError(t("a name needs a character that can be seen"))
    if len(normal) > LONGEST_NAME:
        why = t("the name has {count} characters: {most} are allowed", count=len(normal), most=LONGEST_NAME)
        raise ValueError(why)
    if _most_marks(normal) > _MOST_MARKS:
        raise ValueError(t("a letter of the name has more than {most} marks", most=_MOST_MARKS))
    alike = likeness(normal)
    if alike in map(likeness, _RESERVED) or _SEAT.fullmatch(alike):
        raise ValueError(t("{name} is reserved; choose another name", name=normal))
    return normal


def check_distinct(name: str, others: Iterable[str], whose: str) -> None:
    """Raise FieldError if a name looks like one of `others`, which are names of `whose`, as "an agent"."""
    alike = likeness(name)
    for other in others:
        if alike and alike == likeness(other):
            why = t("{name} is, or looks like, the name of {whose}", name=repr(name), whose=whose)
            raise FieldError(why, "person")


def likeness(name: str) -> str:
    """Reduce a name to letters and digits, with one letter for all that look alike."""
    letters = unicodedata.normalize("NFKD", name).casefold().translate(_ALIKE)
    letters = "".join(one for one in letters if one.isalnum())
    return letters.replace("rn", "m").replace("vv", "w")


def _most_marks(name: str) -> int:
    """Count the most marks in a row, where letters and marks cannot be combined into one character."""
    runs = groupby(name, key=lambda one: unicodedata.category(one) in ("Mn", "Me"))
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)

"""Names of people: one spelling each, visible, and nobody else's."""

import pytest
from wizard_table.web.access.names import LONGEST_NAME, check_distinct, likeness, normalize_name


@pytest.mark.parametrize(
    ("typed", "normal"),
    [
        ("  Ann ", "Ann"),
        ("Ann   Lee", "Ann Lee"),
        ("\uff21\uff4e\uff4e", "Ann"),  # full-width letters
        ("Jose\u0301", "Jos\u00e9"),
        ("\U0001f469\u200d\U0001f467", "\U0001f469\u200d\U0001f467"),
        ("\u674e", "\u674e"),
        ("\u0c15\u0c4d\u200c\u0c37", "\u0c15\u0c4d\u200c\u0c37"),  # a joiner within a word
        ("x" * LONGEST_NAME, "x" * LONGEST_NAME),
        ("Youssef", "Youssef"),
        ("Seatrice", "Seatrice"),
    ],
)
def test_names_have_one_spelling(typed: str, normal: str) -> None:
    assert normalize_name(typed) == normal
    assert normalize_name(normal) == normal


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "can be seen"),
        (" ", "can be seen"),
        ("\u200d\u200c", "can be seen"),
        ("...", "can be seen"),
        ("\u0301", "can be seen"),
        ("a\nb", "printable"),
        ("\u202eevil", "printable"),
        ("\u200bAnn", "printable"),
        ("\u3164", "printable"),
        ("\u2800\u2800", "printable"),
        ("x" * (LONGEST_NAME + 1), "21 characters: 20 are allowed"),
        ("A" + "\u030a\u0332\u0333\u0334\u0335", "marks"),
        ("You", "reserved"),
        ("YOU", "reserved"),
        ("\u03a5ou", "reserved"),  # a Greek letter
        ("y0u", "reserved"),
        ("Y.o.u", "reserved"),
        ("Person", "reserved"),
        ("Seat 2", "reserved"),
        ("s\u0435at 12", "reserved"),  # a Cyrillic letter
    ],
)
def test_names_that_mislead_are_refused(typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        normalize_name(typed)


@pytest.mark.parametrize(
    "name",
    [
        "champion",
        "Champion",
        "cham\u200dpion",
        "ch\u0430mpion",  # a Cyrillic letter
        "charnpion",
        "champ1on",
        "ch\u00e1mpion",
        "\U0001f916 champion",
        "Rule Based",
    ],
)
def test_nobody_looks_like_an_agent(name: str) -> None:
    with pytest.raises(ValueError, match="looks like, the name of an agent"):
        check_distinct(normalize_name(name), ["rule_based", "champion"], "an agent")


def test_names_that_are_alike_in_nothing() -> None:
    check_distinct("\U0001f98a", ["\U0001f43a", "champion"], "an agent")
    check_distinct("Ann", ["Anna", "Hans"], "another person")
    assert likeness("\u674e") != likeness("\u738b")

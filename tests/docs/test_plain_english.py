"""The check of the project's English finds what it is for, and nothing else."""

import pytest

from tests.docs.pages import load_script

SCRIPT = load_script("plain_english")


@pytest.mark.parametrize(
    "text",
    [
        "a table as it shall be",
        "Whoever comes back",
        "one encoding\nof one's own",
        "# in due\n# time",
        "So many",
    ],
)
def test_phrases_are_found(text: str) -> None:
    """In capitals and over the end of a line too."""
    assert len(list(SCRIPT.find_phrases(text))) == 1


@pytest.mark.parametrize("text", ["the rest of ones and zeros", "marshall", "he goes on", "dues and times"])
def test_other_words_are_left_alone(text: str) -> None:
    assert not list(SCRIPT.find_phrases(text))


def test_the_line_of_a_phrase_is_given() -> None:
    assert list(SCRIPT.find_phrases("one\ntwo\nin due\ntime")) == [(3, "write plainly: 'in due time'")]


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """Those of modules, functions, constants and fields."""
    source = '''"""What this is."""
A = 1
"""How many."""
def f():
    """Return whether it is so."""
    print("Who is there?")  # What is printed is no docstring.
'''
    assert [line for line, _ in SCRIPT.find_first_words(source)] == [1, 3]


def test_every_folder_of_code_is_checked() -> None:
    checked = {path.relative_to(SCRIPT.ROOT).parts[0] for path in SCRIPT.files()}
    assert checked >= set(SCRIPT.FOLDERS)
    assert "README.md" in checked

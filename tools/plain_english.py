"""Check the English of code, messages and pages: python -m tools.plain_english (part of `make check`).

Prints a line for each fault. CONTRIBUTING.md says how to write instead.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST_WORDS = ("What", "Who", "Whoever", "How", "Which", "Where", "Whether", "When", "Let")
"""Words that no docstring begins with: it begins with a verb, or with a noun that names the thing."""
PHRASES = (
    "as it shall be",
    "shall",
    "of one's own",
    "is told of",
    "are told of",
    "whoever",
    "in due time",
    "what is worth",
    "nothing special",
    "so many",
    "comes and goes",
    "go on with",
    "goes on with",
    "such as it is",
)
"""Phrases to avoid everywhere, in capitals too."""
FOLDERS = (
    *("wizard_env", "wizard_verifiers", "agents", "evaluation", "train", "play", "cli", "configs"),
    *("benchmarks", "docs", "examples", "tests", "tools"),
)
SUFFIXES = {".py", ".pyi", ".js", ".html", ".css", ".md", ".toml"}
EXEMPT = ("tools/plain_english.py", "tests/docs/test_plain_english.py")
"""Files that quote the phrases."""
_BREAK = r"""[\s#*/"]+"""
"""Characters between two words, also where a comment or a string continues on the next line."""
_PHRASE = re.compile(
    rf"\b(?:{'|'.join(_BREAK.join(map(re.escape, phrase.split())) for phrase in PHRASES)})\b", re.IGNORECASE
)


def find_phrases(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each phrase to avoid."""
    for found in _PHRASE.finditer(text):
        phrase = " ".join(re.split(_BREAK, found[0].lower()))
        yield text.count("\n", 0, found.start()) + 1, f"write plainly: {phrase!r}"


def find_first_words(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each docstring in Python that begins with a wrong word.

    Texts below a constant or a field count as docstrings too.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            first = re.match(r"\s*(\w+)", str(node.value.value))
            if first and first[1] in FIRST_WORDS:
                yield node.lineno, f"a docstring begins with {first[1]!r}: begin with a verb or a noun"


def find_faults(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each fault in a file."""
    text = path.read_text(encoding="utf-8")
    yield from find_phrases(text)
    if path.suffix in (".py", ".pyi"):
        yield from find_first_words(text)


def files() -> Iterator[Path]:
    """Yield the files to check; links, which an editable install makes, are not followed."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            linked = any(parent.is_symlink() for parent in path.parents)
            if path.suffix in SUFFIXES and not linked and path.relative_to(ROOT).as_posix() not in EXEMPT:
                yield path


def main() -> int:
    """Print all faults; returns the exit status."""
    faults = [(path, *fault) for path in files() for fault in sorted(find_faults(path))]
    for path, line, message in faults:
        print(f"{path.relative_to(ROOT)}:{line}: {message}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

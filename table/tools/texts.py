"""Update the catalogues from the texts in the code. Run by `make texts`.

Texts are the arguments of `t` in Python, of `t` and `tn` in JavaScript, and the text and labels of the
page's HTML. Unused texts are removed; new ones are added without translation.
"""

import ast
import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from wizard_table.translation import CATALOGUES, LANGUAGES, SOURCE

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "wizard_table"
LIBRARY = [ROOT.parent / "wizard_env" / f"{name}.py" for name in ("narration", "session", "words")]
"""Modules of the library whose texts take a translation."""
STRING = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
LITERAL = re.compile(STRING)
CALL = re.compile(rf"(?:(?<![\w.])|(?<=\.\.\.))(t|tn)\(\s*((?:(?:{STRING})(?:,\s*)?){{1,2}})")
"""A call of `t` or `tn` in a script, and the literals that it begins with."""
COMMENT = re.compile(r"^\s*//.*", re.MULTILINE)
SUFFIXES = {".py", ".js", ".html"}
LABELS = {"alt", "aria-label", "placeholder", "title"}
"""Attributes that people see or hear."""
SILENT = {"script", "kbd"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
"""Elements without an end."""
WIDTH = 110


class PageTexts(HTMLParser):
    """Collects the texts of a page, each with its line, as static/language.js finds them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._open: list[tuple[str, bool]] = []
        """The open elements, each with a flag: its text is not translated."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        stays = tag in SILENT or given.get("translate") == "no" or self._stays
        if not stays:
            for name in sorted(LABELS & given.keys()):
                self._add(given[name] or "")
        if tag not in VOID:
            self._open.append((tag, stays))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass  # elements whose end is left out, as those of <li> and <option> may be

    def handle_data(self, data: str) -> None:
        if not self._stays:
            self._add(data)

    @property
    def _stays(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    def _add(self, text: str) -> None:
        text = " ".join(text.split())
        if any(map(str.isalpha, text)):
            self.found.append((self.getpos()[0], text))


def sources() -> Iterator[Path]:
    """Return the files that may hold texts."""
    yield from LIBRARY
    yield from (path for path in sorted(TABLE.rglob("*")) if path.suffix in SUFFIXES)


def texts_of(source: str, suffix: str) -> Iterator[tuple[int, str | tuple[str, ...]]]:
    """Yield the texts in a source, each with its line; those with a plural as a pair.

    Raises ValueError for a call in Python whose text is no literal.
    """
    if suffix == ".py":
        yield from python_texts(source)
    elif suffix == ".html":
        page = PageTexts()
        page.feed(source)
        yield from page.found
    else:
        yield from script_texts(source)


def script_texts(source: str) -> Iterator[tuple[int, str | tuple[str, ...]]]:
    """Yield the texts in a script, as Biome formats it; Babel misses some within template strings."""
    source = COMMENT.sub("", source)
    for call in CALL.finditer(source):
        texts = tuple(ast.literal_eval(text) for text in LITERAL.findall(call[2]))
        yield source.count("\n", 0, call.start()) + 1, texts if call[1] == "tn" else texts[0]


def python_texts(source: str) -> Iterator[tuple[int, str | tuple[str, ...]]]:
    """Yield the texts in a Python source; Babel finds those within f-strings on some Pythons only."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("t", "self._t"):
            texts = tuple(str(one.value) for one in node.args if isinstance(one, ast.Constant))
            if not texts:
                raise ValueError(f"line {node.lineno}: {ast.unparse(node)} has no literal text")
            yield node.lineno, texts if len(texts) > 1 else texts[0]


def template() -> Catalog:
    """Return every text, untranslated, with its files."""
    catalogue = Catalog()
    for path in sources():
        place = path.relative_to(ROOT.parent).as_posix().removeprefix("table/")
        for _, text in texts_of(path.read_text(encoding="utf-8"), path.suffix):
            # Without lines, as in the files: a text of several files then keeps its place when read again.
            catalogue.add(text, locations=[(place, 0)])
    return catalogue


def main() -> None:
    texts = template()
    for language in sorted(LANGUAGES.keys() - {SOURCE}):
        file = CATALOGUES / f"{language}.po"
        catalogue = Catalog(language)
        if file.exists():
            with file.open("rb") as old:
                catalogue = read_po(old, language)
        catalogue.update(texts, no_fuzzy_matching=True, update_creation_date=False)
        missing = sum(is_missing(text) for text in catalogue if text.id)
        file.write_bytes(catalogue_text(catalogue))
        print(f"{language}: {len(catalogue)} texts, {missing} to translate")


def is_missing(text: Message) -> bool:
    """Return whether a text, or a form of it, has no translation."""
    return not (all(text.string) if isinstance(text.string, tuple) else text.string)


def catalogue_text(catalogue: Catalog) -> bytes:
    """Write a catalogue as a .po file that changes only where texts do."""
    written = io.BytesIO()
    write_po(
        written,
        catalogue,
        WIDTH,
        sort_by_file=True,
        ignore_obsolete=True,
        include_lineno=False,
        omit_header=True,
    )
    forms = f"nplurals={catalogue.num_plurals}; plural={catalogue.plural_expr};"
    header = (
        'msgid ""\nmsgstr ""\n'
        f'"Language: {catalogue.locale_identifier}\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {forms}\\n"\n\n'
    )
    return header.encode() + written.getvalue().strip() + b"\n"


if __name__ == "__main__":
    main()

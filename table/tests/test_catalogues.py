"""The catalogues hold every text that people see, and no other; each translation has the placeholders."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from wizard_table.translation import CATALOGUES, LANGUAGES, SOURCE

from table.tools import texts

TRANSLATED = sorted(LANGUAGES.keys() - {SOURCE})
PLACEHOLDER = re.compile(r"\{(\w*)\}")
TEXTS: Any = texts


@cache
def template() -> Catalog:
    found = TEXTS.template()
    assert len(found) > 100
    return found


@cache
def catalogue(language: str) -> Catalog:
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        return read_po(file, language)


def forms(text: Any) -> tuple[str, ...]:
    """A text, or its singular and plural."""
    return (text,) if isinstance(text, str) else tuple(text)


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def test_there_is_a_catalogue_for_every_language() -> None:
    assert sorted(file.stem for file in CATALOGUES.glob("*.po")) == TRANSLATED


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_text_is_missing_and_none_is_left_over(language: str) -> None:
    """`make texts` puts both right, but for the translations."""
    wanted, there = ({one.id for one in found if one.id} for found in (template(), catalogue(language)))
    assert not wanted - there, "missing: run `make texts` and translate"
    assert not there - wanted, "left over: run `make texts`"
    assert not catalogue(language).obsolete
    assert [one.id for one in catalogue(language) if one.id and (one.fuzzy or TEXTS.is_missing(one))] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_each_translation_has_the_placeholders_of_its_text(language: str) -> None:
    """The form for one thing may do without the count."""
    for one in catalogue(language):
        if not one.id:
            continue  # the header
        wanted = placeholders(forms(one.id)[-1])
        singular, other = forms(one.string)[0], forms(one.string)[-1]
        assert placeholders(other) == wanted, other
        assert wanted - {"count"} <= placeholders(singular) <= wanted, singular
        for form in forms(one.string):
            assert "{" not in PLACEHOLDER.sub("", form), form
            assert form.strip() == form, f"{form!r}: spaces around a text"


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_are_written_by_the_tool(language: str) -> None:
    file = CATALOGUES / f"{language}.po"
    assert TEXTS.catalogue_text(catalogue(language)) == file.read_bytes(), "run `make texts`"


def calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in found if ast.unparse(node.func) in ("t", "self._t")]


def test_calls_give_every_placeholder_a_value() -> None:
    checked = 0
    for path in TEXTS.sources():
        for call in calls(path) if path.suffix == ".py" else ():
            text = ast.literal_eval(call.args[-1])
            given = {str(value.arg) for value in call.keywords}
            assert placeholders(text) | ({"count"} & given) == given, f"{path}, line {call.lineno}"
            checked += 1
    assert checked > 50


def test_texts_of_scripts_are_literals() -> None:
    """Others would not be found: `t(name)`, or a template with `${}`."""
    call = re.compile(r"(?:(?<![\w.])|(?<=\.\.\.))(?:t|tn)\(\s*([^\s)])")
    defined = re.compile(r"^export (?:function|const) .*$", re.MULTILINE)
    for path in TEXTS.sources():
        if path.suffix == ".js":
            script = defined.sub("", path.read_text(encoding="utf-8"))
            assert set(call.findall(script)) <= {'"', "'"}, path


PYTHON = """x = f"{t('one')} {two}" + t('{count} a', '{count} b', count=2)"""
SCRIPT = """// as in t("no")
f(`; ${t("one", { a: b })} ${two}`, t('three "{n}"', { n }), ...t("four"), a.t("no"));
tn(
  "{count} a",
  "{count} b", 2);"""
PAGE = """<p title="one">two
three <i translate="no" title="no">no</i><br>four</p><select><option>five<option>six</select>
<script>no</script><b>7</b>"""
PLURAL = ("{count} a", "{count} b")


@pytest.mark.parametrize(
    ("suffix", "source", "found"),
    [
        (".py", PYTHON, ["one", PLURAL]),
        (".js", SCRIPT, ["one", 'three "{n}"', "four", PLURAL]),
        (".html", PAGE, ["one", "two three", "four", "five", "six"]),
    ],
)
def test_texts_are_found(suffix: str, source: str, found: list[Any]) -> None:
    texts = [text for _, text in TEXTS.texts_of(source, suffix)]
    assert sorted(texts, key=str) == sorted(found, key=str)


def test_a_text_that_is_no_literal_is_refused() -> None:
    with pytest.raises(ValueError, match=r"line 2: t\(name\) has no literal text"):
        list(TEXTS.texts_of("\nt(name)", ".py"))

"""Texts in the language in use: choosing it, placeholders, plurals, requests to the server."""

import gettext
import os
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient
from wizard_table import translation
from wizard_table.translation import (
    LANGUAGES,
    environment_language,
    language_in_use,
    plural_rule,
    points_text,
    preferred_language,
    t,
    texts,
    use_language,
)
from wizard_table.web.languages import preferred_locales
from wizard_table.web.server import make_app

from table.tests.web.seats import ADDRESS

CATALOGUE = """
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=2; plural=(n != 1);"

msgid "round {number} of {total}"
msgstr "ronda {number} de {total}"

msgid "{count} trick"
msgid_plural "{count} tricks"
msgstr[0] "{count} basa"
msgstr[1] "{count} bases"

msgid "not translated yet"
msgstr ""
"""


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A small Catalan catalogue in place of the real one."""
    (tmp_path / "ca.po").write_text(CATALOGUE, encoding="utf-8")
    monkeypatch.setattr(translation, "CATALOGUES", tmp_path)
    texts.cache_clear()
    yield
    texts.cache_clear()


def in_language(language: str, text: str, plural: str | None = None, **values: object) -> str:
    """A text in a language, which does not stay in use."""

    def translated() -> str:
        use_language(language)
        return t(text, plural, **values)

    return copy_context().run(translated)


@pytest.mark.usefixtures("catalogue")
def test_texts_are_in_the_language_in_use() -> None:
    text = "round {number} of {total}"
    assert in_language("ca", text, number=3, total=15) == "ronda 3 de 15"
    assert in_language("en", text, number=3, total=15) == "round 3 of 15"
    assert in_language("ca", "not translated yet") == "not translated yet"
    with pytest.raises(KeyError, match="total"):
        in_language("ca", text, number=3)


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize(("count", "catalan"), [(0, "0 bases"), (1, "1 basa"), (2, "2 bases")])
def test_plurals_follow_the_rules_of_the_language(count: int, catalan: str) -> None:
    assert in_language("ca", "{count} trick", "{count} tricks", count=count) == catalan
    assert in_language("en", "{count} trick", "{count} tricks", count=count) == (
        f"{count} trick" if count == 1 else f"{count} tricks"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_one_form_for_one_and_another_for_all_others(language: str) -> None:
    assert [number for number in range(200) if plural_rule(language)(number) == "one"] == [1]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="language 'fr': allowed are ca, de, es, en, pt"):
        use_language("fr")
    assert language_in_use() == "en"


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        (["ca"], "ca"),
        (["fr-FR", "pt-BR", "es"], "pt"),
        (["es-419"], "es"),
        (["en-GB", "ca"], "en"),
        (["DE-at"], "de"),
        (["fr"], "en"),
        ([], "en"),
    ],
)
def test_the_first_wish_that_can_be_met_is(wishes: list[str], language: str) -> None:
    assert preferred_language(wishes) == language


VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG")


def test_the_environment_names_the_language_that_gettext_finds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for language in LANGUAGES:
        folder = tmp_path / language / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / "x.mo").touch()
    locales = [
        "",
        "C",
        "POSIX",
        "C.UTF-8",
        "xx",
        "de",
        "de_AT.UTF-8",
        "es_ES",
        "pt_BR",
        "ca_ES@valencia",
        "en_GB",
    ]
    rng = Random(1)
    for _ in range(500):
        variables = {name: ":".join(rng.choices(locales, k=rng.randint(1, 3))) for name in VARIABLES}
        set_variables(monkeypatch, {name: rng.choice(["", value]) for name, value in variables.items()})
        found = gettext.find("x", str(tmp_path))
        assert environment_language() == (Path(found).parts[-3] if found else "en"), dict(os.environ)


def set_variables(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_accepted_languages_come_most_wanted_first() -> None:
    assert preferred_locales("en;q=0.5, ca, es;q=0.8, pt;q=0, x;q=no") == ["ca", "es", "en"]
    assert preferred_locales("") == []


def test_a_request_is_answered_in_the_chosen_language_or_else_the_wished_one() -> None:
    with TestClient(make_app(":memory:", ["random"]), ADDRESS) as client:
        found = client.get("/language", headers={"Accept-Language": "pt-BR,es;q=0.5"})
        assert found.json()["language"] == "pt"
        assert found.json()["languages"] == LANGUAGES
        client.cookies.set("language", "ca")
        chosen = client.get("/language", headers={"Accept-Language": "pt-BR"})
        assert chosen.json()["language"] == "ca"
        client.cookies.set("language", "fr")
        assert client.get("/language").json()["language"] == "en"


def test_numbers_have_the_signs_of_the_language() -> None:
    def written() -> list[str]:
        use_language("es")
        return [points_text(20), points_text(-12.5, 1)]

    assert copy_context().run(written) == ["+20", "-12,5"]
    assert points_text(-12.5, 1) == "-12.5"

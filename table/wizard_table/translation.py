"""Texts in the language in use: `t` translates. The English text is the key; catalogues/*.po hold the others.

`make texts` brings the catalogues up to date with the texts in Python, JavaScript and HTML. The language is
kept in a context variable: each request to the server has its own.
"""

import os
import re
from collections.abc import Iterable
from contextvars import ContextVar
from functools import cache
from locale import normalize
from pathlib import Path
from typing import Any

from babel import Locale, negotiate_locale
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from babel.plural import PluralRule

CATALOGUES = Path(__file__).parent / "catalogues"
SOURCE = "en"
LANGUAGES = {"ca": "Català", "de": "Deutsch", "es": "Español", SOURCE: "English", "pt": "Português"}
"""The name of each language in itself, by its code."""
LOCALES = {"ca": "ca_ES", "de": "de_DE", "es": "es_ES", SOURCE: "en_GB", "pt": "pt_PT"}
"""The locale of each language, for plurals, lists and numbers."""

_language = ContextVar("language", default=SOURCE)


def use_language(language: str) -> None:
    """Use this language from now on, in this thread or task. Raises ValueError if it has no catalogue."""
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r}: allowed are {', '.join(LANGUAGES)}")
    _language.set(language)


def language_in_use() -> str:
    """Return the code of the language in use; English if none was chosen."""
    return _language.get()


def preferred_language(locales: Iterable[str]) -> str:
    """Return the first language with a catalogue; locales are as `pt-BR`, `ca_ES`, `es`. Else English."""
    locales = [locale.replace("-", "_").lower() for locale in locales]
    return negotiate_locale(locales, LANGUAGES, aliases={}) or SOURCE


def environment_language() -> str:
    """Return the language set by LANGUAGE, LC_ALL, LC_MESSAGES or LANG, as gettext chooses it; else English.

    The first variable that is set decides, with the first language in its list that has a catalogue.
    """
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next(filter(None, map(os.environ.get, names)), "")
    codes = [re.split("[_.@]", normalize(locale))[0] for locale in chosen.split(":")]
    return preferred_language(SOURCE if code == "C" else code for code in codes)


def t(text: str, plural: str | None = None, /, **values: Any) -> str:
    """Return a text in the language in use, see `wizard_env.words.Translate`.

    A text that the catalogue lacks stays English. Raises KeyError if a placeholder has no value.
    """
    language = _language.get()
    found = texts(language).get(text, text if plural is None else (text, plural))
    if not isinstance(found, str):
        found = found[0 if plural_rule(language)(values["count"]) == "one" else 1]
    return found.format_map(values)


def place_text(place: int, players: int) -> str:
    """Return a place among the players of a table, as in "2nd of 4"."""
    places = [
        t("1st of {players}", players=players),
        t("2nd of {players}", players=players),
        t("3rd of {players}", players=players),
        t("4th of {players}", players=players),
        t("5th of {players}", players=players),
        t("6th of {players}", players=players),
    ]
    return places[place - 1]


def points_text(points: float, digits: int = 0) -> str:
    """Return points with their sign, as in +20, or with digits as in +12.5, as the language writes them."""
    pattern = "0." + "0" * digits if digits else "0"
    return format_decimal(points, f"+{pattern};-{pattern}", LOCALES[language_in_use()])


@cache
def texts(language: str, folder: str = "") -> dict[str, str | tuple[str, str]]:
    """Return the texts of a language by their English singular: a text, or singular and plural.

    folder: only texts of files in this folder are returned, as `wizard_table/web/static/`.
    """
    if language == SOURCE:
        return {}
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, language)
    found: dict[str, str | tuple[str, str]] = {}
    for message in catalogue:
        if folder and not any(path.startswith(folder) for path, _ in message.locations):
            continue
        if isinstance(message.id, tuple) and isinstance(message.string, tuple):
            if all(message.string):
                found[message.id[0]] = (message.string[0], message.string[1])
        elif message.id and isinstance(message.string, str) and message.string:
            found[str(message.id)] = message.string
    return found


@cache
def plural_rule(language: str) -> PluralRule:
    """Return the rule that maps a number to "one", or to another form; all others are written alike."""
    return Locale.parse(LOCALES[language]).plural_form

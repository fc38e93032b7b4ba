"""Previews of links to results, tables and matches: a title, a text and a picture."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

from wizard_env.evaluation.advice import ERRORS
from wizard_env.session import place_of
from wizard_env.words import join_names
from wizard_table.translation import language_in_use, place_text, points_text, t
from wizard_table.web.page import static_address
from wizard_table.web.setup import Setup
from wizard_table.web.table import Table

PICTURE = "preview.jpg"
"""The picture in previews, in the folder of the page; `make picture` retakes it."""
_WIDTH, _HEIGHT = 1200, 630
_WORTH_TELLING = 5
"""Points; a decision that cost less is not named. The page has the same limit, in pages/headline.js."""


class Preview(NamedTuple):
    """A title, and the sentences below it."""

    title: str
    text: str


_GAME = "Wizard"
NOTHING = Preview(_GAME, "")
"""For what cannot be shown; the page then says why."""


def invite_to_table(setup: Setup) -> Preview:
    """Invite to a table: who sits there, how many rounds are played, and how many seats are open."""
    names = list(setup.people.values())
    sentences = [
        t("At the table: {names}.", names=join_names(names, t))
        if names
        else t("A game of Wizard, card by card."),
        t("{count} round", "{count} rounds", count=len(setup.rules.rounds)) + ".",
    ]
    if count := len(setup.open_seats):
        sentences.append(t("{count} seat is open.", "{count} seats are open.", count=count))
    return Preview(_GAME, " ".join(sentences))


def invite_to_match() -> Preview:
    """Invite to the deals of a match."""
    text = t(
        "You get the same cards, in the same seat, against the same opponents. Then the games are compared."
    )
    return Preview(t("Play the same deals"), text)


def preview_of(table: Table, seat: int, judged: Iterable[Mapping[str, Any]]) -> Preview:
    """Describe the result of a person in a finished game; `judged` are the judgements of all its rounds."""
    setup, scores = table.setup, table.session.game.scores
    place = place_text(place_of(scores, seat), len(scores))
    result = f"{points_text(scores[seat])}, {place}"
    name = setup.people.get(seat)
    cost = _cost(seat, judged)
    sentences = [cost] if cost else []
    if seat in setup.hinted:
        sentences.append(t("Played with hints."))
    if seat in setup.taken_back:
        sentences.append(t("Choices taken back."))
    sentences.append(t("Can you do better?") if setup.match else t("A game of Wizard, card by card."))
    return Preview(f"{name}: {result}" if name else result, " ".join(sentences))


def _cost(seat: int, judged: Iterable[Mapping[str, Any]]) -> str | None:
    own = [one for judgement in judged for one in judgement["decisions"] if one["seat"] == seat]
    wrong = [one for one in own if one["chosen"] != one["best"] and _is_costly(one)]
    if not wrong:
        return None
    worst = max(wrong, key=lambda one: one["lost"])
    points = round(worst["lost"])
    if worst["chosen"].startswith("bid"):
        return t("One bid cost {points} points.", points=points)
    if worst["chosen"].startswith("trump"):
        return t("One choice of trump cost {points} points.", points=points)
    return t("One card cost {points} points.", points=points)


def _is_costly(decision: Mapping[str, Any]) -> bool:
    is_clear: bool = decision["lost"] > ERRORS * decision["error"]
    return is_clear and decision["lost"] >= _WORTH_TELLING


def page_of(preview: Preview, root: str, address: str) -> str:
    """Write the HTML that programs read for a preview, and that leads browsers on to an address.

    root: the address of the server, with a slash at its end; programs need the whole address of a picture.
    """
    title = preview.title if preview.title == _GAME else f"{preview.title} · Wizard"
    shown = {
        "og:type": "website",
        "og:site_name": "Wizard",
        "og:title": title,
        "og:description": preview.text,
        "og:image": f"{root}{static_address()}/{PICTURE}",
        "og:image:width": str(_WIDTH),
        "og:image:height": str(_HEIGHT),
        "og:image:alt": t("A hand of cards on a green table."),
    }
    named = {
        "description": preview.text,
        "robots": "noindex",
        "viewport": "width=device-width, initial-scale=1",
        "twitter:card": "summary_large_image",
    }
    lines = [f'<meta property="{name}" content="{escape(text)}">' for name, text in shown.items()]
    lines += [f'<meta name="{name}" content="{escape(text)}">' for name, text in named.items()]
    address = escape(address)
    head = [
        '<meta charset="utf-8">',
        f"<title>{escape(title)}</title>",
        '<link rel="icon" href="data:,">',
        *lines,
        f'<meta http-equiv="refresh" content="0; url={address}">',
    ]
    body = f'<p><a href="{address}">{escape(title)}</a></p>\n<p>{escape(preview.text)}</p>'
    top = f'<!doctype html>\n<html lang="{language_in_use()}">\n<head>\n'
    return top + "\n".join(head) + f"\n</head>\n<body>\n{body}\n</body>\n</html>\n"

"""A page of tables and pictures in one HTML file that needs nothing else, neither files nor a network."""

import base64
from collections.abc import Iterable
from html import escape

from play.sheets import Sheet

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; }
body { max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2em; border-bottom: 1px solid #ccc; }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3em; }
th, td { padding: .2em .8em; text-align: right; border-bottom: 1px solid #e3e3e3; }
th:first-child, td:first-child { text-align: left; }
details { margin: 1em 0; } summary { cursor: pointer; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page, of parts that are HTML."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n'
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def picture(image: bytes, description: str) -> str:
    """A PNG file, within the page."""
    data = base64.b64encode(image).decode()
    return f'<p><img src="data:image/png;base64,{data}" alt="{escape(description)}"></p>'


def table(sheet: Sheet) -> str:
    """A table with its title."""
    head = "".join(f"<th>{escape(text)}</th>" for text in sheet.headings)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in sheet.rows
    )
    return (
        f"<table><caption>{escape(sheet.title)}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    )


def folded(title: str, parts: Iterable[str]) -> str:
    """Parts that open with a click."""
    return f"<details><summary>{escape(title)}</summary>\n" + "\n".join(parts) + "</details>"

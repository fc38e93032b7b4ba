"""Chromium for the tests of the page; without it, the modules that import this one are skipped."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("needs Chromium", allow_module_level=True)

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
LAST_CHOICES = """async () => {
  while (document.querySelector('#podium').hidden) {
    document.querySelector('#scored:not([hidden]) button')?.click();
    [...document.querySelectorAll('#choices button:enabled, #hand button:enabled')].at(-1)?.click();
    await new Promise((wake) => setTimeout(wake, 100));
  }
}"""
"""Plays the last legal choice every time; bids that high lose points."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser, closed at the end."""
    with playwright.sync_playwright() as machine:
        browser = machine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def plain(text: str) -> str:
    """A text of the page with hyphens for its minus signs, so that its numbers can be read."""
    return text.replace("\N{MINUS SIGN}", "-")

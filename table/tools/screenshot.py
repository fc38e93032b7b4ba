"""Take the pictures of the browser table (`make picture`). Needs Chromium."""

import argparse
import io
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from starlette.applications import Starlette
from wizard_table.web.server import make_app
from wizard_table.web.setup import Setup, digest
from wizard_table.web.store import Save, Store

from table.tools.serving import served
from wizard_env import Rules
from wizard_env.evaluation.advice import advise
from wizard_env.loading import load
from wizard_env.session import Session

PICTURE = Path(__file__).parent.parent / "table.webp"
PREVIEW = Path(__file__).parent.parent / "wizard_table" / "web" / "static" / "preview.jpg"
"""The picture that links to shared results show; programs that make previews may not read other formats."""
PREVIEW_SIZE = (1200, 630)
POSTER = """() => {
  const styled = (tag, style, ...children) => {
    const element = document.createElement(tag);
    element.append(...children);
    element.style.cssText = style;
    return element;
  };
  const fan = [...document.querySelectorAll("#emblem .card")].map((card, number) => {
    const angle = 11 * (number - 2);
    const place = `rotate: ${angle}deg; transform-origin: 50% 190%; margin: 0 -3.8rem`;
    return styled("div", place, card);
  });
  const row = "--card: 13.5rem; display: flex; justify-content: center; margin-top: 1.6rem";
  const hand = styled("div", row, ...fan);
  const title = styled("h1", "font: 700 7.5rem/1 Georgia, serif; margin: 0; color: #f6f3ea", "Wizard");
  const felt = "background: radial-gradient(ellipse at 50% 35%, #2a8560, #0f3f2c)";
  const edge = "border: 20px solid #6b4a2b; border-radius: 70px; overflow: hidden";
  const size = "position: fixed; inset: 0; text-align: center; padding-top: 1.2rem";
  document.body.style.background = "#ece6d8";
  document.body.replaceChildren(styled("div", `${felt}; ${edge}; ${size}`, title, hand));
}"""
"""The lobby's hand of cards on the felt, and the name of the game."""
OTHERS = ["heuristic", "search:worlds=64", "champion"]
ADVISER = "champion+search:worlds=32"
SEED = 22
ROUND = 8
TRICK = 2
PATIENCE = 120_000.0
"""Milliseconds to wait; kernels may have to be compiled first."""
TOKEN = "a seat for the picture"


def position() -> Session:
    """Return a game in the middle of a trick, with seat 0 to play, played so far by the champion."""
    session = Session(Rules(4), [None, *OTHERS], SEED)
    champion = load("champion")
    while True:
        game = session.game
        if (game.round_number, ROUND - len(game.hands[0])) == (ROUND, TRICK) and session.waits_for_a_person:
            return session
        if session.waits_for_an_agent:
            session.advance()
        else:
            session.act(0, advise(champion, session.game).choices[0].action)


def application(folder: Path) -> Starlette:
    """Return a server with that table."""
    game = position().game
    setup = Setup(game.rules, (None, *OTHERS), game.seed, stand_in=OTHERS[-1], taken={0: digest(TOKEN)})
    store = Store(folder / "tables.sqlite")
    store.save_all([Save("picture", setup.to_json(), game.history, time.time())])
    store.close()
    return make_app(folder / "tables.sqlite", [*OTHERS, ADVISER])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PICTURE, help="the image file to write")
    parser.add_argument("--preview", type=Path, default=PREVIEW, help="the picture for links to write")
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        served(application(Path(folder))) as address,
        sync_playwright() as machine,
    ):
        browser = machine.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.evaluate("(token) => localStorage.setItem('wizard picture', token)", TOKEN)
        page.goto(f"{address}#picture")
        page.wait_for_selector("#hand button:not(:disabled)")
        page.click("#no-more")
        page.click("#hint")
        page.wait_for_selector("#told:not([hidden])")
        shot = page.locator("main").screenshot()
        page.goto(f"{address}#")
        page.wait_for_selector("#emblem .card")
        page.set_viewport_size({"width": PREVIEW_SIZE[0], "height": PREVIEW_SIZE[1]})
        page.evaluate(POSTER)
        preview = page.screenshot()
        browser.close()
    Image.open(io.BytesIO(shot)).convert("RGB").save(options.out, quality=80, method=6)
    Image.open(io.BytesIO(preview)).convert("RGB").save(
        options.preview, quality=66, optimize=True, progressive=True
    )


if __name__ == "__main__":
    main()

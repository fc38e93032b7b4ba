"""A table in Chromium: opening one, playing by keyboard and by link, hints, the ends of rounds and games."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from table.tests.web.page.browsing import (
    CHOICES,
    CHOOSE,
    SIZES,
    Visit,
    act,
    hurry,
    plain,
    show_options,
    sit_down,
    until_over,
)
from table.tests.web.page.faults import faults_of
from tests.docs.pages import ROOT
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS

EASY: list[str | None] = [None, "rule_based", "rule_based", "rule_based"]


# --- the lobby


@pytest.mark.parametrize("nowhere", ["nonsense", "a/b", "%00"])
def test_an_unknown_table(visit: Visit, address: str, nowhere: str) -> None:
    """The page says so, and offers no seat."""
    page = visit(f"{address}#{nowhere}")
    page.wait_for_selector("#error a")
    assert "there is no such table" in page.inner_text("#error")
    assert page.locator("#join").is_hidden()


def test_the_length_is_chosen(visit: Visit) -> None:
    """From three rounds to all that the players' number allows; guests are told."""
    page = visit(size="phone")
    show_options(page)
    offered = "[...document.querySelectorAll('#rounds option')].map((one) => one.text)"
    assert page.evaluate(offered) == ["all 15", *map(str, range(3, 15))]
    page.select_option("#rounds", "14")
    page.click("#more")
    assert page.evaluate(offered) == ["all 12", *map(str, range(3, 12))]
    assert page.input_value("#rounds") == ""
    page.select_option("#evening", "4")
    page.click("#friend .main")
    page.wait_for_function("document.querySelector('#address').value")
    assert page.inner_text("#round b") == "Round 1 of 4"
    guest = visit(page.input_value("#address"))
    guest.wait_for_selector("#join:visible")
    assert guest.inner_text("#length") == "4 rounds"


def test_rules_that_exclude_each_other_are_refused(visit: Visit) -> None:
    """Both fields offer all options of the rules, the rare ones to those who ask for more."""
    page = visit()
    show_options(page)
    offered = "[...document.querySelectorAll('#restriction option, #reveal option')].map((one) => one.value)"
    assert not {"leader", "canadian", "secret"} & set(page.evaluate(offered))
    page.click("#more-rules")
    assert set(page.evaluate(offered)) == {*BID_RESTRICTIONS, *BID_REVEALS}
    page.select_option("#restriction", "no_even")
    page.select_option("#reveal", "secret")
    page.click("#lobby .main")
    page.wait_for_function("error.textContent !== ''")
    assert page.locator("#table").is_hidden()
    page.select_option("#reveal", "open")
    page.click("#lobby .main")
    page.wait_for_selector("#players li")
    assert page.inner_text("#options") == "bids must not add up to the tricks"


def test_a_newcomer_meets_gentle_agents(visit: Visit, address: str) -> None:
    """The next time, the form has the seats of the table that was opened last."""
    page = visit()
    show_options(page)
    chosen = "[...document.querySelectorAll('#seats select')].map((select) => select.value)"
    assert page.evaluate(chosen) == ["", *["rule_based"] * 3]
    page.locator("#seats select").nth(1).select_option("champion")
    page.locator("#seats select").nth(2).select_option("")
    page.click("#lobby .main")
    page.wait_for_selector("#players li")
    page.goto(address)
    show_options(page)
    assert page.evaluate(chosen) == ["", "champion", "", "rule_based"]
    page.evaluate("""localStorage.setItem("wizard seats", '["", "gone", "champion"]')""")
    page.reload()
    show_options(page)
    assert page.evaluate(chosen) == ["", "rule_based", "champion"]


# --- playing


def play_apart(page: Any) -> int:
    """Play to the end by keyboard: nothing overlaps or leaves the screen. Return the number of moments."""
    moments = 0
    for _ in until_over(page):
        if page.locator(f"{CHOICES}, #scored button:visible").count():
            assert faults_of(page) == []
            moments += 1
            act(page)
        else:
            page.wait_for_timeout(20)
    return moments


# In one step, since the result goes by itself after some seconds.
RESULT = """() => {
  const now = () => [round.textContent, document.querySelectorAll("#hand .card").length];
  const rows = [...document.querySelectorAll("#scored tbody tr")]
    .map((row) => [...row.cells].map((cell) => cell.textContent));
  const before = now();
  const plates = [...document.querySelectorAll("#players .score")].map((score) => score.textContent);
  document.querySelector("#scored button").click();
  return [rows, plates, before, now(), scored.hidden];
}"""


def test_a_game_by_keyboard(visit: Visit) -> None:
    """The end of the first round stays until a click; in the second nothing overlaps."""
    page = visit(size="phone")
    sit_down(page, EASY, [1, 5])
    marker = page.get_attribute("#trump .card", "aria-label")
    while not page.is_visible("#scored"):
        assert page.get_attribute("#trump .card", "aria-label") == marker
        page.evaluate(CHOOSE)
    rows, plates, before, after, is_hidden = page.evaluate(RESULT)
    assert plates == [row[-1] for row in rows]
    assert [row[0] for row in rows] == ["You", "Easy\u00a02", "Easy\u00a03", "Easy\u00a04"]
    for _, bid, won, points, total in rows:
        worth = 20 + 10 * int(bid) if bid == won else -10 * abs(int(bid) - int(won))
        assert int(plain(points)) == int(plain(total)) == worth
    assert (before, after) == (["Round 1 of 21 card", 0], ["Round 2 of 25 cards", 5])
    assert is_hidden
    assert play_apart(page) > 6
    page.keyboard.press("p")
    assert page.locator("#dialog tr").count() == 1 + 1 + 2
    page.keyboard.press("Escape")


def test_a_result_stays_under_the_pointer(visit: Visit) -> None:
    page = visit()
    page.clock.install()
    sit_down(page, EASY, [1, 1])
    while not page.is_visible("#scored"):
        page.clock.run_for(100)
        page.evaluate(CHOOSE)
    page.hover("#scored h2")
    page.clock.run_for(60_000)
    assert page.is_visible("#scored")
    page.mouse.move(1, 1)
    page.clock.run_for(5_000)
    assert page.is_visible("#scored")
    page.clock.run_for(5_000)
    assert page.is_hidden("#scored")


@pytest.mark.slow
@pytest.mark.parametrize(("size", "num_players"), [("lying", 3), ("tablet", 5), ("phone", 6)])
def test_the_longest_hand_at_other_tables(visit: Visit, size: str, num_players: int) -> None:
    """20, 12 and 10 cards: every place at the table and every card stays in its place."""
    page = visit(size=size)
    cards = 60 // num_players
    sit_down(page, [None, *["rule_based"] * (num_players - 1)], [cards])
    page.wait_for_selector(CHOICES)
    assert page.locator("#players li").count() == num_players
    assert page.locator("#hand .card").count() == cards
    play_apart(page)


def test_the_podium(visit: Visit) -> None:
    """The own place, the course of the score, the costliest choice; and the same table again."""
    page = visit(size="phone")
    sit_down(page, [None, "champion", "rule_based"], [1, 2])
    for _ in until_over(page):
        act(page)
    places = [int(text.split()[0]) for text in page.locator("#podium .block").all_inner_texts()]
    scores = [int(plain(text.split()[-1])) for text in page.locator("#podium .block").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    assert places == [1 + sum(other > score for other in scores) for score in scores]
    assert page.locator("#podium polyline").count() == 3
    page.wait_for_function("/choice:|mistake/.test(document.querySelector('#podium .cost').textContent)")
    before = page.url
    page.click("#podium .main")
    page.wait_for_function("(before) => location.href !== before", arg=before)
    page.wait_for_selector("#hand .card")
    assert "Champion" in page.inner_text("#players")
    assert page.inner_text("#round").startswith("Round 1 of 2")


def test_the_coach_points_at_one_thing_after_another(visit: Visit, address: str) -> None:
    """Its bubbles have one height, come once each, and are within the window."""
    page = visit(size="phone")
    page.evaluate("localStorage.removeItem('wizard, taught')")
    page.add_init_script("if (location.host) localStorage.removeItem('wizard, taught')")
    page.reload()
    page.click("#play .main")
    page.wait_for_selector("#players li")
    hurry(page)
    seen: list[str] = []
    heights = set()
    while len(seen) < 6:
        if page.is_visible("#coach"):
            seen.append(page.inner_text("#coach p"))
            box = page.locator("#coach").bounding_box()
            heights.add(box["height"])
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= SIZES["phone"]["width"]
            page.click("#onward")
        page.evaluate("scored.querySelector('button')?.click()")
        page.evaluate(CHOOSE)
    assert len(set(seen)) == 6
    assert len(heights) == 1


def test_hint_take_back_and_last_trick(visit: Visit) -> None:
    """The hint's figures stand on the choices and in the list, and outlast a change of the pace."""
    page = visit(size="phone")
    sit_down(page, EASY, [4])
    page.wait_for_selector(CHOICES)
    page.keyboard.press("h")
    page.wait_for_selector("#told:not([hidden])")
    page.wait_for_selector("#choices [data-best]")
    figures = [row.split() for row in page.locator("#choices .choice:has(small)").all_inner_texts()]
    page.click("#list")
    rows = page.locator("#dialog tbody tr").all_inner_texts()
    assert "points on average" in page.inner_text("#dialog caption")
    assert len(rows) == 5
    told = {row.split()[1]: row.split()[-2] for row in rows}
    assert {bid: chance for bid, chance, _ in figures} == told
    page.keyboard.press("Escape")

    page.evaluate("document.querySelector('.choice').dataset.old = ''")
    page.evaluate("pace.value = 1; pace.dispatchEvent(new Event('input'))")
    page.wait_for_function("!document.querySelector('.choice[data-old]')")
    assert page.locator("#choices .choice:has(small)").count() == 5
    page.click("#hint")
    assert page.locator("#choices small").count() == 0
    hurry(page)

    page.locator(CHOICES).first.click()
    page.wait_for_selector("#hand button:not(:disabled)")
    page.click("#back")
    page.wait_for_selector(".choice")
    for _ in until_over(page):
        if page.locator("#last").is_enabled():
            break
        act(page)
    page.click("#last")
    assert "took the trick" in page.inner_text("#dialog")


# --- people


def test_two_people_by_link(visit: Visit) -> None:
    """The second follows the first one's link; a reload leads back to the seat, and both play again."""
    first = visit()
    sit_down(first, [None, "rule_based", None, "rule_based"], [1, 2], person="Ann")
    table = first.evaluate("location.hash.slice(1)")
    first.wait_for_function("document.querySelector('#address').value")
    link = first.input_value("#address")
    assert link.endswith(f"/join/{table}")
    first.wait_for_selector("#players li:visible")
    plates = first.locator("#players li").all_inner_texts()
    assert [text.split("\n")[0] for text in plates] == ["You", "Easy\u00a02", "Open seat", "Easy\u00a04"]
    assert first.locator(".card:visible").count() == 0
    assert first.inner_text("#status") == "1 seat is open."
    first.click("#invites")
    first.wait_for_selector("#qr[src]")
    first.keyboard.press("Escape")
    second = visit(link, size="phone")
    second.wait_for_selector("#join:visible")
    assert second.inner_text("#join h2") == "1 seat is open."
    assert second.inner_text("#host") == "At the table: Ann, Easy, Easy."
    second.fill("#joiner", "Ben")
    second.click("#join button")
    second.wait_for_selector("#players li")
    first.wait_for_selector("#players :text('Ben')")
    first.wait_for_selector("#guests", state="hidden")
    second.reload()
    second.wait_for_selector("#players li")
    for page in until_over(first, second):
        act(page)
    assert first.locator("#podium .step1").count() >= 1
    first.click("#podium .main")
    for page in (first, second):
        page.wait_for_selector("#hand .card")
        assert page.evaluate("location.hash.slice(1)") not in ("", table)
    assert first.evaluate("location.hash") == second.evaluate("location.hash")
    assert "Ben" in first.inner_text("#players")
    assert "Ann" in second.inner_text("#players")


def test_late_guests(visit: Visit, address: str) -> None:
    """They may watch, if the players allow it, or open another table."""
    table = sit_down(visit(), [None, "random", "random"], [2], watchers=True)
    guest = visit(f"{address}#{table}")
    guest.wait_for_selector("#full:visible")
    assert guest.inner_text("#seated") == "At the table: Guest, Random, Random."
    guest.click("#watch")
    guest.wait_for_selector("#players li")
    assert guest.locator("#full:visible, #hand .card").count() == 0
    assert faults_of(guest) == []


def test_the_last_seat_may_go_while_a_guest_reads_the_invitation(visit: Visit, address: str) -> None:
    table = sit_down(visit(), [None, None, "random"], [2])
    first, second = (visit(f"{address}#{table}", size=size) for size in ("desktop", "phone"))
    for page, shown in ((first, "#players li"), (second, "#full")):
        page.click("#join button")
        page.wait_for_selector(f"{shown}:visible")
    assert (second.inner_text("#error"), faults_of(second)) == ("", [])
    assert second.locator("#watch").is_hidden()
    second.click("#friend button")
    second.wait_for_selector("#guests:visible")


def test_leaving_costs_a_question_only_where_others_play(visit: Visit, address: str) -> None:
    host = visit()
    table = sit_down(host, [None, None, "random"], [2])
    guest = visit(f"{address}#{table}")
    guest.fill("#joiner", "Ben")
    guest.click("#join button.main")
    guest.wait_for_selector("#hand .card")
    guest.click("#leave")
    guest.click("#leaving button:not(.main)")
    assert guest.evaluate("location.hash") == f"#{table}"
    guest.click("#leave")
    guest.click("#left")
    guest.wait_for_selector("#entrance:visible")
    host.wait_for_selector("#players .absent")
    alone = visit()
    sit_down(alone, [None, "random", "random"], [2])
    alone.wait_for_selector("#hand .card")
    alone.click("#leave")
    alone.wait_for_selector("#entrance:visible")


@pytest.mark.slow
def test_the_pictures_of_the_documentation(tmp_path: Path) -> None:
    """`make picture` works: it shows a decision and an agent's advice on it; and it makes the preview."""
    files = ["--out", str(tmp_path / "table.png"), "--preview", str(tmp_path / "preview.jpg")]
    subprocess.run([sys.executable, "-m", "table.tools.screenshot", *files], cwd=ROOT, check=True)
    assert (tmp_path / "table.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    with Image.open(tmp_path / "preview.jpg") as preview:
        assert preview.size == (1200, 630)

"""Results in Chromium: shared, beaten with the same deals, and the deals of the day."""

from table.tests.web.page.browsing import Visit, figures, hurry, play_on, sit_down


def test_a_result_is_shared_and_beaten(visit: Visit, address: str) -> None:
    """From the podium to the link; a friend plays the same deals, once, and both are in the list."""
    first = visit()
    table = sit_down(first, [None, "random", "search:worlds=8"], [1, 3], person="Ada")
    hand = first.locator("#hand .card").all_inner_texts()
    play_on(first)
    first.click("#podium a >> text=Share")
    first.wait_for_selector("#result .worth")
    text = first.input_value("#result textarea")
    link = text.split("\n")[-1]
    assert link.endswith(f"/share/{table}/0")
    assert "of 3" in text
    assert "Can you do better?" in text
    assert "search:" not in first.inner_text("main")
    assert figures(first.inner_text("#result .worth"))[1] == figures(first.inner_text("#result .points b"))[0]
    assert first.locator("#result .sums").count() == 0  # the review has it
    losses = [figures(cost)[-1] for cost in first.locator("#result .losses li").all_inner_texts()]
    assert 1 <= len(losses) <= 3
    assert losses == sorted(losses, reverse=True)
    assert all(loss > 0 for loss in losses)

    friend = visit(link)
    friend.wait_for_url(f"**/#result/{table}/0")
    friend.wait_for_selector("#result .worth", state="attached")
    assert friend.locator("#result .worth").is_hidden()  # it would give the deals away
    friend.click("text=Play the same deals")
    friend.wait_for_selector("#result .results")
    shown = friend.inner_text("#result")
    assert "Random and Hard" in shown
    assert "2 rounds, of 1 and 3 cards" in shown
    match = friend.evaluate("location.hash")
    tab = friend.context.new_page()
    tab.goto(f"{address}{match}")
    tab.wait_for_selector("#result button")
    friend.fill("#result input", "Grace")
    friend.click("#result button")
    friend.wait_for_selector("#players li")
    tab.click("#result button")  # the same browser, whose other tab sat down meanwhile
    tab.wait_for_selector("#players li")
    assert tab.evaluate("location.hash") == friend.evaluate("location.hash")
    tab.close()
    assert friend.locator("#hand .card").all_inner_texts() == hand
    hurry(friend)
    play_on(friend, 0)
    friend.goto("about:blank")
    friend.goto(f"{address}{match}")
    friend.wait_for_selector("#result .results [aria-current]")
    assert friend.locator("#result form").count() == 0
    assert friend.locator("#result .results tbody tr").count() == 2
    assert "Grace" in friend.inner_text("#result .results [aria-current]")


def test_the_day_has_a_page(visit: Visit, address: str) -> None:
    page = visit(f"{address}#daily")
    page.wait_for_selector("#result form")
    assert page.inner_text("#result h1") == "Today's deals"
    assert "5 rounds, of 2, 4, 6, 8 and 10 cards" in page.inner_text("#result")
    assert "3 \N{MULTIPLICATION SIGN} " in page.inner_text("#result")
    page.fill("#result input", "Ada")
    page.click("#result button")
    page.wait_for_selector("#players li")
    page.goto("about:blank")
    page.goto(f"{address}#daily")
    page.wait_for_selector("#result .results [aria-current]")
    assert page.inner_text("#result a.button") == "Continue your game"
    page.click("#result .back")
    page.wait_for_selector("#entrance:visible")

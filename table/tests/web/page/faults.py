"""Faults in the boxes of a page: the only place where the tests look for overlaps."""

from typing import Any

FAULTS = r"""async () => {
  await new Promise(requestAnimationFrame);
  const root = document.querySelector("dialog[open]") ?? document.body;
  const found = [];
  const tell = (fault, one) => found.push(`${fault}: ${one.outerHTML.slice(0, 110)}`);
  const style = getComputedStyle;
  const scrolls = (one) => /auto|scroll/.test(style(one).overflowX + style(one).overflowY);
  const unseen = (one) => one.closest(".unseen, .word:not(:only-child), .face") && style(
    one.closest(".unseen, .word, .face")).position === "absolute";
  const all = [...root.querySelectorAll("*")].filter((one) =>
    one.checkVisibility({ visibilityProperty: true }) && !unseen(one) && one.getBoundingClientRect().width);
  // The part of a box that is in view, since an element around it may scroll.
  const inView = (one) => {
    let { left, right, top, bottom } = one.getBoundingClientRect();
    for (let around = one.parentElement; around && around !== root; around = around.parentElement) {
      if (!scrolls(around)) continue;
      const box = around.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const meet = (p, q) =>
    p.left + 1 < q.right && q.left + 1 < p.right && p.top + 1 < q.bottom && q.top + 1 < p.bottom;

  const pressed = "a[href], button, input, select, summary, [role=slider]";
  const table = root.querySelector("#table");
  const fills = table?.checkVisibility() && (style(table).overflow === "hidden"
    || root.querySelector("#told:not([hidden])"));
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  if (fills && document.documentElement.scrollHeight > innerHeight) found.push("the page scrolls");
  const felt = all.find((one) => one.id === "felt");
  if (felt && felt.scrollHeight > felt.clientHeight + 1) found.push("the felt scrolls");
  const choices = all.find((one) => one.id === "choices");
  if (choices && choices.scrollHeight > choices.clientHeight + 1) found.push("the bids scroll");
  for (const one of all) {
    const { left, right, bottom } = inView(one);
    if (right - left > 1 && (left < -1 || right > innerWidth + 1)) tell("outside", one);
    const isPressed = one.matches(`${pressed}, #hand`) && !one.closest("#hand .card");
    if (fills && isPressed && bottom > innerHeight + 1) tell("below", one);
    const aside = style(one).overflowX === "auto" && !one.matches("#address");
    if (aside && one.scrollWidth > one.clientWidth + 1) tell("scrolls sideways", one);
    if (one.matches("#told span")) continue; // "All choices" has the rest
    const cuts = /hidden|clip/.test(style(one).overflowX) && !one.closest("[title]") && one.innerText?.trim();
    const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
    if (cuts && isCut && !["hand", "table"].includes(one.id)) tell("cut", one);
  }

  const scored = root.querySelector("#scored:not([hidden])");
  if (scored && scored.scrollHeight > scored.clientHeight + 1) found.push("the result scrolls");
  if (root.matches("dialog") && root.getBoundingClientRect().left < 4) found.push("no margin");
  // Fingers need 44 pixels; the button in a hint's line is larger than it looks.
  for (const one of all.filter((one) => one.matches("button, a.button, select"))) {
    const { width, height } = one.getBoundingClientRect();
    if (Math.min(width, height) < 43.5 && !one.closest("#hand, #told")) tell("small", one);
  }
  const linesOf = (text, start, end) => {
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, end);
    return new Set([...range.getClientRects()].map((one) => one.top)).size;
  };
  for (const name of all.filter((one) => one.matches("#players .name, .pad th span, .who"))) {
    const text = name.lastChild;
    const most = name.matches(".name") ? 8 : Infinity;
    for (const { 0: word, index } of (text.data ?? "").matchAll(/\S+/g))
      if (word.length <= most && linesOf(text, index, index + word.length) > 1) tell(`broken ${word}`, name);
  }

  const boxes =
    "td, th, button, a.button, summary, figure, .tag, .block, .who, #players li, #scored, dialog, .panel";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const box = text.parentElement.closest(boxes);
    if (!text.data.trim() || !box || !all.includes(text.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const [inner, outer] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    const isFigure = text.parentElement.closest("#hand small");
    const isCut = style(text.parentElement).textOverflow === "ellipsis" && text.parentElement.title;
    if (!isFigure && !isCut && (inner.left < outer.left - 1 || inner.right > outer.right + 1))
      tell("sticks out", text.parentElement);
  }

  const plates = "#players li, #players .name, #players .sign";
  const apart = `${pressed}, ${plates}, #status, #trick .card, #trump .words, #trump .card`;
  const parts = all.filter((one) => one.matches(apart) && !one.closest("#hand, .held"))
    .map((one) => [one, inView(one)]).filter(([, box]) => box.right > box.left && box.bottom > box.top);
  parts.forEach(([one, box], number) => {
    for (const [other, its] of parts.slice(number + 1)) {
      const nested = one.contains(other) || other.contains(one);
      const covered = (each) => each.closest("#felt") && !each.closest("#scored, #podium")
        && root.querySelector("#scored:not([hidden]), #podium:not([hidden])");
      if (!nested && !covered(one) && !covered(other) && meet(box, its))
        tell(`on ${other.outerHTML.slice(0, 60)}`, one);
    }
  });
  for (const figures of root.querySelectorAll("#hand small")) {
    const corners = [...root.querySelectorAll("#hand .corner")].map((one) => one.getBoundingClientRect());
    if (corners.some((box) => meet(figures.getBoundingClientRect(), box))) tell("covers a rank", figures);
  }
  return found;
}"""


def faults_of(page: Any) -> list[str]:
    """Name what is cut, outside the window or its box, or on something that one can press or read."""
    found: list[str] = page.evaluate(FAULTS)
    return found
